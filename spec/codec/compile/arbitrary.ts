import * as fc from 'fast-check'
import * as t from 'io-ts'
import { struct } from '../../../src/codec/define/struct.js'
import { readOnly, wireName, writeOnly } from '../../../src/codec/shape/object-shape.js'
import {
  type CodecOptions,
  codecs,
  fittingInputs,
  INHERITED_KEYS,
  inputsOf,
  PLAIN_KEYS,
} from '../arbitrary.js'

/** Names that mean something to a compiler, to JavaScript or to JSON. */
const ODD_KEYS = [
  '"];throw 1//',
  '`+v+`',
  '\\',
  '\u2028',
  '\ud800',
  'v',
  'depth',
  'toJSON',
  '0',
  '10',
  '*/',
]

const keys = [...PLAIN_KEYS, ...INHERITED_KEYS, ...ODD_KEYS]

/**
 * Codecs of all kinds, with names of all kinds, and of what the others have none: marks, codecs
 * that cannot be seen into, files.
 */
export function oddCodecs(): fc.Arbitrary<t.Mixed> {
  const some = codecs({ depth: 3, keys })
  const few = codecs({ depth: 1, keys })
  const marked = fc
    .tuple(few, few, few)
    .map(([first, second, third]) =>
      struct({ a: readOnly(first), b: writeOnly(second), c: wireName('0', third) }),
    )
  const open = fc
    .tuple(few, few)
    .map(([first, second]) =>
      t.intersection([t.partial({ a: first, x: second }), t.record(t.string, t.unknown)]),
    )
  const foreign = few.map(codec =>
    t.type({ a: new t.Type('Foreign', codec.is, codec.validate, codec.encode), b: codec }),
  )
  const strange = fc.constantFrom<t.Mixed>(
    t.literal(Number.NaN),
    t.union([t.literal(0), t.literal(Number.NaN), t.literal('"')]),
    t.union([
      t.type({ kind: t.literal(Number.NaN), a: t.string }),
      t.type({ kind: t.literal(1), a: t.number }),
    ]),
    t.tuple([t.string, t.union([t.number, t.undefined])]),
    t.record(t.keyof({ a: null, 1: null }), t.unknown),
    t.UnknownRecord,
    t.UnknownArray,
  )
  return fc.oneof(
    { weight: 8, arbitrary: some },
    { weight: 1, arbitrary: marked },
    { weight: 1, arbitrary: open },
    { weight: 1, arbitrary: foreign },
    strange,
  )
}

/** What JSON never has, or spells in another way, by the type of what it is put in the place of. */
const ODD_LEAVES: Readonly<Record<string, readonly unknown[]>> = {
  number: [Number.NaN, -0, Number.POSITIVE_INFINITY, 2 ** 53, 0.5, 1n, Object(1), '1', undefined],
  string: [
    '"\\\n',
    '\u001f',
    '\ud83d',
    `${'long'.repeat(10)}"`,
    `${'long'.repeat(10)}\ud83d`,
    `${'long'.repeat(10)}\u2028💩`,
    Object('boxed'),
    Symbol('odd'),
    1,
    undefined,
  ],
  boolean: [Object(true), 'true', 'On', 1, undefined],
  object: [
    new Date(0),
    new Date(Number.NaN),
    new Map([['a', 1]]),
    undefined,
    () => 1,
    null,
    [],
    ['a'],
    {},
    new Array(1),
    { length: 0 },
  ],
}

/**
 * Values for a codec: as JSON has them, with what it never has, as instances of classes, with
 * fields that cannot be seen or are inherited.
 */
export function oddValues(codec: t.Mixed, options: CodecOptions = { keys }): fc.Arbitrary<unknown> {
  const fitting = fittingInputs(codec)
  const change = fc.constantFrom(replaced, replaced, added)
  const odd = fc
    .tuple(fitting, fc.nat(), fc.nat(), change)
    .map(([value, leaf, at, make]) => make(value, leaf, at))
  const dressed = fc
    .tuple(fc.oneof(fitting, odd), fc.constantFrom(...DRESSES))
    .map(([value, dress]) => redressed(value, dress))
  return fc.oneof(fitting, inputsOf(codec, options), odd, dressed)
}

/** Another value in one place, which `at` tells: at any depth. */
function replaced(value: unknown, leaf: number, at: number): unknown {
  if (typeof value !== 'object' || value === null) return oddLeaf(value, leaf)
  const names = Object.keys(value)
  const name = names[at % (names.length + 1)]
  if (name === undefined) return names.length === 0 || at % 3 === 0 ? oddLeaf(value, leaf) : value
  return changed(
    value,
    name,
    replaced((value as Record<string, unknown>)[name], leaf, Math.floor(at / (names.length + 1))),
  )
}

function oddLeaf(value: unknown, leaf: number): unknown {
  const leaves = ODD_LEAVES[typeof value] ?? []
  return leaves[leaf % leaves.length]
}

/** The value with one more field, or item. */
function added(value: unknown, leaf: number, at: number): unknown {
  return typeof value === 'object' && value !== null
    ? changed(value, keys[at % keys.length] as string, oddLeaf('', leaf))
    : oddLeaf(value, leaf)
}

function changed(value: object, name: string, other: unknown): unknown {
  if (Array.isArray(value))
    return Object.assign(
      [...value],
      /^\d+$/.test(name) ? { [name]: other } : { [value.length]: other },
    )
  return Object.fromEntries([...Object.entries(value), [name, other]])
}

type Dress = (value: Record<string, unknown>) => object

const DRESSES: readonly Dress[] = [
  value => Object.assign(Object.create(null), value),
  // an instance of a class, with getters
  value => Object.create(Object.create(Object.prototype, Object.getOwnPropertyDescriptors(value))),
  value => {
    class Row {}
    return Object.defineProperties(new Row(), Object.getOwnPropertyDescriptors(value))
  },
  value => Object.defineProperties({}, getters(value)),
  // fields that no loop over names meets
  value =>
    Object.defineProperties(
      { extra: 1 },
      Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [name, { value: inner, enumerable: false }]),
      ),
    ),
  value =>
    Object.assign(Object.create(Object.assign(Object.create(null), { inherited: 1 })), value),
]

function getters(value: Record<string, unknown>): PropertyDescriptorMap {
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, { get: () => inner, enumerable: true }]),
  )
}

function redressed(value: unknown, dress: Dress): unknown {
  if (Array.isArray(value)) return value.map(item => redressed(item, dress))
  if (
    typeof value !== 'object' ||
    value === null ||
    Object.getPrototypeOf(value) !== Object.prototype
  )
    return value
  return dress(
    Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, redressed(inner, dress)]),
    ),
  )
}

/** A value as a query or a form would have it: names, and texts or lists of texts. */
export function asText(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return text(value)
  const fields = Object.entries(value).map(([name, inner]) => [
    name,
    Array.isArray(inner) ? inner.map(text) : text(inner),
  ])
  return Object.assign(Object.create(null), Object.fromEntries(fields))
}

function text(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? value : String(value)
}
