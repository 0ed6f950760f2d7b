// The keys of an identity provider: fetched when they are first needed, kept, and fetched again
// when they are old or a key is missing.

/** When keys are fetched, in milliseconds. */
export interface RemoteKeyTimes {
  /**
   * How long fetched keys are used without asking again. Default 10 minutes. Older keys are used
   * while new ones are fetched; only if they are older than twice this, and no fetch has failed
   * since, does a request wait for new ones, for at most a second.
   */
  readonly cacheMaxAge?: number
  /**
   * How long after a fetch missing keys are not fetched again: until then a token signed with a new
   * key is refused with 401. Default 30 s.
   */
  readonly cooldownDuration?: number
  /** How long a fetch may take. Default 5 s. */
  readonly timeoutDuration?: number
  /**
   * How long the last keys are used after `cacheMaxAge` while the provider cannot be reached.
   * Default 24 hours.
   */
  readonly outageMaxAge?: number
}

/** The keys of the provider cannot be fetched. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'

  constructor(
    /** Seconds until they are fetched again. */
    readonly retryAfter: number,
    cause: unknown,
  ) {
    super('The keys of the identity provider cannot be fetched', { cause })
  }
}

/**
 * How long no fetch is tried after one that failed, in milliseconds, so as not to aggravate an
 * outage.
 */
const FAILURE_COOLDOWN = 5_000

/** How long a request waits for newer keys while there are old ones, in milliseconds. */
const LONGEST_WAIT = 1_000

/** Resolves as the promise does; to something else if that takes too long. */
async function within<T>(milliseconds: number, promise: Promise<T>, otherwise: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<T>(resolve => {
    timer = setTimeout(resolve, milliseconds, otherwise)
  })
  try {
    return await Promise.race([promise, over])
  } finally {
    clearTimeout(timer)
  }
}

/** The keys under an address; one fetch serves all requests that wait for it. */
export class RemoteKeys<Keys> {
  readonly #times: Required<RemoteKeyTimes>
  #keys: { readonly value: Keys; readonly at: number } | undefined
  #failure: { readonly cause: unknown; readonly at: number } | undefined
  #pending: Promise<Keys> | undefined

  constructor(
    readonly url: URL,
    /** Reads keys from the fetched JSON; throws if it is not a set of keys. */
    readonly read: (json: unknown) => Keys,
    {
      cacheMaxAge = 600_000,
      cooldownDuration = 30_000,
      timeoutDuration = 5_000,
      outageMaxAge = 86_400_000,
    }: RemoteKeyTimes = {},
  ) {
    this.#times = { cacheMaxAge, cooldownDuration, timeoutDuration, outageMaxAge }
  }

  /**
   * Returns the known keys, and fetches new ones behind the request if they are old. Waits for new
   * ones if there are none, and for a moment if the process was idle for long: keys may have been
   * withdrawn. Rejects with `Unreachable`.
   */
  async current(): Promise<Keys> {
    const known = this.#keys
    const { cacheMaxAge, outageMaxAge } = this.#times
    const age = known ? performance.now() - known.at : Number.POSITIVE_INFINITY
    if (known && age < cacheMaxAge) return known.value
    const fetched = this.#fetched()
    if (!known || age >= cacheMaxAge + outageMaxAge) return fetched
    const kept = fetched.catch(() => known.value)
    return age > 2 * cacheMaxAge && !this.#failure
      ? within(LONGEST_WAIT, kept, known.value)
      : known.value
  }

  /**
   * Fetches the keys again, for a token whose key is missing; resolves to undefined if they have
   * just been fetched. Rejects with `Unreachable`.
   */
  async newer(): Promise<Keys | undefined> {
    if (this.#keys && performance.now() - this.#keys.at < this.#times.cooldownDuration)
      return undefined
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
