import { type Decoder, faultOf, type Wire, wrongType } from '../runtime/decoding.js'
import { expectation } from '../shape/expectation.js'
import type { LiteralShape, ScalarShape } from '../shape/shape.js'

const UNSAFE = Symbol('not a safe integer')
const NOTHING = Symbol('no value')

/** A whole number as a string, with one spelling each. */
const INTEGER = /^(?:0|-?[1-9][0-9]*)$/
/** A number as JSON spells it. */
const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/

/**
 * The decoder of a scalar. On a text wire whole numbers are `0|-?[1-9][0-9]*`, other numbers as in
 * JSON, booleans `true` and `false`, and those of `t.boolean` in the spellings of marshmallow.
 * Numbers are finite, whole numbers safe and never -0.
 */
export function scalarDecoder(shape: ScalarShape, wire: Wire): Decoder {
  const expected = expectation(shape)
  const fault = wrongType(
    shape,
    /^an? /.test(expected) ? `Not ${expected}.` : `Must be ${expected}.`,
    wire,
  )
  const unsafe = faultOf(
    shape,
    `Must lie between ${Number.MIN_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}.`,
  )
  const read = readerOf(shape, wire)
  const test = shape.test as ((value: unknown) => string | undefined) | undefined
  const convert = shape.conversion?.decode as ((value: unknown) => unknown) | undefined
  return input => {
    const value = read(input)
    if (value === NOTHING) return fault(input)
    if (value === UNSAFE) return unsafe
    const message = test?.(value)
    if (message !== undefined) return faultOf(shape, message)
    const converted = convert ? convert(value) : value
    return converted === undefined ? fault(input) : converted
  }
}

/** The decoder of fixed values, which on a text wire are recognized by their spelling. */
export function literalDecoder(shape: LiteralShape, wire: Wire): Decoder {
  const values = new Map<unknown, unknown>(
    shape.values.map(value => [wire === 'text' ? String(value) : value, value]),
  )
  const fault = wrongType(shape, `Must be ${expectation(shape)}.`, wire)
  return input => (values.has(input) ? values.get(input) : fault(input))
}

type Reader = (input: unknown) => unknown

const fromJson: { readonly [Type in ScalarShape['type']]: Reader } = {
  string: input => (typeof input === 'string' ? input : NOTHING),
  number: input => (typeof input === 'number' && Number.isFinite(input) ? input : NOTHING),
  integer: input => (typeof input === 'number' && Number.isInteger(input) ? safe(input) : NOTHING),
  boolean: input => (typeof input === 'boolean' ? input : NOTHING),
  null: input => (input === null ? null : NOTHING),
}

const fromText: { readonly [Type in Exclude<ScalarShape['type'], 'string'>]: Reader } = {
  number: input => (isMatch(NUMBER, input) ? fromJson.number(Number(input)) : NOTHING),
  integer: input => (isMatch(INTEGER, input) ? safe(Number(input)) : NOTHING),
  boolean: input => (input === 'true' ? true : input === 'false' ? false : NOTHING),
  null: () => NOTHING,
}

function readerOf({ type, lenient }: ScalarShape, wire: Wire): Reader {
  if (wire === 'json' || type === 'string') return fromJson[type]
  return lenient ? anySpelling : fromText[type]
}

const SPELLINGS = new Map<unknown, boolean>([
  ...spellings(true, 't', 'true', 'on', 'y', 'yes', '1'),
  ...spellings(false, 'f', 'false', 'off', 'n', 'no', '0'),
])

/** Each word in lower case, with a capital letter, and in capitals. */
function spellings(value: boolean, ...words: readonly string[]): (readonly [string, boolean])[] {
  return words
    .flatMap(word => [word, word.charAt(0).toUpperCase() + word.slice(1), word.toUpperCase()])
    .map(word => [word, value])
}

const anySpelling: Reader = input => SPELLINGS.get(input) ?? NOTHING

function isMatch(pattern: RegExp, input: unknown): boolean {
  return typeof input === 'string' && pattern.test(input)
}

function safe(value: number): number | typeof UNSAFE {
  // the sum turns -0 into 0
  return Number.isSafeInteger(value) ? value + 0 : UNSAFE
}
