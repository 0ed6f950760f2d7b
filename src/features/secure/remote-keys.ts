// The keys of an identity provider: fetched when they are first needed, kept, and fetched again when they are old or a key is missing.

/** When keys are fetched, in milliseconds. */
export interface RemoteKeyTimes {
  /** How long fetched keys are used without asking again. Default 10 minutes. */
  readonly cacheMaxAge?: number
  /** How long after a fetch a key that is missing is not asked for: a token of a key that was added in between is 401. Default 30 s. */
  readonly cooldownDuration?: number
  /** How long a fetch may take. Default 5 s. */
  readonly timeoutDuration?: number
  /** How long the last keys are used after `cacheMaxAge` while the provider cannot be reached. Default 24 hours. */
  readonly outageMaxAge?: number
}

/** The provider cannot be asked for its keys. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'

  constructor(
    /** Seconds until it is asked again. */
    readonly retryAfter: number,
    cause: unknown,
  ) {
    super('The keys of the identity provider cannot be fetched', { cause })
  }
}

/** After a fetch that failed nobody asks again for this long, in milliseconds: an outage is not to be made worse. */
const FAILURE_COOLDOWN = 5_000

/** The keys under an address; one fetch serves all requests that wait for it. */
export class RemoteKeys<Keys> {
  readonly #times: Required<RemoteKeyTimes>
  #keys: { readonly value: Keys; readonly at: number } | undefined
  #failure: { readonly cause: unknown; readonly at: number } | undefined
  #pending: Promise<Keys> | undefined

  constructor(
    readonly url: URL,
    /** Makes keys of the JSON that was fetched; throws for what is no set of keys. */
    readonly read: (json: unknown) => Keys,
    { cacheMaxAge = 600_000, cooldownDuration = 30_000, timeoutDuration = 5_000, outageMaxAge = 86_400_000 }: RemoteKeyTimes = {},
  ) {
    this.#times = { cacheMaxAge, cooldownDuration, timeoutDuration, outageMaxAge }
  }

  /** The keys; those of before the outage where they cannot be fetched. Rejects with `Unreachable`. */
  async current(): Promise<Keys> {
    const known = this.#keys
    const age = known ? performance.now() - known.at : Number.POSITIVE_INFINITY
    if (known && age < this.#times.cacheMaxAge) return known.value
    try {
      return await this.#fetched()
    } catch (error) {
      if (known && age < this.#times.cacheMaxAge + this.#times.outageMaxAge) return known.value
      throw error
    }
  }

  /** The keys as they are now, for a token whose key is missing; undefined where they were fetched just now. Rejects with `Unreachable`. */
  async newer(): Promise<Keys | undefined> {
    if (this.#keys && performance.now() - this.#keys.at < this.#times.cooldownDuration) return undefined
    return this.#fetched()
  }

  #fetched(): Promise<Keys> {
    const failure = this.#failure
    const left = failure ? failure.at + FAILURE_COOLDOWN - performance.now() : 0
    if (failure && left > 0) return Promise.reject(new Unreachable(left / 1000, failure.cause))
    this.#pending ??= this.#fetch().finally(() => {
      this.#pending = undefined
    })
    return this.#pending
  }

  async #fetch(): Promise<Keys> {
    try {
      const response = await fetch(this.url, {
        headers: { Accept: 'application/jwk-set+json, application/json' },
        redirect: 'manual',
        signal: AbortSignal.timeout(this.#times.timeoutDuration),
      })
      if (response.status !== 200) {
        await response.body?.cancel()
        throw new Error(`${this.url.href} responded with ${response.status}`)
      }
      const value = this.read(await response.json())
      this.#keys = { value, at: performance.now() }
      this.#failure = undefined
      return value
    } catch (cause) {
      this.#failure = { cause, at: performance.now() }
      throw new Unreachable(FAILURE_COOLDOWN / 1000, cause)
    }
  }
}
