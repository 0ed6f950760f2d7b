import * as t from 'io-ts'
import { describe, expectTypeOf, it } from 'vitest'
import { maxLength, minItems, minimum } from '../../src/codec/define/bounds.js'
import { nullable } from '../../src/codec/define/list.js'
import { partial } from '../../src/codec/define/partial.js'
import { isoDate } from '../../src/codec/define/scalar/dates.js'
import { int, uuid } from '../../src/codec/define/scalar/scalars.js'
import { struct } from '../../src/codec/define/struct.js'
import { describe as annotate } from '../../src/codec/shape/annotations.js'
import {
  optional,
  readOnly,
  wireName,
  withDefault,
  writeOnly,
} from '../../src/codec/shape/object-shape.js'
import type { InputOf, OutputOf } from '../../src/codec/types/types.js'

const Pet = struct({
  id: readOnly(uuid),
  name: t.string,
  nick: optional(t.string),
  quantity: withDefault(int, 1),
  token: wireName('X-Token', t.string),
  secret: writeOnly(t.string),
  birth: readOnly(optional(isoDate.asDate)),
})
const Owner = struct({ id: readOnly(int), name: t.string })

interface PetIn {
  name: string
  nick?: string
  quantity: number
  token: string
  secret: string
}
interface PetOut {
  id: string
  name: string
  nick?: string
  quantity: number
  token: string
  birth?: Date
}

describe('the type of a struct', () => {
  it('has all of its fields, `optional` ones with ?', () => {
    expectTypeOf<t.TypeOf<typeof Pet>>().toEqualTypeOf<{
      id: string
      name: string
      nick?: string
      quantity: number
      token: string
      secret: string
      birth?: Date
    }>()
  })

  it('has no read-only fields coming in, and no write-only fields going out', () => {
    expectTypeOf<InputOf<typeof Pet>>().toEqualTypeOf<PetIn>()
    expectTypeOf<OutputOf<typeof Pet>>().toEqualTypeOf<PetOut>()
  })

  it('has its names of the wire on the wire', () => {
    expectTypeOf<t.OutputOf<typeof Pet>>().toEqualTypeOf<{
      id: string
      name: string
      nick?: string
      quantity: number
      'X-Token': string
      birth?: string
    }>()
  })

  it('has every field optional in its partial', () => {
    expectTypeOf<InputOf<ReturnType<typeof patch>>>().toEqualTypeOf<{
      name?: string
      nick?: string
      quantity?: number
      token?: string
      secret?: string
    }>()
    function patch() {
      return partial(Pet)
    }
    const Changes = partial(t.strict({ name: t.string, age: t.number }))
    expectTypeOf<t.TypeOf<typeof Changes>>().toEqualTypeOf<{ name?: string; age?: number }>()
  })
})

describe('InputOf and OutputOf', () => {
  it('reach through all codecs of io-ts', () => {
    const list = t.array(Pet)
    expectTypeOf<InputOf<typeof list>>().toEqualTypeOf<PetIn[]>()
    const bounded = minItems(t.readonlyArray(annotate(Pet, { description: 'A pet' })), 1)
    expectTypeOf<OutputOf<typeof bounded>>().toEqualTypeOf<readonly PetOut[]>()
    const union = nullable(t.union([Pet, t.string]))
    expectTypeOf<InputOf<typeof union>>().toEqualTypeOf<PetIn | string | null>()
    const dictionary = t.record(t.string, Owner)
    expectTypeOf<InputOf<typeof dictionary>>().toEqualTypeOf<{ [key: string]: { name: string } }>()
    const pair = t.tuple([Owner, t.number])
    expectTypeOf<InputOf<typeof pair>>().toEqualTypeOf<[{ name: string }, number]>()
    const nested = struct({ owner: optional(Owner), others: t.array(Owner) })
    expectTypeOf<InputOf<typeof nested>>().toEqualTypeOf<{
      owner?: { name: string }
      others: { name: string }[]
    }>()
    const plain = t.partial({
      owner: t.readonly(t.exact(t.type({ id: readOnly(int), name: t.string }))),
    })
    expectTypeOf<InputOf<typeof plain>>().toEqualTypeOf<{ owner?: { readonly name: string } }>()
    const both = t.intersection([Owner, t.type({ age: int })])
    expectTypeOf<InputOf<typeof both>>().toEqualTypeOf<{ name: string } & { age: number }>()
  })

  it('are t.TypeOf if no field goes one way only', () => {
    const Plain = t.intersection([
      t.strict({ a: t.string, b: t.array(t.Int) }),
      t.partial({ c: t.union([t.literal('x'), t.null]) }),
    ])
    expectTypeOf<InputOf<typeof Plain>>().toEqualTypeOf<t.TypeOf<typeof Plain>>()
    expectTypeOf<OutputOf<typeof Plain>>().toEqualTypeOf<t.TypeOf<typeof Plain>>()
    const OneWay = struct({ a: writeOnly(t.string) })
    expectTypeOf<InputOf<typeof OneWay>>().toEqualTypeOf<{ a: string }>()
    expectTypeOf<InputOf<t.Type<Date, string>>>().toEqualTypeOf<Date>()
    expectTypeOf<InputOf<t.Mixed>>().toBeAny()
  })

  it('keep brands and bounds', () => {
    const Named = struct({ name: maxLength(t.string, 5), count: minimum(t.Int, 0) })
    expectTypeOf<InputOf<typeof Named>>().toEqualTypeOf<{ name: string; count: t.Int }>()
  })

  it('are what a recursion says', () => {
    interface Category {
      name: string
      children: Category[]
    }
    const Category: t.Type<Category> = t.recursion('Category', () =>
      struct({ name: t.string, children: t.array(Category) }),
    )
    expectTypeOf<InputOf<typeof Category>>().toEqualTypeOf<Category>()
  })
})

describe('bounds', () => {
  it('are for the values that they speak of', () => {
    // @ts-expect-error a number has no length
    maxLength(t.number, 3)
    // @ts-expect-error a string has no minimum
    minimum(t.string, 3)
  })
})
