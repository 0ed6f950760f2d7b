// Train stations, trips, bookings and payments, as the Train Travel API describes them.
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  abort,
  altResponse,
  Blueprint,
  bearer,
  describe,
  doc,
  exclusiveMinimum,
  int,
  int64,
  isoDateTime,
  json,
  type Limiter,
  limit,
  type NumberedPage,
  type OutputOf,
  oauth2,
  operation,
  optional,
  Page,
  paginate,
  path,
  query,
  type Representation,
  readOnly,
  response,
  secure,
  struct,
  uuid,
  webhook,
  withDefault,
  writeOnly,
} from 'koa-smorest'

const BASE = 'https://api.example.com'

const uri = describe(t.string, { format: 'uri' })
const Station = struct(
  {
    id: uuid,
    name: t.string,
    address: t.string,
    country_code: describe(t.string, { format: 'iso-country-code' }),
    timezone: optional(t.string),
  },
  'Station',
)
const Trip = struct(
  {
    id: optional(uuid),
    origin: optional(t.string),
    destination: optional(t.string),
    departure_time: optional(isoDateTime),
    arrival_time: optional(isoDateTime),
    operator: optional(t.string),
    price: optional(t.number),
    bicycles_allowed: optional(t.boolean),
    dogs_allowed: optional(t.boolean),
  },
  'Trip',
)
const Booking = struct(
  {
    id: readOnly(optional(uuid)),
    trip_id: optional(uuid),
    passenger_name: optional(t.string),
    has_bicycle: optional(t.boolean),
    has_dog: optional(t.boolean),
  },
  'Booking',
)
const Card = struct({
  object: optional(t.literal('card')),
  name: t.string,
  number: t.string,
  cvc: writeOnly(int),
  exp_month: int64,
  exp_year: int64,
  address_line1: writeOnly(optional(t.string)),
  address_line2: writeOnly(optional(t.string)),
  address_city: optional(t.string),
  address_country: t.string,
  address_post_code: optional(t.string),
})
const BankAccount = struct({
  object: optional(t.literal('bank_account')),
  name: t.string,
  number: t.string,
  sort_code: optional(t.string),
  account_type: t.keyof({ individual: null, company: null }),
  bank_name: t.string,
  country: t.string,
})
const Currency = t.keyof({
  bam: null,
  bgn: null,
  chf: null,
  eur: null,
  gbp: null,
  nok: null,
  sek: null,
  try: null,
})
const BookingPayment = struct(
  {
    id: readOnly(optional(uuid)),
    amount: optional(exclusiveMinimum(t.number, 0)),
    currency: optional(Currency),
    source: optional(t.union([Card, BankAccount])),
    status: readOnly(optional(t.keyof({ pending: null, succeeded: null, failed: null }))),
  },
  'BookingPayment',
)
const LinksSelf = struct({ self: optional(uri) }, 'Links-Self')
const LinksBooking = struct({ booking: optional(uri) }, 'Links-Booking')
const LinksPagination = struct(
  { self: optional(uri), next: optional(uri), prev: optional(uri) },
  'Links-Pagination',
)
// open: the library adds what is wrong with a request
const Problem = t.intersection(
  [
    t.partial({
      type: t.string,
      title: t.string,
      detail: t.string,
      instance: t.string,
      status: int,
    }),
    t.UnknownRecord,
  ],
  'Problem',
)
const OneBooking = t.intersection([Booking, struct({ links: optional(LinksSelf) })])
const Stations = struct({ data: t.array(Station), links: optional(LinksPagination) })
const Trips = struct({ data: t.array(Trip), links: optional(LinksPagination) })
const Bookings = struct({ data: t.array(Booking), links: optional(LinksPagination) })

type Booking = OutputOf<typeof Booking>

/** Tells subscribers of a booking. */
export const newBooking = webhook('newBooking', OneBooking, { tags: ['Bookings'] })

const element = (name: string, value: unknown): string => {
  if (Array.isArray(value)) return value.map(one => element(name, one)).join('')
  const content =
    typeof value === 'object' && value !== null
      ? Object.entries(value)
          .map(([field, one]) => element(field, one))
          .join('')
      : String(value).replace(/[&<>]/g, sign => `&#${sign.charCodeAt(0)};`)
  return `<${name}>${content}</${name}>`
}

const xml = (
  schema: Representation['schema'],
  write: (value: object) => string,
): Representation<object, 'application/xml'> => ({
  mediaType: 'application/xml',
  ...(schema && { schema }),
  write,
})

/** A booking as XML: one element for each field. */
const bookingXml = xml({ $ref: '#/components/schemas/Booking' }, booking =>
  element('booking', booking),
)

/** A page as XML: its rows, in an element of their own, and its links. */
const pageXml = (list: string, item: string, codec: t.Mixed) =>
  xml(
    {
      type: 'object',
      properties: {
        data: {
          type: 'array',
          items: { $ref: `#/components/schemas/${codec.name}` },
          xml: { name: list, wrapped: true },
        },
        links: { $ref: '#/components/schemas/Links-Pagination' },
      },
      xml: { name: 'data' },
    },
    page => {
      const { data, links } = page as { readonly data: unknown; readonly links: object }
      return element('data', { [list]: { [item]: data }, links })
    },
  )

/** Puts the rows of a page of this path beside links to it and to its neighbours. */
const wrapped =
  (path: string) =>
  (items: readonly unknown[], { page, links }: NumberedPage) => {
    const link = (name: string, reference: string | undefined, number?: number) => {
      if (reference === undefined) return {}
      const url = new URL(reference, BASE + path)
      if (number !== undefined) url.searchParams.set('page', String(number))
      return { [name]: url.href }
    }
    return {
      data: items,
      links: {
        ...link('self', links.first, page),
        ...link('next', links.next),
        ...link('prev', links.prev),
      },
    }
  }

/** The response of an error. */
const failing = (description: string) => ({
  description,
  headers: { RateLimit: { $ref: '#/components/headers/RateLimit' } },
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
})

/** The timetable, who may use it, and how much. */
export interface Railway {
  /** Returns the scopes of a token; undefined if it is unknown. */
  readonly scopesOf: (token: string) => readonly string[] | undefined
  readonly limiter: Limiter
  readonly stations: readonly OutputOf<typeof Station>[]
  readonly trips: readonly OutputOf<typeof Trip>[]
  readonly newId: () => string
}

/** Sells these trips. */
export function trainTravel({ scopesOf, limiter, stations, trips, newId }: Railway) {
  const bookings = new Map<string, Booking>()
  const login = oauth2('OAuth2', {
    flows: {
      authorizationCode: {
        authorizationUrl: 'https://example.com/oauth/authorize',
        tokenUrl: 'https://example.com/oauth/token',
        scopes: { read: 'Read access', write: 'Write access' },
      },
    },
    token: bearer('OAuth2', {
      principal: token => scopesOf(token) && { token },
      scopesOf: ({ token }) => scopesOf(token) ?? [],
    }),
  })
  const [read, write] = [secure(login.scopes('read')), secure(login.scopes('write'))]
  const limited = limit('default', limiter)
  const notFound = altResponse(404, 'NotFound')
  const failed = altResponse(500, 'InternalServerError')
  const bad = altResponse(400, 'BadRequest')
  const booking = path(struct({ bookingId: uuid }))
  const find = (id: string) => bookings.get(id) ?? abort(404)
  const linked = (one: Booking) => ({ ...one, links: { self: `${BASE}/bookings/${one.id}` } })

  const trains = new Blueprint('Trains')
    .get(
      '/stations',
      operation(
        doc({ operationId: 'get-stations', tags: ['Stations'] }),
        read,
        limited,
        paginate(Page, { names: { pageSize: 'limit' }, items: 'data', wrap: wrapped('/stations') }),
        response(Stations, { also: [pageXml('stations', 'station', Station)] }),
        bad,
        failed,
      ),
      () => stations,
    )
    .get(
      '/trips',
      operation(
        doc({ operationId: 'get-trips', tags: ['Trips'] }),
        read,
        limited,
        query(
          struct({
            origin: uuid,
            destination: uuid,
            date: isoDateTime.asDate,
            bicycles: withDefault(t.boolean, false),
            dogs: withDefault(t.boolean, false),
          }),
        ),
        paginate(Page, { names: { pageSize: 'limit' }, items: 'data', wrap: wrapped('/trips') }),
        response(Trips, { also: [pageXml('trips', 'trip', Trip)] }),
        bad,
        failed,
      ),
      (_ctx, { origin, destination, date, bicycles, dogs }) =>
        trips.filter(
          trip =>
            [trip.origin, trip.destination].every(end => end === origin || end === destination) &&
            new Date(trip.departure_time ?? date) >= date &&
            (trip.bicycles_allowed || !bicycles) &&
            (trip.dogs_allowed || !dogs),
        ),
    )
    .get(
      '/bookings',
      operation(
        doc({ operationId: 'get-bookings', tags: ['Bookings'] }),
        read,
        limited,
        paginate(Page, { names: { pageSize: 'limit' }, items: 'data', wrap: wrapped('/bookings') }),
        response(Bookings, { also: [pageXml('bookings', 'booking', Booking)] }),
        bad,
        failed,
      ),
      () => [...bookings.values()],
    )
    .post(
      '/bookings',
      operation(
        doc({ operationId: 'create-booking', tags: ['Bookings'] }),
        write,
        limited,
        json(Booking),
        response(OneBooking, { code: 201, also: [bookingXml] }),
        bad,
        notFound,
        altResponse(409, 'Conflict'),
        failed,
      ),
      (_ctx, wanted) => {
        const { trip_id, passenger_name } = wanted
        if (!trips.some(({ id }) => id === trip_id)) abort(404)
        for (const one of bookings.values())
          if (one.trip_id === trip_id && one.passenger_name === passenger_name) abort(409)
        const booked = { ...wanted, id: newId() }
        bookings.set(booked.id, booked)
        return linked(booked)
      },
    )
    .get(
      '/bookings/:bookingId',
      operation(
        doc({ operationId: 'get-booking', tags: ['Bookings'] }),
        read,
        limited,
        booking,
        response(OneBooking, { also: [bookingXml] }),
        bad,
        notFound,
        failed,
      ),
      (_ctx, { bookingId }) => linked(find(bookingId)),
    )
    .delete(
      '/bookings/:bookingId',
      operation(
        doc({ operationId: 'delete-booking', tags: ['Bookings'] }),
        write,
        limited,
        booking,
        response({ code: 204 }),
        bad,
        notFound,
        failed,
      ),
      (_ctx, { bookingId }) => {
        bookings.delete(find(bookingId).id ?? '')
      },
    )
    .post(
      '/bookings/:bookingId/payment',
      operation(
        doc({ operationId: 'create-booking-payment', tags: ['Payments'] }),
        read,
        limited,
        booking,
        json(BookingPayment, { required: false }),
        response(t.intersection([BookingPayment, struct({ links: optional(LinksBooking) })])),
        bad,
        // the published document does not list it
        notFound,
        failed,
      ),
      (_ctx, { bookingId }, { source, ...payment }) => {
        find(bookingId)
        const masked = source?.number.replace(/.(?=.{4})/g, '*')
        return {
          ...payment,
          id: newId(),
          ...(source && masked !== undefined && { source: { ...source, number: masked } }),
          status: 'succeeded' as const,
          links: { booking: `${BASE}/bookings/${bookingId}` },
        }
      },
    )

  const api = new Api(new Koa(), {
    API_TITLE: 'Train Travel API',
    API_VERSION: '1.0.0',
    API_ERRORS: 'problem',
    OPENAPI_VERSION: '3.1.0',
    OPENAPI_URL_PREFIX: '/',
    API_SPEC_OPTIONS: {
      servers: [{ url: BASE, description: 'Production' }],
      tags: [
        { name: 'Stations', description: 'Find and filter train stations across Europe.' },
        { name: 'Trips', description: 'Timetables and routes between stations.' },
        { name: 'Bookings', description: 'Create and manage bookings for train trips.' },
        { name: 'Payments', description: 'Pay for bookings by card or bank account.' },
      ],
    },
  })
  api.spec.define(Problem)
  api.spec.components
    .header('RateLimit', { schema: { type: 'string' } })
    .response('BadRequest', failing('Bad Request'))
    .response('NotFound', failing('Not Found'))
    .response('Conflict', failing('Conflict'))
    .response('InternalServerError', failing('Internal Server Error'))
  return api.registerBlueprint(trains).registerWebhook(newBooking)
}
