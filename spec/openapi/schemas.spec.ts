import { Ajv2020 } from 'ajv/dist/2020.js'
import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import {
  exclusiveMaximum,
  exclusiveMinimum,
  maxItems,
  maximum,
  maxLength,
  maxSize,
  mediaTypes,
  minimum,
  minLength,
  pattern,
  Upload,
} from '../../src/codec/define/bounds.js'
import { list, nullable } from '../../src/codec/define/list.js'
import { isoDate } from '../../src/codec/define/scalar/dates.js'
import { int, int32, int64 } from '../../src/codec/define/scalar/scalars.js'
import { struct } from '../../src/codec/define/struct.js'
import { describe as described } from '../../src/codec/shape/annotations.js'
import {
  optional,
  readOnly,
  wireName,
  withDefault,
  writeOnly,
} from '../../src/codec/shape/object-shape.js'
import { type Direction, SchemaError, Schemas } from '../../src/openapi/schema/schemas.js'

const here = 'GET /pets/ (Pets.get), response 200'

/** The schema of a codec alone, and the components that it needs. */
function schemaOf(
  codec: t.Mixed,
  direction: Direction = 'output',
  unknown: 'raise' | 'exclude' | 'include' = 'raise',
) {
  const schemas = new Schemas()
  const schema = schemas.of(codec, { direction, unknown, where: here })
  return { schema, components: schemas.components.schemas ?? {} }
}

const text = { type: 'string' } as const
const closed = { type: 'object', additionalProperties: false } as const
const integer = { type: 'integer', minimum: -9007199254740991, maximum: 9007199254740991 } as const

describe('the schema of a codec', () => {
  it.each<[string, t.Mixed, object]>([
    ['a scalar', t.string, text],
    ['a whole number, of the range that a double holds exactly', int, integer],
    ['io-ts’s own whole number', t.Int, integer],
    [
      'a whole number of 32 bits',
      int32,
      { type: 'integer', format: 'int32', minimum: -2147483648, maximum: 2147483647 },
    ],
    ['a whole number of 64 bits that a double holds', int64, { ...integer, format: 'int64' }],
    [
      'a union of objects',
      t.union([t.strict({ a: t.string }), t.strict({ b: t.string })]),
      {
        type: 'object',
        anyOf: ['a', 'b'].map(name => ({
          ...closed,
          properties: { [name]: text },
          required: [name],
        })),
      },
    ],
    [
      'extensions and xml',
      described(t.string, { 'x-order': 3, xml: { name: 'pet' } }),
      { ...text, 'x-order': 3, xml: { name: 'pet' } },
    ],
    ['null', t.null, { type: 'null' }],
    ['anything', t.unknown, {}],
    ['a literal', t.literal('a'), { type: 'string', const: 'a' }],
    ['several literals', t.keyof({ a: null, b: null }), { type: 'string', enum: ['a', 'b'] }],
    ['literals of several types', t.union([t.literal('a'), t.literal(1)]), { enum: ['a', 1] }],
    ['a list', t.array(t.string), { type: 'array', items: text }],
    [
      'a tuple',
      t.tuple([t.string, int]),
      { type: 'array', prefixItems: [text, integer], minItems: 2, maxItems: 2 },
    ],
    ['a dictionary', t.record(t.string, int), { type: 'object', additionalProperties: integer }],
    [
      'a dictionary without known names',
      t.UnknownRecord,
      { type: 'object', additionalProperties: {} },
    ],
    ['nullable', t.union([t.string, t.null]), { type: ['string', 'null'] }],
    [
      'a nullable choice of literals',
      t.union([t.literal('a'), t.literal('b'), t.null]),
      { type: ['string', 'null'], enum: ['a', 'b', null] },
    ],
    ['a choice', t.union([t.string, int]), { anyOf: [text, integer] }],
    [
      'a nullable choice',
      t.union([t.string, int, t.null]),
      { anyOf: [text, integer, { type: 'null' }] },
    ],
    ['an empty object', t.type({}), closed],
  ])('of %s', (_what, codec, expected) => {
    expect(schemaOf(codec).schema).toEqual(expected)
  })

  it('has the fields of an object in their order, under their names on the wire', () => {
    const codec = t.type({ z: t.string, a: wireName('X-A', t.string), m: t.string })
    expect(Object.keys(schemaOf(codec).schema.properties ?? {})).toEqual(['z', 'X-A', 'm'])
  })

  it('requires what is not optional, in output what has a default as well, which is sent in any case', () => {
    const codec = t.type({
      a: t.string,
      b: optional(t.string),
      c: withDefault(int, 1),
      d: t.union([t.string, t.undefined]),
      e: withDefault(t.string, () => 'new each time'),
      f: optional(withDefault(t.string, 'x')),
    })
    const properties = {
      a: text,
      b: text,
      c: { ...integer, default: 1 },
      d: text,
      e: text,
      f: text,
    }
    expect(schemaOf(codec, 'input').schema).toEqual({ ...closed, properties, required: ['a'] })
    expect(schemaOf(codec, 'output').schema).toEqual({
      ...closed,
      properties,
      required: ['a', 'c', 'e'],
    })
  })

  it('makes one object of an intersection', () => {
    const codec = t.intersection([t.type({ a: t.string }), t.partial({ b: t.string })])
    expect(schemaOf(codec).schema).toEqual({
      ...closed,
      properties: { a: text, b: text },
      required: ['a'],
    })
  })

  it('keeps a property with any name', () => {
    const codec = t.type(
      Object.fromEntries(['__proto__', 'constructor', ''].map(name => [name, t.string])),
    )
    expect(Object.keys(schemaOf(codec).schema.properties ?? {})).toEqual([
      '__proto__',
      'constructor',
      '',
    ])
  })

  it('is closed in output, and in input unless unknown fields are let in', () => {
    const codec = t.type({ a: t.string, b: t.array(t.type({})) })
    const count = (...use: [Direction, ('raise' | 'exclude')?]) =>
      JSON.stringify(schemaOf(codec, ...use).schema).match(/"additionalProperties":false/g)?.length
    expect([
      count('output'),
      count('output', 'exclude'),
      count('input'),
      count('input', 'exclude'),
    ]).toEqual([2, 2, 2, undefined])
  })

  it('has the bounds of its values, the stricter ones if there are two', () => {
    expect(schemaOf(maxLength(minLength(minLength(t.string, 3), 2), 30)).schema).toEqual({
      ...text,
      minLength: 3,
      maxLength: 30,
    })
    expect(schemaOf(pattern(pattern(t.string, /a/), /b/)).schema).toEqual({
      ...text,
      pattern: 'a',
      allOf: [{ ...text, pattern: 'b' }],
    })
    expect(schemaOf(maxItems(t.array(t.string), 5)).schema).toEqual({
      type: 'array',
      items: text,
      maxItems: 5,
    })
    expect(schemaOf(nullable(minimum(int, 0))).schema).toEqual({
      ...integer,
      type: ['integer', 'null'],
      minimum: 0,
    })
    expect(schemaOf(exclusiveMinimum(int, 0)).schema).toEqual({
      type: 'integer',
      exclusiveMinimum: 0,
      maximum: integer.maximum,
    })
    expect(schemaOf(exclusiveMaximum(maximum(t.number, 3), 4)).schema).toEqual({
      type: 'number',
      maximum: 3,
    })
  })

  it('shows a default that is a value, as it is on the wire, and of functions those that return [] or {}', () => {
    const codec = t.type({
      day: withDefault(isoDate.asDate, new Date(0)),
      tags: withDefault(t.array(t.string), () => []),
      more: withDefault(t.UnknownRecord, () => ({})),
      today: withDefault(isoDate.asDate, () => new Date()),
      minute: withDefault(int, () => Math.floor(Date.now() / 60_000)),
      seven: withDefault(int, () => 7),
      fails: withDefault(int, () => {
        throw new Error('outside of a request')
      }),
    })
    const { properties = {} } = schemaOf(codec).schema
    const defaults = Object.entries(properties).flatMap(([name, schema]) =>
      'default' in schema ? [[name, schema.default]] : [],
    )
    expect(Object.fromEntries(defaults)).toEqual({ day: '1970-01-01', tags: [], more: {} })
  })

  it('is binary for an upload', () => {
    expect(schemaOf(struct({ avatar: maxSize(Upload, 10) }), 'input').schema).toMatchObject({
      properties: { avatar: { ...text, format: 'binary' } },
    })
  })

  it('says what describe says', () => {
    const codec = described(t.string, {
      description: 'A name',
      title: 'Name',
      example: 'Rex',
      deprecated: true,
      format: 'name',
    })
    expect(schemaOf(codec).schema).toEqual({
      ...text,
      description: 'A name',
      title: 'Name',
      examples: ['Rex'],
      deprecated: true,
      format: 'name',
    })
  })
})

describe('a codec with a name of its own', () => {
  const Kind = t.keyof({ cat: null, dog: null }, 'Kind')
  const Owner = t.type({ name: t.string }, 'Owner')
  const Pet = t.type({ kind: Kind, owner: t.union([Owner, t.null]), other: Owner }, 'Pet')

  it('is a component, written once and referenced', () => {
    const { schema, components } = schemaOf(t.array(Pet))
    expect(schema).toEqual({ type: 'array', items: { $ref: '#/components/schemas/Pet' } })
    expect(Object.keys(components)).toEqual(['Pet', 'Kind', 'Owner'])
    expect(components.Pet).toMatchObject({
      properties: {
        kind: { $ref: '#/components/schemas/Kind' },
        owner: { anyOf: [{ $ref: '#/components/schemas/Owner' }, { type: 'null' }] },
        other: { $ref: '#/components/schemas/Owner' },
      },
    })
  })

  it('may hold itself', () => {
    type Category = { name: string; children: Category[] }
    const Category: t.Type<Category> = t.recursion('Category', () =>
      t.type({ name: t.string, children: t.array(Category) }),
    )
    const { schema, components } = schemaOf(Category)
    expect(schema).toEqual({ $ref: '#/components/schemas/Category' })
    expect(components.Category).toMatchObject({
      properties: { children: { items: { $ref: '#/components/schemas/Category' } } },
    })
  })

  it('is referenced with what describe says of this use beside it', () => {
    const { schema, components } = schemaOf(described(Owner, { description: 'The first owner' }))
    expect(schema).toEqual({ $ref: '#/components/schemas/Owner', description: 'The first owner' })
    expect(components.Owner).not.toHaveProperty('description')
  })

  it('may have its name from describe, and then the component says what describe says', () => {
    const Money = described(t.type({ amount: t.string }), {
      name: 'Money',
      description: 'An amount',
    })
    const { schema, components } = schemaOf(
      t.tuple([Money, described(Money, { description: 'The price' })]),
    )
    expect(schema.prefixItems).toEqual([
      { $ref: '#/components/schemas/Money' },
      { $ref: '#/components/schemas/Money', description: 'The price' },
    ])
    expect(components.Money).toMatchObject({ description: 'An amount' })
  })

  it('shares its name with an equal codec, and with no other', () => {
    const schemas = new Schemas()
    const use = (where: string) => ({ direction: 'output', where }) as const
    schemas.of(Owner, use('here'))
    expect(schemas.of(t.type({ name: t.string }, 'Owner'), use('there'))).toEqual({
      $ref: '#/components/schemas/Owner',
    })
    expect(() => schemas.of(t.type({ name: int }, 'Owner'), use('elsewhere'))).toThrow(
      /^elsewhere: .*Owner.* in here/,
    )
    expect(() => schemaOf(t.type({ inner: t.type({ a: int }, 'Same') }, 'Same'))).toThrow(/Same/)
  })

  it('in a union with a tag has a discriminator', () => {
    const Cat = t.type({ type: t.literal('cat'), lives: int }, 'Cat')
    const Dog = t.type({ type: t.literal('dog') }, 'Dog')
    const refs = { cat: '#/components/schemas/Cat', dog: '#/components/schemas/Dog' }
    const oneOf = {
      type: 'object',
      oneOf: [{ $ref: refs.cat }, { $ref: refs.dog }],
      discriminator: { propertyName: 'type', mapping: refs },
    }
    expect(schemaOf(t.union([Cat, Dog])).schema).toEqual(oneOf)
    expect(schemaOf(t.union([Cat, Dog, t.null])).schema).toEqual({
      anyOf: [oneOf, { type: 'null' }],
    })
    expect(schemaOf(t.union([Cat, t.type({ type: t.literal('fish') })])).schema).not.toHaveProperty(
      'discriminator',
    )
  })
})

describe('a component that comes in and goes out', () => {
  const NewPet = t.type({ name: t.string, secret: optional(writeOnly(t.string)) }, 'NewPet')
  const Pet = t.type(
    {
      name: t.string,
      id: readOnly(int),
      secret: writeOnly(t.string),
      tags: withDefault(t.array(t.string), []),
    },
    'Pet',
  )
  const input = { direction: 'input', where: 'in' } as const
  const output = { direction: 'output', where: 'out' } as const
  const names = (schemas: Schemas) => Object.keys(schemas.components.schemas ?? {})

  it('is one if both are the same', () => {
    const schemas = new Schemas()
    expect(schemas.of(NewPet, input)).toEqual(schemas.of(NewPet, output))
    expect(schemas.components.schemas?.NewPet).toEqual({
      ...closed,
      properties: { name: text, secret: { ...text, writeOnly: true } },
      required: ['name'],
    })
  })

  it('is two if they differ: what is accepted has no read-only fields, what is sent has every default', () => {
    const schemas = new Schemas()
    schemas.of(Pet, input)
    expect(names(schemas)).toEqual(['Pet'])
    schemas.of(Pet, output)
    const [secret, tags] = [
      { ...text, writeOnly: true },
      { type: 'array', items: text, default: [] },
    ]
    expect(schemas.components.schemas).toEqual({
      PetInput: {
        ...closed,
        properties: { name: text, secret, tags },
        required: ['name', 'secret'],
      },
      Pet: {
        ...closed,
        properties: { name: text, id: { ...integer, readOnly: true }, secret, tags },
        required: ['name', 'id', 'tags'],
      },
    })
  })

  it('has no input variant of what stands below read-only fields only', () => {
    const schemas = new Schemas()
    schemas.of(t.type({ name: t.string, best: readOnly(Pet) }, 'Owner'), input)
    expect(names(schemas)).toEqual(['Owner'])
  })

  it('is two if input is open, one if there is no other', () => {
    const schemas = new Schemas()
    schemas.of(NewPet, { ...input, unknown: 'exclude' })
    expect(names(schemas)).toEqual(['NewPet'])
    schemas.of(t.array(NewPet), output)
    expect(names(schemas)).toEqual(['NewPetInput', 'NewPet'])
    expect(schemas.components.schemas?.NewPetInput).not.toHaveProperty('additionalProperties')
  })
})

describe('a codec that cannot be documented', () => {
  const Opaque = new t.Type<string>('Opaque', t.string.is, t.string.validate, String)

  it('is an error that names the place and says what to do, all of them at once', () => {
    try {
      schemaOf(t.type({ a: t.array(t.type({ b: Opaque })), c: Opaque }))
      expect.unreachable()
    } catch (error) {
      expect(error).toBeInstanceOf(SchemaError)
      const { problems } = error as SchemaError
      expect(problems).toHaveLength(2)
      expect(problems[0]).toMatch(
        /^GET \/pets\/ \(Pets\.get\), response 200, field a\[\]\.b: .*Opaque.*describe\(codec, \{ schema:/,
      )
    }
  })

  it('is documented by describe, or by a plugin that is asked first', () => {
    expect(schemaOf(described(Opaque, { schema: text, description: 'x' })).schema).toEqual({
      ...text,
      description: 'x',
    })
    const schemas = new Schemas({
      schemaOf: [
        codec => (codec === Opaque ? { type: 'string', format: 'color-code' } : undefined),
      ],
    })
    expect(schemas.of(optional(Opaque), { direction: 'input', where: here })).toEqual({
      type: 'string',
      format: 'color-code',
    })
  })
})

describe('parameters', () => {
  const Sort = described(t.keyof({ id: null, name: null }, 'Sort'), { description: 'The order' })
  const Query = t.type({
    q: described(t.string, { description: 'What to look for', deprecated: true }),
    ids: optional(t.array(int)),
    sort: withDefault(Sort, 'id'),
    seen: readOnly(int),
  })

  it('are the fields, expanded, without those that only go out', () => {
    const schemas = new Schemas()
    expect(schemas.parameters(Query, 'query', here)).toEqual([
      {
        name: 'q',
        in: 'query',
        required: true,
        description: 'What to look for',
        deprecated: true,
        schema: text,
      },
      { name: 'ids', in: 'query', required: false, schema: { type: 'array', items: integer } },
      {
        name: 'sort',
        in: 'query',
        required: false,
        description: 'The order',
        schema: { $ref: '#/components/schemas/Sort', default: 'id' },
      },
    ])
  })

  it('refer to named values, and have objects written out', () => {
    const schemas = new Schemas()
    const Tag = described(maxLength(t.string, 30), { name: 'Tag' })
    const codec = t.type({ tags: t.array(Tag), inner: t.type({ sort: Sort }, 'Inner') })
    expect(schemas.parameters(codec, 'query', here).map(({ schema }) => schema)).toEqual([
      { type: 'array', items: { $ref: '#/components/schemas/Tag' } },
      {
        type: 'object',
        properties: { sort: { $ref: '#/components/schemas/Sort', description: 'The order' } },
        required: ['sort'],
      },
    ])
    expect(Object.keys(schemas.components.schemas ?? {})).toEqual(['Tag', 'Sort'])
  })

  it('are all required in a path', () => {
    expect(new Schemas().parameters(t.partial({ key: t.string }), 'path', here)).toMatchObject([
      { name: 'key', in: 'path', required: true },
    ])
  })

  it('of a union are those of any member, required if all members require them', () => {
    const codec = t.union([
      t.type({ by: t.literal('name'), name: t.string }),
      t.type({ by: t.literal('id'), id: int }),
    ])
    expect(new Schemas().parameters(codec, 'query', here)).toEqual([
      { name: 'by', in: 'query', required: true, schema: { type: 'string', enum: ['name', 'id'] } },
      { name: 'name', in: 'query', required: false, schema: text },
      { name: 'id', in: 'query', required: false, schema: integer },
    ])
  })

  it('say how a list in one text is written, in a form too', () => {
    const codec = struct({ ids: list(int), many: t.array(int), more: maxItems(list(int), 3) })
    const [ids, many, more] = new Schemas().parameters(codec, 'query', here)
    const joined = { style: 'form', explode: false }
    expect({ ids, more }).toMatchObject({ ids: joined, more: joined })
    expect(many).not.toHaveProperty('style')
    expect(new Schemas().parameters(codec, 'header', here)[0]).not.toHaveProperty('style')
    expect(new Schemas().encoding(codec)).toEqual({ ids: joined, more: joined })
    expect(new Schemas().encoding(t.type({ many: t.array(int) }))).toBeUndefined()
  })

  it('say of which media types the files of a form are', () => {
    const image = mediaTypes(Upload, ['image/png', 'image/*'])
    const codec = struct({
      one: maxSize(image, 10),
      many: maxItems(t.array(image), 3),
      any: Upload,
      maybe: optional(image),
    })
    const contentType = 'image/png, image/*'
    expect(new Schemas().encoding(codec)).toEqual({
      one: { contentType },
      many: { contentType },
      maybe: { contentType },
    })
  })

  it('are asked of an object only', () => {
    expect(() => new Schemas().parameters(t.string, 'query', 'GET /x, query')).toThrow(
      /^GET \/x, query: .*not an object/,
    )
  })
})

describe('errors', () => {
  it('are components, named after their status', () => {
    const schemas = new Schemas()
    expect(schemas.errorResponse(422)).toEqual({
      $ref: '#/components/responses/UnprocessableEntity',
    })
    expect(schemas.errorResponse(418)).toEqual({ $ref: '#/components/responses/ImATeapot' })
    expect(schemas.errorResponse('default')).toEqual({
      $ref: '#/components/responses/DefaultError',
    })
    expect(schemas.components.responses?.UnprocessableEntity).toEqual({
      description: 'Unprocessable Entity',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    })
    expect(schemas.components.schemas?.Error).toMatchObject({ required: ['code', 'status'] })
  })

  it('type what is wrong with a request down to its messages', () => {
    const schemas = new Schemas()
    schemas.error()
    const ajv = new Ajv2020({ strict: true })
    const whole = JSON.stringify({ $ref: '#/$defs/Error', $defs: schemas.components.schemas })
    const validate = ajv.compile(JSON.parse(whole.replaceAll('#/components/schemas/', '#/$defs/')))
    const body = (errors: unknown) => ({ code: 422, status: 'Unprocessable Entity', errors })
    for (const errors of [
      {},
      { json: ['Missing.'] },
      { json: { owner: { name: ['Too long.'] }, tags: { 0: ['Not a text.'] } } },
    ])
      expect(validate(body(errors))).toBe(true)
    for (const errors of [
      [],
      'no',
      { json: 'no' },
      { json: { name: [1] } },
      { json: { name: null } },
    ])
      expect(validate(body(errors))).toBe(false)
  })

  it('are written out if they have header fields, so that the general ones stay as they are', () => {
    const schemas = new Schemas()
    const headers = { 'Retry-After': { schema: { type: 'integer' } } } as const
    expect(schemas.errorResponse(429, { headers })).toEqual({
      description: 'Too Many Requests',
      headers,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    })
    expect(schemas.components.responses).toBeUndefined()
  })

  it('have no body if there is none', () => {
    const schemas = new Schemas()
    schemas.errorResponse(304)
    expect(schemas.components).toEqual({
      responses: { NotModified: { description: 'Not Modified' } },
    })
  })

  it('keep their name for themselves', () => {
    const schemas = new Schemas()
    schemas.error()
    expect(() =>
      schemas.of(t.type({ oops: t.string }, 'Error'), { direction: 'output', where: here }),
    ).toThrow(/Error/)
  })
})

describe('a component by hand', () => {
  it('may be given twice if it is the same', () => {
    const schemas = new Schemas()
    expect(schemas.component('headers', 'Total', { schema: text })).toEqual({
      $ref: '#/components/headers/Total',
    })
    schemas.component('headers', 'Total', { schema: { type: 'string' } })
    expect(() => schemas.component('headers', 'Total', {})).toThrow(SchemaError)
  })
})
