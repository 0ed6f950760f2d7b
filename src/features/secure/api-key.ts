import type { Context } from '../../feature-api/exchange.js'
import { challengeOf, isRepeated } from '../../http/credentials.js'
import { parseCookies, parseQuery } from '../../http/query.js'
import { isToken } from '../../http/token.js'
import { oneOf as memberOf, required, string } from '../../options.js'
import { COMMON, checkScheme, PRINCIPAL } from './check-options.js'
import { verdictOf } from './decide.js'
import { ABSENT, type Found, INVALID, MALFORMED, type Scheme, type Verdict } from './scheme.js'

/** Options of `apiKey`. */
export interface ApiKeyOptions<P> {
  /**
   * The location of the key. Prefer `header`: cookies are sent by any site's forms, and queries end
   * up in logs.
   */
  readonly in: 'header' | 'cookie' | 'query'
  /** The name of the header field, cookie or parameter. */
  readonly name: string
  /**
   * Returns the principal that the key belongs to. For an unknown key, return undefined, null or
   * false, which gives a 401. Compare keys with `safeEqual`, or look up their hashes.
   */
  principal(key: string, ctx: Context): Found<P>
  /** Names a principal, for limits and idempotency keys. */
  identify?(principal: P): string | number
  readonly description?: string
}

/**
 * A key in a header field, a cookie or the query: `apiKey('key', { in: 'header', name: 'X-Key',
 * principal: key => keys.get(key) })`.
 */
export function apiKey<P>(name: string, options: ApiKeyOptions<P>): Scheme<P, 401> {
  checkScheme('apiKey', name, options, {
    in: required(memberOf(...Object.keys(FINDERS))),
    name: required(string),
    principal: PRINCIPAL,
    ...COMMON,
  })
  const { in: location, name: field, identify, description } = options
  const isName = location === 'query' ? field !== '' : isToken(field)
  if (!isName)
    throw new TypeError(
      `apiKey("${name}"): ${JSON.stringify(field)} cannot be the name of a ${location}`,
    )
  const find = FINDERS[location](field)
  const challenge = challengeOf('ApiKey', { in: location, name: field })
  return {
    name,
    document: {
      type: 'apiKey',
      in: location,
      name: field,
      ...(description !== undefined && { description }),
    },
    authenticate(ctx) {
      const key = find(ctx)
      if (typeof key !== 'string') return key
      return key === '' ? INVALID : verdictOf(options.principal(key, ctx), INVALID)
    },
    // RFC 9110, section 11.6.1, wants a challenge in every 401, and no scheme is registered for
    // keys.
    challenge: () => challenge,
    ...(identify && { identify: principal => identify(principal) }),
    ...(location === 'header' &&
      field.toLowerCase() === 'authorization' && { readsAuthorization: true }),
  }
}

type Find = (ctx: Context) => string | Verdict<never>

/**
 * By location: makes the function that reads the key from a request. It returns the verdict itself
 * if the key is missing or sent twice.
 */
const FINDERS: Readonly<Record<ApiKeyOptions<unknown>['in'], (name: string) => Find>> = {
  header(field) {
    const name = field.toLowerCase()
    const repeated = name === 'authorization' ? MALFORMED : INVALID
    return ({ req }) => {
      const value = req.headers[name]
      if (value === undefined) return ABSENT
      return isRepeated(req, name) ? repeated : (value as string)
    }
  },
  cookie: name => ctx =>
    ctx.req.headers.cookie === undefined
      ? ABSENT
      : oneOf(parseCookies(ctx.req.headers.cookie)[name]),
  query: name => ctx =>
    ctx.querystring === '' ? ABSENT : oneOf(parseQuery(ctx.querystring)?.[name]),
}

function oneOf(value: string | string[] | undefined): string | Verdict<never> {
  return value === undefined ? ABSENT : Array.isArray(value) ? INVALID : value
}
