// refine, message, pick, omit, deep partial and enumeration: what must compile, in both directions,
// and what must not.
import * as t from 'io-ts'
import {
  enumeration,
  type InputOf,
  int,
  isoDate,
  maxItems,
  maxLength,
  message,
  nullable,
  type OutputOf,
  omit,
  partial,
  pick,
  readOnly,
  refine,
  struct,
  type WireInputOf,
  type WireOutputOf,
  wireName,
  withDefault,
  writeOnly,
} from 'koa-smorest'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
type Spelled<T> = T extends Date ? T : T extends object ? { [K in keyof T]: Spelled<T[K]> } : T
declare function same<A, B>(yes: Same<Spelled<A>, Spelled<B>>): void

const Address = struct(
  { street: t.string, zip: withDefault(t.string, ''), since: isoDate.asDate },
  'Address',
)
const Cat = struct({ kind: t.literal('cat'), lives: int })
const Dog = t.strict({ kind: t.literal('dog'), bark: t.string })
const Owner = struct({
  id: readOnly(int),
  home: Address,
  office: wireName('Office', nullable(Address)),
  old: maxItems(t.array(Address), 2),
  pet: t.union([Cat, Dog, t.null]),
  password: writeOnly(t.string),
})

interface Part {
  street?: string
  zip?: string
  since?: Date
}
interface WirePart {
  street?: string
  zip?: string
  since?: string
}
const Changes = partial(Owner, { deep: true, name: 'Changes' })
type Pet = { kind: 'cat'; lives?: number } | { kind: 'dog'; bark?: string } | null
same<
  InputOf<typeof Changes>,
  { home?: Part; office?: Part | null; old?: Part[]; pet?: Pet; password?: string }
>(true)
same<
  OutputOf<typeof Changes>,
  { id?: number; home?: Part; office?: Part | null; old?: Part[]; pet?: Pet }
>(true)
same<
  WireInputOf<typeof Changes>,
  { home?: WirePart; Office?: WirePart | null; old?: WirePart[]; pet?: Pet; password?: string }
>(true)
same<
  WireOutputOf<typeof Changes>,
  { id?: number; home?: WirePart; Office?: WirePart | null; old?: WirePart[]; pet?: Pet }
>(true)

const Some = pick(Owner, ['id', 'password'])
same<InputOf<typeof Some>, { password: string }>(true)
same<OutputOf<typeof Some>, { id: number }>(true)
const Others = omit(Dog, ['kind'])
same<t.TypeOf<typeof Others>, { bark: string }>(true)

const Range = refine(struct({ min: int, max: int, id: readOnly(int) }), ({ min, max }) =>
  min <= max ? undefined : { max: ['Must not be below min.'] },
)
same<InputOf<typeof Range>, { min: number; max: number }>(true)
same<OutputOf<typeof Range>, { min: number; max: number; id: number }>(true)
// @ts-expect-error a request has no read-only field
refine(struct({ id: readOnly(int) }), ({ id }) => (id > 0 ? undefined : 'No.'))
// @ts-expect-error there is no such field
refine(Address, () => ({ stret: 'No.' }))
// @ts-expect-error a check does not wait
refine(Address, async () => undefined)
refine(t.array(Address), addresses =>
  addresses.length > 0 ? { 0: { street: 'No.' }, _schema: ['No.'] } : undefined,
)

// @ts-expect-error the check would be lost
partial(Range)
// @ts-expect-error the check would be lost
partial(t.refinement(Address, () => true))
// @ts-expect-error the check would be lost
pick(Range, ['min'])
// @ts-expect-error the check would be lost
omit(Range, ['min'])
// @ts-expect-error an intersection
pick(t.intersection([Address, Cat]), ['street'])
// @ts-expect-error a union
omit(t.union([Address, Cat]), ['street'])
// @ts-expect-error there is no such field
pick(Address, ['stret'])

const Name = message(maxLength(t.string, 30), 'A name has at most 30 characters.')
same<t.TypeOf<typeof Name>, string>(true)
pick(message(Address, 'Say where.'), ['street'])

enum Colour {
  red = 'r',
  blue = 'b',
}
const Paint = struct({
  colour: enumeration(Colour, 'Colour'),
  size: enumeration({ small: 1, large: 'L' }),
})
const paint: InputOf<typeof Paint> = { colour: Colour.red, size: 'L' }
const colour: Colour = paint.colour
// @ts-expect-error a name is no value
const wrong: InputOf<typeof Paint> = { colour: Colour.red, size: 'small' }

export { Changes, colour, Name, Others, Paint, Range, Some, wrong }
