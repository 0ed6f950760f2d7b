// The syntax of HTTP authentication: RFC 9110, section 11, with RFC 6750 (Bearer) and RFC 7617
// (Basic).

import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { isRepeated } from './repeated-field.js'
import { TOKEN } from './token.js'

/** The Authorization field of a request: the scheme's name in lower case, and what follows it. */
interface Authorization {
  readonly scheme: string
  /** `''` if the name is alone. */
  readonly credentials: string
}

// auth-scheme = token, then 1*SP (RFC 9110, sections 5.6.2 and 11.4).
const AUTHORIZATION = new RegExp(`^(${TOKEN})(?: +(.*))?$`)

/**
 * Reads the Authorization field. Names of schemes are case-insensitive (RFC 9110, section 11.1).
 * Returns `repeated` if it was sent more than once, since Node silently keeps the first; undefined
 * if it is absent or cannot be read.
 */
export function readAuthorization(
  request: IncomingMessage,
): Authorization | 'repeated' | undefined {
  const value = request.headers.authorization
  if (value === undefined) return undefined
  if (isRepeated(request, 'authorization')) return 'repeated'
  const [, scheme, credentials = ''] = AUTHORIZATION.exec(value) ?? []
  return scheme === undefined
    ? undefined
    : { scheme: scheme.toLowerCase(), credentials: credentials.trim() }
}

// token68 = b64token (RFC 9110, section 11.2; RFC 6750, section 2.1)
const TOKEN68 = /^[A-Za-z\d\-._~+/]+=*$/

/** Returns whether a string can be a bearer token. */
export function isToken68(text: string): boolean {
  return TOKEN68.test(text)
}

/**
 * The name and password of Basic credentials (RFC 7617, section 2); undefined if they are not
 * base64 of text with a colon and without control characters. A name has no colon, a password may.
 * Clients that do not know `charset="UTF-8"`, Swagger UI and curl on some systems among them, send
 * Latin-1: bytes that are not valid UTF-8 are read as Latin-1.
 */
export function readBasic(
  credentials: string,
): { readonly user: string; readonly password: string } | undefined {
  if (!/^[A-Za-z\d+/]+={0,2}$/.test(credentials)) return undefined
  const bytes = Buffer.from(credentials, 'base64')
  const text = bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1')
  const colon = text.indexOf(':')
  if (colon === -1 || /\p{Cc}/u.test(text)) return undefined
  return { user: text.slice(0, colon), password: text.slice(colon + 1) }
}

/**
 * A challenge of WWW-Authenticate: `challengeOf('Bearer', { realm: 'shop' })` is `Bearer
 * realm="shop"`. Values are quoted.
 */
export function challengeOf(
  scheme: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  const written = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${quoted(value)}`],
  )
  return `${scheme} ${written.join(', ')}`
}

/** A quoted-string (RFC 9110, section 5.6.4). Throws TypeError for what it cannot hold. */
function quoted(text: string): string {
  if (!/^[ -~]*$/.test(text))
    throw new TypeError(
      `${JSON.stringify(text)} cannot be a parameter of a challenge: it has to be ASCII without control characters`,
    )
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

/** Returns whether a value can be a scope (RFC 6749, section 3.3). */
export function isScope(value: unknown): value is string {
  return typeof value === 'string' && /^[!#-[\]-~]+$/.test(value)
}
