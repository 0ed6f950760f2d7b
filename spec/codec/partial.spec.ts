import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { decoderOf, Invalid } from '../../src/codec/decode/decode.js'
import { maxItems } from '../../src/codec/define/bounds.js'
import { list, nullable } from '../../src/codec/define/list.js'
import { partial } from '../../src/codec/define/partial.js'
import { message, refine } from '../../src/codec/define/refine.js'
import { int } from '../../src/codec/define/scalar/scalars.js'
import { omit, pick, struct } from '../../src/codec/define/struct.js'
import { encoderOf } from '../../src/codec/encode/encode.js'
import { describe as annotate } from '../../src/codec/shape/annotations.js'
import { readOnly, wireName, withDefault, writeOnly } from '../../src/codec/shape/object-shape.js'
import { Schemas } from '../../src/openapi/schema/schemas.js'

function decode(codec: t.Mixed, input: unknown): unknown {
  const value = decoderOf(codec)(input)
  return value instanceof Invalid ? { errors: value.errors } : value
}

const Address = struct(
  { street: t.string, zip: withDefault(t.string, '00000'), country: wireName('Country', t.string) },
  'Address',
)
const Cat = t.type({ kind: t.literal('cat'), lives: int, home: Address })
const Dog = t.strict({ kind: t.literal('dog'), tricks: withDefault(t.array(t.string), () => []) })
const own = new t.Type<number>(
  'Own',
  t.number.is,
  (input, context) => t.number.validate(input ?? 7, context),
  t.identity,
)
const Owner = struct(
  {
    id: readOnly(int),
    home: Address,
    office: wireName('Office', nullable(annotate(Address, { description: 'Where they work' }))),
    old: maxItems(t.array(Address), 2),
    lists: list(int),
    byName: t.record(t.string, Address),
    each: t.record(t.keyof({ a: null, b: null }), Address),
    pet: t.union([Cat, Dog, t.null]),
    both: t.intersection([Address, t.type({ since: int })]),
    secret: writeOnly(Address),
    fixed: t.readonly(t.type({ x: int })),
    pair: t.tuple([Address]),
    own,
  },
  'Owner',
)

describe('pick and omit', () => {
  it('are structs of some fields, with their marks', () => {
    const Home = struct({
      id: readOnly(int),
      token: wireName('X-Token', t.string),
      size: withDefault(int, 1),
      secret: writeOnly(t.string),
    })
    const Some = pick(Home, ['id', 'token', 'size'])
    expect(decode(Some, { 'X-Token': 'a' })).toEqual({ token: 'a', size: 1 })
    expect(decode(Some, { 'X-Token': 'a', id: 1, secret: '' })).toEqual({
      errors: { id: ['Read-only field.'], secret: ['Unknown field.'] },
    })
    expect(Object.keys(pick(Home, ['size', 'id']).props)).toEqual(['size', 'id'])
    expect(Object.keys(omit(Home, ['id', 'secret']).props)).toEqual(['token', 'size'])
    expect(encoderOf(omit(Home, ['id']))({ id: 1, token: 'a', secret: 'b' })).toEqual({
      'X-Token': 'a',
      size: 1,
    })
  })

  it('take t.type and t.strict, under other annotations and with a message', () => {
    for (const codec of [
      t.type({ a: int, b: int }),
      t.strict({ a: int, b: int }),
      message(annotate(t.type({ a: int, b: int }), {}), 'x'),
    ])
      expect([
        Object.keys(pick(codec, ['a']).props),
        Object.keys(omit(codec, ['a']).props),
      ]).toEqual([['a'], ['b']])
  })

  it('are a component only with a name', () => {
    const schemas = new Schemas()
    const use = { direction: 'input', where: 'here' } as const
    expect(schemas.of(pick(Address, ['street']), use)).toMatchObject({
      type: 'object',
      required: ['street'],
    })
    expect(schemas.of(omit(Address, ['street'], 'Place'), use)).toEqual({
      $ref: expect.stringContaining('/schemas/Place'),
    })
  })

  it('refuse what has no such fields', () => {
    expect(() => pick(Address, ['street', 'stret'] as never)).toThrow(
      'pick: Address has no field "stret"',
    )
    expect(() => omit(Address, ['toString'] as never)).toThrow(
      'omit: Address has no field "toString"',
    )
    for (const codec of [t.intersection([Cat, Address]), t.union([Cat, Dog]), t.string] as never[])
      expect(() => pick(codec, [])).toThrow(/takes a struct, a t\.type or a t\.strict/)
  })
})

describe('partial', () => {
  it('makes the fields optional, and leaves objects inside whole', () => {
    const Changes = partial(Owner, { name: 'Changes' })
    expect(Changes.name).toBe('Changes')
    expect(decode(Changes, {})).toEqual({})
    expect(decode(Changes, { home: {} })).toMatchObject({
      errors: { home: { street: ['Missing data for required field.'] } },
    })
  })
})

describe('partial, deep', () => {
  const Changes = partial(Owner, { deep: true, name: 'OwnerChanges' })

  it('makes the fields of objects inside optional, wherever they are', () => {
    const inputs = [
      {},
      { home: {} },
      { home: { Country: 'x' } },
      { Office: { street: 'a' } },
      { Office: null },
      { old: [{}, { street: 'a' }] },
      { byName: { a: {} } },
      { each: { a: {} } },
      { pet: { kind: 'cat' } },
      { pet: { kind: 'cat', home: {} } },
      { pet: { kind: 'dog' } },
      { pet: null },
      { both: { since: 1 } },
      { secret: {} },
      { fixed: {} },
      { lists: [1] },
    ]
    const named = (text: string) =>
      JSON.parse(text.replaceAll('"Office"', '"office"').replaceAll('"Country"', '"country"'))
    for (const input of inputs)
      expect(decode(Changes, input), JSON.stringify(input)).toEqual(named(JSON.stringify(input)))
  })

  it('fills in no default at any depth', () => {
    expect(decode(Changes, { home: {}, pet: { kind: 'dog' }, old: [{}] })).toEqual({
      home: {},
      pet: { kind: 'dog' },
      old: [{}],
    })
    const use = { direction: 'input', where: 'here' } as const
    const schemas = new Schemas({
      schemaOf: [codec => (codec === own ? { type: 'number' } : undefined)],
    })
    expect(JSON.stringify([schemas.of(Changes, use), schemas.components])).not.toContain(
      '"default":[]',
    )
  })

  it('keeps the discriminator of a union required', () => {
    expect(decode(Changes, { pet: {} })).toEqual({
      errors: { pet: { _schema: [expect.stringContaining('Must be')] } },
    })
    const Tagged = partial(struct({ pet: t.union([Cat, Dog]) }), { deep: true })
    expect(decode(Tagged, { pet: {} })).toEqual({
      errors: { pet: { kind: ['Missing data for required field.'] } },
    })
    expect(decode(Tagged, { pet: { kind: 'dog', lives: 1 } })).toEqual({
      errors: { pet: { lives: ['Unknown field.'] } },
    })
  })

  it('keeps names, directions, bounds, descriptions and messages', () => {
    expect(decode(Changes, { id: 1, old: [{}, {}, {}], home: { country: 'x' } })).toEqual({
      errors: {
        id: ['Read-only field.'],
        old: ['Must have at most 2 items.'],
        home: { country: ['Unknown field.'] },
      },
    })
    expect(encoderOf(Changes)({ secret: { street: 'a' }, office: { country: 'b' } })).toEqual({
      Office: { Country: 'b' },
    })
    const Told = partial(struct({ home: message(Address, 'Say where.') }), { deep: true })
    expect(decode(Told, { home: 1 })).toEqual({ errors: { home: { _schema: ['Say where.'] } } })
    const schema = new Schemas({ schemaOf: [codec => (codec === own ? {} : undefined)] }).of(
      partial(pick(Owner, ['office']), { deep: true }),
      {
        direction: 'input',
        where: 'here',
      },
    )
    expect(JSON.stringify(schema)).toContain('Where they work')
  })

  it('leaves alone what has no objects inside, and lists whose places have their own types', () => {
    const Kind = t.keyof({ cat: null, dog: null }, 'Kind')
    const codec = struct({ kind: Kind, kinds: t.array(Kind), pair: t.tuple([Address]) })
    const { kind, kinds } = partial(codec, { deep: true }).props
    expect(
      new Schemas().of(struct({ kind, kinds }), { direction: 'input', where: 'here' }),
    ).toMatchObject({
      properties: {
        kind: { $ref: '#/components/schemas/Kind' },
        kinds: { items: { $ref: '#/components/schemas/Kind' } },
      },
    })
    expect(decode(partial(codec, { deep: true }), { pair: [{}] })).toMatchObject({
      errors: { pair: { 0: { street: [expect.any(String)] } } },
    })
  })

  it('is refused for a recursion, and for a refined object inside, with the place', () => {
    const Tree: t.Mixed = t.recursion(
      'Tree',
      (self: t.Mixed): t.Mixed => t.type({ children: t.array(self) }),
    )
    expect(() => partial(struct({ a: t.type({ trees: t.array(Tree) }) }), { deep: true })).toThrow(
      'partial: a.trees[] is recursive',
    )
    const later = t.recursion('Later', (): t.Mixed => notYet)
    expect(() => partial(struct({ a: t.array(later) }), { deep: true })).toThrow(
      /a\[\] is recursive/,
    )
    const notYet = t.type({ kind: t.literal('a') })
    for (const refined of [
      refine(Address, () => undefined),
      t.refinement(Address, () => true, 'Good'),
    ])
      expect(() => partial(struct({ a: t.array(refined) }), { deep: true })).toThrow(
        /a\[\] is refined/,
      )
    expect(
      decode(partial(struct({ a: refine(int, () => 'No.') }), { deep: true }), { a: 1 }),
    ).toEqual({ errors: { a: ['No.'] } })
  })
})
