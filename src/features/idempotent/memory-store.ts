import { optionsIn, unknownOptions } from '../../names.js'
import type { Outcome, Run, Store } from './store.js'

/** Options of `memoryStore`. */
export interface MemoryStoreOptions {
  /** The maximum number of keys, running and finished. Default 10,000. */
  readonly maxEntries?: number
  /** The maximum total size of the kept bodies in bytes. Default 64 MiB. */
  readonly maxBytes?: number
}

/** A key: running, or finished once it has an outcome. It is also the run of the request that holds it. */
class Entry implements Run<undefined> {
  readonly transaction = undefined
  outcome: Outcome | undefined = undefined
  bytes = 0
  /** When it expires, by the clock of `performance`. */
  until = 0
  /** The one that finished next. */
  next: Entry | undefined = undefined

  constructor(
    readonly key: string,
    readonly token: string,
    readonly fingerprint: string,
    readonly keepMs: number,
  ) {}
}

/**
 * Creates a store in the memory of this process: for tests, and for single-process applications that may forget outcomes when they end.
 * When it is full, the oldest finished key is dropped. Running keys are never dropped; if there is no other, further keys are refused
 * (503).
 */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  const { maxEntries = 10_000, maxBytes = 64 * 1024 * 1024 } = optionsIn(options)
  const faults = [
    ...unknownOptions(options, ['maxEntries', 'maxBytes']),
    ...Object.entries({ maxEntries, maxBytes }).flatMap(([name, value]) =>
      value >= 1 ? [] : `${name} is ${String(value)}, but takes a number from 1 on`,
    ),
  ]
  if (faults.length > 0) throw new TypeError(`memoryStore(): ${faults.join('; ')}`)
  return new MemoryStore(maxEntries, maxBytes)
}

class MemoryStore implements Store {
  readonly #entries = new Map<string, Entry>()
  /** The finished entries as a linked list: a Map is slow to find its oldest key once many have been deleted. */
  #oldest: Entry | undefined = undefined
  #newest: Entry | undefined = undefined
  #bytes = 0
  #tokens = 0

  constructor(
    readonly maxEntries: number,
    readonly maxBytes: number,
  ) {}

  async begin(key: string, fingerprint: string, keepMs: number): ReturnType<Store['begin']> {
    const now = performance.now()
    const known = this.#entries.get(key)
    if (known) {
      const { outcome } = known
      if (!outcome) return { state: 'running', retryAfter: 1 }
      if (known.until > now) return { state: 'done', fingerprint: known.fingerprint, outcome }
    }
    while (this.#oldest && (this.#oldest.until <= now || this.#entries.size >= this.maxEntries))
      this.#forgetOldest()
    if (this.#entries.size >= this.maxEntries)
      throw new Error(
        `memoryStore: all of its ${this.maxEntries} keys belong to requests that are still running: raise maxEntries`,
      )
    const run = new Entry(key, String(++this.#tokens), fingerprint, keepMs)
    this.#entries.set(key, run)
    return { state: 'fresh', run }
  }

  async finish({ key, token }: Run<undefined>, outcome: Outcome): Promise<boolean> {
    const entry = this.#entries.get(key)
    if (entry?.token !== token || entry.outcome) return false
    const { body } = outcome
    entry.outcome = outcome
    entry.bytes =
      body === null ? 0 : typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
    entry.until = performance.now() + entry.keepMs
    if (this.#newest) this.#newest.next = entry
    else this.#oldest = entry
    this.#newest = entry
    this.#bytes += entry.bytes
    while (this.#bytes > this.maxBytes && this.#oldest && this.#oldest !== entry)
      this.#forgetOldest()
    return true
  }

  async release({ key, token }: Run<undefined>): Promise<void> {
    const entry = this.#entries.get(key)
    if (entry?.token === token && !entry.outcome) this.#entries.delete(key)
  }

  #forgetOldest(): void {
    const entry = this.#oldest as Entry
    this.#oldest = entry.next
    if (!this.#oldest) this.#newest = undefined
    this.#bytes -= entry.bytes
    // its key may have expired and be another request's by now
    if (this.#entries.get(entry.key) === entry) this.#entries.delete(entry.key)
  }
}
