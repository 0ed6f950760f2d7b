import type * as t from 'io-ts'
import { type DecodeSettings, decoderFor, UNFIT } from '../compile/decode/decode.js'
import { onFirstUse } from '../compile/on-first-use.js'
import { repeatedParts } from '../compile/source/source.js'
import {
  checkErrors,
  type Decoder,
  type DecoderBuilder,
  type ErrorTree,
  type Faults,
  faultOf,
  Invalid,
  JsonText,
  mergeErrors,
  SHOWN_MESSAGES,
  UNKNOWN_FIELD,
  type Unknown,
  WHOLE,
  type Wire,
  withFault,
  wrongType,
} from '../runtime/decoding.js'
import { MAX_RECURSION, Nesting } from '../runtime/nesting.js'
import { notValid } from '../shape/expectation.js'
import { isPlainObject } from '../shape/plain-object.js'
import { type ByKind, forKind, type Shape, type ShapeOf } from '../shape/shape.js'
import { shapeOf } from '../shape/shape-of.js'
import { alternativesOf, hasFields } from '../traits/parts.js'
import { isUpload } from '../types/upload-type.js'
import {
  arrayDecoder,
  objectDecoder,
  recordDecoder,
  tupleDecoder,
  unknownDecoder,
} from './collections.js'
import { literalDecoder, scalarDecoder } from './scalar.js'
import { unionDecoder } from './union.js'

export type { Decoder, Unknown, Wire } from '../runtime/decoding.js'
export { boundedErrors, type ErrorTree, Invalid, JsonText } from '../runtime/decoding.js'

/** How a codec is decoded. */
export interface DecodeOptions {
  /** Default `json`. */
  readonly wire?: Wire
  /**
   * The treatment of undeclared fields, at every depth. Default `raise` for JSON and `exclude` for
   * strings.
   */
  readonly unknown?: Unknown
  /** Whether read-only fields are accepted, which a request may not have. Default false. */
  readonly whole?: boolean
  /**
   * Whether objects and lists that decoding does not change are returned themselves, with their
   * fields in their own order: for a value that nobody else uses. A second copy of a long body
   * costs as much as parsing it. Default false.
   */
  readonly reuse?: boolean
}

const decoders = new WeakMap<Shape, Map<string, Decoder>>()

/**
 * Returns a decoder for a codec. It returns the decoded value, or an Invalid with all faults; it
 * throws only what a codec or a predicate of the application throws. It is compiled on first use,
 * once for each codec and options.
 */
export function decoderOf(codec: t.Mixed, options: DecodeOptions = {}): Decoder {
  const { wire = 'json', whole = false, reuse = false } = options
  const { unknown = wire === 'json' ? 'raise' : 'exclude' } = options
  const shape = shapeOf(codec)
  const known = decoders.get(shape) ?? new Map<string, Decoder>()
  decoders.set(shape, known)
  const variant = `${wire} ${unknown} ${whole} ${reuse}`
  const decoder =
    known.get(variant) ?? onFirstUse(() => makeDecoder(shape, { wire, unknown, whole, reuse }))
  known.set(variant, decoder)
  return decoder
}

/**
 * The same for a whole argument: it returns a promise if a schema of another library is
 * asynchronous, which is a TypeError anywhere inside of another codec.
 */
export function argumentDecoderOf(codec: t.Mixed, options: DecodeOptions): Decoder {
  const shape = shapeOf(codec)
  const { wire = 'json' } = options
  if (shape.kind !== 'standard') return decoderOf(codec, options)
  const settings = { wire, unknown: 'raise', whole: false, nesting: new Nesting() } as const
  const plan = { built: new Map(), repeated: new Set<Shape>() }
  return shape.decoder(shape, builderOf(settings, plan), awaited => awaited)
}

function makeDecoder(shape: Shape, settings: DecodeSettings): Decoder {
  const interpreterOf = (part: Shape, wire = settings.wire) =>
    interpreter(part, { ...settings, wire })
  const interpret = onFirstUse(() => interpreterOf(shape))
  const decode = decoderFor(shape, settings, interpreterOf)
  if (!decode) return interpret
  return input => {
    const value = decode(input)
    return value === UNFIT ? interpret(input) : value
  }
}

/** The interpreted decoder of a shape, the reference: a compiled one must return the same. */
export function interpreter(shape: Shape, settings: DecodeSettings): Decoder {
  const nesting = new Nesting()
  const plan = { built: new Map(), repeated: repeatedParts(shape) }
  const decode = nesting.run(builderOf({ ...settings, nesting }, plan).of(shape))
  return hasObjectItems(shape) ? input => nullItemsApart(input, decode(input)) : decode
}

/** Whether a shape is a list of objects with fields. */
function hasObjectItems(shape: Shape): boolean {
  if (shape.kind === 'constrained' || shape.kind === 'refined') return hasObjectItems(shape.base)
  return shape.kind === 'array' && hasFields(shape.item)
}

/**
 * If a body is a list of objects, a null item is reported under `_schema`, as in flask-smorest:
 * such an item is a body of its own.
 */
function nullItemsApart(input: unknown, value: unknown): unknown {
  if (!(value instanceof Invalid) || !Array.isArray(input) || Array.isArray(value.errors))
    return value
  let faults: Faults
  for (const [name, errors] of Object.entries(value.errors))
    faults = withFault(
      faults,
      name,
      input[Number(name)] === null && Array.isArray(errors)
        ? withFault(undefined, WHOLE, errors)
        : errors,
    )
  return faults ? new Invalid(faults) : value
}

type Common = Omit<DecoderBuilder, 'of' | 'with'>

interface Plan {
  /** The decoders of each wire and policy by their shape, so that a recursion ends in itself. */
  readonly built: Map<string, Map<Shape, Decoder>>
  /** The shapes that several members of a union would decode repeatedly. */
  readonly repeated: ReadonlySet<Shape>
}

function builderOf(common: Common, plan: Plan): DecoderBuilder {
  const variant = `${common.wire} ${common.unknown}`
  const decoders = plan.built.get(variant) ?? new Map<Shape, Decoder>()
  plan.built.set(variant, decoders)
  const make = (shape: Shape): Decoder => {
    const decode = forKind(DECODERS, shape, builder)
    const decoder = plan.repeated.has(shape) ? common.nesting.once(decode) : decode
    return common.wire === 'text' ? orJson(decoder, shape, builder) : decoder
  }
  const builder: DecoderBuilder = {
    ...common,
    of(shape) {
      const decoder = decoders.get(shape) ?? make(shape)
      decoders.set(shape, decoder)
      return decoder
    },
    with: other => builderOf({ ...common, ...other }, plan),
  }
  return builder
}

/** Decodes strings, and those that are JSON on the wire of JSON. */
function orJson(decode: Decoder, shape: Shape, builder: DecoderBuilder): Decoder {
  return input => {
    if (!(input instanceof JsonText)) return decode(input)
    const value = builder.with({ wire: 'json' }).of(shape)(input.value)
    if (!(value instanceof Invalid)) return value
    const asText = decode(input.text)
    return asText instanceof Invalid ? value : asText
  }
}

const DECODERS: ByKind<[builder: DecoderBuilder], Decoder> = {
  scalar: (shape, { wire }) => scalarDecoder(shape, wire),
  literal: (shape, { wire }) => literalDecoder(shape, wire),
  array: arrayDecoder,
  tuple: tupleDecoder,
  record: recordDecoder,
  object: objectDecoder,
  union: unionDecoder,
  intersection: intersectionDecoder,
  constrained(shape, builder) {
    const holds = shape.holds as (value: unknown) => boolean
    const invalid = faultOf(shape, shape.message)
    return checkedDecoder(builder.of(shape.base), value => (holds(value) ? value : invalid))
  },
  refined: (shape, builder) =>
    checkedDecoder(builder.of(shape.base), value => {
      const errors = checkErrors(shape, value)
      return errors ? new Invalid(errors) : value
    }),
  recursion(shape, { nesting, of, wire }) {
    let decode: Decoder | undefined
    const step = (input: unknown): unknown => {
      // the target may contain this recursion, which is not built yet
      decode ??= of(shape.target())
      return decode(input)
    }
    const tooDeep = faultOf(shape, `Nested more than ${MAX_RECURSION} levels deep.`)
    return nesting.guard(step, tooDeep, wire === 'text')
  },
  standard: (shape, builder) => shape.decoder(shape, builder),
  opaque: opaqueDecoder,
  unknown: unknownDecoder,
  undefined(shape, { wire }) {
    const fault = wrongType(shape, 'Must be absent.', wire)
    return input => (input === undefined ? input : fault(input))
  },
  file(shape, { wire }) {
    const fault = wrongType(shape, 'Not a file.', wire)
    return input => (isUpload(input) ? input : fault(input))
  },
}

/** The check sees only what has been decoded without a fault. */
function checkedDecoder(decode: Decoder, check: Decoder): Decoder {
  return input => {
    const value = decode(input)
    return value instanceof Invalid ? value : check(value)
  }
}

/**
 * The decoder of an intersection that could not be merged: every member must fit. Objects are
 * joined, of anything else the last member's value counts, which must be one of every member, or it
 * could not be encoded. Each member takes the fields that another one declares; those that none
 * declares are found before.
 */
function intersectionDecoder(shape: ShapeOf<'intersection'>, builder: DecoderBuilder): Decoder {
  const alternatives = alternativesOf(shape)
  const isOpen = alternatives.some(({ kind }) => ['unknown', 'standard', 'opaque'].includes(kind))
  const decoders = shape.members.map(
    isOpen ? builder.with({ unknown: 'include' }).of : member => looseDecoder(member, builder),
  )
  const fitsNotAll = faultOf(shape, notValid(shape.codec.name))
  const names = builder.with({ wire: 'text' })
  const isDeclared = (name: string) =>
    alternatives.some(one =>
      one.kind === 'record'
        ? !(names.of(one.domain)(name) instanceof Invalid)
        : one.kind === 'object' && (one.rest || one.fields.some(field => field.name === name)),
    )
  const findsUndeclared = builder.unknown === 'raise' && !isOpen
  return input => {
    let faults: Faults
    for (const name of findsUndeclared && isPlainObject(input) ? Object.keys(input) : [])
      if (!isDeclared(name)) faults = withFault(faults, name, UNKNOWN_FIELD)
    let joined: unknown
    let invalid = faults && new Invalid(faults)
    for (const decode of decoders) {
      const value = decode(input)
      if (value instanceof Invalid)
        invalid = invalid ? new Invalid(mergeErrors(invalid.errors, value.errors)) : value
      else
        joined =
          isPlainObject(joined) && isPlainObject(value) ? changed(input, joined, value) : value
    }
    return invalid ?? (shape.members.every(({ codec }) => codec.is(joined)) ? joined : fitsNotAll)
  }
}

/** Decodes without the fields that the outermost objects do not declare. */
function looseDecoder(shape: Shape, builder: DecoderBuilder): Decoder {
  const isInside = alternativesOf(shape).includes(shape)
  const loose: DecoderBuilder = {
    ...builder,
    unknown: builder.unknown === 'raise' ? 'exclude' : builder.unknown,
    of: isInside ? builder.of : part => looseDecoder(part, builder),
  }
  return forKind(DECODERS, shape, loose)
}

/** Both objects in one: of a field that both have, the one that its member has decoded. */
function changed(
  input: unknown,
  first: Record<string, unknown>,
  second: Record<string, unknown>,
): Record<string, unknown> {
  const undecoded = isPlainObject(input) ? input : {}
  const decoded = Object.entries(second).filter(
    ([key, value]) => !Object.hasOwn(first, key) || value !== undecoded[key],
  )
  return Object.fromEntries([...Object.entries(first), ...decoded])
}

/** The decoder of a codec whose inside cannot be seen: its own `validate`, its errors by field. */
function opaqueDecoder(shape: ShapeOf<'opaque'>): Decoder {
  const { codec, message } = shape
  return input => {
    const decoded = codec.validate(input, [{ key: '', type: codec, actual: input }])
    if (decoded._tag === 'Right') return decoded.right
    const errors = errorTree(decoded.left)
    return message !== undefined && Array.isArray(errors)
      ? faultOf(shape, message)
      : new Invalid(errors)
  }
}

function errorTree(errors: t.Errors): ErrorTree {
  const [first = [notValid()], ...others] = errors.slice(0, SHOWN_MESSAGES + 1).map(errorToTree)
  return others.reduce(mergeErrors, first)
}

/** The message of one error under the path of its field. */
function errorToTree({ context, message }: t.ValidationError): ErrorTree {
  const codec = context.at(-1)?.type
  const path = context
    .filter((_entry, index) => index > 0 && !isAlternative(context[index - 1]))
    .map(entry => entry.key)
  return path.reduceRight<ErrorTree>(
    (inner, field) => withFault(undefined, field, inner),
    [message ?? notValid(codec?.name)],
  )
}

/** io-ts's path has the parts of a union or an intersection by number; these are not fields. */
function isAlternative(entry: t.ContextEntry | undefined): boolean {
  const tag = (entry?.type as { readonly _tag?: string } | undefined)?._tag
  return tag === 'UnionType' || tag === 'IntersectionType'
}
