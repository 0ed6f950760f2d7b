import { unknownOptions } from '../../names.js'
import type { Outcome, Run, Store } from './store.js'

/** Options of `memoryStore`. */
export interface MemoryStoreOptions {
  /** How many keys there are at most, running and finished. Default 10,000. */
  readonly maxEntries?: number
  /** How many bytes the kept bodies have together at most. Default 64 MiB. */
  readonly maxBytes?: number
}

interface Running {
  readonly token: string
  readonly fingerprint: string
  readonly keepMs: number
}

interface Finished {
  readonly fingerprint: string
  readonly outcome: Outcome
  readonly until: number
  readonly bytes: number
}

/**
 * Keeps outcomes in the memory of this process: for tests, and for applications that are one process and may forget when it ends.
 * When it is full the oldest finished key goes. Running ones stay; where there is nothing else, further keys are refused (503).
 */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  const { maxEntries = 10_000, maxBytes = 64 * 1024 * 1024 } = options
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
  readonly #running = new Map<string, Running>()
  /** In the order in which they finished. */
  readonly #finished = new Map<string, Finished>()
  #bytes = 0
  #tokens = 0

  constructor(
    readonly maxEntries: number,
    readonly maxBytes: number,
  ) {}

  async begin(key: string, fingerprint: string, keepMs: number): ReturnType<Store['begin']> {
    if (this.#running.has(key)) return { state: 'running', retryAfter: 1 }
    const now = performance.now()
    const known = this.#finished.get(key)
    if (known && known.until > now) return { state: 'done', fingerprint: known.fingerprint, outcome: known.outcome }
    if (known) this.#forget(key, known)
    this.#makeRoom(now)
    const token = String(++this.#tokens)
    this.#running.set(key, { token, fingerprint, keepMs })
    return { state: 'fresh', run: { key, token, transaction: undefined } }
  }

  async finish({ key, token }: Run<undefined>, outcome: Outcome): Promise<boolean> {
    const running = this.#running.get(key)
    if (running?.token !== token) return false
    this.#running.delete(key)
    const { body } = outcome
    const bytes = body === null ? 0 : typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
    this.#finished.set(key, { fingerprint: running.fingerprint, outcome, until: performance.now() + running.keepMs, bytes })
    this.#bytes += bytes
    for (const [oldest, entry] of this.#finished) {
      if (this.#bytes <= this.maxBytes || oldest === key) break
      this.#forget(oldest, entry)
    }
    return true
  }

  async release({ key, token }: Run<undefined>): Promise<void> {
    if (this.#running.get(key)?.token === token) this.#running.delete(key)
  }

  /** For one more key: what has expired goes, and one more where that is not enough. */
  #makeRoom(now: number): void {
    for (const [oldest, entry] of this.#finished) {
      const isFull = this.#running.size + this.#finished.size >= this.maxEntries
      if (entry.until > now && !isFull) break
      this.#forget(oldest, entry)
    }
    if (this.#running.size >= this.maxEntries)
      throw new Error(`memoryStore: all of its ${this.maxEntries} keys belong to requests that are still running: raise maxEntries`)
  }

  #forget(key: string, { bytes }: Finished): void {
    this.#finished.delete(key)
    this.#bytes -= bytes
  }
}
