// The common part of `events` and `lines`: reads the items that a method returns, one by one.
import { Readable } from 'node:stream'
import type { Exchange } from '../feature-api/exchange.js'
import type { Part, Route } from '../feature-api/feature.js'
import type { Refusal } from '../http/failure.js'

/**
 * The items that a method returns: a generator or any other iterable, an object-mode Readable, or a
 * ReadableStream.
 */
export type Items<Item> = (AsyncIterable<Item> | Iterable<Item>) & object

/** Reads items. `return` ends what is behind them, even while the next item is awaited. */
interface ItemReader {
  next(): Promise<IteratorResult<unknown>>
  return(): unknown
}

/** The features that neither `events` nor `lines` can be combined with, by their kind. */
const CONFLICTS: Readonly<Record<string, string>> = {
  etag: 'has no entity tag, which would be known at its end: leave etag out',
  pages: 'has no pages: leave paginate or keyset out',
  idempotent: 'cannot be kept and sent again: leave idempotent out',
}

/** Reports features that need the whole response, which a stream never has. */
export function checkStream(
  route: Route,
  word: string,
  own: Readonly<Record<string, string>> = {},
): void {
  const reasons = new Map(Object.entries({ ...CONFLICTS, ...own }))
  for (const { kind = '' } of route.features) {
    const reason = reasons.get(kind)
    if (reason !== undefined) route.fault(`${word}: a stream ${reason}`)
  }
}

/**
 * Returns the part that runs before the method: it responds to HEAD, for which no item is needed,
 * and refuses streams once the Api has stopped.
 */
export function preparePart(headers: readonly (readonly [name: string, value: string])[]): Part {
  return {
    stage: 'prepare',
    step(exchange) {
      if (exchange.ctx.method !== 'HEAD') return exchange.beginStream()
      exchange.status = 200
      exchange.isRaw = true
      for (const [name, value] of headers) exchange.headers.push([name, value])
      return undefined
    },
  }
}

/** Returns a reader of what a method has returned; throws a TypeError for anything else. */
export function readerOf(value: unknown, place: string): ItemReader {
  if (value instanceof Readable) {
    const items = value[Symbol.asyncIterator]()
    return { next: () => items.next(), return: () => value.destroy() }
  }
  if (value instanceof ReadableStream) {
    const reader = value.getReader()
    return {
      next: () => reader.read() as Promise<IteratorResult<unknown>>,
      return: () => reader.cancel(),
    }
  }
  const { [Symbol.asyncIterator]: asyncItems, [Symbol.iterator]: items } = Object(
    typeof value === 'string' ? undefined : value,
  ) as Readonly<Record<symbol, (() => AsyncIterator<unknown>) | undefined>>
  const open = asyncItems ?? items
  if (typeof open === 'function') {
    const iterator = open.call(value)
    const next = () => iterator.next()
    return { next: asyncItems ? next : async () => next(), return: () => iterator.return?.() }
  }
  throw new TypeError(
    `${place}: the method must return the items of the stream, such as a generator or a list, not ${typeof value}`,
  )
}

/** How items are written. */
export interface Writing {
  /** For messages. */
  readonly place: string
  /** Returns an item as a string; throws if the item does not fit its codec. */
  readonly write: (item: unknown) => string
  /** Returns the end of a stream that has failed. Default: the stream is broken off. */
  readonly failed?: (thrown: unknown) => string
}

/** How a stream begins. */
interface Beginning {
  /** The first item; empty if it is late. */
  readonly text: string
  readonly late?: Promise<IteratorResult<unknown>>
}

/**
 * Waits for the first item, for at most `patience` milliseconds, so that whatever fails before it
 * is an ordinary error response. Returns undefined for a stream without items, and a Refusal if the
 * Api stops meanwhile.
 */
export async function beginning(
  exchange: Exchange,
  reader: ItemReader,
  { write, place }: Writing,
  patience?: number,
): Promise<Beginning | Refusal | undefined> {
  const { signal } = exchange
  const first = reader.next()
  // it may fail later, when nobody waits for it
  first.catch(() => undefined)
  const waits: Promise<IteratorResult<unknown> | undefined>[] = [first]
  let timer: NodeJS.Timeout | undefined
  if (patience !== undefined)
    waits.push(
      new Promise(resolve => {
        timer = setTimeout(resolve, patience, undefined)
      }),
    )
  let give = (): void => undefined
  waits.push(
    new Promise((_, reject) => {
      give = () => reject(signal.reason)
      signal.addEventListener('abort', give)
      if (signal.aborted) give()
    }),
  )
  try {
    const result = await Promise.race(waits)
    if (result === undefined) return { text: '', late: first }
    if (!result.done) return { text: write(result.value) }
    requireNothing(result.value, place)
    return exchange.beginStream()
  } catch (thrown) {
    void leave(reader)
    const refusal = signal.aborted ? exchange.beginStream() : undefined
    if (refusal) return refusal
    throw thrown
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', give)
  }
}

/** Throws if a generator returns a value, which would be lost. */
function requireNothing(value: unknown, place: string): void {
  if (value !== undefined)
    throw new TypeError(
      `${place}: the method returned a value at the end of its stream, which nobody would see: yield it`,
    )
}

/** Ends what is behind the items. */
async function leave(reader: ItemReader): Promise<void> {
  try {
    await reader.return()
  } catch {
    // concerns nobody
  }
}

/** The body of a stream of items. */
export class ItemBody implements AsyncIterableIterator<string> {
  #isOver = false

  constructor(
    private readonly reader: ItemReader,
    private readonly writing: Writing,
    /** The first characters of the stream. */
    private opening: string,
    private late?: Promise<IteratorResult<unknown>>,
  ) {}

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<IteratorResult<string>> {
    if (this.opening !== '') {
      const value = this.opening
      this.opening = ''
      return Promise.resolve({ done: false, value })
    }
    if (this.#isOver) return Promise.resolve(OVER)
    const result = this.late ?? this.reader.next()
    this.late = undefined
    return result.then(this.#write, this.#fail)
  }

  async return(): Promise<IteratorResult<string>> {
    await this.reader.return()
    return OVER
  }

  readonly #write = ({ done, value }: IteratorResult<unknown>): IteratorResult<string> => {
    try {
      if (!done) return { done: false, value: this.writing.write(value) }
      requireNothing(value, this.writing.place)
      return OVER
    } catch (thrown) {
      void leave(this.reader)
      return this.#fail(thrown)
    }
  }

  readonly #fail = (thrown: unknown): IteratorResult<string> => {
    this.#isOver = true
    if (!this.writing.failed) throw thrown
    return { done: false, value: this.writing.failed(thrown) }
  }
}

const OVER: IteratorResult<string> = { done: true, value: undefined }
