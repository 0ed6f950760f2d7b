import type * as t from 'io-ts'
import { decoderFor, onFirstUse } from '../compile/compile.js'
import { UNFIT } from '../compile/decode/reading.js'
import { type Decoder, type DecoderBuilder, type Unknown, type Wire, wrongType } from '../runtime/decoding.js'
import { Invalid } from '../runtime/invalid.js'
import { MAX_RECURSION, Nesting } from '../runtime/nesting.js'
import type { ConstrainedShape, RecursionShape, Shape } from '../shape/shape.js'
import { shapeOf } from '../shape/shape-of.js'
import { isUpload } from '../shape/upload-type.js'
import { arrayDecoder, tupleDecoder } from './list.js'
import { objectDecoder, recordDecoder } from './object.js'
import { opaqueDecoder } from './opaque.js'
import { literalDecoder, scalarDecoder } from './scalar.js'
import { intersectionDecoder, unionDecoder } from './union.js'

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
 * What decodes values by the codec. It answers the decoded value, or an Invalid with all that is wrong; it throws only what a codec
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

function makeDecoder(shape: Shape, manner: Required<DecodeOptions>): Decoder {
  const interpreterOf = (part: Shape, wire = manner.wire) => interpreter(part, { ...manner, wire })
  const interpret = onFirstUse(() => interpreterOf(shape))
  const decode = decoderFor(shape, manner, interpreterOf)
  if (!decode) return interpret
  return input => {
    const value = decode(input)
    return value === UNFIT ? interpret(input) : value
  }
}

/** The decoder of a shape of which nothing is compiled: what it answers is what a compiled one has to answer. */
export function interpreter(shape: Shape, manner: Required<DecodeOptions>): Decoder {
  return builderOf({ ...manner, nesting: new Nesting() }, new Map()).of(shape)
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
    case 'opaque':
      return opaqueDecoder(shape)
    default:
      return simpleDecoder(shape.kind, builder.wire)
  }
}

function constrainedDecoder(shape: ConstrainedShape, builder: DecoderBuilder): Decoder {
  const decode = builder.of(shape.base)
  const holds = shape.holds as (value: unknown) => boolean
  const invalid = new Invalid([shape.message])
  return input => {
    const value = decode(input)
    return value instanceof Invalid || holds(value) ? value : invalid
  }
}

const TOO_DEEP = new Invalid([`Nested more than ${MAX_RECURSION} levels deep.`])

function recursionDecoder(shape: RecursionShape, builder: DecoderBuilder): Decoder {
  let decode: Decoder | undefined
  const step: Decoder = input => {
    // what is inside may be the recursion itself, which is not built yet when this is
    decode ??= builder.of(shape.target())
    return decode(input)
  }
  return builder.nesting.guard(step, TOO_DEEP)
}

function simpleDecoder(kind: 'unknown' | 'undefined' | 'file', wire: Wire): Decoder {
  if (kind === 'unknown') return input => input
  const fault = wrongType(kind === 'file' ? 'Not a file.' : 'Must be absent.', wire)
  const fits = kind === 'file' ? isUpload : (input: unknown) => input === undefined
  return input => (fits(input) ? input : fault(input))
}
