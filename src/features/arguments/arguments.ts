import type * as t from 'io-ts'
import { boundedErrors, decoderOf, Invalid } from '../../codec/decode/decode.js'
import { decoderInTurns } from '../../codec/decode/turns.js'
import type { Dictionary } from '../../codec/shape/plain-object.js'
import { isCodec } from '../../codec/shape/require-codec.js'
import type { InputOf } from '../../codec/types/types.js'
import type { Exchange } from '../../contract/exchange.js'
import type { Feature, Part, Route } from '../../contract/feature.js'
import type { Location, Reader } from '../../contract/request-reader.js'
import type { Step } from '../../contract/step.js'
import { isShort } from '../../http/body/request-body.js'
import { type Errors, Refusal } from '../../http/failure.js'
import { optionsIn, shown } from '../../names.js'
import { checkArgument, checkBodies } from './checks.js'
import {
  type ArgumentOptions,
  argumentFeature,
  bodiesOf,
  contentTypeOf,
  type Declared,
  errorStatusOf,
  isBody,
  type LocatedOptions,
  limitsOf,
  unknownOf,
} from './declaration.js'
import { describeArgument } from './describe.js'
import { namesOf } from './fields.js'
import { spreader } from './spread.js'
import type { ArgumentWire, LocationIn } from './wire.js'

/** The typing of an argument feature. */
export type Argument<
  C extends t.Mixed,
  Options,
  L extends Location = LocationIn<Options>,
> = Feature<
  Options extends { readonly asKwargs: true }
    ? { named: InputOf<C> & object; wire: ArgumentWire<C, Options, L> }
    : { arguments: readonly [InputOf<C>]; wire: ArgumentWire<C, Options, L> }
>

/**
 * An argument: one location of the request, decoded by the codec and passed to the method, in the order in which arguments are listed.
 * Invalid input is refused with 422 and the messages of every field (specification, section 4.2). `json`, `query`, `path`, `headers`,
 * `cookies`, `form` and `files` are the short forms.
 */
export function argument<
  C extends t.Mixed,
  const Options extends ArgumentOptions = Record<never, never>,
>(codec: C, options?: Options): Argument<C, Options> {
  if (!isCodec(codec))
    throw new TypeError(
      `${optionsIn(options).location ?? 'json'}(…) takes a codec of io-ts first, such as struct({ … }), not ${shown(codec)}`,
    )
  const declared: Declared = {
    codec,
    options: options ?? {},
    location: optionsIn(options).location ?? 'json',
  }
  const feature: Feature = argumentFeature(declared, route => bind(route, declared))
  return feature as never
}

function located<const L extends Location>(location: L) {
  return <C extends t.Mixed, const Options extends LocatedOptions = Record<never, never>>(
    codec: C,
    options?: Options,
  ): Argument<C, Options, L> => {
    if (options !== undefined && optionsIn(options) !== options)
      throw new TypeError(`${location}(): its options are an object, not ${shown(options)}`)
    return argument(codec, { ...options, location } as Options & { location: Location }) as never
  }
}

/** The JSON body. An absent or empty one is decoded as an empty object, so that every missing field is named. */
export const json = located('json')
/** The query. Numbers and booleans are read from their text; a name that is sent twice is a list. */
export const query = located('query')
/** The path parameters as sent, beside those that converters provide. */
export const path = located('path')
/** Header fields, by their names in any case. */
export const headers = located('headers')
/** Cookies, by name. */
export const cookies = located('cookies')
/** The fields of a form, urlencoded or multipart. */
export const form = located('form')
/** The files of a multipart body: a codec of `Upload` fields. With `form`, both read one body. */
export const files = located('files')

function bind(route: Route, declared: Declared): readonly Part[] {
  const { codec, options, location } = declared
  const reader: Reader | undefined = Object.hasOwn(route.attributes.ARGUMENTS_PARSER, location)
    ? route.attributes.ARGUMENTS_PARSER[location]
    : undefined
  if (reader === undefined) return [{ stage: 'arguments', step: invalidLocation(route, location) }]
  const bodies = bodiesOf(route)
  const isFirstBody = bodies[0] === declared
  checkArgument(route, declared)
  if (isFirstBody) checkBodies(route, bodies)
  const withFiles = bodies.some(body => body.location === 'files')
  const wanted = {
    contentType: contentTypeOf(route, declared),
    limits: limitsOf(bodies),
    names: namesOf(codec),
    withFiles,
  }
  const read =
    route.method === 'QUERY' && isBody(location) ? typed(reader, wanted.contentType) : reader
  const unknown = unknownOf(route, declared)
  const decode = decoderOf(codec, { wire: location === 'json' ? 'json' : 'text', unknown })
  const decodeLong = location === 'json' ? decoderInTurns(codec, { unknown }) : decode
  const status = errorStatusOf(declared)
  const spread = options.asKwargs ? spreader(route, declared) : undefined

  const take = (
    exchange: Exchange,
    raw: unknown,
  ): Refusal | undefined | Promise<Refusal | undefined> => {
    if (raw instanceof Refusal) return raw
    const input = raw === undefined ? {} : raw
    if (isShort(exchange.ctx.req)) return accept(exchange, decode(input))
    const value = decodeLong(input)
    return value instanceof Promise
      ? value.then(decoded => accept(exchange, decoded))
      : accept(exchange, value)
  }
  const accept = (exchange: Exchange, value: unknown): Refusal | undefined => {
    if (value instanceof Invalid)
      return new Refusal(status, { errors: { [location]: boundedErrors(value) as Errors } })
    exchange.inputs.push([location, value])
    if (spread) spread(exchange.named, value as Dictionary)
    else exchange.arguments.push(value)
    return undefined
  }
  const step: Step = exchange => {
    const raw = read(exchange, wanted)
    return raw instanceof Promise ? raw.then(value => take(exchange, value)) : take(exchange, raw)
  }
  return [
    {
      stage: 'arguments',
      step,
      docs: schemas => describeArgument(route, schemas, declared, isFirstBody ? bodies : []),
    },
  ]
}

/** A QUERY without Content-Type must fail, whatever its body (RFC 10008, section 2). */
function typed(reader: Reader, contentType: string): Reader {
  const missing = new Refusal(400, {
    message: `QUERY needs a Content-Type, such as ${contentType}.`,
  })
  return (source, wanted) =>
    source.ctx.req.headers['content-type'] === undefined ? missing : reader(source, wanted)
}

/** The compiler rejects it. Where it slips through, the application starts and every request fails (specification, 4.2, rule 4). */
function invalidLocation(route: Route, location: string): Step {
  const text = `${route.place}: there is no location "${location}" for an argument`
  route.warn(text)
  return () => {
    throw new TypeError(text)
  }
}
