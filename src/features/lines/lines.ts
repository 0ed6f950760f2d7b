import type * as t from 'io-ts'
import type { StreamOf } from '../../client/stream-of.js'
import { naming, writerOf } from '../../codec/encode/encode.js'
import { faultsOf } from '../../codec/encode/faults.js'
import { requireCodec } from '../../codec/shape/annotations.js'
import type { BareSchema } from '../../codec/types/standard-type.js'
import type { OutputOf, WireOutputOf } from '../../codec/types/types.js'
import { type Feature, mainStatuses, type Part, type Route } from '../../feature-api/feature.js'
import type { WireResponse, WireResponses } from '../../feature-api/wire/facts.js'
import { Refusal } from '../../http/failure.js'
import {
  checkOptions,
  milliseconds,
  oneOf,
  PERIOD,
  type Period,
  type Rules,
} from '../../options.js'
import {
  beginning,
  checkStream,
  ItemBody,
  type Items,
  preparePart,
  readerOf,
  type Writing,
} from '../../respond/items.js'

/** The media types of JSON, one value after the other. */
export type LinesMedia = 'application/jsonl' | 'application/x-ndjson' | 'application/json-seq'

/** Options of `lines`. */
export interface LinesOptions<Media extends LinesMedia = LinesMedia> {
  /**
   * The media type. Default `application/jsonl`; `application/x-ndjson` is the same under its older
   * name, `application/json-seq` has a record separator before each value (RFC 7464).
   */
  readonly as?: Media
  /** After what time a client that takes nothing is disconnected. Default `'60s'`. */
  readonly stall?: Period
}

/**
 * Sends what the method returns as lines of JSON, however many there are: `lines(Job)` with
 * `async *get(ctx, { signal }) { … }`. Each item is encoded by the codec, and no more are read than
 * the client takes. A failure before the first item is an ordinary error response. A later one
 * breaks the connection off, so that no client takes a part for the whole, and the error is emitted
 * on the app. The method returns a generator or any other iterable, an object-mode Readable or a
 * ReadableStream; it is given `signal`, which aborts when the client has gone.
 */
export function lines<C extends t.Mixed, const Media extends LinesMedia = 'application/jsonl'>(
  codec: C | (BareSchema & 'wrap it: std(schema), from koa-smorest/standard'),
  options?: LinesOptions<Media>,
): Feature<
  {
    value: Items<OutputOf<C>>
    raw: false
    wire: WireResponses<
      WireResponse<200, { [M in Media]: StreamOf<WireOutputOf<C>> }, Record<never, never>, true>
    >
  },
  'response'
> {
  requireCodec('lines() takes', codec)
  return {
    kind: 'response',
    streamsItems: true,
    // a bare schema has been refused
    on: route => bind(route, codec as C, options),
  }
}

const RULES: Rules<LinesOptions> = {
  as: oneOf('application/jsonl', 'application/x-ndjson', 'application/json-seq'),
  stall: PERIOD,
}

function bind(route: Route, codec: t.Mixed, given: LinesOptions | undefined): readonly Part[] {
  const { as: mediaType = 'application/jsonl', stall = '60s' } = checkOptions(
    route,
    'lines',
    given,
    RULES,
  )
  checkStream(route, 'lines')
  for (const fault of faultsOf(codec, 'output')) route.fault(`lines: ${fault}`)
  const where = `${route.place}, lines`
  const isMain = mainStatuses(route)
  const writing = writingOf(codec, mediaType, where)
  return [
    preparePart([['Content-Type', mediaType]]),
    {
      stage: 'encode',
      encodes: true,
      async step(exchange) {
        exchange.status ||= 200
        if (!isMain(exchange.status)) return undefined
        const reader = readerOf(exchange.result, route.place)
        const begun = await beginning(exchange, reader, writing)
        if (begun instanceof Refusal) return begun
        exchange.stream = {
          mediaType,
          body: new ItemBody(reader, writing, begun?.text ?? ''),
          stall: milliseconds(stall) as number,
        }
        return undefined
      },
      docs: schemas => {
        const itemSchema = schemas.of(codec, { direction: 'output', where })
        const content = { [mediaType]: { itemSchema } }
        return { responses: { 200: { description: 'OK', content } } }
      },
    },
  ]
}

function writingOf(codec: t.Mixed, mediaType: LinesMedia, place: string): Writing {
  const write = naming(place, writerOf(codec))
  const before = mediaType === 'application/json-seq' ? '\u001e' : ''
  return { place, write: item => `${before}${write(item)}\n` }
}
