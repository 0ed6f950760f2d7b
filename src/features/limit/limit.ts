import { isIPv6 } from 'node:net'
import type { HeaderObject } from 'openapi3-ts/oas31'
import { callerOf } from '../../feature-api/caller.js'
import {
  type Context,
  type EveryHeader,
  type Exchange,
  everyHeader,
  type StepResult,
} from '../../feature-api/exchange.js'
import type { Feature, Part, Route } from '../../feature-api/feature.js'
import { type Later, proceed } from '../../feature-api/later.js'
import type { WireError, WireResponse } from '../../feature-api/wire/facts.js'
import { letsShare } from '../../http/cache-control.js'
import { Refusal, retryAfter } from '../../http/failure.js'
import { groupsOf, mappedBy } from '../../http/ip-address.js'
import { shown } from '../../names.js'
import { RETRY_LATER, textHeader } from '../../openapi/document/fragment.js'
import { faultsIn, oneOf, type Rules } from '../../options.js'

/** The state of a key in a limiter. */
export interface LimiterResult {
  /** Milliseconds until the window of the key ends. */
  readonly msBeforeNext: number
  /** The remaining points of the budget. */
  readonly remainingPoints: number
}

/**
 * A limiter of `rate-limiter-flexible`, or anything with the same interface. One limiter is one
 * budget, wherever it is used.
 */
export interface Limiter {
  /** The number of requests that a key has in a window. */
  readonly points: number
  /** The length of the window in seconds. */
  readonly duration: number
  /**
   * Takes one point; rejects with a `LimiterResult` if none is left, and with an Error if the store
   * cannot be reached.
   */
  consume(key: string): Promise<LimiterResult>
}

/** Whose requests a limit counts, and what happens if its store fails. */
export interface LimitOptions {
  /**
   * `client` (default): by IP address (by /64 network for IPv6), before anything else happens.
   * `principal`: by caller, after `secure`. A function returns a key of its own, or nothing for a
   * request that does not count.
   */
  readonly per?:
    | 'client'
    | 'principal'
    | ((ctx: Context) => string | number | undefined | Promise<string | number | undefined>)
  /**
   * The treatment of a request if the store fails: `refuse` (default) responds with 503, `allow`
   * serves it.
   */
  readonly onStoreError?: 'allow' | 'refuse'
}

/**
 * Limits how often an operation is called: `limit('burst', new RateLimiterMemory({ points: 100,
 * duration: 60 }))`. Requests over the limit are refused with 429 and Retry-After.
 * `RateLimit-Policy` and `RateLimit` are sent with every response and show what is left. An
 * operation may have several limits with different names; of one name the last one wins.
 */
export function limit<const Name extends string, const Lost extends 'allow' | 'refuse' = 'refuse'>(
  name: Name,
  limiter: Limiter,
  options: LimitOptions & { readonly onStoreError?: Lost } = {},
): Feature<{ wire: LimitWire<Lost> }, `limit:${Name}`> {
  return { kind: `limit:${String(name) as Name}`, on: route => bind(route, name, limiter, options) }
}

type LimitWire<Lost> = {
  every: { 'RateLimit-Policy'?: string; RateLimit?: string }
  responses:
    | WireResponse<429, WireError, { 'Retry-After': number }, false>
    | ('refuse' extends Lost
        ? WireResponse<503, WireError, { 'Retry-After'?: number }, false>
        : never)
} & unknown

function bind(
  route: Route,
  name: string,
  limiter: Limiter,
  options: LimitOptions,
): readonly Part[] {
  if (!check(route, name, limiter, options)) return []
  const { per = 'client', onStoreError = 'refuse' } = options
  // shared caches would show one caller what is left to another
  const isShared = route.features.some(({ usedBy }) => usedBy === 'everybody')
  const when = per === 'principal' ? undefined : isForOne
  const policy = everyHeader(
    'RateLimit-Policy',
    `"${name}";q=${limiter.points};w=${limiter.duration}`,
    { append: true, when },
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
      when,
    })
    return seconds
  }
  const refuse = ({ ctx }: Exchange, rejected: unknown): StepResult => {
    ctx.app.emit(
      'error',
      rejected instanceof Error ? rejected : new Error(`limit "${name}"`, { cause: rejected }),
      ctx,
    )
    return onStoreError === 'refuse'
      ? new Refusal(503, { headers: { 'Retry-After': retryAfter(1) } })
      : undefined
  }
  const consume = async (exchange: Exchange, key: string): Promise<StepResult> => {
    let result: LimiterResult
    try {
      result = await limiter.consume(key)
    } catch (rejected) {
      if (!isResult(rejected)) return refuse(exchange, rejected)
      return new Refusal(429, { headers: { 'Retry-After': String(show(exchange, rejected)) } })
    }
    if (!isResult(result))
      return refuse(exchange, new TypeError(`limit "${name}": consume() gave no result`))
    show(exchange, result)
    return undefined
  }
  const count = (exchange: Exchange): Later<StepResult> =>
    proceed<string | number | null | undefined, StepResult>(keyOf(exchange), key => {
      if (key === undefined || key === null) return undefined
      if (typeof key !== 'object') return consume(exchange, String(key))
      throw new TypeError(
        `limit "${name}": per() must return a string or a number, not ${shown(key)}`,
      )
    })
  const headers = { 'RateLimit-Policy': POLICY, RateLimit: STATE }
  const announce: Part = {
    stage: 'begin',
    step: exchange => exchange.addHeader(policy),
    docs: schemas => ({
      [isShared ? 'failures' : 'every']: { headers },
      responses: {
        429: schemas.errorResponse(429, { headers: { 'Retry-After': RETRY_AFTER } }),
        ...(onStoreError === 'refuse' && {
          503: schemas.errorResponse(503, { headers: { 'Retry-After': RETRY_LATER } }),
        }),
      },
    }),
  }
  return [announce, { stage: per === 'principal' ? 'limit' : 'begin', step: count }]
}

/** Returns whether a response is an error, or one that shared caches do not keep. */
const isForOne: EveryHeader['when'] = ({ failure }, fields) =>
  failure !== undefined || !letsShare(String(fields.getHeader('Cache-Control') ?? ''))

const PER = oneOf('client', 'principal')
const RULES: Rules<LimitOptions> = {
  per: {
    text: '"client", "principal" or a function',
    fits: value => typeof value === 'function' || PER.fits(value),
  },
  onStoreError: oneOf('allow', 'refuse'),
}

/** Reports every fault of the arguments to the route; returns whether there is none. */
function check(route: Route, name: string, limiter: Limiter, given: LimitOptions): boolean {
  const faults = [...faultsIn(given, RULES)]
  if (typeof name !== 'string' || !/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/.test(name))
    faults.push('its name must be of visible ASCII characters, without quotes')
  if (typeof limiter?.consume !== 'function')
    faults.push(
      'it takes a limiter of rate-limiter-flexible, or anything with points, duration and consume',
    )
  else {
    if (!(Number.isInteger(limiter.points) && limiter.points >= 0))
      faults.push(`its points must be a whole number, not ${shown(limiter.points)}`)
    if (!(Number.isInteger(limiter.duration) && limiter.duration > 0))
      faults.push(
        `its duration must be a whole number of seconds, at least 1, not ${shown(limiter.duration)}`,
      )
  }
  if (
    faults.length === 0 &&
    given.per === 'principal' &&
    !route.features.some(({ identifies }) => identifies)
  )
    faults.push(
      'per "principal" needs secure() with schemes that identify: give each { identify: principal => … }',
    )
  for (const fault of faults) route.fault(`limit "${String(name)}": ${fault}`)
  return faults.length === 0
}

/**
 * Rounds up and clamps to what an Integer of structured fields can express (RFC 9651, section
 * 3.3.1): a limiter may block for ever.
 */
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

/** Callers without a principal, if `secure` is optional, are identified by address. */
function principalKey(route: Route, name: string): (exchange: Exchange) => string {
  const byClient = clientKey(route, name)
  return exchange => {
    const caller = callerOf(exchange, route.place, `because limit "${name}" counts by caller`)
    return caller ? JSON.stringify([caller.scheme, caller.identity]) : byClient(exchange)
  }
}

/**
 * Returns the address, or for IPv6 its /64 network, since one client has all of it (RFC 6177).
 * Proxies may forward addresses with a port, `192.0.2.7:50001` or `[2001:db8::1]:50001`.
 */
export function networkOf(forwarded: string): string {
  const [, bracketed] = /^\[([^\]]*)\](?::\d+)?$/.exec(forwarded) ?? []
  const ip = bracketed ?? forwarded.replace(/^([\d.]+):\d+$/, '$1')
  // IPv4
  if (!ip.includes(':')) return ip
  const address = ip.replace(/%.*$/, '')
  if (!isIPv6(address)) return address
  const groups = groupsOf(address)
  const network = groups.slice(0, 4).map(group => group.toString(16))
  return mappedBy(groups) ?? `${network.join(':')}::/64`
}

const POLICY = textHeader(
  'The limits: `q` requests in `w` seconds (draft-ietf-httpapi-ratelimit-headers)',
)
const STATE = textHeader('What is left of each limit: `r` requests, until `t` seconds have passed')
const RETRY_AFTER: HeaderObject = {
  description: 'Seconds after which to try again',
  required: true,
  schema: { type: 'integer', minimum: 0 },
}
