// A small application of flask-smorest, original/app.py, as it is written here: rules over several
// fields, changes of nested objects, times of no time zone. README.md says what differs.
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  abort,
  altResponse,
  Blueprint,
  type Context,
  email,
  enumeration,
  type InputOf,
  int,
  json,
  localDateTime,
  MethodView,
  maximum,
  maxLength,
  message,
  minimum,
  minLength,
  nullable,
  operation,
  optional,
  Page,
  paginate,
  partial,
  query,
  readOnly,
  refine,
  response,
  struct,
  withDefault,
} from 'koa-smorest'

const Status = { TENTATIVE: 'tentative', CONFIRMED: 'confirmed' } as const

// the messages that clients may show, as marshmallow has them
const Time = message(localDateTime, 'Not a valid datetime.')
const Email = message(email, 'Not a valid email address.')

const Address = struct({ street: t.string, city: t.string }, 'Address')
const Contact = struct(
  {
    name: message(maxLength(minLength(t.string, 1), 50), 'Length must be between 1 and 50.'),
    email: optional(Email),
    address: optional(nullable(Address)),
  },
  'Contact',
)
const Booking = struct(
  {
    id: readOnly(int),
    room: t.keyof({ Oslo: null, Rome: null }, 'Room'),
    starts: Time,
    ends: Time,
    guests: withDefault(message(maximum(minimum(int, 1), 20), 'A room has 1 to 20 seats.'), 1),
    status: withDefault(enumeration(Status, 'Status'), Status.TENTATIVE),
    contact: Contact,
  },
  'Booking',
)

/** `validates_schema`. A change may have one of the two; the method looks at the whole. */
function inOrder({ starts, ends }: { readonly starts?: string; readonly ends?: string }) {
  return starts === undefined || ends === undefined || starts < ends
    ? undefined
    : { ends: ['Must be after starts.'] }
}
const NewBooking = refine(Booking, inOrder)
const BookingChanges = refine(partial(Booking, { deep: true, name: 'BookingChanges' }), inOrder)
const BookingQuery = struct({ room: optional(t.string), since: optional(Time) })

type Booking = InputOf<typeof NewBooking> & { readonly id: number }
type BookingChanges = InputOf<typeof BookingChanges>
type BookingQuery = InputOf<typeof BookingQuery>

/** The bookings by their ids, in memory. */
class Bookings {
  readonly #all = new Map<number, Booking>()
  #ids = 0

  find({ room, since }: BookingQuery): readonly Booking[] {
    const found = [...this.#all.values()].filter(
      booking => booking.room === (room ?? booking.room) && booking.starts >= (since ?? ''),
    )
    return found.sort((first, second) =>
      first.starts < second.starts ? -1 : Number(first.starts > second.starts),
    )
  }

  get(id: number): Booking {
    return this.#all.get(id) ?? abort(404, { message: 'No such booking.' })
  }

  add(booking: Omit<Booking, 'id'>): Booking {
    this.#checkFree(booking)
    return this.#keep({ ...booking, id: ++this.#ids })
  }

  change(booking: Booking): Booking {
    this.#checkFree(booking)
    return this.#keep(booking)
  }

  remove(id: number): void {
    this.get(id)
    this.#all.delete(id)
  }

  #keep(booking: Booking): Booking {
    this.#all.set(booking.id, booking)
    return booking
  }

  #checkFree({ room, starts, ends, id }: Omit<Booking, 'id'> & { readonly id?: number }): void {
    const isTaken = [...this.#all.values()].some(
      other => other.id !== id && other.room === room && other.starts < ends && starts < other.ends,
    )
    if (isTaken) abort(409, { message: 'The room is taken.' })
  }
}

/** Lays a change over what is there: objects field by field, as deep as it goes. */
function changed(booking: Booking, { contact, ...changes }: BookingChanges): Booking {
  if (contact === undefined) return { ...booking, ...changes }
  const { address, ...others } = contact
  const merged = { ...booking.contact, ...others }
  if (address === undefined) return { ...booking, ...changes, contact: merged }
  return {
    ...booking,
    ...changes,
    contact: { ...merged, address: address && completed(address, merged.address) },
  }
}

type AddressChanges = Partial<InputOf<typeof Address>>

/** A change may complete an address that is there, and may bring a whole one. */
function completed(
  changes: AddressChanges,
  current: AddressChanges | null | undefined,
): InputOf<typeof Address> {
  const { street, city } = { ...current, ...changes }
  if (street !== undefined && city !== undefined) return { street, city }
  const missing = ['Missing data for required field.']
  const address = {
    ...(street === undefined && { street: missing }),
    ...(city === undefined && { city: missing }),
  }
  return abort(422, { errors: { json: { contact: { address } } } })
}

function createBlueprint(bookings: Bookings): Blueprint {
  const blueprint = new Blueprint('bookings', {
    urlPrefix: '/bookings',
    description: 'Bookings of rooms',
  })

  class BookingList extends MethodView {
    static get = operation(
      'List bookings',
      query(BookingQuery),
      paginate(Page),
      response(t.array(Booking)),
    )
    get(_: Context, search: BookingQuery) {
      return bookings.find(search)
    }

    static post = operation(
      'Book a room',
      json(NewBooking),
      response(Booking, { code: 201 }),
      altResponse(409),
    )
    post(_: Context, booking: InputOf<typeof NewBooking>) {
      return bookings.add(booking)
    }
  }

  class BookingById extends MethodView {
    static shared = operation(altResponse(404))

    static get = operation('Find a booking', response(Booking))
    get(_: Context, { bookingId }: { bookingId: number }) {
      return bookings.get(bookingId)
    }

    static patch = operation(
      'Change a booking, as deep as is said',
      json(BookingChanges),
      response(Booking),
      altResponse(409),
      altResponse(422, { description: 'The booking would end before it starts, or lack a field.' }),
    )
    patch(_: Context, changes: BookingChanges, { bookingId }: { bookingId: number }) {
      const booking = changed(bookings.get(bookingId), changes)
      const errors = inOrder(booking)
      return errors ? abort(422, { errors: { json: errors } }) : bookings.change(booking)
    }

    static delete = operation('Cancel a booking', response({ code: 204 }))
    delete(_: Context, { bookingId }: { bookingId: number }) {
      bookings.remove(bookingId)
    }
  }

  return blueprint.route('/', BookingList).route('/:bookingId<int>', BookingById)
}

/** The application, with no bookings yet. */
export function createApp(): Koa {
  const app = new Koa()
  const api = new Api(app, {
    API_TITLE: 'Bookings',
    API_VERSION: '1',
    OPENAPI_VERSION: '3.0.3',
    OPENAPI_URL_PREFIX: '/',
  })
  api.registerBlueprint(createBlueprint(new Bookings()))
  return app
}
