import type * as t from 'io-ts'
import { decoderFor, onFirstUse } from '../compile/compile.js'
import { UNFIT } from '../compile/decode/reading.js'
import { type Decoder, type DecoderBuilder, faultOf, type Unknown, type Wire, wrongType } from '../runtime/decoding.js'
import { Invalid } from '../runtime/invalid.js'
import { jsonFaults } from '../runtime/json-value.js'
import { MAX_RECURSION, Nesting } from '../runtime/nesting.js'
import { checkErrors } from '../runtime/refinement.js'
import type { ConstrainedShape, FileShape, RecursionShape, RefinedShape, Shape, UndefinedShape, UnknownShape } from '../shape/shape.js'
import { shapeOf } from '../shape/shape-of.js'
import { isUpload } from '../shape/upload-type.js'
import { intersectionDecoder } from './intersection.js'
import { arrayDecoder, tupleDecoder } from './list.js'
import { objectDecoder, recordDecoder } from './object.js'
import { opaqueDecoder } from './opaque.js'
import { literalDecoder, scalarDecoder } from './scalar.js'
import { unionDecoder } from './union.js'

export type { Decoder, Unknown, Wire } from '../runtime/decoding.js'
export { boundedErrors, type ErrorTree, Invalid } from '../runtime/invalid.js'

/** How a codec is decoded. */
export interface DecodeOptions {
  /** Default `json`. */
  readonly wire?: Wire
  /** What becomes of fields that are not declared, at every depth. Default `raise` for JSON and `exclude` for text. */
  readonly unknown?: Unknown
  /** Takes read-only fields as any other, which a request may not have. Default false. */
  readonly whole?: boolean
}

const decoders = new WeakMap<Shape, Map<string, Decoder>>()

/**
 * What decodes values by the codec. It returns the decoded value, or an Invalid with all that is wrong; it throws only what a codec
 * or a predicate of the user throws. It is compiled when it is first used, once for a codec and its options.
 */
export function decoderOf(codec: t.Mixed, options: DecodeOptions = {}): Decoder {
  const { wire = 'json', unknown = wire === 'json' ? 'raise' : 'exclude', whole = false } = options
  const shape = shapeOf(codec)
  const known = decoders.get(shape) ?? new Map<string, Decoder>()
  decoders.set(shape, known)
  const variant = `${wire} ${unknown} ${whole}`
  const decoder = known.get(variant) ?? onFirstUse(() => makeDecoder(shape, { wire, unknown, whole }))
  known.set(variant, decoder)
  return decoder
}

function makeDecoder(shape: Shape, options: Required<DecodeOptions>): Decoder {
  const interpreterOf = (part: Shape, wire = options.wire) => interpreter(part, { ...options, wire })
  const interpret = onFirstUse(() => interpreterOf(shape))
  const decode = decoderFor(shape, options, interpreterOf)
  if (!decode) return interpret
  return input => {
    const value = decode(input)
    return value === UNFIT ? interpret(input) : value
  }
}

/** The interpreted decoder of a shape, the reference: a compiled one must return the same. */
export function interpreter(shape: Shape, options: Required<DecodeOptions>): Decoder {
  return builderOf({ ...options, nesting: new Nesting() }, new Map()).of(shape)
}

type Common = Pick<DecoderBuilder, 'wire' | 'unknown' | 'whole' | 'nesting'>

/** `built` has the decoders of each wire and policy by their shape, so that a recursion ends in itself. */
function builderOf(common: Common, built: Map<string, Map<Shape, Decoder>>): DecoderBuilder {
  const variant = `${common.wire} ${common.unknown}`
  const decoders = built.get(variant) ?? new Map<Shape, Decoder>()
  built.set(variant, decoders)
  const builder: DecoderBuilder = {
    ...common,
    of(shape) {
      const decoder = decoders.get(shape) ?? build(shape, builder)
      decoders.set(shape, decoder)
      return decoder
    },
    with: other => builderOf({ ...common, ...other }, built),
  }
  return builder
}

function build(shape: Shape, builder: DecoderBuilder): Decoder {
  switch (shape.kind) {
    case 'scalar':
      return scalarDecoder(shape, builder.wire)
    case 'literal':
      return literalDecoder(shape, builder.wire)
    case 'array':
      return arrayDecoder(shape, builder)
    case 'tuple':
      return tupleDecoder(shape, builder)
    case 'record':
      return recordDecoder(shape, builder)
    case 'object':
      return objectDecoder(shape, builder)
    case 'union':
      return unionDecoder(shape, builder)
    case 'intersection':
      return intersectionDecoder(shape, builder)
    case 'constrained':
      return constrainedDecoder(shape, builder)
    case 'recursion':
      return recursionDecoder(shape, builder)
    case 'refined':
      return refinedDecoder(shape, builder)
    case 'opaque':
      return opaqueDecoder(shape)
    case 'unknown':
      return unknownDecoder(shape)
    default:
      return simpleDecoder(shape, builder.wire)
  }
}

function constrainedDecoder(shape: ConstrainedShape, builder: DecoderBuilder): Decoder {
  const decode = builder.of(shape.base)
  const holds = shape.holds as (value: unknown) => boolean
  const invalid = faultOf(shape, shape.message)
  return input => {
    const value = decode(input)
    return value instanceof Invalid || holds(value) ? value : invalid
  }
}

/** The check sees only what has been decoded without a fault. */
function refinedDecoder(shape: RefinedShape, builder: DecoderBuilder): Decoder {
  const decode = builder.of(shape.base)
  return input => {
    const value = decode(input)
    const errors = value instanceof Invalid ? undefined : checkErrors(shape, value)
    return errors ? new Invalid(errors) : value
  }
}

function recursionDecoder(shape: RecursionShape, builder: DecoderBuilder): Decoder {
  let decode: Decoder | undefined
  const step: Decoder = input => {
    // what is inside may be the recursion itself, which is not built yet when this is
    decode ??= builder.of(shape.target())
    return decode(input)
  }
  return builder.nesting.guard(step, faultOf(shape, `Nested more than ${MAX_RECURSION} levels deep.`))
}

function unknownDecoder(shape: UnknownShape): Decoder {
  return input => {
    const faults = jsonFaults(input)
    if (!faults) return input
    return Array.isArray(faults) ? faultOf(shape, faults[0]) : new Invalid(faults)
  }
}

function simpleDecoder(shape: UndefinedShape | FileShape, wire: Wire): Decoder {
  const fault = wrongType(shape, shape.kind === 'file' ? 'Not a file.' : 'Must be absent.', wire)
  const fits = shape.kind === 'file' ? isUpload : (input: unknown) => input === undefined
  return input => (fits(input) ? input : fault(input))
}
