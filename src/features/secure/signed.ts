import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { rawBody } from '../../http/body/raw-body.js'
import { challengeOf } from '../../http/credentials.js'
import { SECRETS, webhookKeys } from '../../http/standard-webhooks.js'
import { isString, type Rules, string } from '../../options.js'
import { ABSENT, checkScheme, INVALID, type Scheme } from './scheme.js'

/** A signed request, as a `format` of an application sees it. */
export interface SignedRequest {
  readonly method: string
  /** The path and the query, as they were sent. */
  readonly url: string
  /** By their names in lower case. */
  readonly headers: IncomingHttpHeaders
  /** The bytes of the body; empty without a body. */
  readonly body: Buffer
}

/** The signatures of a request. */
export interface RequestSignature {
  /** The signed content. */
  readonly bytes: string | Uint8Array
  /** One of these must be right: HMAC-SHA-256 in hexadecimal or base64, or its bytes. */
  readonly signatures: readonly (string | Uint8Array)[]
  /** When it was signed, in seconds since 1970, if the signature covers that. */
  readonly time?: string | number
}

/** Finds the signatures of a request; undefined if it has none. */
export type SignatureFormat = (request: SignedRequest) => RequestSignature | undefined

/** Options of `signed`. */
export interface SignedOptions {
  /**
   * The shared secret, or several during a rotation. For `standard` and `svix`, base64 with or
   * without `whsec_`; for all other formats a plain string.
   */
  readonly secret: string | readonly string[]
  /**
   * How requests are signed: as Standard Webhooks (default), Svix, GitHub, Stripe or Slack do, or a
   * function that finds the signatures.
   */
  readonly format?: 'standard' | 'svix' | 'github' | 'stripe' | 'slack' | SignatureFormat
  readonly description?: string
}

interface Format {
  readonly header: string
  /** `field` is that header field of the request. */
  readonly read: (request: SignedRequest, field: string) => RequestSignature | undefined
  /** Whether its secrets are base64. */
  readonly isBase64?: true
}

/** Standard Webhooks, whose header fields begin with another word at Svix, where it comes from. */
const standard = (word: string): Format => ({
  header: `${word}-signature`,
  isBase64: true,
  read({ headers, body }, field) {
    const { [`${word}-id`]: id = '', [`${word}-timestamp`]: time = '' } = headers
    return {
      bytes: signedBytes(`${id}.${time}.`, body),
      signatures: valuesOf(field, ' ', 'v1,'),
      time: String(time),
    }
  },
})

/** The header field of each format, and how it is read. */
const FORMATS: Readonly<Record<string, Format>> = {
  standard: standard('webhook'),
  svix: standard('svix'),
  github: {
    header: 'x-hub-signature-256',
    read: ({ body }, field) => ({
      bytes: body,
      signatures: valuesOf(field, ',', 'sha256='),
    }),
  },
  stripe: {
    header: 'stripe-signature',
    read({ body }, field) {
      const [time = ''] = valuesOf(field, ',', 't=')
      return {
        bytes: signedBytes(`${time}.`, body),
        signatures: valuesOf(field, ',', 'v1='),
        time,
      }
    },
  },
  slack: {
    header: 'x-slack-signature',
    read({ headers, body }, field) {
      const { 'x-slack-request-timestamp': time = '' } = headers
      return {
        bytes: signedBytes(`v0:${time}:`, body),
        signatures: valuesOf(field, ',', 'v0='),
        time: String(time),
      }
    },
  },
}

const signedBytes = (before: string, body: Buffer) =>
  Buffer.concat([Buffer.from(before, 'latin1'), body])

/** Returns the values behind a prefix in a list: those of other versions are left out. */
function valuesOf(field: string, separator: string, prefix: string): readonly string[] {
  return field
    .split(separator)
    .map(part => part.trim())
    .flatMap(part => (part.startsWith(prefix) ? part.slice(prefix.length) : []))
}

/** How far the clock of the sender may be off, in either direction, in seconds. */
const TOLERANCE = 300

/**
 * Requests that their sender has signed, as webhooks are: `secure(signed('partner', { secret }))`.
 * The body is read before the operation's arguments, within its limit; a missing or wrong
 * signature, and a time more than 5 minutes away, are a 401. The principal is the scheme's name.
 * Throws a TypeError if a secret is missing or empty, or one of `standard` or `svix` not base64.
 */
export function signed<const Name extends string>(
  name: Name,
  options: SignedOptions,
): Scheme<Name, 401> {
  checkScheme('signed', name, options, RULES)
  const { secret, format = 'standard', description = DESCRIPTION } = options
  const { header, read, isBase64 }: Partial<Format> & Pick<Format, 'read'> =
    typeof format === 'function' ? { read: format } : (FORMATS[format] as Format)
  const secrets = isBase64
    ? webhookKeys(`signed("${name}")`, secret)
    : [secret].flat().map(one => Buffer.from(one))
  const challenge = challengeOf('Signature', header === undefined ? { realm: name } : { header })
  return {
    name,
    document: { type: 'apiKey', in: 'header', name: header ?? 'Signature', description },
    async authenticate(ctx, { bodyLimit } = {}) {
      const { method, headers } = ctx.req
      if (header !== undefined && headers[header] === undefined) return ABSENT
      const body = await rawBody(ctx, bodyLimit === undefined ? {} : { limit: bodyLimit })
      const request = { method: String(method), url: ctx.originalUrl, headers, body }
      const found = read(request, String(header && headers[header]))
      if (found === undefined) return ABSENT
      return isNow(found) && isSignedWith(secrets, found)
        ? { state: 'valid', principal: name }
        : INVALID
    },
    challenge: () => challenge,
    identify: () => name,
  }
}

const DESCRIPTION = 'A signature of the body, HMAC-SHA-256 with a shared secret'

function isNow(found: RequestSignature): boolean {
  if (!('time' in found)) return true
  const time = String(found.time)
  return /^\d{1,15}$/.test(time) && Math.abs(Date.now() / 1000 - Number(time)) <= TOLERANCE
}

function isSignedWith(
  secrets: readonly Buffer[],
  { bytes, signatures }: RequestSignature,
): boolean {
  const given = signatures.map(signature =>
    typeof signature === 'string'
      ? Buffer.from(signature, /^[\da-f]{64}$/i.test(signature) ? 'hex' : 'base64')
      : signature,
  )
  return secrets.some(secret => {
    const expected = createHmac('sha256', secret).update(bytes).digest()
    return given.some(one => one.byteLength === expected.length && timingSafeEqual(one, expected))
  })
}

const RULES: Rules<SignedOptions> = {
  secret: SECRETS,
  format: {
    text: '"standard", "svix", "github", "stripe", "slack" or a function',
    fits: value =>
      typeof value === 'function' || (isString(value) && Object.hasOwn(FORMATS, value)),
  },
  description: string,
}
