import type * as t from 'io-ts'
import { boundedErrors, decoderOf, Invalid } from '../../codec/decode/decode.js'
import { applyMergePatch, mergePatchOf } from '../../codec/define/merge-patch.js'
import { encoderOf, naming } from '../../codec/encode/encode.js'
import { faultsOf } from '../../codec/encode/faults.js'
import { requireCodec } from '../../codec/shape/annotations.js'
import { shapeOf } from '../../codec/shape/shape-of.js'
import { visitShapes } from '../../codec/traits/parts.js'
import type { BareSchema } from '../../codec/types/standard-type.js'
import type { InputOf, MergePatchOf, OutputOf, WireInputOf } from '../../codec/types/types.js'
import type { Exchange, Step } from '../../feature-api/exchange.js'
import type { Feature, Route } from '../../feature-api/feature.js'
import type { WireBody } from '../../feature-api/wire/facts.js'
import { hasBody, mediaTypeOf } from '../../http/body/request-body.js'
import { type Errors, Refusal } from '../../http/failure.js'
import { optionsIn } from '../../names.js'
import type { Schemas } from '../../openapi/schema/schemas.js'
import { anything, checkOptions, object, type Rules, string } from '../../options.js'
import { describeBody, refusals } from './arguments.js'
import { bindBody } from './body.js'
import {
  bodyLimitOf,
  checkArgument,
  type Declared,
  type LocatedOptions,
  limitsOf,
  unknownOf,
} from './declaration.js'
import { isObjectCodec, namesOf } from './fields.js'

/** Options of `mergePatch`. */
export type MergePatchOptions = Pick<
  LocatedOptions,
  'description' | 'example' | 'examples' | 'limits'
>

/** The typing of `mergePatch`. */
export type MergePatchArgument<C extends t.Mixed> = Feature<
  {
    arguments: readonly [InputOf<C>]
    needs: { current: OutputOf<C> | undefined }
    wire: {
      body: PatchBody<'application/merge-patch+json', C> | PatchBody<'application/json', C>
      errors: 400 | 413 | 415 | 422
    }
  },
  'mergePatch'
>

type PatchBody<Media extends string, C extends t.Mixed> = WireBody<
  'json',
  Media,
  MergePatchOf<WireInputOf<C>>,
  true
>

const MERGE_PATCH = 'application/merge-patch+json'
const TYPES: readonly string[] = [MERGE_PATCH, 'application/json']

/**
 * A merge patch (RFC 7396) of what `current` is: the argument is the whole that comes of it, as
 * `json(codec)` would have decoded it. Needs `current`, which `etag({ load })` gives; if there is
 * none, as under `create`, the patch is applied to `{}`. For PATCH.
 *
 * Fields that are absent stay, lists are replaced, null removes an optional field. The body is
 * `application/merge-patch+json` or, read in the same way, `application/json`; another one is a
 * 415. A field that does not fit, a read-only or an unknown one, and a whole that does not decode
 * are a 422. A codec with a write-only field that is required is a fault: `current` is the encoded
 * value, which lacks it.
 */
export function mergePatch<C extends t.Mixed>(
  codec: C | (BareSchema & 'wrap it: std(schema), from koa-smorest/standard'),
  options?: MergePatchOptions,
): MergePatchArgument<C> {
  requireCodec('mergePatch() takes', codec, 'struct({ … })')
  const feature: Feature = {
    kind: 'mergePatch',
    needs: ['current'],
    bodyLimit: bodyLimitOf('json', optionsIn(options)),
    on(route) {
      const position = route.argument()
      const declared: Declared = {
        codec,
        location: 'json',
        options: {
          ...checkOptions(route, 'mergePatch', options, RULES),
          contentType: MERGE_PATCH,
        },
      }
      check(route, declared)
      const patches = new WeakMap<Exchange, unknown>()
      const prepare = whole(route, declared)
      const reader = {
        types: TYPES,
        accepts: () => false,
        isBinary: false,
        step: reading(route, declared, patches),
        docs: (schemas: Schemas) => {
          const where = `${route.place}, json`
          const patch = { ...declared, codec: mergePatchOf(codec) }
          const body = describeBody(route, schemas, [patch], where)
          const [media] = Object.values(body.content)
          const content = Object.fromEntries(TYPES.map(type => [type, media]))
          return {
            requestBody: { ...body, content: content as typeof body.content },
            responses: refusals(schemas, [400, 413, 415, 422]),
          }
        },
      }
      return [
        ...bindBody(route, feature, [reader]),
        {
          stage: 'prepare',
          step(exchange) {
            const value = prepare(exchange, patches.get(exchange))
            if (value instanceof Refusal) return value
            position.set(exchange, value)
            return undefined
          },
        },
      ]
    },
  }
  return feature as never
}

const RULES: Rules<MergePatchOptions> = {
  description: string,
  example: anything,
  examples: object,
  limits: object,
}

function check(route: Route, declared: Declared): void {
  const { codec } = declared
  checkArgument(route, declared)
  if (route.method !== 'PATCH')
    route.fault(`mergePatch is for PATCH, not for ${route.method}: use json(…)`)
  if (!isObjectCodec(codec))
    route.fault(`mergePatch: the codec must be one of an object, and ${codec.name} is not`)
  for (const fault of faultsOf(codec, 'output')) route.fault(`mergePatch: ${fault}`)
  visitShapes(shapeOf(codec), (shape, place) => {
    if (shape.kind !== 'object') return
    for (const { access, optional, fallback, key } of shape.fields) {
      if (access === 'write' && (!optional || fallback !== undefined))
        route.fault(
          `mergePatch: "${[place(), key].filter(Boolean).join('.')}" is write-only, so \`current\` does not show it and a patch would lose it: make it optional`,
        )
    }
  })
}

/** Reads the patch and checks it by itself. */
function reading(route: Route, declared: Declared, patches: WeakMap<Exchange, unknown>): Step {
  const { codec } = declared
  const unknown = unknownOf(route, declared)
  const fits = decoderOf(mergePatchOf(codec), { unknown })
  const wanted = {
    contentType: MERGE_PATCH,
    limits: limitsOf([declared]),
    names: namesOf(codec),
    withFiles: false,
  }
  const read = route.attributes.ARGUMENTS_PARSER.json
  const take = (exchange: Exchange, patch: unknown): Refusal | undefined => {
    if (patch instanceof Refusal) return patch
    const fitting = fits(patch)
    if (fitting instanceof Invalid) return refused(fitting)
    exchange.inputs.push(['json', patch])
    patches.set(exchange, patch)
    return undefined
  }
  return exchange => {
    const { req } = exchange.ctx
    if (hasBody(req)) {
      const type = mediaTypeOf(req, TYPES, ({ essence }) => TYPES.includes(essence))
      if (type instanceof Refusal) return type
    }
    const patch = read(exchange, wanted)
    return patch instanceof Promise
      ? patch.then(value => take(exchange, value))
      : take(exchange, patch)
  }
}

/** Returns a function that applies a patch to `current` and decodes the whole. */
function whole(route: Route, declared: Declared): (exchange: Exchange, patch: unknown) => unknown {
  const { codec } = declared
  const decode = decoderOf(codec, { unknown: unknownOf(route, declared) })
  const encode = naming(`${route.place}, current`, encoderOf(codec, { writable: true }))
  return ({ named: { current } }, patch) => {
    const target = current === undefined || current === null ? {} : encode(current)
    const value = decode(applyMergePatch(codec, target, patch))
    return value instanceof Invalid ? refused(value) : value
  }
}

function refused(invalid: Invalid): Refusal {
  return new Refusal(422, { errors: { json: boundedErrors(invalid) as Errors } })
}
