import { setImmediate as pause } from 'node:timers/promises'
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  abort,
  altResponse,
  Blueprint,
  bearer,
  type Context,
  email,
  etag,
  type InputOf,
  int,
  isoDateTime,
  json,
  MethodView,
  maxItems,
  maximum,
  maxLength,
  mergePatch,
  minimum,
  minLength,
  type OutputOf,
  operation,
  optional,
  Page,
  type PaginationParameters,
  paginate,
  problem,
  query,
  readOnly,
  reply,
  response,
  secure,
  struct,
  withDefault,
} from 'koa-smorest'
import type { ContractOptions } from 'koa-smorest/testing'

// Rooms of an office, and who has booked them. Staff see their own bookings; the admin all of them.

export const faults = [
  'patch forgets whose booking it is',
  'cancel forgets whose booking it is',
  'get forgets whose booking it is',
  'everybody lists all bookings',
  'staff may add rooms',
  'projector filter: false means all',
  'minSeats excludes its bound',
  'building filter ignored',
  'until filter is ignored',
  'last page loses its last room',
  'total is of all rooms',
  'page begins one too late',
  'a patch keeps the version',
  'a cancellation keeps the version',
  'projector is true by default',
  'PUT keeps the old note',
  'PATCH resets attendees',
  'overlaps are not checked',
  'overlaps are checked a moment too early',
  'overlaps of all rooms count',
  'seconds are cut off',
  'PATCH moves the booking by an hour',
  'Location names another path',
  'cancelled twice is fine',
  'deleted rooms are still listed',
  'deleting a room deletes those of its building',
  'bookings of all rooms under each room',
  'names are trimmed',
  'attendees in lower case',
  'me is kept for all callers',
  'titles beyond Latin-1 crash',
  'PATCH of one booking changes those of the same room',
] as const

type User = { id: number; name: string; role: 'admin' | 'staff'; token: string }
const users: readonly User[] = [
  { id: 1, name: 'Ann', role: 'admin', token: 'sesame-of-ann' },
  { id: 2, name: 'Bob', role: 'staff', token: 'sesame-of-bob' },
  { id: 3, name: 'Cem', role: 'staff', token: 'sesame-of-cem' },
]

const Room = struct(
  {
    id: readOnly(int),
    name: maxLength(minLength(t.string, 1), 60),
    building: t.keyof({ north: null, south: null, barn: null }),
    seats: maximum(minimum(int, 1), 500),
    projector: withDefault(t.boolean, false),
    note: optional(maxLength(t.string, 200)),
    version: readOnly(int),
  },
  'Room',
)
type Room = OutputOf<typeof Room>
type NewRoom = InputOf<typeof Room>

const Booking = struct(
  {
    id: readOnly(int),
    roomId: readOnly(int),
    userId: readOnly(int),
    title: maxLength(minLength(t.string, 1), 80),
    from: isoDateTime.asDate,
    minutes: maximum(minimum(int, 15), 600),
    attendees: withDefault(maxItems(t.array(email), 20), () => []),
    status: readOnly(t.keyof({ confirmed: null, cancelled: null })),
    version: readOnly(int),
  },
  'Booking',
)
type Booking = OutputOf<typeof Booking>
type NewBooking = InputOf<typeof Booking>

const Me = struct({ id: int, name: t.string, role: t.keyof({ admin: null, staff: null }) }, 'Me')
const Taken = problem('room-taken', { status: 409, title: 'The room is taken' })
const Cancelled = problem('already-cancelled', { status: 409, title: 'Already cancelled' })

const RoomFilter = struct({
  building: optional(t.keyof({ north: null, south: null, barn: null })),
  minSeats: optional(minimum(int, 1)),
  projector: optional(t.boolean),
})
const Period = struct({ from: optional(isoDateTime.asDate), until: optional(isoDateTime.asDate) })
const Status = struct({ status: optional(t.keyof({ confirmed: null, cancelled: null })) })

export function bookings(is: (fault: (typeof faults)[number]) => boolean) {
  const rooms = new Map<number, Room & { deleted?: boolean }>()
  const all = new Map<number, Booking>()
  let lastRoom = 0
  let lastBooking = 0
  let kept: User | undefined

  const reset = () => {
    rooms.clear()
    all.clear()
    lastRoom = 0
    lastBooking = 0
    kept = undefined
    for (const [name, building, seats, projector] of [
      ['Maple', 'north', 4, false],
      ['Oak', 'north', 12, true],
      ['Birch', 'south', 8, true],
      ['Threshing floor', 'barn', 120, false],
    ] as const)
      rooms.set(++lastRoom, { id: lastRoom, name, building, seats, projector, version: 1 })
    for (const [roomId, userId, title, day] of [
      [1, 2, 'Standup', 3],
      [2, 3, 'Interview', 4],
      [2, 1, 'Board', 5],
      [3, 2, 'Retro', 6],
    ] as const)
      all.set(++lastBooking, {
        id: lastBooking,
        roomId,
        userId,
        title,
        from: new Date(Date.UTC(2026, 0, day, 9)),
        minutes: 60,
        attendees: [],
        status: 'confirmed',
        version: 1,
      })
  }
  reset()

  const login = bearer('login', {
    principal: token => users.find(user => user.token === token),
    identify: user => user.id,
  })
  const isAdmin = (user: User) => user.role === 'admin'
  const may = (user: User, booking: Booking) => isAdmin(user) || booking.userId === user.id

  const end = ({ from, minutes }: { from: Date; minutes: number }) =>
    from.getTime() + minutes * 60_000
  const clashes = (roomId: number, wanted: { from: Date; minutes: number }, except = 0) =>
    !is('overlaps are not checked') &&
    [...all.values()].some(
      other =>
        (other.roomId === roomId || is('overlaps of all rooms count')) &&
        other.id !== except &&
        other.status === 'confirmed' &&
        other.from.getTime() < end(wanted) &&
        wanted.from.getTime() < end(other),
    )

  class Rooms extends MethodView {
    static get = operation('List the rooms', query(RoomFilter), paginate(), response(t.array(Room)))
    get(
      _ctx: Context,
      { building, minSeats, projector }: InputOf<typeof RoomFilter>,
      { paginationParameters: page }: { paginationParameters: PaginationParameters },
    ) {
      const found = [...rooms.values()].filter(
        room =>
          !room.deleted &&
          (building === undefined || room.building === building || is('building filter ignored')) &&
          (minSeats === undefined ||
            room.seats > minSeats ||
            (room.seats === minSeats && !is('minSeats excludes its bound'))) &&
          (projector === undefined ||
            (is('projector filter: false means all') && !projector) ||
            room.projector === projector),
      )
      page.itemCount = is('total is of all rooms') ? rooms.size : found.length
      const first = page.firstItem + (is('page begins one too late') && page.page > 1 ? 1 : 0)
      const last = page.lastItem + (is('last page loses its last room') ? 0 : 1)
      return found.slice(first, last)
    }

    static post = operation(
      'Add a room',
      secure(login, { allow: user => isAdmin(user) || is('staff may add rooms') }),
      json(Room),
      response(Room, {
        code: 201,
        headers: { Location: { required: true, schema: { type: 'string' } } },
      }),
    )
    post(_ctx: Context, room: NewRoom) {
      const added = {
        ...room,
        name: is('names are trimmed') ? room.name.trim() || '-' : room.name,
        projector: is('projector is true by default') ? true : room.projector,
        id: ++lastRoom,
        version: 1,
      }
      rooms.set(added.id, added)
      const path = is('Location names another path') ? '/room/' : '/rooms/'
      return reply(added, 201, { Location: `${path}${added.id}` })
    }
  }

  type CurrentRoom = { current: Room }
  class RoomById extends MethodView {
    static shared = operation(
      etag({
        load: (_ctx, { roomId }: { roomId: number }) => {
          const room = rooms.get(roomId)
          return room?.deleted ? undefined : room
        },
        tag: room => room.version,
      }),
    )

    static get = operation('Find a room', response(Room))
    get(_ctx: Context, { current }: CurrentRoom) {
      return current
    }

    static put = operation(
      'Replace a room',
      secure(login, { allow: isAdmin }),
      json(Room),
      response(Room),
    )
    put(_ctx: Context, room: NewRoom, { current }: CurrentRoom) {
      const base = is('PUT keeps the old note') ? current : {}
      const next = { ...base, ...room, id: current.id, version: current.version + 1 }
      rooms.set(next.id, next)
      return next
    }

    static delete = operation(
      'Remove a room',
      secure(login, { allow: isAdmin }),
      response({ code: 204 }),
    )
    delete(_ctx: Context, { current }: CurrentRoom) {
      for (const room of [...rooms.values()]) {
        const sibling =
          is('deleting a room deletes those of its building') && room.building === current.building
        if (room.id === current.id || sibling) rooms.delete(room.id)
      }
      if (is('deleted rooms are still listed')) rooms.set(current.id, current)
      for (const booking of [...all.values()])
        if (booking.roomId === current.id) all.delete(booking.id)
    }
  }

  class BookingsOfRoom extends MethodView {
    static shared = operation(
      secure(login),
      etag({
        load: (_ctx, { roomId }: { roomId: number }) => rooms.get(roomId),
        tag: () => null,
      }),
    )

    static get = operation('Who has the room, and when', query(Period), response(t.array(Booking)))
    get(
      _ctx: Context,
      { from, until }: InputOf<typeof Period>,
      { current, principal }: CurrentRoom & { principal: User },
    ) {
      return [...all.values()].filter(
        booking =>
          (booking.roomId === current.id || is('bookings of all rooms under each room')) &&
          may(principal, booking) &&
          (!from || booking.from >= from) &&
          (!until || booking.from < until || is('until filter is ignored')),
      )
    }

    static post = operation(
      'Book the room',
      json(Booking),
      response(Booking, { code: 201 }),
      altResponse(Taken),
    )
    async post(
      _ctx: Context,
      wanted: NewBooking,
      { current, principal }: CurrentRoom & { principal: User },
    ) {
      const taken = clashes(current.id, wanted)
      if (is('overlaps are checked a moment too early')) await pause()
      if (taken) abort(Taken)
      if (is('titles beyond Latin-1 crash')) btoa(wanted.title)
      const from = new Date(wanted.from)
      if (is('seconds are cut off')) from.setUTCSeconds(0, 0)
      const booking: Booking = {
        ...wanted,
        from,
        attendees: is('attendees in lower case')
          ? wanted.attendees.map(address => address.toLowerCase())
          : wanted.attendees,
        id: ++lastBooking,
        roomId: current.id,
        userId: principal.id,
        status: 'confirmed',
        version: 1,
      }
      all.set(booking.id, booking)
      return reply(booking, 201, { Location: `/bookings/${booking.id}` })
    }
  }

  class Mine extends MethodView {
    static get = operation(
      'My bookings',
      secure(login),
      query(Status),
      paginate(Page),
      response(t.array(Booking)),
    )
    get(
      _ctx: Context,
      { status }: InputOf<typeof Status>,
      { principal }: { principal: User },
    ): Booking[] {
      return [...all.values()].filter(
        booking =>
          (may(principal, booking) || is('everybody lists all bookings')) &&
          (status === undefined || booking.status === status),
      )
    }
  }

  const found = (open: boolean) =>
    etag({
      load: (_ctx, { bookingId, principal }: { bookingId: number; principal: User }) => {
        const booking = all.get(bookingId)
        return booking && (open || may(principal, booking)) ? booking : undefined
      },
      tag: booking => booking.version,
    })

  type CurrentBooking = { current: Booking }
  class BookingById extends MethodView {
    static get = operation(
      'Find a booking',
      secure(login),
      found(is('get forgets whose booking it is')),
      response(Booking),
    )
    get(_ctx: Context, { current }: CurrentBooking) {
      return current
    }

    static patch = operation(
      'Change a booking',
      secure(login),
      found(is('patch forgets whose booking it is')),
      mergePatch(Booking),
      response(Booking),
      altResponse(Taken),
    )
    patch(_ctx: Context, changed: NewBooking, { current }: CurrentBooking) {
      if (current.status === 'confirmed' && clashes(current.roomId, changed, current.id))
        abort(Taken)
      const next: Booking = {
        ...current,
        ...changed,
        attendees: is('PATCH resets attendees') ? [] : changed.attendees,
        version: current.version + (is('a patch keeps the version') ? 0 : 1),
      }
      if (is('PATCH moves the booking by an hour'))
        next.from = new Date(next.from.getTime() + 3_600_000)
      all.set(next.id, next)
      if (is('PATCH of one booking changes those of the same room'))
        for (const other of all.values())
          if (other.roomId === next.roomId) all.set(other.id, { ...other, title: next.title })
      return next
    }
  }

  const blueprint = new Blueprint('bookings')
    .route('/rooms', Rooms)
    .route('/rooms/:roomId<int>', RoomById)
    .route('/rooms/:roomId<int>/bookings', BookingsOfRoom)
    .route('/bookings', Mine)
    .route('/bookings/:bookingId<int>', BookingById)
  blueprint.post(
    '/bookings/:bookingId<int>/cancel',
    operation(
      'Cancel a booking',
      secure(login),
      response(Booking),
      altResponse(404),
      altResponse(Cancelled),
    ),
    (_ctx, { bookingId, principal }) => {
      const booking = all.get(bookingId) ?? abort(404)
      if (!may(principal, booking) && !is('cancel forgets whose booking it is')) abort(404)
      if (booking.status === 'cancelled' && !is('cancelled twice is fine')) abort(Cancelled)
      const version = booking.version + (is('a cancellation keeps the version') ? 0 : 1)
      const next: Booking = { ...booking, status: 'cancelled', version }
      all.set(next.id, next)
      return next
    },
  )
  blueprint.get(
    '/me',
    operation('Who I am', secure(login), response(Me)),
    (_ctx, { principal }) => {
      if (!is('me is kept for all callers')) return principal
      kept ??= principal
      return kept
    },
  )

  const app = new Koa()
  app.silent = true
  const api = new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(blueprint)
  const options: ContractOptions = {
    reset,
    as: { login: ['sesame-of-ann', 'sesame-of-bob', 'sesame-of-cem'] },
    unreachable: {
      'GET /rooms/{roomId}/bookings 304': 'has no tag',
      'POST /rooms/{roomId}/bookings 412': 'has no tag',
    },
  }
  return { app, api, options }
}
