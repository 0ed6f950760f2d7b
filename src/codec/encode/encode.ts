import type * as t from 'io-ts'
import { writerFor } from '../compile/encode/encode.js'
import { onFirstUse } from '../compile/on-first-use.js'
import { interpreter as interpretedDecoder } from '../decode/decode.js'
import { recordKeyReader } from '../runtime/decoding.js'
import { type Encode, type EncoderBuilder, encodeJson, Unfit } from '../runtime/encoding.js'
import { MAX_RECURSION, Nesting } from '../runtime/nesting.js'
import { expectation } from '../shape/expectation.js'
import { mayBeLeftOut, unionShape } from '../shape/object-shape.js'
import { type Dictionary, isPlainObject, readerOf, setOwn } from '../shape/plain-object.js'
import {
  type ByKind,
  type Field,
  forKind,
  literalsOf,
  type ScalarShape,
  type Shape,
  type ShapeOf,
} from '../shape/shape.js'
import { shapeOf } from '../shape/shape-of.js'
import { someInside } from '../traits/parts.js'

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
export function encoderOf(codec: t.Mixed, options?: EncodeOptions): Encoder {
  const encode = interpreter(shapeOf(codec), options)
  return value => {
    const wire = encode(value)
    if (wire instanceof Unfit) throw new EncodeError(wire, '', hintOf(value, wire.path))
    return wire
  }
}

/** How a codec is encoded. */
interface EncodeOptions {
  /** Whether read-only fields are left out at every depth: a request has none. Default false. */
  readonly writable?: boolean
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

/** Adds the name of a result to the EncodeErrors of an encoder or a writer. */
export function naming<T>(where: string, encode: (value: unknown) => T): (value: unknown) => T {
  return value => {
    try {
      return encode(value)
    } catch (error) {
      throw error instanceof EncodeError ? error.in(where) : error
    }
  }
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
export function interpreter(shape: Shape, { writable = false }: EncodeOptions = {}): Encode {
  const nesting = new Nesting()
  return nesting.run(builderOf({ nesting, writable, fillIn: true }).of(shape))
}

function builderOf(
  settings: Pick<EncoderBuilder, 'nesting' | 'writable' | 'fillIn'>,
): EncoderBuilder {
  const encoders = new Map<Shape, Encode>()
  let bare: EncoderBuilder | undefined
  const builder: EncoderBuilder = {
    ...settings,
    of(shape) {
      const encoder = encoders.get(shape) ?? forKind(ENCODERS, shape, builder)
      encoders.set(shape, encoder)
      return encoder
    },
    withoutDefaults() {
      bare ??= settings.fillIn ? builderOf({ ...settings, fillIn: false }) : builder
      return bare
    },
  }
  return builder
}

/** The encoders of the kinds. A new value is built, and nothing of an unknown kind is let out. */
const ENCODERS: ByKind<[builder: EncoderBuilder], Encode> = {
  scalar: scalarEncoder,
  literal(shape) {
    const values = new Set<unknown>(shape.values)
    const unfit = new Unfit(expectation(shape))
    return value => (values.has(value) ? value : unfit)
  },
  array(shape, builder) {
    const unfit = new Unfit(expectation(shape))
    const encode = builder.of(shape.item)
    const missing = new Unfit(expectation(shape.item))
    return value => (Array.isArray(value) ? encodeItems(value, () => encode, missing) : unfit)
  },
  tuple(shape, builder) {
    const encoders = shape.items.map(builder.of)
    const unfit = new Unfit(`a list of exactly ${encoders.length}`)
    const missing = new Unfit('a JSON value')
    return value => {
      const fits = Array.isArray(value) && value.length === encoders.length
      return fits ? encodeItems(value, index => encoders[index] as Encode, missing) : unfit
    }
  },
  /** Its own entries, without names outside of the domain and without undefined values. */
  record(shape, builder) {
    const decodeName = interpretedDecoder(withoutChecks(shape.domain), {
      wire: 'text',
      unknown: 'raise',
      whole: false,
    })
    // keys are strings in the program too, whatever the domain: they are read as in decoding
    const encodeEntries = entriesEncoder(builder.of(shape.codomain), recordKeyReader(decodeName))
    const unfit = new Unfit(expectation(shape))
    return value => {
      // a Map has entries that are not its properties
      if (!isPlainObject(value)) return unfit
      const wire: Dictionary = {}
      return encodeEntries(value, wire) ?? wire
    }
  },
  /** The declared fields, in their order. The value may be an instance of a class. */
  object(shape, builder) {
    const fields = shape.fields
      .filter(({ access }) => access !== 'write' && !(access === 'read' && builder.writable))
      .map(field => fieldEncoder(field, builder))
    const keys = new Set(shape.fields.map(field => field.key))
    const encodeOthers =
      shape.rest && entriesEncoder(builder.of(shape.rest), key => (keys.has(key) ? undefined : key))
    const unfit = new Unfit(expectation(shape))
    return value => {
      if (!isObject(value)) return unfit
      const wire: Dictionary = {}
      for (const encodeField of fields) {
        const failed = encodeField(value, wire)
        if (failed) return failed
      }
      return encodeOthers?.(value, wire) ?? wire
    }
  },
  /**
   * With a discriminator, its value decides which member encodes. Without one, of the members that
   * really match, it is the one that keeps most of the value, and the first of those, so that no
   * field is lost that some member declares.
   */
  union(shape, builder) {
    return shape.discriminator === undefined
      ? bestFittingEncoder(shape, builder)
      : discriminatedEncoder(shape, shape.discriminator, builder)
  },
  /** Every member must fit; objects are joined, else the last member counts. */
  intersection(shape, builder) {
    const encoders = shape.members.map(builder.of)
    return value => {
      let joined: unknown
      for (const encode of encoders) {
        const wire = encode(value)
        if (wire instanceof Unfit) return wire
        joined =
          isPlainObject(joined) && isPlainObject(wire)
            ? Object.fromEntries([...Object.entries(joined), ...Object.entries(wire)])
            : wire
      }
      return joined
    }
  },
  constrained(shape, builder) {
    const encode = builder.of(shape.base)
    const holds = shape.holds as (value: unknown) => boolean
    const unfit = new Unfit(`${expectation(shape)} (${shape.message})`)
    return value => {
      const wire = encode(value)
      return wire instanceof Unfit || holds(value) ? wire : unfit
    }
  },
  refined: (shape, builder) => builder.of(shape.base),
  recursion(shape, builder) {
    let encode: Encode | undefined
    const step: Encode = value => {
      encode ??= builder.of(shape.target())
      return encode(value)
    }
    return builder.nesting.guard(step, TOO_DEEP)
  },
  standard: (shape, { of }) => shape.encoder(shape, of),
  /** The codec's own `encode`, for values that it takes for its own. */
  opaque({ codec }) {
    const expected = codec.name
    return value => {
      try {
        return codec.is(value) ? encodeJson(codec.encode(value)) : new Unfit(expected)
      } catch (error) {
        return new Unfit(expected, [], error)
      }
    }
  },
  unknown: () => encodeJson,
  undefined: () => () => ABSENT,
  file: () => () => A_FILE,
}

const ABSENT = new Unfit('absent')
const A_FILE = new Unfit('JSON, which a file is not')
const TOO_DEEP = new Unfit(`nested at most ${MAX_RECURSION} levels deep, and not in itself`)

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

const isOfType: { readonly [Type in ScalarShape['type']]: (value: unknown) => boolean } = {
  string: value => typeof value === 'string',
  number: Number.isFinite,
  integer: Number.isSafeInteger,
  boolean: value => typeof value === 'boolean',
  null: value => value === null,
}

/** The checks of `refine` run in decoding only. */
function withoutChecks(shape: Shape): Shape {
  if (shape.kind === 'refined') return withoutChecks(shape.base)
  if (shape.kind === 'constrained') return { ...shape, base: withoutChecks(shape.base) }
  return shape.kind === 'union' ? unionShape(shape.codec, shape.members.map(withoutChecks)) : shape
}

/** Puts the encoded field into the object on the wire, or returns why its value does not match. */
type EncodeInto = (value: Dictionary, wire: Dictionary) => Unfit | undefined

function fieldEncoder(field: Field, { of, fillIn }: EncoderBuilder): EncodeInto {
  const { key, name, shape } = field
  const encode = of(shape)
  const read = readerOf(key)
  const fallback = fillIn ? field.constant?.value : undefined
  const mayBeAbsent = fillIn ? mayBeLeftOut(field) : field.optional || field.fallback !== undefined
  return (value, wire) => {
    const own = read(value)
    const given = own === undefined ? fallback : own
    if (given === undefined && mayBeAbsent) return undefined
    const encoded = given === undefined ? new Unfit(expectation(shape)) : encode(given)
    if (encoded instanceof Unfit) return encoded.under(key)
    setOwn(wire, name, encoded)
    return undefined
  }
}

/** Encodes the entries whose name is not undefined. */
function entriesEncoder(encode: Encode, nameOf: (key: string) => string | undefined): EncodeInto {
  return (value, wire) => {
    for (const key of Object.keys(value)) {
      const name = value[key] === undefined ? undefined : nameOf(key)
      if (name === undefined) continue
      const encoded = encode(value[key])
      if (encoded instanceof Unfit) return encoded.under(key)
      setOwn(wire, name, encoded)
    }
    return undefined
  }
}

function isObject(value: unknown): value is Dictionary {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function discriminatedEncoder(
  shape: ShapeOf<'union'>,
  discriminator: string,
  builder: EncoderBuilder,
): Encode {
  const encoders = new Map<unknown, Encode>()
  for (const member of shape.members) {
    const encode = builder.of(member)
    for (const value of literalsOf(member).get(discriminator)?.values ?? [])
      encoders.set(value, encode)
  }
  const notAnObject = new Unfit('an object')
  const wrongValue = new Unfit(`one of: ${[...encoders.keys()].join(', ')}`).under(discriminator)
  const read = readerOf(discriminator)
  return value => {
    if (typeof value !== 'object' || value === null) return notAnObject
    return (encoders.get(read(value as Dictionary)) ?? (() => wrongValue))(value)
  }
}

function bestFittingEncoder(shape: ShapeOf<'union'>, builder: EncoderBuilder): Encode {
  const encoders = shape.members.map(builder.of)
  const unfit = new Unfit(expectation(shape))
  let measures: readonly Encode[] | undefined
  return value => {
    const fitting = encoders
      .map((encode, member) => ({ member, wire: encode(value) }))
      .filter(({ wire }) => !(wire instanceof Unfit))
    if (fitting.length < 2) return fitting.length === 0 ? unfit : fitting[0]?.wire
    // this compares how much of the value is kept, so defaults do not count
    measures ??= shape.members.map(member =>
      (hasDefaults(member) ? builder.withoutDefaults() : builder).of(member),
    )
    const sizes = fitting.map(({ member }) => sizeOf(measures?.[member]?.(value)))
    return fitting[sizes.indexOf(Math.max(...sizes))]?.wire
  }
}

function hasDefaults(shape: Shape): boolean {
  return someInside(
    shape,
    inner => inner.kind === 'object' && inner.fields.some(field => field.fallback),
  )
}

/**
 * How much of the program's value is in a JSON value: nothing in one that is empty, as a Date is
 * for an object of optional fields.
 */
function sizeOf(wire: unknown): number {
  if (typeof wire !== 'object' || wire === null) return 1
  return Object.values(wire).reduce<number>((sum, inner) => sum + 1 + sizeOf(inner), 0)
}
