import * as t from 'io-ts'
import {
  decimal,
  describe,
  email,
  type InputOf,
  int,
  isoDate,
  isoDateTime,
  maxItems,
  maxLength,
  minimum,
  minLength,
  nullable,
  type OutputOf,
  optional,
  pattern,
  readOnly,
  struct,
  uniqueItems,
  withDefault,
  writeOnly,
} from 'koa-smorest'

/** One line of text, without the control characters; NUL is one that PostgreSQL cannot store. */
export const Line = pattern(maxLength(minLength(t.string, 1), 100), '^[^\\x00-\\x1f\\x7f-\\x9f]+$')
const NameStart = describe(Line, { description: 'The beginning of the name, in any case' })
const Tag = pattern(maxLength(t.string, 30), /^[a-z]+(?:-[a-z]+)*$/)
const Price = pattern(decimal, /^\d{1,6}(?:\.\d{1,2})?$/)
const BirthDate = pattern(isoDate, /^(?:19|20)/)
const Phone = pattern(maxLength(t.string, 30), /^\+?[0-9][0-9 ()-]*$/)
/** What a response with 201 says of its Location. */
export const LOCATION = {
  description: 'Where the new one is',
  required: true,
  schema: { type: 'string', format: 'uri-reference' },
} as const

const Id = minimum(int, 1)
const Version = describe(int, {
  description: 'Goes up with each change; the entity tag',
  example: 1,
})

export const Kind = t.keyof(
  { dog: null, cat: null, rabbit: null, bird: null, fish: null, reptile: null },
  'Kind',
)
const Status = t.keyof({ available: null, reserved: null, sold: null }, 'Status')

/** A pet, as it is sent in (without the read-only fields) and as it leaves. */
export const Pet = struct(
  {
    id: readOnly(Id),
    name: describe(Line, { example: 'Luna' }),
    kind: Kind,
    breed: withDefault(describe(nullable(Line), { example: 'Border Collie' }), null),
    birthDate: describe(BirthDate, { example: '2026-03-09' }),
    price: describe(Price, { description: 'In euros', example: '749.95' }),
    status: withDefault(Status, 'available'),
    tags: withDefault(
      describe(uniqueItems(maxItems(t.array(Tag), 20)), { example: ['vaccinated', 'playful'] }),
      () => [],
    ),
    ownerId: withDefault(
      describe(nullable(Id), { description: 'Who has reserved or bought it' }),
      null,
    ),
    version: readOnly(Version),
  },
  'Pet',
)
export type Pet = OutputOf<typeof Pet>
export type NewPet = InputOf<typeof Pet>

/** The query of a search among the pets; every field narrows it further. */
export const PetFilter = t.partial({
  kind: Kind,
  status: Status,
  owner: Id,
  tag: Tag,
  name: NameStart,
  minPrice: Price,
  maxPrice: Price,
  bornAfter: BirthDate,
})
export type PetFilter = t.TypeOf<typeof PetFilter>

/** Someone who has reserved or bought a pet. */
export const Owner = struct(
  {
    id: readOnly(Id),
    name: describe(Line, { example: 'Maeve Murphy' }),
    email: describe(maxLength(email, 100), { example: 'maeve@example.com' }),
    phone: optional(
      describe(nullable(Phone), {
        description: 'Only the staff are shown it',
        example: '+353 21 4960000',
      }),
    ),
    city: describe(Line, { example: 'Cork' }),
    version: readOnly(Version),
  },
  'Owner',
)
export type Owner = OutputOf<typeof Owner>
export type NewOwner = InputOf<typeof Owner>

export const OwnerFilter = t.partial({ name: NameStart, city: Line })
export type OwnerFilter = t.TypeOf<typeof OwnerFilter>

/** An order: a caller asks for a pet of a kind, and the shop says which one it is. */
export const Order = struct(
  {
    id: readOnly(Id),
    kind: Kind,
    ownerId: describe(Id, { description: 'Who it is for' }),
    petId: readOnly(describe(Id, { description: 'The pet that is reserved' })),
    price: readOnly(describe(Price, { description: 'In euros', example: '749.95' })),
    orderedAt: readOnly(isoDateTime),
  },
  'Order',
)
export type Order = OutputOf<typeof Order>
export type NewOrder = InputOf<typeof Order>

const WebUrl = pattern(
  maxLength(t.string, 500),
  '^https?://[a-z0-9.-]+(?::[0-9]{1,5})?(?:/[!-~]*)?$',
)
const Secret = pattern(t.string, '^whsec_[A-Za-z0-9+/]{32}$')

/** Where orders are sent to. Subscribers choose the secret, and verify the signatures with it. */
export const Subscription = struct(
  {
    id: readOnly(Id),
    url: describe(WebUrl, { format: 'uri', example: 'https://example.com/hooks' }),
    secret: writeOnly(
      describe(Secret, { description: 'What events are signed with: 24 bytes in base64' }),
    ),
  },
  'Subscription',
)
export type Subscription = OutputOf<typeof Subscription>
export type NewSubscription = InputOf<typeof Subscription>
