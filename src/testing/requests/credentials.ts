// Chooses the credentials of each request of a contract test, and keeps them out of its output.
import type { ApiDocument, DescribedOperation, Json } from './document.js'
import type { RequestCase } from './request-case.js'

/** Authenticates a request: a key, a token or `user:password`, or header fields by name. */
export type Credential = string | Readonly<Record<string, string>>

/**
 * Credentials by scheme. In a list, the first may do everything; the others authenticate as well,
 * but may do less.
 */
export type CredentialsByScheme = Readonly<Record<string, Credential | readonly Credential[]>>

/**
 * A set of credentials that must be refused with 403: an alternative of the operation with lesser
 * credentials in one scheme.
 */
export interface Lesser {
  readonly scheme: string
  /** The scopes that the document asks of this scheme. */
  readonly scopes: readonly string[]
  /** The credentials by scheme, one record for each of the lesser ones. */
  readonly sets: readonly Readonly<Record<string, Credential>>[]
}

export class Credentials {
  /** Names of the header fields that carry credentials, in small letters. */
  readonly #fields = new Set(['authorization', 'cookie'])
  readonly #texts: readonly string[]
  readonly #known: Readonly<Record<string, readonly Credential[]>>

  constructor(
    readonly document: ApiDocument,
    given: CredentialsByScheme,
  ) {
    this.#known = Object.fromEntries(
      Object.entries(given).map(([name, one]) => [
        name,
        Array.isArray(one) ? one : [one as Credential],
      ]),
    )
    const all = Object.values(this.#known).flat()
    for (const scheme of Object.values(document.schemes))
      if (scheme.in === 'header') this.#fields.add(String(scheme.name).toLowerCase())
    for (const one of all)
      if (typeof one === 'object')
        for (const name of Object.keys(one)) this.#fields.add(name.toLowerCase())
    // a string of a few letters occurs anywhere
    this.#texts = all
      .flatMap(one => (typeof one === 'string' ? [one] : Object.values(one)))
      .filter(text => text.length > 3)
      .flatMap(text => [text, encodeURIComponent(text), Buffer.from(text).toString('base64')])
      // one of them may be the beginning of another
      .sort((left, right) => right.length - left.length)
  }

  /** Whether the operation cannot be called without credentials. */
  isSecured({ security }: DescribedOperation): boolean {
    return (
      security !== undefined &&
      security.length > 0 &&
      !security.some(alternative => Object.keys(alternative).length === 0)
    )
  }

  /** Whether one of the schemes of an operation is sent in Authorization. */
  readsAuthorization({ security = [] }: DescribedOperation): boolean {
    const names = new Set(security.flatMap(alternative => Object.keys(alternative)))
    return [...names].some(name => {
      const { type, in: place, name: field } = this.document.schemes[name] ?? {}
      return type === 'apiKey'
        ? place === 'header' && String(field).toLowerCase() === 'authorization'
        : type !== undefined
    })
  }

  /** Whether there are credentials for one of the alternatives that the operation offers. */
  has(operation: DescribedOperation): boolean {
    return this.#alternativeOf(operation) !== undefined
  }

  /**
   * The request with the best credentials for the operation, if it requires any and they are known.
   */
  authorized(operation: DescribedOperation, sent: RequestCase): RequestCase {
    return this.with(sent, this.#best(this.#alternativeOf(operation) ?? []))
  }

  /** The request with these credentials. */
  with(sent: RequestCase, credentials: Readonly<Record<string, Credential>>): RequestCase {
    return Object.entries(credentials).reduce<RequestCase>(
      (authorized, [name, one]) =>
        withCredential(authorized, this.document.schemes[name] ?? {}, one),
      sent,
    )
  }

  /**
   * Credentials of the scheme that nobody has. Those in a header field with a form of its own
   * (`Token …`) are the known ones with another end: what does not have that form may count as none
   * at all.
   */
  wrong(scheme: string): Credential {
    const { type, name = '' } = (this.document.schemes[scheme] ?? {}) as {
      type?: string
      name?: string
    }
    const [known] = this.#known[scheme] ?? []
    if (type !== 'apiKey' || typeof known !== 'object') return 'no-such-key'
    const field = Object.keys(known).find(field => field.toLowerCase() === name.toLowerCase())
    return field === undefined
      ? 'no-such-key'
      : { ...known, [field]: `${known[field]?.slice(0, -3)}no-such-key` }
  }

  /** All callers of an operation, by credentials of its first alternative; the best one first. */
  callers(operation: DescribedOperation): readonly Readonly<Record<string, Credential>>[] {
    const [alternative] = this.#alternatives(operation)
    if (!alternative) return []
    const best = this.#best(Object.keys(alternative))
    const others = Object.keys(alternative).flatMap(scheme =>
      (this.#known[scheme] ?? []).slice(1).map(one => ({ ...best, [scheme]: one })),
    )
    return [best, ...others]
  }

  /** The credentials that the operation must refuse with 403. */
  lesser(operation: DescribedOperation): readonly Lesser[] {
    return this.#alternatives(operation).flatMap(alternative =>
      Object.entries(alternative).flatMap(([scheme, scopes]) => {
        const sets = (this.#known[scheme] ?? [])
          .slice(1)
          .map(one => ({ ...this.#best(Object.keys(alternative)), [scheme]: one }))
        return sets.length > 0 ? [{ scheme, scopes, sets }] : []
      }),
    )
  }

  /** Whether a header field carries credentials. */
  isSecret(field: string): boolean {
    return this.#fields.has(field.toLowerCase())
  }

  /** A string with its credentials removed. */
  hide(text: string): string {
    return this.#texts.reduce((hidden, secret) => hidden.replaceAll(secret, '…'), text)
  }

  /** The alternatives of which all credentials are known. */
  #alternatives({
    security = [],
  }: DescribedOperation): readonly Readonly<Record<string, readonly string[]>>[] {
    return security.filter(alternative => {
      const names = Object.keys(alternative)
      return names.length > 0 && names.every(name => name in this.#known)
    })
  }

  #alternativeOf(operation: DescribedOperation): readonly string[] | undefined {
    const [first] = this.#alternatives(operation)
    return first && Object.keys(first)
  }

  #best(names: readonly string[]): Record<string, Credential> {
    return Object.fromEntries(
      names.flatMap(name => (this.#known[name] ?? []).slice(0, 1).map(one => [name, one])),
    )
  }
}

function withCredential(sent: RequestCase, scheme: Json, credential: Credential): RequestCase {
  if (typeof credential === 'object')
    return { ...sent, headers: { ...credential, ...sent.headers } }
  const { type, name = '', in: place } = scheme as { type?: string; name?: string; in?: string }
  if (type !== 'apiKey')
    return {
      ...sent,
      headers: { Authorization: authorizationOf(scheme, credential), ...sent.headers },
    }
  if (place === 'query') return { ...sent, query: { ...sent.query, [name]: credential } }
  if (place === 'cookie') return { ...sent, cookies: { ...sent.cookies, [name]: credential } }
  return { ...sent, headers: { [name]: credential, ...sent.headers } }
}

function authorizationOf({ scheme }: Json, credential: string): string {
  if (String(scheme).toLowerCase() !== 'basic') return `Bearer ${credential}`
  return `Basic ${credential.includes(':') ? Buffer.from(credential).toString('base64') : credential}`
}
