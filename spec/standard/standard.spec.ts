import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import * as t from 'io-ts'
import {
  describe as described,
  int,
  isoDate,
  list,
  optional,
  struct,
  wireName,
  withDefault,
  writeOnly,
} from 'koa-smorest'
import { standard, std } from 'koa-smorest/standard'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'

const Owner = struct({ name: t.string, password: writeOnly(t.string) }, 'Owner')
const Pet = struct(
  {
    id: wireName('petId', int),
    owner: optional(Owner),
    tags: withDefault(list(int), []),
    born: optional(isoDate),
    pair: optional(t.tuple([t.string, int])),
    size: std(z.enum(['small', 'large'])),
  },
  'Pet',
)
type Issues = { readonly value?: unknown; readonly issues?: unknown }
const validate = (value: unknown) => standard(Pet)['~standard'].validate(value) as Issues

describe('standard', () => {
  it('reads JSON as json does, at once, into the value of the program', () => {
    expect(validate({ petId: 1, size: 'small', born: '2020-01-02' })).toEqual({
      value: { id: 1, size: 'small', tags: [], born: '2020-01-02' },
    })
    expect(standard(Pet)['~standard']).toMatchObject({ version: 1, vendor: 'koa-smorest' })
  })

  it('has issues with the names on the wire, and numbers for indexes', () => {
    expect(validate({ id: 1, owner: { name: 'x' }, tags: [1, 'x'], size: 'huge' }).issues).toEqual([
      { message: 'Missing data for required field.', path: ['petId'] },
      { message: 'Missing data for required field.', path: ['owner', 'password'] },
      { message: 'Not a whole number.', path: ['tags', 1] },
      { message: expect.stringContaining('small'), path: ['size'] },
      { message: 'Unknown field.', path: ['id'] },
    ])
    expect(validate('x').issues).toEqual([{ message: 'Not an object.', path: [] }])
    expect(validate({ petId: 1, size: 'small', tags: '1,2' }).issues).toEqual([
      { message: 'Not a list.', path: ['tags'] },
    ])
  })

  it('has a JSON Schema of what comes in, complete in itself, in each version', () => {
    const make = (target: string) => standard(Pet)['~standard'].jsonSchema.input({ target })
    const good = {
      petId: 1,
      size: 'small',
      owner: { name: 'x', password: 'sesame' },
      pair: ['a', 1],
    }
    const bad = [{ size: 'small' }, { ...good, other: 1 }, { ...good, pair: [1, 'a'] }]
    for (const check of [
      new Ajv2020({ strict: false, formats: { date: true } }).compile(make('draft-2020-12')),
      new Ajv({ strict: false, formats: { date: true } }).compile(make('draft-07')),
    ]) {
      expect([good, ...bad].map(value => check(value))).toEqual([true, false, false, false])
    }
    expect(make('draft-2020-12').$schema).toBe('https://json-schema.org/draft/2020-12/schema')
    expect(make('draft-07').$schema).toBe('http://json-schema.org/draft-07/schema#')
    expect(make('openapi-3.0')).toMatchObject({
      type: 'object',
      properties: {
        owner: { $ref: '#/definitions/Owner' },
        pair: { type: 'array', minItems: 2, maxItems: 2 },
      },
      definitions: { Owner: { type: 'object' } },
    })
  })

  it('has another one of what goes out', () => {
    const { required, definitions } = standard(Pet)['~standard'].jsonSchema.output({
      target: 'draft-07',
    }) as { required: unknown; definitions: Record<string, { required: readonly string[] }> }
    expect([required, definitions.Owner?.required]).toEqual([['petId', 'tags', 'size'], ['name']])
  })

  // tools of models take no other root
  it.each(['draft-2020-12', 'draft-07', 'openapi-3.0'])(
    'begins with the type of a named object, in %s',
    target => {
      interface Tree {
        readonly kids: readonly Tree[]
      }
      const Tree: t.Type<Tree> = t.recursion('Tree', () =>
        struct({ kids: t.readonlyArray(Tree) }, 'Tree'),
      )
      const make = (codec: t.Mixed) => standard(codec)['~standard'].jsonSchema.input({ target })
      const { definitions, $defs = definitions, ...tree } = make(Tree)
      expect(tree).toMatchObject({ type: 'object', required: ['kids'] })
      expect($defs).toMatchObject({ Tree: { type: 'object', required: ['kids'] } })
      const place = target === 'draft-2020-12' ? '$defs' : 'definitions'
      expect(tree.properties).toEqual({
        kids: { type: 'array', items: { $ref: `#/${place}/Tree` } },
      })
      expect(make(described(Owner, { description: 'Who feeds it' }))).toEqual({
        ...(target !== 'openapi-3.0' && { $schema: expect.any(String) }),
        type: 'object',
        description: 'Who feeds it',
        properties: { name: { type: 'string' }, password: expect.anything() },
        required: ['name', 'password'],
        additionalProperties: false,
      })
    },
  )

  it('leaves out the discriminator, which is a word of OpenAPI, but for OpenAPI', () => {
    const Cat = struct({ kind: t.literal('cat') }, 'Cat')
    const Dog = struct({ kind: t.literal('dog') }, 'Dog')
    const make = (target: string) =>
      JSON.stringify(standard(t.union([Cat, Dog]))['~standard'].jsonSchema.input({ target }))
    expect(make('draft-2020-12')).not.toContain('discriminator')
    expect(make('openapi-3.0')).toContain(
      '"mapping":{"cat":"#/definitions/Cat","dog":"#/definitions/Dog"}',
    )
  })

  it('throws for another target, naming those that there are', () => {
    expect(() => standard(Pet)['~standard'].jsonSchema.input({ target: 'draft-04' })).toThrow(
      'standard(): the target must be draft-2020-12, draft-07, openapi-3.0, not draft-04',
    )
  })
})
