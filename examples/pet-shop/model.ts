import * as t from 'io-ts'
import {
  decimal,
  email,
  type InputOf,
  int,
  isoDate,
  maxItems,
  maxLength,
  minimum,
  minLength,
  nullable,
  type OutputOf,
  partial,
  pattern,
  readOnly,
  struct,
  uniqueItems,
  withDefault,
} from 'koa-smorest'

/** One line of text, without the control characters; NUL is one that PostgreSQL cannot store. */
const Line = pattern(maxLength(minLength(t.string, 1), 100), /^\P{Cc}+$/u)
const Tag = pattern(maxLength(t.string, 30), /^[a-z]+(?:-[a-z]+)*$/)
const Price = pattern(decimal, /^\d{1,6}(?:\.\d{1,2})?$/)
const BirthDate = pattern(isoDate, /^(?:19|20)/)
const Id = minimum(int, 1)

const Kind = t.keyof({ dog: null, cat: null, rabbit: null, bird: null, fish: null, reptile: null }, 'Kind')
const Status = t.keyof({ available: null, reserved: null, sold: null }, 'Status')

/** A pet, as it is sent in (without the read-only fields) and as it leaves. */
export const Pet = struct(
  {
    id: readOnly(Id),
    name: Line,
    kind: Kind,
    breed: withDefault(nullable(Line), null),
    birthDate: BirthDate,
    price: Price,
    status: withDefault(Status, 'available'),
    tags: withDefault(uniqueItems(maxItems(t.array(Tag), 20)), () => []),
    ownerId: withDefault(nullable(Id), null),
    version: readOnly(int),
  },
  'Pet',
)
export type Pet = OutputOf<typeof Pet>
export type NewPet = InputOf<typeof Pet>

/** What a PATCH of a pet may say: any of its fields. */
export const PetChanges = partial(Pet, 'PetChanges')
export type PetChanges = InputOf<typeof PetChanges>

/** The query of a search among the pets; every field narrows it further. */
export const PetFilter = t.partial({
  kind: Kind,
  status: Status,
  owner: Id,
  tag: Tag,
  /** The beginning of the name, in any case. */
  name: Line,
  minPrice: Price,
  maxPrice: Price,
  bornAfter: BirthDate,
  sort: t.keyof({ name: null, '-name': null, price: null, '-price': null, birthDate: null, '-birthDate': null }),
})
export type PetFilter = t.TypeOf<typeof PetFilter>

/** Someone who has reserved or bought a pet. */
export const Owner = struct(
  {
    id: readOnly(Id),
    name: Line,
    email: maxLength(email, 100),
    phone: withDefault(nullable(pattern(maxLength(t.string, 30), /^\+?[0-9][0-9 ()-]*$/)), null),
    city: Line,
    version: readOnly(int),
  },
  'Owner',
)
export type Owner = OutputOf<typeof Owner>
export type NewOwner = InputOf<typeof Owner>

export const OwnerChanges = partial(Owner, 'OwnerChanges')
export type OwnerChanges = InputOf<typeof OwnerChanges>

export const OwnerFilter = t.partial({ name: Line, city: Line })
export type OwnerFilter = t.TypeOf<typeof OwnerFilter>
