// The interface of stores for idempotent requests: `memoryStore` implements it, and applications
// may write their own.

/**
 * Keeps what became of requests with an Idempotency-Key. Times are in milliseconds. A store is
 * shared by all processes that serve the operations; it decides, once and for all of them, which
 * request with a key runs.
 *
 * - `begin` either starts a run, or returns the state of the one that started before. Two calls
 *   with one key never both get `fresh`
 *   while the first run is neither finished nor released.
 * - Each run ends by `finish` or `release`; one that rejects has ended it too, so that nothing
 *   stays open or locked.
 * - A store with transactions opens one in `begin` and hands it to the method (`Run.transaction`).
 *   `finish` writes the outcome and
 *   commits, `release` rolls back. For an outcome that is `failed`, `finish` undoes what the method
 *   wrote and keeps only the outcome.
 * - A store without transactions has to notice processes that die: it gives each run a lease with a
 *   `token` of its own, renews the
 *   lease until the run ends, and lets another request take over a key whose lease has run out.
 */
export interface Store<Tx = undefined> {
  /**
   * Starts a run for a key that is not in use; its outcome is to be kept for `keepMs` from then on.
   * `key` and `fingerprint` are strings of 43 letters, digits, `-` and `_`. `retryAfter` is in
   * seconds. `owner` is a hash of the caller, so that a store that runs out of space can take it
   * from the caller who has the most; undefined for anonymous callers, who count as one. A
   * rejection is responded to with 503.
   */
  begin(
    key: string,
    fingerprint: string,
    keepMs: number,
    owner?: string,
  ): Promise<
    | { state: 'fresh'; run: Run<Tx> }
    | { state: 'running'; retryAfter: number }
    | { state: 'done'; fingerprint: string; outcome: Outcome }
  >
  /**
   * Keeps the outcome, before a byte of it is sent. Resolves to `false` if another run holds the
   * key by now and nothing was kept. A rejection is a 503.
   */
  finish(run: Run<Tx>, outcome: Outcome): Promise<boolean>
  /** Ends a run and keeps nothing of it: the next request with its key is treated as the first. */
  release(run: Run<Tx>): Promise<void>
}

/** A request that holds a key. */
export interface Run<Tx = undefined> {
  readonly key: string
  /** Tells this run from a later one of the same key. */
  readonly token: string
  /** The `transaction` that the method receives; undefined for a store without transactions. */
  readonly transaction: Tx
}

/** The outcome of a request. */
export interface Outcome {
  readonly status: number
  /** The header fields that the operation itself has set; a name may occur more than once. */
  readonly headers: readonly [string, string][]
  /**
   * The body that was sent; for a failure, its details as JSON. `null` if the status has no
   * content, or if the content is not kept (a stream, or more than `maxSize`): such a request never
   * runs again, and its response is lost.
   */
  readonly body: string | Uint8Array | null
  /** Whether the method has thrown, as `abort` does. */
  readonly failed: boolean
}
