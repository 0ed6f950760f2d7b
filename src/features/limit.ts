import { isIPv6 } from 'node:net'
import type { HeaderObject } from 'openapi3-ts/oas31'
import { type Context, type Exchange, everyHeader } from '../contract/exchange.js'
import type { Feature, Part, Route } from '../contract/feature.js'
import type { StepResult } from '../contract/step.js'
import type { WireError, WireResponse } from '../contract/wire/facts.js'
import { Refusal } from '../http/failure.js'
import { optionsIn, shown, unknownOptions } from '../names.js'
import { isPromise } from '../respond/result.js'

/** The state of a key in a limiter. */
export interface LimiterResult {
  /** Milliseconds until the window of the key ends. */
  readonly msBeforeNext: number
  /** The remaining points of the budget. */
  readonly remainingPoints: number
}

/** A limiter of `rate-limiter-flexible`, or anything with the same interface. One limiter is one budget, wherever it is used. */
export interface Limiter {
  /** The number of requests that a key has in a window. */
  readonly points: number
  /** The length of the window in seconds. */
  readonly duration: number
  /** Takes one point; rejects with a `LimiterResult` if none is left, and with an Error if the store cannot be reached. */
  consume(key: string): Promise<LimiterResult>
}

/** Whose requests a limit counts, and what happens if its store fails. */
export interface LimitOptions {
  /**
   * `client` (default): by IP address (by /64 network for IPv6), before anything else happens. `principal`: by caller, after `secure`. A
   * function returns a key of its own, or nothing for a request that does not count.
   */
  readonly per?:
    | 'client'
    | 'principal'
    | ((ctx: Context) => string | number | undefined | Promise<string | number | undefined>)
  /** What happens to a request if the store fails: `refuse` (default) responds with 503, `allow` serves it. */
  readonly onStoreError?: 'allow' | 'refuse'
}

/**
 * Limits how often an operation is called: `limit('burst', new RateLimiterMemory({ points: 100, duration: 60 }))`. Requests over the limit
 * are refused with 429 and Retry-After. `RateLimit-Policy` and `RateLimit` are sent with every response and show what is left. An operation
 * may have several limits with different names; of one name the last one wins.
 */
export function limit<const Name extends string, const Lost extends 'allow' | 'refuse' = 'refuse'>(
  name: Name,
  limiter: Limiter,
  options: LimitOptions & { readonly onStoreError?: Lost } = {},
): Feature<{ wire: LimitWire<Lost> }, `limit:${Name}`> {
  return { kind: `limit:${String(name) as Name}`, on: route => bind(route, name, limiter, options) }
}

/** The wire facts of `limit`. */
type LimitWire<Lost> = {
  every: { 'RateLimit-Policy'?: string; RateLimit?: string }
  errors: 'refuse' extends Lost ? 503 : never
  responses: WireResponse<429, WireError, { 'Retry-After': number }, false>
} & unknown

function bind(route: Route, name: string, limiter: Limiter, given: LimitOptions): readonly Part[] {
  const options = check(route, name, limiter, given)
  if (!options) return []
  const { per = 'client', onStoreError = 'refuse' } = options
  const policy = everyHeader(
    'RateLimit-Policy',
    `"${name}";q=${limiter.points};w=${limiter.duration}`,
    { append: true },
  )
  const keyOf =
    per === 'client'
      ? clientKey(route, name)
      : per === 'principal'
        ? principalKey(route, name)
        : ({ ctx }: Exchange) => per(ctx)

  const show = (exchange: Exchange, { remainingPoints, msBeforeNext }: LimiterResult): number => {
    const seconds = structuredInteger(msBeforeNext / 1000)
    exchange.addHeader({
      name: 'RateLimit',
      value: `"${name}";r=${structuredInteger(remainingPoints)};t=${seconds}`,
      append: true,
    })
    return seconds
  }
  const refuse = ({ ctx }: Exchange, rejected: unknown): StepResult => {
    ctx.app.emit(
      'error',
      rejected instanceof Error ? rejected : new Error(`limit "${name}"`, { cause: rejected }),
      ctx,
    )
    return onStoreError === 'refuse' ? new Refusal(503) : undefined
  }
  const consume = (
    exchange: Exchange,
    key: string | number | null | undefined,
  ): StepResult | Promise<StepResult> => {
    if (key === undefined || key === null) return undefined
    if (typeof key === 'object')
      throw new TypeError(`limit "${name}": per() returns a text or a number, not ${shown(key)}`)
    let consumed: Promise<LimiterResult>
    try {
      consumed = Promise.resolve(limiter.consume(String(key)))
    } catch (error) {
      return refuse(exchange, error)
    }
    return consumed.then(
      result => {
        if (!isResult(result))
          return refuse(exchange, new TypeError(`limit "${name}": consume() gave no result`))
        show(exchange, result)
        return undefined
      },
      rejected => {
        if (!isResult(rejected)) return refuse(exchange, rejected)
        return new Refusal(429, { headers: { 'Retry-After': String(show(exchange, rejected)) } })
      },
    )
  }
  const count = (exchange: Exchange): StepResult | Promise<StepResult> => {
    const key = keyOf(exchange)
    return isPromise(key) ? key.then(key => consume(exchange, key)) : consume(exchange, key)
  }
  const headers = { 'RateLimit-Policy': POLICY, RateLimit: STATE }
  const announce: Part = {
    stage: 'begin',
    step: exchange => exchange.addHeader(policy),
    docs: schemas => ({
      every: { headers },
      responses: {
        429: schemas.errorResponse(429, { headers: { 'Retry-After': RETRY_AFTER } }),
        ...(onStoreError === 'refuse' && { 503: schemas.errorResponse(503) }),
      },
    }),
  }
  return [announce, { stage: per === 'principal' ? 'limit' : 'begin', step: count }]
}

/** Reports every fault of the arguments to the route. Returns the options only if they are valid. */
function check(
  route: Route,
  name: string,
  limiter: Limiter,
  given: LimitOptions,
): LimitOptions | undefined {
  const faults: string[] = [...unknownOptions(given, ['per', 'onStoreError'])]
  const options: LimitOptions = optionsIn(given)
  const { per, onStoreError } = options
  if (typeof name !== 'string' || !/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/.test(name))
    faults.push('its name has visible ASCII characters only, without quotes')
  if (typeof limiter?.consume !== 'function')
    faults.push(
      'it takes a limiter of rate-limiter-flexible, or anything with points, duration and consume',
    )
  else {
    if (!(Number.isInteger(limiter.points) && limiter.points >= 0))
      faults.push(`its points are not a whole number: ${String(limiter.points)}`)
    if (!(Number.isInteger(limiter.duration) && limiter.duration > 0))
      faults.push(
        `its duration is ${String(limiter.duration)} seconds: the duration of the window has to be above 0`,
      )
  }
  if (per !== undefined && per !== 'client' && per !== 'principal' && typeof per !== 'function')
    faults.push(`per is "client", "principal" or a function, not ${JSON.stringify(per)}`)
  if (onStoreError !== undefined && onStoreError !== 'allow' && onStoreError !== 'refuse')
    faults.push(`onStoreError is "allow" or "refuse", not ${JSON.stringify(onStoreError)}`)
  if (per === 'principal' && !route.features.some(({ identifies }) => identifies))
    faults.push(
      'per "principal" needs secure() with schemes that identify: give each { identify: principal => … }',
    )
  for (const fault of faults) route.fault(`limit "${String(name)}": ${fault}`)
  return faults.length === 0 ? options : undefined
}

/** Rounds up and clamps to what an Integer of structured fields can express (RFC 9651, section 3.3.1): a limiter may block for ever. */
function structuredInteger(value: number): number {
  return Math.min(Math.max(0, Math.ceil(value)), 999_999_999_999_999)
}

function isResult(value: unknown): value is LimiterResult {
  if (value instanceof Error || typeof value !== 'object' || value === null) return false
  const { msBeforeNext, remainingPoints } = value as Partial<LimiterResult>
  return isNumber(msBeforeNext) && isNumber(remainingPoints)
}

const isNumber = (value: unknown): boolean => typeof value === 'number' && !Number.isNaN(value)

function clientKey(route: Route, name: string): (exchange: Exchange) => string {
  let isWarned = false
  return ({ ctx }) => {
    const { proxy, maxIpsCount } = ctx.app as unknown as { proxy?: boolean; maxIpsCount?: number }
    if (proxy && !maxIpsCount && !isWarned) {
      isWarned = true
      route.warn(
        `${route.place}: limit "${name}" counts by the first address of X-Forwarded-For, which a client can make up: set app.maxIpsCount to the number of proxies`,
      )
    }
    return networkOf(ctx.ip)
  }
}

/** Callers without a principal, where `secure` is optional, are identified by address. */
function principalKey(route: Route, name: string): (exchange: Exchange) => string {
  const byClient = clientKey(route, name)
  return exchange => {
    const { principal } = exchange
    return principal?.identity === undefined
      ? byClient(exchange)
      : JSON.stringify([principal.scheme, principal.identity])
  }
}

/** Returns the address, or for IPv6 its /64 network, since one client has all of it (RFC 6177). */
export function networkOf(ip: string): string {
  // IPv4
  if (!ip.includes(':')) return ip
  const address = ip.replace(/%.*$/, '')
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (mapped) return mapped[1] as string
  if (!isIPv6(address)) return address
  // a URL normalizes the address to its shortest spelling
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const groups = (text: string) => text.split(':').filter(group => group !== '')
  const missing = tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length
  const all = [...groups(head), ...Array<string>(missing).fill('0'), ...groups(tail ?? '')]
  return `${all.slice(0, 4).join(':')}::/64`
}

const POLICY: HeaderObject = {
  description: 'The limits: `q` requests in `w` seconds (draft-ietf-httpapi-ratelimit-headers)',
  schema: { type: 'string' },
}
const STATE: HeaderObject = {
  description: 'What is left of each limit: `r` requests, until `t` seconds have passed',
  schema: { type: 'string' },
}
const RETRY_AFTER: HeaderObject = {
  description: 'Seconds after which to try again',
  required: true,
  schema: { type: 'integer', minimum: 0 },
}
