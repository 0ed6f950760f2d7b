import type { Context } from '../../feature-api/exchange.js'
import { challengeOf, readAuthorization, readBasic } from '../../http/credentials.js'
import { string } from '../../options.js'
import { COMMON, checkScheme, PRINCIPAL } from './check-options.js'
import { verdictOf } from './decide.js'
import { ABSENT, type Found, INVALID, MALFORMED, type Scheme } from './scheme.js'

/** Options of `basic`. */
export interface BasicOptions<P> {
  /**
   * Returns the principal that the user name and password belong to. If they are wrong, return
   * undefined, null or false, which gives a 401. Compare hashes of passwords with `safeEqual`.
   */
  principal(user: string, password: string, ctx: Context): Found<P>
  /** The name that a browser shows when it asks for the password. Default: the scheme's name. */
  readonly realm?: string
  /** Names a principal, for limits and idempotency keys. */
  identify?(principal: P): string | number
  readonly description?: string
}

/**
 * HTTP Basic authentication with name and password (RFC 7617). Without TLS, anybody between client
 * and server can read them.
 */
export function basic<P>(name: string, options: BasicOptions<P>): Scheme<P, 400 | 401> {
  checkScheme('basic', name, options, { principal: PRINCIPAL, realm: string, ...COMMON })
  const { realm = name, identify, description } = options
  const challenge = challengeOf('Basic', { realm, charset: 'UTF-8' })
  return {
    name,
    document: { type: 'http', scheme: 'basic', ...(description !== undefined && { description }) },
    readsAuthorization: true,
    authenticate(ctx) {
      const authorization = readAuthorization(ctx.req)
      if (authorization === 'repeated') return MALFORMED
      if (authorization?.scheme !== 'basic') return ABSENT
      const credentials = readBasic(authorization.credentials)
      return credentials
        ? verdictOf(options.principal(credentials.user, credentials.password, ctx), INVALID)
        : INVALID
    },
    challenge: () => challenge,
    ...(identify && { identify: principal => identify(principal) }),
  }
}
