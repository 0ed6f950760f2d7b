import type * as t from 'io-ts'
import { onFirstUse, writerFor } from '../compile/compile.js'
import { type Encode, type EncoderBuilder, Unfit } from '../runtime/encoding.js'
import { encodeJson } from '../runtime/json-value.js'
import { MAX_RECURSION, Nesting } from '../runtime/nesting.js'
import { expectation } from '../shape/expectation.js'
import type {
  ArrayShape,
  ConstrainedShape,
  LiteralShape,
  OpaqueShape,
  RecursionShape,
  ScalarShape,
  Shape,
  TupleShape,
} from '../shape/shape.js'
import { shapeOf } from '../shape/shape-of.js'
import { objectEncoder, recordEncoder } from './object.js'
import { standardEncoder } from './standard.js'
import { intersectionEncoder, unionEncoder } from './union.js'

/**
 * Returns a new JSON value with everything that the codec declares, and nothing else; throws an
 * EncodeError.
 */
export type Encoder = (value: unknown) => unknown

/**
 * Thrown for a value that does not match the codec that should encode it. The message has the place
 * and the expected value, never the value.
 */
export class EncodeError extends Error {
  override readonly name = 'EncodeError'
  /** The place in the value: `pets[3].owner.name`; empty for the whole. */
  readonly path: string
  /** The expected value: `a string`. */
  readonly expected: string

  readonly #unfit: Unfit
  readonly #hint: string

  /**
   * `where` names the result: `Pets.get (GET /pets/), response 200`. `hint` is for frequent
   * mistakes.
   */
  constructor(unfit: Unfit, where = '', hint = '') {
    const { path, expected, cause } = unfit
    const place = pathText(path)
    const sentence = `The result does not fit its codec${place && ` at ${place}`}: expected ${expected}${hint}`
    super(
      where === '' ? sentence : `${where}: ${sentence}`,
      cause === undefined ? undefined : { cause },
    )
    this.path = place
    this.expected = expected
    this.#unfit = unfit
    this.#hint = hint
  }

  /** The same error with the name of the result in its message. */
  in(where: string): EncodeError {
    return new EncodeError(this.#unfit, where, this.#hint)
  }
}

/**
 * Returns an encoder for a codec. It builds new objects of the declared fields, so that nothing
 * else is sent, at any depth; every scalar and every predicate is checked. A value that does not
 * match throws an EncodeError.
 */
export function encoderOf(codec: t.Mixed): Encoder {
  const encode = interpreter(shapeOf(codec))
  return value => {
    const wire = encode(value)
    if (wire instanceof Unfit) throw new EncodeError(wire, '', hintOf(value, wire.path))
    return wire
  }
}

/** Returns a hint for the most frequent mistakes: a missing return, a missing await. */
function hintOf(whole: unknown, path: readonly (string | number)[]): string {
  let value = whole
  for (const key of [undefined, ...path]) {
    if (key !== undefined)
      value = (value as Readonly<Record<string | number, unknown>> | null | undefined)?.[key]
    if (value instanceof Promise) return ', and there is a promise: await it'
  }
  return value === undefined ? ', and there is nothing (undefined)' : ''
}

const writers = new WeakMap<Shape, (value: unknown) => string>()

/**
 * Returns a writer of JSON, which encodes as `encoderOf` does. It is compiled on first use, once
 * for each codec.
 */
export function writerOf(codec: t.Mixed): (value: unknown) => string {
  const shape = shapeOf(codec)
  const writer = writers.get(shape) ?? onFirstUse(() => makeWriter(codec, shape))
  writers.set(shape, writer)
  return writer
}

function makeWriter(codec: t.Mixed, shape: Shape): (value: unknown) => string {
  const encode = onFirstUse(() => encoderOf(codec))
  const interpret = (value: unknown) => JSON.stringify(encode(value))
  const write = writerFor(shape, interpreter)
  return write ? value => write(value) ?? interpret(value) : interpret
}

/** The interpreted encoder of a shape, the reference: a compiled writer must write the same. */
export function interpreter(shape: Shape): Encode {
  const nesting = new Nesting()
  return nesting.run(builderOf(nesting).of(shape))
}

function builderOf(nesting: Nesting, fillIn = true): EncoderBuilder {
  const encoders = new Map<Shape, Encode>()
  let bare: EncoderBuilder | undefined
  const builder: EncoderBuilder = {
    nesting,
    fillIn,
    of(shape) {
      const encoder = encoders.get(shape) ?? build(shape, builder)
      encoders.set(shape, encoder)
      return encoder
    },
    withoutDefaults() {
      bare ??= fillIn ? builderOf(nesting, false) : builder
      return bare
    },
  }
  return builder
}

function build(shape: Shape, builder: EncoderBuilder): Encode {
  switch (shape.kind) {
    case 'scalar':
      return scalarEncoder(shape)
    case 'literal':
      return literalEncoder(shape)
    case 'array':
      return arrayEncoder(shape, builder)
    case 'tuple':
      return tupleEncoder(shape, builder)
    case 'record':
      return recordEncoder(shape, builder)
    case 'object':
      return objectEncoder(shape, builder)
    case 'union':
      return unionEncoder(shape, builder)
    case 'intersection':
      return intersectionEncoder(shape, builder)
    case 'constrained':
      return constrainedEncoder(shape, builder)
    case 'refined':
      return builder.of(shape.base)
    case 'recursion':
      return recursionEncoder(shape, builder)
    case 'standard':
      return standardEncoder(shape, builder)
    case 'opaque':
      return opaqueEncoder(shape)
    case 'unknown':
      return encodeJson
    default:
      return () => NEVER_SENT[shape.kind]
  }
}

const NEVER_SENT = { undefined: new Unfit('absent'), file: new Unfit('JSON, which a file is not') }

function constrainedEncoder(shape: ConstrainedShape, builder: EncoderBuilder): Encode {
  const encode = builder.of(shape.base)
  const holds = shape.holds as (value: unknown) => boolean
  const unfit = new Unfit(`${expectation(shape)} (${shape.message})`)
  return value => {
    const wire = encode(value)
    return wire instanceof Unfit || holds(value) ? wire : unfit
  }
}

const TOO_DEEP = new Unfit(`nested at most ${MAX_RECURSION} levels deep, and not in itself`)

function recursionEncoder(shape: RecursionShape, builder: EncoderBuilder): Encode {
  let encode: Encode | undefined
  const step: Encode = value => {
    encode ??= builder.of(shape.target())
    return encode(value)
  }
  return builder.nesting.guard(step, TOO_DEEP)
}

/** A path as a program writes it. */
function pathText(path: readonly (string | number)[]): string {
  const text = path.map(key =>
    typeof key === 'number'
      ? `[${key}]`
      : /^[A-Za-z_$][\w$]*$/.test(key)
        ? `.${key}`
        : `[${JSON.stringify(key)}]`,
  )
  return text.join('').replace(/^\./, '')
}

/** The encoder of a list: a new one, of every item. */
export function arrayEncoder(shape: ArrayShape, builder: EncoderBuilder): Encode {
  const unfit = new Unfit(expectation(shape))
  const encode = builder.of(shape.item)
  const missing = new Unfit(expectation(shape.item))
  return value => (Array.isArray(value) ? encodeItems(value, () => encode, missing) : unfit)
}

/** The encoder of a list whose places have their own types. */
export function tupleEncoder(shape: TupleShape, builder: EncoderBuilder): Encode {
  const encoders = shape.items.map(builder.of)
  const unfit = new Unfit(`a list of exactly ${encoders.length}`)
  const missing = new Unfit('a JSON value')
  return value => {
    const fits = Array.isArray(value) && value.length === encoders.length
    return fits ? encodeItems(value, index => encoders[index] as Encode, missing) : unfit
  }
}

/** In a list there is nothing to leave out: an undefined item, or a hole, does not fit. */
function encodeItems(
  items: readonly unknown[],
  encoderAt: (index: number) => Encode,
  missing: Unfit,
): unknown[] | Unfit {
  const wire: unknown[] = []
  for (let index = 0; index < items.length; index++) {
    const encoded = items[index] === undefined ? missing : encoderAt(index)(items[index])
    if (encoded instanceof Unfit) return encoded.under(index)
    wire.push(encoded)
  }
  return wire
}

/** The encoder of a scalar, which checks what it lets out as it would what comes in. */
export function scalarEncoder(shape: ScalarShape): Encode {
  const unfit = new Unfit(expectation(shape))
  const fits = isOfType[shape.type]
  const test = shape.test as ((value: unknown) => string | undefined) | undefined
  const convert = shape.conversion?.encode
  return value => {
    const wire = convert ? convert(value) : value
    return fits(wire) && test?.(wire) === undefined ? wire : unfit
  }
}

export function literalEncoder(shape: LiteralShape): Encode {
  const values = new Set<unknown>(shape.values)
  const unfit = new Unfit(expectation(shape))
  return value => (values.has(value) ? value : unfit)
}

/**
 * The encoder of a codec whose inside cannot be seen: its own `encode`, for values that it takes
 * for its own.
 */
export function opaqueEncoder({ codec }: OpaqueShape): Encode {
  const expected = codec.name
  return value => {
    try {
      return codec.is(value) ? encodeJson(codec.encode(value)) : new Unfit(expected)
    } catch (error) {
      return new Unfit(expected, [], error)
    }
  }
}

const isOfType: { readonly [Type in ScalarShape['type']]: (value: unknown) => boolean } = {
  string: value => typeof value === 'string',
  number: Number.isFinite,
  integer: Number.isSafeInteger,
  boolean: value => typeof value === 'boolean',
  null: value => value === null,
}
