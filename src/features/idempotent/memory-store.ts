import { limitFrom, requireOptions } from '../../options.js'
import type { Outcome, Run, Store } from './store.js'

/** Options of `memoryStore`. */
export interface MemoryStoreOptions {
  /** The maximum number of keys, running and finished. Default 10,000. */
  readonly maxEntries?: number
  /** The maximum total size of the kept bodies and header fields in bytes. Default 64 MiB. */
  readonly maxBytes?: number
}

/**
 * A key: running, or finished once it has an outcome. It is also the run of the request that holds
 * it.
 */
class Entry implements Run {
  readonly transaction = undefined
  outcome: Outcome | undefined = undefined
  bytes = 0
  /** When it expires, by the clock of `performance`. */
  until = 0
  readonly inAll: Link = { entry: this, older: undefined, newer: undefined }
  readonly inOwn: Link = { entry: this, older: undefined, newer: undefined }

  constructor(
    readonly key: string,
    readonly token: string,
    readonly fingerprint: string,
    readonly keepMs: number,
    readonly owner: string,
  ) {}
}

interface Link {
  readonly entry: Entry
  older: Link | undefined
  newer: Link | undefined
}

/** Entries in the order in which they finished: a Map is slow to find its oldest key. */
class Queue {
  oldest: Link | undefined = undefined
  #newest: Link | undefined = undefined

  add(link: Link): void {
    link.older = this.#newest
    if (this.#newest) this.#newest.newer = link
    else this.oldest = link
    this.#newest = link
  }

  remove({ older, newer }: Link): void {
    if (older) older.newer = newer
    else this.oldest = newer
    if (newer) newer.older = older
    else this.#newest = older
  }
}

/** The finished entries of one caller. */
class Owner {
  readonly entries = new Queue()
  count = 0
  bytes = 0
}

/**
 * Creates a store in the memory of this process: for tests, and for single-process applications
 * that may forget outcomes when they end. When it is full, it drops the oldest finished key of the
 * caller that has the most, so that one caller cannot drive out the keys of others; all anonymous
 * callers are one. Running keys are never dropped; if there is no other, further keys are refused
 * (503).
 */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  requireOptions('memoryStore()', options, { maxEntries: limitFrom(1), maxBytes: limitFrom(1) })
  const { maxEntries = 10_000, maxBytes = 64 * 1024 * 1024 } = options
  return new MemoryStore(maxEntries, maxBytes)
}

class MemoryStore implements Store {
  readonly #entries = new Map<string, Entry>()
  readonly #finished = new Queue()
  readonly #owners = new Map<string, Owner>()
  #bytes = 0
  #tokens = 0

  constructor(
    readonly maxEntries: number,
    readonly maxBytes: number,
  ) {}

  async begin(
    key: string,
    fingerprint: string,
    keepMs: number,
    owner = '',
  ): ReturnType<Store['begin']> {
    const now = performance.now()
    const known = this.#entries.get(key)
    if (known) {
      const { outcome } = known
      if (!outcome) return { state: 'running', retryAfter: 1 }
      if (known.until > now) return { state: 'done', fingerprint: known.fingerprint, outcome }
      this.#forget(known)
    }
    for (let oldest = this.#finished.oldest; oldest && oldest.entry.until <= now; ) {
      this.#forget(oldest.entry)
      oldest = this.#finished.oldest
    }
    if (this.#entries.size >= this.maxEntries && !this.#forgetOneOfMost('count'))
      throw new Error(
        `memoryStore: all of its ${this.maxEntries} keys belong to requests that are still running: raise maxEntries`,
      )
    const run = new Entry(key, String(++this.#tokens), fingerprint, keepMs, owner)
    this.#entries.set(key, run)
    return { state: 'fresh', run }
  }

  async finish({ key, token }: Run, outcome: Outcome): Promise<boolean> {
    const entry = this.#entries.get(key)
    if (entry?.token !== token || entry.outcome) return false
    const bytes = bytesOf(outcome)
    // alone it would be too large: everything else would go for it
    while (this.#bytes > 0 && this.#bytes + bytes > this.maxBytes) this.#forgetOneOfMost('bytes')
    entry.outcome = outcome
    entry.bytes = bytes
    entry.until = performance.now() + entry.keepMs
    const owner = this.#owners.get(entry.owner) ?? new Owner()
    this.#owners.set(entry.owner, owner)
    this.#finished.add(entry.inAll)
    owner.entries.add(entry.inOwn)
    owner.count++
    owner.bytes += bytes
    this.#bytes += bytes
    return true
  }

  async release({ key, token }: Run): Promise<void> {
    const entry = this.#entries.get(key)
    if (entry?.token === token && !entry.outcome) this.#entries.delete(key)
  }

  /** Forgets the oldest outcome of the owner with the most; returns whether there was one. */
  #forgetOneOfMost(measure: 'count' | 'bytes'): boolean {
    let most: Owner | undefined
    for (const owner of this.#owners.values())
      if (!most || owner[measure] > most[measure]) most = owner
    const oldest = most?.entries.oldest
    if (oldest) this.#forget(oldest.entry)
    return oldest !== undefined
  }

  #forget(entry: Entry): void {
    const owner = this.#owners.get(entry.owner) as Owner
    this.#entries.delete(entry.key)
    this.#finished.remove(entry.inAll)
    owner.entries.remove(entry.inOwn)
    owner.count--
    owner.bytes -= entry.bytes
    this.#bytes -= entry.bytes
    if (owner.count === 0) this.#owners.delete(entry.owner)
  }
}

function bytesOf({ body, headers }: Outcome): number {
  const content =
    body === null ? 0 : typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
  return headers.reduce((sum, [name, value]) => sum + name.length + value.length, content)
}
