import * as t from 'io-ts'
import {
  describe,
  email,
  float,
  type InputOf,
  int,
  isoDate,
  isoDateTime,
  list,
  maxItems,
  maximum,
  maxLength,
  minimum,
  minLength,
  nullable,
  type OutputOf,
  optional,
  partial,
  pattern,
  readOnly,
  struct,
  Upload,
  uuid,
  wireName,
  withDefault,
  writeOnly,
} from 'koa-smorest'

const text = (least: number, most: number) => maxLength(minLength(t.string, least), most)
const wholeNumber = (least: number, most: number) => maximum(minimum(int, least), most)
const Kind = t.keyof({ cat: null, dog: null, bird: null })

const Owner = struct({ name: text(1, 30), email: optional(email) }, 'Owner')

export const Pet = struct(
  {
    id: optional(readOnly(describe(int, { description: 'Identifier' }))),
    version: optional(readOnly(int)),
    name: describe(text(1, 20), { description: 'Name of the pet' }),
    kind: Kind,
    age: optional(nullable(wholeNumber(0, 50))),
    weight: optional(float),
    tags: optional(maxItems(t.array(text(1, 8)), 5)),
    birth: optional(isoDate),
    owner: optional(Owner),
    secret: optional(writeOnly(t.string)),
  },
  'Pet',
)
export type NewPet = InputOf<typeof Pet>

export const PetQuery = struct({
  name: optional(describe(t.string, { description: 'Exact name' })),
  kind: optional(Kind),
  min_age: optional(minimum(int, 0)),
  sort: withDefault(t.keyof({ id: null, name: null, '-name': null }), 'id'),
})
export type PetQuery = InputOf<typeof PetQuery>

export const Part = struct(
  { sku: pattern(t.string, /^[A-Z]{3}-[0-9]{2}$/), qty: withDefault(minimum(int, 1), 1) },
  'Part',
)

export const Echo = struct(
  {
    text: text(2, 10),
    count: optional(wholeNumber(1, 100)),
    ratio: optional(float),
    flag: optional(t.boolean),
    day: optional(isoDate),
    uid: optional(uuid),
    email: optional(email),
    color: optional(t.keyof({ red: null, green: null, blue: null })),
    nick: optional(nullable(t.string)),
    parts: optional(t.array(Part)),
    child: optional(Part),
    labels: optional(t.array(text(1, 5))),
    meta: optional(t.UnknownRecord),
    mode: withDefault(t.string, 'basic'),
    ro: optional(readOnly(int)),
    wo: optional(writeOnly(t.string)),
  },
  'Echo',
)

export const Optional = struct(
  { text: optional(maxLength(t.string, 5)), count: withDefault(int, 7) },
  'Optional',
)

export const ArgsQuery = struct({
  q: t.string,
  n: optional(wholeNumber(1, 10)),
  b: optional(t.boolean),
  ids: optional(t.array(int)),
  csv: optional(list(int)),
  kind: optional(t.keyof({ x: null, y: null })),
  lim: withDefault(int, 20),
})

export const Headers = struct({
  token: wireName('X-Token', t.string),
  num: optional(wireName('X-Num', int)),
})
export const Cookies = struct({ session: minLength(t.string, 3), visits: optional(int) })
export const Form = struct(
  { name: minLength(t.string, 2), n: optional(int), multi: optional(t.array(t.string)) },
  'Form',
)
export const Files = struct({ avatar: Upload, extra: optional(Upload) }, 'Files')
export const MultipartFields = struct({ title: t.string }, 'MultipartFields')
export const A = struct({ a: int }, 'A')
export const B = struct({ b: int }, 'B')
export const PathArg = struct({ key: maxLength(t.string, 4) })

/** `label` is documented without `null`, and answered with it, as the original does. */
export const Thing = struct(
  {
    id: optional(int),
    label: optional(describe(nullable(t.string), { schema: { type: 'string' } })),
    hidden: optional(writeOnly(t.string)),
    opt: optional(t.string),
  },
  'Thing',
)
export type Thing = OutputOf<typeof Thing>

export const Num = struct({ n: optional(int) }, 'Num')
export type Num = OutputOf<typeof Num>

export const ViewPage = struct(
  {
    page: optional(int),
    page_size: optional(int),
    first_item: optional(int),
    last_item: optional(int),
    items: optional(t.array(int)),
  },
  'ViewPage',
)

export const Item = struct(
  {
    id: optional(readOnly(int)),
    version: optional(readOnly(int)),
    views: optional(readOnly(int)),
    name: text(1, 10),
    note: optional(t.string),
  },
  'Item',
)
export type NewItem = InputOf<typeof Item>
export const Item1 = partial(Item, 'Item1')
export type ItemChanges = InputOf<typeof Item1>
export const ItemVersion = struct({ version: optional(int) }, 'ItemVersion')

/** A codec that nothing is known of; `registerField` says how it is documented. */
export const ColorCode = new t.Type<string>('ColorCode', t.string.is, t.string.validate, t.identity)

export const Palette = struct(
  {
    code: ColorCode,
    price: optional(float),
    at: optional(isoDateTime),
    nested: optional(t.array(Part)),
  },
  'Palette',
)
