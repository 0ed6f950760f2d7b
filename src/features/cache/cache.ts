import type { Flat } from '../../codec/types/types.js'
import {
  type Feature,
  isSecured,
  type Part,
  type Route,
  variesBy,
} from '../../feature-api/feature.js'
import { reads } from '../../http/methods.js'
import { isToken } from '../../http/token.js'
import { optionsIn } from '../../names.js'
import { textHeader } from '../../openapi/document/fragment.js'
import { checkOptions, flag, type Rules, strings, wholeFrom } from '../../options.js'

/** The directives of Cache-Control (RFC 9111, section 5.2.2; RFC 5861). Times are in seconds. */
export interface CacheOptions {
  /** How long the response is fresh. */
  readonly maxAge?: number
  /** How long it is fresh in shared caches. */
  readonly sharedMaxAge?: number
  /** Only private caches, such as that of a browser, may store it. */
  readonly private?: boolean
  /** It may be stored, but has to be revalidated before each use: with `etag`, by a 304. */
  readonly noCache?: boolean
  /** It must not be stored. */
  readonly noStore?: boolean
  /** Once stale, it must not be used without revalidation, even if the server cannot be reached. */
  readonly mustRevalidate?: boolean
  /** It never changes while it is fresh. */
  readonly immutable?: boolean
  /** How long it may be used stale while it is revalidated. */
  readonly staleWhileRevalidate?: number
  /** How long it may be used stale if the server fails. */
  readonly staleIfError?: number
  /**
   * Request header fields that the response depends on, for `Vary`. The fields that `headers`
   * declares are added, except those of conditions, ranges and traces; `{ except: ['X-Request-Id']
   * }` leaves out others that no response depends on.
   */
  readonly vary?: readonly string[] | { readonly except: readonly string[] }
}

/**
 * Lets caches store the responses of a GET, HEAD or QUERY: sets `Cache-Control`, and `Vary`, on
 * successes and 304, never on errors. Restrictions that the method or middleware sets stay. Under
 * `secure`, and beside `cookies`, it has to be `private`, unless nothing is stored.
 */
export function cache<
  const Vary extends readonly string[] | { readonly except: readonly string[] } = [],
>(
  options: CacheOptions & { readonly vary?: Vary },
): Feature<
  {
    wire: {
      success: Flat<
        { 'Cache-Control': string } & (Vary extends readonly [string, ...string[]]
          ? { Vary?: string }
          : unknown)
      >
    }
  },
  'cache'
> {
  const { private: isPrivate, noStore, noCache } = optionsIn(options) as CacheOptions
  const usedBy = isPrivate ? 'caller' : noStore || noCache ? 'nobody' : 'everybody'
  return { kind: 'cache', usedBy, on: route => bind(route, options) }
}

/** The directives by the names of their options, in the order in which they are sent. */
const DIRECTIVES = {
  private: 'private',
  noCache: 'no-cache',
  noStore: 'no-store',
  mustRevalidate: 'must-revalidate',
  immutable: 'immutable',
  maxAge: 'max-age',
  sharedMaxAge: 's-maxage',
  staleWhileRevalidate: 'stale-while-revalidate',
  staleIfError: 'stale-if-error',
} as const

const SECONDS_FROM_0 = wholeFrom(0)
const RULES: Rules<CacheOptions> = {
  maxAge: SECONDS_FROM_0,
  sharedMaxAge: SECONDS_FROM_0,
  staleWhileRevalidate: SECONDS_FROM_0,
  staleIfError: SECONDS_FROM_0,
  private: flag,
  noCache: flag,
  noStore: flag,
  mustRevalidate: flag,
  immutable: flag,
  vary: {
    text: "a list of names, such as ['Accept-Language'], or { except: ['X-Request-Id'] }",
    fits: value => strings.fits('except' in Object(value) ? Object(value).except : value),
  },
}

function bind(route: Route, given: CacheOptions): readonly Part[] {
  const options = checkOptions(route, 'cache', given, RULES)
  if (options !== given) return []
  check(route, options)
  const value = directivesOf(options).join(', ')
  const own = options.noStore ? listed(options) : fieldsOf(route, options)
  const vary = own.join(', ')
  // every response has these already
  const all = [...new Set([...own, ...variesBy(route)])].join(', ')
  const header = textHeader(`\`${value}\``, true)
  const varies = textHeader(`\`${all}\``)
  return [
    {
      stage: 'tag',
      raw: true,
      step({ status, headers }) {
        if (status >= 300 && status !== 304) return
        headers.push(['Cache-Control', value])
        if (vary !== '') headers.push(['Vary', vary])
      },
      docs: () => ({
        success: { headers: { 'Cache-Control': header, ...(all !== '' && { Vary: varies }) } },
      }),
    },
  ]
}

/** Request header fields that change no representation: conditions, ranges and traces. */
const WITHOUT_EFFECT = /^(?:if-.*|range|traceparent|tracestate|baggage)$/i

/** Returns the fields that the application lists, and those that the arguments declare. */
function fieldsOf({ features }: Route, options: CacheOptions): readonly string[] {
  const { vary = [] } = options
  const except = new Set('except' in vary ? vary.except.map(name => name.toLowerCase()) : [])
  const declared = features
    .flatMap(({ reads }) => (reads?.location === 'headers' ? reads.names : []))
    .filter(name => !WITHOUT_EFFECT.test(name) && !except.has(name.toLowerCase()))
  const byName = new Map(
    [...declared, ...listed(options)].map(name => [name.toLowerCase(), name] as const),
  )
  return [...byName.values()]
}

const listed = ({ vary = [] }: CacheOptions): readonly string[] => ('except' in vary ? [] : vary)

/** Reports options that do not go together, or do not fit the operation. */
function check(route: Route, options: CacheOptions): void {
  const { vary = [], noStore, sharedMaxAge } = options
  for (const name of 'except' in vary ? vary.except : vary)
    if (!isToken(name))
      route.fault(`cache: ${JSON.stringify(name)} in vary is not the name of a header field`)
  if (directivesOf(options).length === 0)
    route.fault('cache: no directive is set: give a maxAge, noCache or noStore')
  if (!reads(route.method))
    route.fault(
      `cache: caches do not store responses to ${route.method}: put it on GET, HEAD or QUERY`,
    )
  if (options.private && sharedMaxAge !== undefined)
    route.fault('cache: a private response has no sharedMaxAge')
  const { features } = route
  const dependsOn = [
    ...(isSecured(features) ? ['who is asking'] : []),
    ...(features.some(({ reads }) => reads?.location === 'cookies') ? ['cookies'] : []),
  ]
  for (const source of options.private || noStore ? [] : dependsOn)
    route.fault(
      `cache: a response that depends on ${source} must not be kept for others: add private: true`,
    )
}

function directivesOf(options: CacheOptions): readonly string[] {
  return Object.entries(DIRECTIVES).flatMap(([name, directive]) => {
    const value = options[name as keyof typeof DIRECTIVES]
    return typeof value === 'number' ? `${directive}=${value}` : value ? directive : []
  })
}
