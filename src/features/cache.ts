import type { HeaderObject } from 'openapi3-ts/oas32'
import type { Flat } from '../codec/types/field-facts.js'
import type { Exchange } from '../contract/exchange.js'
import type { Feature, Part, Route } from '../contract/feature.js'
import { checkLimit, checkOptions } from '../contract/options.js'
import { shown } from '../names.js'

/** What caches may do with a response (RFC 9111, section 5.2.2; RFC 5861). Times are in seconds. */
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
  /** Request header fields that the response depends on, for `Vary`. */
  readonly vary?: readonly string[]
}

/**
 * Lets caches store the responses of a GET, HEAD or QUERY: sets `Cache-Control`, and `Vary`, on successes and 304, never on errors.
 * Combined with `secure`, it has to be `private`, unless nothing is stored.
 */
export function cache<const Vary extends readonly string[] = []>(
  options: CacheOptions & { readonly vary?: Vary },
): Feature<
  {
    wire: {
      success: Flat<
        { 'Cache-Control': string } & (Vary extends readonly [] ? unknown : { Vary?: string })
      >
    }
  },
  'cache'
> {
  return { kind: 'cache', on: route => bind(route, options) }
}

const SECONDS = {
  maxAge: 'max-age',
  sharedMaxAge: 's-maxage',
  staleWhileRevalidate: 'stale-while-revalidate',
  staleIfError: 'stale-if-error',
} as const
const FLAGS = {
  private: 'private',
  noCache: 'no-cache',
  noStore: 'no-store',
  mustRevalidate: 'must-revalidate',
  immutable: 'immutable',
} as const

const SAFE = new Set(['GET', 'HEAD', 'QUERY'])

function bind(route: Route, given: CacheOptions): readonly Part[] {
  const options = checkOptions(route, 'cache', given, [
    ...Object.keys(SECONDS),
    ...Object.keys(FLAGS),
    'vary',
  ])
  const { vary = [] } = options
  if (!check(route, options)) return []
  const value = directivesOf(options).join(', ')
  const header: HeaderObject = {
    description: `\`${value}\``,
    required: true,
    schema: { type: 'string' },
  }
  const varies: HeaderObject = { description: `\`${vary.join(', ')}\``, schema: { type: 'string' } }
  return [
    {
      stage: 'tag',
      raw: true,
      step(exchange) {
        const { status, headers } = exchange
        if (status >= 300 && status !== 304) return
        headers.push(['Cache-Control', value])
        if (vary.length > 0) headers.push(['Vary', withVary(exchange, vary)])
      },
      docs: () => ({
        success: { headers: { 'Cache-Control': header, ...(vary.length > 0 && { Vary: varies }) } },
      }),
    },
  ]
}

/** Reports faults of the options; returns whether the header field can be written. */
function check(route: Route, options: CacheOptions): boolean {
  const { vary = [], noStore, sharedMaxAge } = options
  if (!Array.isArray(vary)) {
    route.fault(`cache: vary is a list of names, ['Accept-Language'], not ${shown(vary)}`)
    return false
  }
  for (const name of Object.keys(SECONDS) as (keyof typeof SECONDS)[]) {
    if (options[name] !== undefined)
      checkLimit(route, `cache: ${name}`, options[name], { minimum: 0, finite: true })
  }
  for (const name of vary)
    if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name))
      route.fault(`cache: ${JSON.stringify(name)} in vary is not the name of a header field`)
  if (directivesOf(options).length === 0)
    route.fault('cache: no directive is set: give a maxAge, noCache or noStore')
  if (!SAFE.has(route.method))
    route.fault(
      `cache: caches do not store responses to ${route.method}: put it on GET, HEAD or QUERY`,
    )
  if (options.private && sharedMaxAge !== undefined)
    route.fault('cache: a private response has no sharedMaxAge')
  if (route.features.some(({ secured }) => secured) && !options.private && !noStore)
    route.fault(
      'cache: a response that depends on who is asking must not be kept for others: add private: true',
    )
  return true
}

function directivesOf(options: CacheOptions): readonly string[] {
  const flags = Object.entries(FLAGS).flatMap(([name, directive]) =>
    options[name as keyof typeof FLAGS] ? directive : [],
  )
  const times = Object.entries(SECONDS).flatMap(([name, directive]) => {
    const seconds = options[name as keyof typeof SECONDS]
    return seconds === undefined ? [] : `${directive}=${seconds}`
  })
  return [...flags, ...times]
}

/** Adds names to the Vary field of middleware or the method. */
function withVary({ ctx }: Exchange, names: readonly string[]): string {
  const present = String(ctx.res.getHeader('Vary') ?? '')
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '')
  if (present.includes('*')) return '*'
  const known = new Set(present.map(name => name.toLowerCase()))
  return [...present, ...names.filter(name => !known.has(name.toLowerCase()))].join(', ')
}
