import type * as t from 'io-ts'
import { decoderFor, onFirstUse } from '../compile/compile.js'
import { type DecodeSettings, UNFIT } from '../compile/decode/reading.js'
import { repeatedParts } from '../compile/source/static-facts.js'
import {
  type Decoder,
  type DecoderBuilder,
  faultOf,
  type PartDecoder,
  type Steps,
  type Unknown,
  type Wire,
  wrongType,
} from '../runtime/decoding.js'
import { Invalid } from '../runtime/invalid.js'
import { MAX_RECURSION, Nesting } from '../runtime/nesting.js'
import { checkErrors } from '../runtime/refinement.js'
import type {
  ConstrainedShape,
  FileShape,
  RecursionShape,
  RefinedShape,
  Shape,
  UndefinedShape,
} from '../shape/shape.js'
import { shapeOf } from '../shape/shape-of.js'
import { isUpload } from '../types/upload-type.js'
import { intersectionDecoder } from './intersection.js'
import { arrayDecoder, tupleDecoder } from './list.js'
import { objectDecoder, recordDecoder } from './object.js'
import { opaqueDecoder } from './opaque.js'
import { AT_ONCE, isLong, type Pace, WITHOUT_PAUSE } from './pace.js'
import { literalDecoder, scalarDecoder } from './scalar.js'
import { unionDecoder } from './union.js'
import { unknownDecoder } from './unknown.js'

export type { Decoder, Unknown, Wire } from '../runtime/decoding.js'
export { boundedErrors, type ErrorTree, Invalid } from '../runtime/invalid.js'

/** How a codec is decoded. */
export interface DecodeOptions {
  /** Default `json`. */
  readonly wire?: Wire
  /** The treatment of undeclared fields, at every depth. Default `raise` for JSON and `exclude` for text. */
  readonly unknown?: Unknown
  /** Whether read-only fields are accepted, which a request may not have. Default false. */
  readonly whole?: boolean
}

const decoders = new WeakMap<Shape, Map<string, Decoder>>()

/**
 * Returns a decoder for a codec. It returns the decoded value, or an Invalid with all faults; it throws only what a codec or a predicate of
 * the application throws. It is compiled on first use, once for each codec and options.
 */
export function decoderOf(codec: t.Mixed, options: DecodeOptions = {}): Decoder {
  return decoderOfShape(shapeOf(codec), settingsOf(options))
}

/** The options with their defaults. */
export function settingsOf({
  wire = 'json',
  unknown = wire === 'json' ? 'raise' : 'exclude',
  whole = false,
}: DecodeOptions): DecodeSettings {
  return { wire, unknown, whole }
}

function decoderOfShape(shape: Shape, settings: DecodeSettings): Decoder {
  const known = decoders.get(shape) ?? new Map<string, Decoder>()
  decoders.set(shape, known)
  const variant = `${settings.wire} ${settings.unknown} ${settings.whole}`
  const decoder = known.get(variant) ?? onFirstUse(() => makeDecoder(shape, settings))
  known.set(variant, decoder)
  return decoder
}

function makeDecoder(shape: Shape, settings: DecodeSettings): Decoder {
  const interpreterOf = (part: Shape, wire = settings.wire) =>
    interpreter(part, { ...settings, wire })
  const interpret = onFirstUse(() => interpreterOf(shape))
  const decode = decoderFor(shape, settings, interpreterOf)
  if (!decode) return interpret
  const report = (input: unknown) =>
    isLong(input) ? longReport(shape, settings, input) : interpret(input)
  return input => {
    const value = decode(input)
    return value === UNFIT ? report(input) : value
  }
}

/** Reports the faults of a long value: only the parts that do not match are interpreted. */
function longReport(shape: Shape, settings: DecodeSettings, input: unknown): unknown {
  return atOnce(stepwise(shape, settings, WITHOUT_PAUSE))(input)
}

/** The interpreted decoder of a shape, the reference: a compiled one must return the same. */
export function interpreter(shape: Shape, settings: DecodeSettings): Decoder {
  const nesting = new Nesting()
  return nesting.run(partDecoder(shape, settings, nesting, AT_ONCE).decode)
}

/** The same for one value, in steps. Whatever is not long is decoded by compiled code first. */
export function stepwise(
  shape: Shape,
  settings: DecodeSettings,
  pace: Pace,
): (value: unknown) => Steps {
  const { decode, steps } = partDecoder(shape, settings, new Nesting(), pace)
  return steps ?? (value => only(decode(value)))
}

function partDecoder(
  shape: Shape,
  settings: DecodeSettings,
  nesting: Nesting,
  pace: Pace,
): PartDecoder {
  const repeated = repeatedParts(shape)
  // what is compiled counts levels anew
  const isLong =
    pace === AT_ONCE ? pace.isLong : (value: unknown) => nesting.isDeep || pace.isLong(value)
  return builderOf(
    { ...settings, nesting, isLong, isDue: pace.isDue },
    { built: new Map(), repeated, isStepwise: pace !== AT_ONCE },
  ).of(shape)
}

type Common = Omit<DecoderBuilder, 'of' | 'with'>

interface Plan {
  /** The decoders of each wire and policy by their shape, so that a recursion ends in itself. */
  readonly built: Map<string, Map<Shape, PartDecoder>>
  /** What several members of a union would decode again and again. */
  readonly repeated: ReadonlySet<Shape>
  readonly isStepwise: boolean
}

function builderOf(common: Common, plan: Plan): DecoderBuilder {
  const { wire, unknown, whole, nesting } = common
  const variant = `${wire} ${unknown}`
  const decoders = plan.built.get(variant) ?? new Map<Shape, PartDecoder>()
  plan.built.set(variant, decoders)
  const make = (shape: Shape): PartDecoder => {
    const part = build(shape, builder)
    if (typeof part !== 'function') return part
    const steps = plan.repeated.has(shape) ? nesting.once(part) : part
    return {
      decode: plan.isStepwise ? decoderOfShape(shape, { wire, unknown, whole }) : atOnce(steps),
      steps,
    }
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

// biome-ignore lint/correctness/useYield: a value that is decoded in one step
function* only(value: unknown): Steps {
  return value
}

/** Takes all steps at once. */
function atOnce(steps: (value: unknown) => Steps): Decoder {
  return value => {
    const run = steps(value)
    for (;;) {
      const { done, value: result } = run.next()
      if (done) return result
    }
  }
}

/** Builds the decoder of a shape; it decodes in steps if the shape has parts. */
function build(shape: Shape, builder: DecoderBuilder): PartDecoder | ((input: unknown) => Steps) {
  switch (shape.kind) {
    case 'scalar':
      return { decode: scalarDecoder(shape, builder.wire) }
    case 'literal':
      return { decode: literalDecoder(shape, builder.wire) }
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
      return { decode: opaqueDecoder(shape) }
    case 'unknown':
      return unknownDecoder(shape, builder)
    default:
      return { decode: simpleDecoder(shape, builder.wire) }
  }
}

function constrainedDecoder(
  shape: ConstrainedShape,
  builder: DecoderBuilder,
): PartDecoder | ((input: unknown) => Steps) {
  const holds = shape.holds as (value: unknown) => boolean
  const invalid = faultOf(shape, shape.message)
  return checkedDecoder(builder.of(shape.base), value => (holds(value) ? value : invalid), builder)
}

function refinedDecoder(
  shape: RefinedShape,
  builder: DecoderBuilder,
): PartDecoder | ((input: unknown) => Steps) {
  const check = (value: unknown): unknown => {
    const errors = checkErrors(shape, value)
    return errors ? new Invalid(errors) : value
  }
  return checkedDecoder(builder.of(shape.base), check, builder)
}

/** The check sees only what has been decoded without a fault. */
function checkedDecoder(
  base: PartDecoder,
  check: Decoder,
  { isLong }: DecoderBuilder,
): PartDecoder | ((input: unknown) => Steps) {
  const { decode, steps } = base
  const checked = (value: unknown) => (value instanceof Invalid ? value : check(value))
  if (!steps) return { decode: input => checked(decode(input)) }
  return function* (input) {
    return checked(isLong(input) ? yield* steps(input) : decode(input))
  }
}

function recursionDecoder(
  shape: RecursionShape,
  builder: DecoderBuilder,
): (input: unknown) => Steps {
  let target: PartDecoder | undefined
  const step = function* (input: unknown): Steps {
    // what is inside may be the recursion itself, which is not built yet when this is
    target ??= builder.of(shape.target())
    return target.steps && builder.isLong(input) ? yield* target.steps(input) : target.decode(input)
  }
  return builder.nesting.guardSteps(
    step,
    faultOf(shape, `Nested more than ${MAX_RECURSION} levels deep.`),
  )
}

function simpleDecoder(shape: UndefinedShape | FileShape, wire: Wire): Decoder {
  const fault = wrongType(shape, shape.kind === 'file' ? 'Not a file.' : 'Must be absent.', wire)
  const fits = shape.kind === 'file' ? isUpload : (input: unknown) => input === undefined
  return input => (fits(input) ? input : fault(input))
}
