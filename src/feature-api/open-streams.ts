/**
 * The streams of one Api that are open. `stop` ends them, and lets no other begin; ordinary
 * requests are none of its business.
 */
export class OpenStreams {
  readonly #ends = new Set<() => void>()
  #isStopped = false

  /** Whether `stop` was called. */
  get isStopped(): boolean {
    return this.#isStopped
  }

  /** Adds a stream; `end` is called by `stop`. Returns a function that removes it. */
  add(end: () => void): () => void {
    this.#ends.add(end)
    return () => this.#ends.delete(end)
  }

  stop(): void {
    this.#isStopped = true
    for (const end of [...this.#ends]) end()
  }
}
