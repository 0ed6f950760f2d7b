import { isUtf8 } from 'node:buffer'
import type * as t from 'io-ts'
import type { SchemaObject } from 'openapi3-ts/oas31'
import type { StreamOf } from '../../client/stream-of.js'
import { decoderOf, Invalid } from '../../codec/decode/decode.js'
import { encoderOf, naming, writerOf } from '../../codec/encode/encode.js'
import { faultsOf } from '../../codec/encode/faults.js'
import { isCodec, wrapHint } from '../../codec/shape/annotations.js'
import type { BareSchema } from '../../codec/types/standard-type.js'
import type { InputOf, OutputOf, WireOutputOf } from '../../codec/types/types.js'
import { isAbort } from '../../feature-api/abort-signal.js'
import type { Exchange } from '../../feature-api/exchange.js'
import { type Feature, mainStatuses, type Part, type Route } from '../../feature-api/feature.js'
import type { WireResponse } from '../../feature-api/wire/facts.js'
import { errorForms } from '../../http/errors/error-forms.js'
import { Refusal } from '../../http/failure.js'
import { optionsIn, shown } from '../../names.js'
import type { Fragment } from '../../openapi/document/fragment.js'
import type { Schemas } from '../../openapi/schema/schemas.js'
import { checkOptions, milliseconds, PERIOD, type Period, type Rules } from '../../options.js'
import {
  beginning,
  checkStream,
  ItemBody,
  type Items,
  preparePart,
  readerOf,
} from '../../respond/items.js'
import { errorOf } from '../../respond/thrown.js'

/** Options of `events`. */
export interface EventsOptions<Id extends t.Mixed | undefined = t.Mixed | undefined> {
  /**
   * The codec of the ids of events. A client that reconnects sends the last one that it has
   * received; the method is given it as `lastEventId`.
   */
  readonly id?: Id
  /**
   * How long after the last event a comment is sent, which keeps proxies waiting. Default `'15s'`.
   */
  readonly heartbeat?: Period
  /** How long a client waits before it reconnects. Default: the client decides, about 3 seconds. */
  readonly retry?: Period
  /** After what time a client that takes nothing is disconnected. Default `'60s'`. */
  readonly stall?: Period
}

type IdOf<Id> = [Id] extends [t.Mixed] ? { readonly id?: OutputOf<Id> } : unknown

/** An event that a method yields under `events({ name: codec })`. */
export type EventOf<Codecs extends EventCodecs, Id> = {
  [Name in keyof Codecs]: {
    readonly event: Name
    readonly data: OutputOf<Codecs[Name]>
  } & IdOf<Id>
}[keyof Codecs]

/**
 * A value that a method yields under `events(codec)`: the data, in an object if events have ids.
 */
export type UnnamedEventOf<C extends t.Mixed, Id> = [Id] extends [t.Mixed]
  ? { readonly data: OutputOf<C> } & IdOf<Id>
  : OutputOf<C>

type LastEventId<Id> = [Id] extends [t.Mixed] ? { lastEventId?: InputOf<Id> } : Record<never, never>

/** An event as a client sees it. */
type SentEvent<Name, Data> = { event: Name; data: Data; id?: string }

/** The typing of `events`. */
export type EventsFeature<Item, Sent, Id> = Feature<
  {
    value: Items<Item>
    raw: false
    named: LastEventId<Id>
    wire: {
      header: [Id] extends [t.Mixed] ? { 'Last-Event-ID'?: string } : Record<never, never>
      errors: 503
      responses:
        | WireResponse<200, { 'text/event-stream': StreamOf<Sent> }, Record<never, never>, true>
        | WireResponse<204, Record<never, never>, Record<never, never>, false>
    }
  },
  'response'
>

/**
 * Sends what the method returns as server-sent events:
 * `events({ job: Job, removed: JobRef }, { id: int })` with `async *get(ctx, { lastEventId, signal
 * }) { yield event('job', job, 7) }`, or `events(codec)` for events without a name, whose items are
 * the data. The method returns a generator or any other iterable, an object-mode Readable or a
 * ReadableStream; each item is encoded by its codec. For GET.
 *
 * Whatever fails before the first event, or within a second, is an ordinary error response. Later
 * errors are emitted on the app, and end the stream with an event named `error`. A stream that ends
 * without an event in that time is a 204, which tells clients not to come again. When the client has
 * gone, `signal` aborts, and then the iterator is returned.
 */
export function events<C extends t.Mixed, Id extends t.Mixed | undefined = undefined>(
  codec: C | (BareSchema & 'wrap it: std(schema), from koa-smorest/standard'),
  options?: EventsOptions<Id>,
): EventsFeature<UnnamedEventOf<C, Id>, SentEvent<'message', WireOutputOf<C>>, Id>
export function events<
  const Codecs extends EventCodecs,
  Id extends t.Mixed | undefined = undefined,
>(
  codecs: {
    readonly [Name in keyof Codecs]:
      | Codecs[Name]
      | (BareSchema & 'wrap it: std(schema), from koa-smorest/standard')
  },
  options?: EventsOptions<Id>,
): EventsFeature<
  EventOf<Codecs, Id>,
  { [Name in keyof Codecs]: SentEvent<Name, WireOutputOf<Codecs[Name]>> }[keyof Codecs],
  Id
>
export function events(
  codecs: t.Mixed | EventCodecs | BareSchema,
  options?: EventsOptions,
): Feature<Record<never, never>, 'response'> {
  const id = optionsIn(options).id
  return {
    kind: 'response',
    streamsItems: true,
    ...(id && { gives: ['lastEventId'] }),
    // a bare schema is a fault
    on: route => bind(route, codecs as t.Mixed | EventCodecs, options),
  }
}

/**
 * Makes an event to yield: `yield event('job', job, 7)`. Its name is a literal type, which that of
 * an object in a `yield` is not.
 */
export function event<const Name extends string, Data>(
  name: Name,
  data: Data,
): { event: Name; data: Data }
export function event<const Name extends string, Data, Id>(
  name: Name,
  data: Data,
  id: Id,
): { event: Name; data: Data; id: Id }
export function event(name: string, data: unknown, id?: unknown): object {
  return id === undefined ? { event: name, data } : { event: name, data, id }
}

const RULES: Rules<EventsOptions> = {
  id: { text: 'a codec, such as int', fits: isCodec },
  heartbeat: PERIOD,
  retry: PERIOD,
  stall: PERIOD,
}

/** How long the head waits for the first event, in milliseconds. */
const PATIENCE = 1000

/** A comment, which clients ignore. */
const COMMENT = ':\n\n'

const MEDIA_TYPE = 'text/event-stream'

/** Compression would hold events back, as proxies would that collect a response. */
const FIELDS = [
  ['Cache-Control', 'no-cache, no-transform'],
  ['X-Accel-Buffering', 'no'],
] as const

function bind(
  route: Route,
  codecs: t.Mixed | EventCodecs,
  given: EventsOptions | undefined,
): readonly Part[] {
  const options = checkOptions(route, 'events', given, RULES)
  if (!check(route, codecs)) return []
  const { id, heartbeat = '15s', retry, stall = '60s' } = options
  const readLastId = id && lastIdReader(id)
  const isMain = mainStatuses(route)
  const writing = {
    place: route.place,
    write: eventWriter(codecs, id, route.place),
  }
  const first = retry === undefined ? '' : `retry: ${Math.round(milliseconds(retry) as number)}\n\n`
  const idle = { after: milliseconds(heartbeat) as number, text: COMMENT }
  return [
    {
      stage: 'arguments',
      step({ ctx, named }) {
        const lastEventId = readLastId?.(ctx.req.headers['last-event-id'])
        if (lastEventId !== undefined) named.lastEventId = lastEventId
      },
      docs: schemas => describeEvents(route, schemas, codecs, id),
    },
    preparePart([['Content-Type', MEDIA_TYPE], ...FIELDS]),
    {
      stage: 'encode',
      encodes: true,
      async step(exchange) {
        exchange.status ||= 200
        if (!isMain(exchange.status)) return undefined
        const reader = readerOf(exchange.result, route.place)
        const begun = await beginning(exchange, reader, writing, PATIENCE)
        if (begun instanceof Refusal) return begun
        if (!begun) {
          exchange.status = 204
          exchange.result = undefined
          return undefined
        }
        const failed = (thrown: unknown) => failure(route, exchange, thrown)
        // something has to be sent for the head to leave
        const opening = first + begun.text || COMMENT
        for (const [name, value] of FIELDS) exchange.headers.push([name, value])
        exchange.stream = {
          mediaType: MEDIA_TYPE,
          body: new ItemBody(reader, { ...writing, failed }, opening, begun.late),
          stall: milliseconds(stall) as number,
          idle,
          isEndless: true,
        }
        return undefined
      },
    },
  ]
}

/** Returns the last event of a stream that has failed: the body of a bare 500. */
function failure(
  { settings: { API_ERRORS, API_PROBLEM_BASE } }: Route,
  { ctx, signal }: Exchange,
  thrown: unknown,
): string {
  if (signal.aborted && isAbort(ctx, thrown)) return ''
  ctx.app.emit('error', errorOf(thrown), ctx)
  const { form } = errorForms(API_ERRORS, API_PROBLEM_BASE).choose(ctx.req.headers.accept)
  const lines = form.text({ code: 500 }).split(/\r\n|\r|\n/)
  return `event: error\n${lines.map(line => `data: ${line}\n`).join('')}\n`
}

/** `error` and `open` are events of EventSource itself. */
const OWN = ['error', 'open']

/** Reports what cannot be sent; returns whether there are codecs. */
function check(route: Route, codecs: t.Mixed | EventCodecs): boolean {
  if (route.method !== 'GET')
    route.fault(`events: clients ask for events with GET, not with ${route.method}`)
  checkStream(route, 'events', { cache: 'of events is never the same again: leave cache out' })
  if (route.rule.parameters.some(({ name }) => name === 'lastEventId'))
    route.fault(
      'events: "lastEventId" is the id that a client sends: give the parameter another name',
    )
  if (isCodec(codecs)) {
    for (const fault of faultsOf(codecs, 'output')) route.fault(`events: ${fault}`)
    return true
  }
  const names = Object.keys(optionsIn(codecs))
  if (names.length === 0)
    route.fault(
      `events: it takes a codec, or codecs by the names of events, { changed: Pet }, not ${optionsIn(codecs) === codecs ? '{}' : shown(codecs)}`,
    )
  const faults = names.flatMap(name => faultsOfName(name, codecs[name]))
  for (const fault of faults) route.fault(`events: ${fault}`)
  return names.length > 0 && faults.length === 0
}

function faultsOfName(name: string, codec: unknown): readonly string[] {
  if (OWN.includes(name))
    return [`"${name}" is an event of EventSource itself: give it another name`]
  if (name === '' || /[\r\n\0]/.test(name))
    return [`the name of an event must be one line, not ${JSON.stringify(name)}`]
  if (!isCodec(codec))
    return [`${name} must be a codec, such as t.string, not ${shown(codec)}${wrapHint(codec)}`]
  return faultsOf(codec, 'output').map(fault => `${name}: ${fault}`)
}

/** Describes a stream of events: its fields are strings. */
function describeEvents(
  { place }: Route,
  schemas: Schemas,
  codecs: t.Mixed | EventCodecs,
  id: t.Mixed | undefined,
): Fragment {
  const schemaOf = (codec: t.Mixed, name?: string): SchemaObject => {
    const where = `${place}, ${name === undefined ? 'event' : `event "${name}"`}`
    const contentSchema = schemas.of(codec, { direction: 'output', where })
    // a keyword of 2020-12 that the types of 3.1 lack
    const data: SchemaObject & { readonly contentSchema: SchemaObject } = {
      type: 'string',
      contentMediaType: 'application/json',
      contentSchema,
    }
    return {
      type: 'object',
      properties: {
        ...(name !== undefined && { event: { type: 'string', const: name } }),
        ...(id && { id: { type: 'string' } }),
        data,
      },
      required: [...(name === undefined ? [] : ['event']), 'data'],
    }
  }
  const itemSchema = isCodec(codecs)
    ? schemaOf(codecs)
    : { oneOf: Object.entries(codecs).map(([name, codec]) => schemaOf(codec, name)) }
  return {
    ...(id && {
      parameters: [
        {
          name: 'Last-Event-ID',
          in: 'header',
          required: false,
          description: 'The id of the last event that was received: the stream goes on after it',
          schema: { type: 'string' },
        },
      ],
    }),
    responses: {
      200: { description: 'Events', content: { 'text/event-stream': { itemSchema } } },
      204: { description: 'There are no events to come' },
      503: schemas.errorResponse(503, {
        headers: { 'Retry-After': { schema: { type: 'integer', minimum: 1 } } },
      }),
    },
  }
}

// Writes events in the format of the HTML standard (section 9.2.6).

/** The codecs of events, by the names of the events. */
export type EventCodecs = Readonly<Record<string, t.Mixed>>

interface Yielded {
  readonly event?: unknown
  readonly data?: unknown
  readonly id?: unknown
}

/** Returns what writes an item as an event; it throws for one that does not fit. */
function eventWriter(
  codecs: t.Mixed | EventCodecs,
  id: t.Mixed | undefined,
  place: string,
): (item: unknown) => string {
  const writeId = id && idWriter(id, `${place}, id of an event`)
  const idOf = ({ id }: Yielded) => (id === undefined || !writeId ? '' : writeId(id))
  if (isCodec(codecs)) {
    const write = dataWriter(codecs, `${place}, event`)
    if (!writeId) return item => write(item)
    return item => {
      const yielded = objectIn(item, place, '{ data, id }')
      return idOf(yielded) + write(yielded.data)
    }
  }
  const writers = new Map(
    Object.entries(codecs).map(([name, codec]) => {
      const write = dataWriter(codec, `${place}, event "${name}"`)
      return [name, (data: unknown) => `event: ${name}\n${write(data)}`] as const
    }),
  )
  return item => {
    const yielded = objectIn(item, place, "event('name', data)")
    const write = writers.get(yielded.event as string)
    if (!write)
      throw new TypeError(
        `${place}: the method yielded the event ${shown(yielded.event)}, the events are ${[...writers.keys()].join(', ')}`,
      )
    return idOf(yielded) + write(yielded.data)
  }
}

function objectIn(item: unknown, place: string, form: string): Yielded {
  if (typeof item === 'object' && item !== null) return item
  throw new TypeError(`${place}: the method must yield ${form}, not ${shown(item)}`)
}

/** JSON has no line breaks in it, so data are one line. */
function dataWriter(codec: t.Mixed, where: string): (data: unknown) => string {
  const write = naming(where, writerOf(codec))
  return data => `data: ${write(data)}\n\n`
}

/** Line breaks would end the field, clients ignore an id with NUL, and proxies trim fields. */
const UNSENDABLE = /[\r\n\0]|^\s|\s$/

function idWriter(codec: t.Mixed, where: string): (id: unknown) => string {
  const encode = naming(where, encoderOf(codec))
  return id => {
    const encoded = encode(id)
    const text = typeof encoded === 'object' ? '\n' : String(encoded)
    if (!UNSENDABLE.test(text)) return `id: ${text}\n`
    throw new TypeError(
      `${where}: it must be a number or a string of one line, without NUL and without spaces around it`,
    )
  }
}

/**
 * Returns what reads the id that a client has received last. One that is empty, or that was never
 * sent, is undefined: EventSource would give up for good at an error.
 */
function lastIdReader(codec: t.Mixed): (field: string | string[] | undefined) => unknown {
  const decode = decoderOf(codec, { wire: 'text' })
  return field => {
    if (typeof field !== 'string' || field === '') return undefined
    // EventSource sends UTF-8, which Node reads as Latin-1
    const bytes = Buffer.from(field, 'latin1')
    const value = isUtf8(bytes) ? decode(bytes.toString()) : undefined
    return value instanceof Invalid ? undefined : value
  }
}
