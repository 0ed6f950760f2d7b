// Writes events in the format of the HTML standard (section 9.2.6).
import type * as t from 'io-ts'
import { decoderOf, Invalid } from '../../codec/decode/decode.js'
import { EncodeError, encoderOf, writerOf } from '../../codec/encode/encode.js'
import { isCodec } from '../../codec/shape/annotations.js'
import { shown } from '../../names.js'

/** The codecs of events, by the names of the events. */
export type EventCodecs = Readonly<Record<string, t.Mixed>>

interface Yielded {
  readonly event?: unknown
  readonly data?: unknown
  readonly id?: unknown
}

/** Returns what writes an item as an event; it throws for one that does not fit. */
export function eventWriter(
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
  const write = writerOf(codec)
  return data => {
    try {
      return `data: ${write(data)}\n\n`
    } catch (error) {
      throw error instanceof EncodeError ? error.in(where) : error
    }
  }
}

/** Line breaks would end the field, clients ignore an id with NUL, and proxies trim fields. */
const UNSENDABLE = /[\r\n\0]|^\s|\s$/

function idWriter(codec: t.Mixed, where: string): (id: unknown) => string {
  const encode = encoderOf(codec)
  return id => {
    let encoded: unknown
    try {
      encoded = encode(id)
    } catch (error) {
      throw error instanceof EncodeError ? error.in(where) : error
    }
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
export function lastIdReader(codec: t.Mixed): (field: string | string[] | undefined) => unknown {
  const decode = decoderOf(codec, { wire: 'text' })
  return field => {
    if (typeof field !== 'string' || field === '') return undefined
    const text = utf8(field)
    if (text === undefined) return undefined
    const value = decode(text)
    return value instanceof Invalid ? undefined : value
  }
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true })

/** EventSource sends UTF-8, which Node reads as Latin-1. */
function utf8(field: string): string | undefined {
  try {
    return UTF_8.decode(Buffer.from(field, 'latin1'))
  } catch {
    return undefined
  }
}
