import type { HeaderObject } from 'openapi3-ts/oas32'
import type { Flat } from '../codec/types/field-facts.js'
import { everyHeader } from '../contract/exchange.js'
import type { Feature, Part, Route } from '../contract/feature.js'
import { checkOptions } from '../contract/options.js'
import { Refusal } from '../http/failure.js'
import { formatHttpDate } from '../http/http-date.js'

/** A moment: a Date, a day (`2027-05-01`, which starts at 00:00 UTC) or a time with an offset (`2027-05-01T12:00:00Z`). */
export type Moment = Date | string

/** The end of an operation's life. */
export interface DeprecatedOptions {
  /** Since when, or from when on, the operation is deprecated. */
  readonly since: Moment
  /** When the operation ends. */
  readonly sunset?: Moment
  /** A document that explains the deprecation, or what to use instead: an absolute or relative reference. */
  readonly link?: string
  /** `gone` refuses every request with 410 from the sunset on. Default: requests are still served. */
  readonly after?: 'gone'
}

/**
 * Adds header fields to every response of the operation, errors included: that it is deprecated (`Deprecation`, RFC 9745), when it ends
 * (`Sunset`, RFC 8594) and where that is explained (`Link` with `rel="deprecation"`). The document marks it as deprecated.
 */
export function deprecated<
  const Sunset extends Moment | undefined = undefined,
  const Link extends string | undefined = undefined,
  const After extends 'gone' | undefined = undefined,
>(
  options: DeprecatedOptions & {
    readonly sunset?: Sunset
    readonly link?: Link
    readonly after?: After
  },
): Feature<{ wire: DeprecatedWire<Sunset, Link, After> }, 'deprecated'> {
  return { kind: 'deprecated', on: route => bind(route, options) }
}

/** The wire facts of `deprecated`. */
type DeprecatedWire<Sunset, Link, After> = {
  every: Flat<
    { Deprecation: string } & (Sunset extends Moment ? { Sunset: string } : unknown) &
      (Link extends string ? { Link: string } : unknown)
  >
  errors: After extends 'gone' ? 410 : never
} & unknown

const OPTIONS = ['since', 'sunset', 'link', 'after']

function bind(route: Route, given: DeprecatedOptions): readonly Part[] {
  const options = checkOptions(route, 'deprecated', given, OPTIONS)
  const { link, after } = options
  const since = momentOf(route, 'since', options.since)
  const sunset =
    options.sunset === undefined ? undefined : momentOf(route, 'sunset', options.sunset)
  if (since && sunset && sunset < since)
    route.fault('deprecated: the sunset is before since: an operation is deprecated before it ends')
  if (after !== undefined && after !== 'gone')
    route.fault(`deprecated: after can only be "gone", not ${JSON.stringify(after)}`)
  if (after !== undefined && options.sunset === undefined)
    route.fault('deprecated: after needs a sunset, from which on it holds')
  const isReference = link === undefined || /^[\x21\x23-\x3b\x3d\x3f-\x7e]+$/.test(link)
  if (!isReference)
    route.fault(`deprecated: link has to be a URI reference, not ${JSON.stringify(link)}`)
  if (!since || !isReference) return []

  const fields = [everyHeader('Deprecation', `@${Math.floor(since.getTime() / 1000)}`)]
  if (sunset) fields.push(everyHeader('Sunset', formatHttpDate(sunset)))
  if (link !== undefined)
    fields.push(everyHeader('Link', `<${link}>; rel="deprecation"`, { append: true }))
  const gone =
    after === 'gone' && sunset ? { from: sunset.getTime(), refusal: new Refusal(410) } : undefined
  return [
    {
      stage: 'begin',
      step(exchange) {
        for (const field of fields) exchange.addHeader(field)
        return gone && Date.now() >= gone.from ? gone.refusal : undefined
      },
      // 410 from the start: a document never reads the clock
      docs: schemas => ({
        deprecated: true,
        every: {
          headers: {
            Deprecation: DEPRECATION,
            ...(sunset && { Sunset: SUNSET }),
            ...(link !== undefined && { Link: LINK }),
          },
        },
        ...(sunset && { manual: { 'x-sunset': dayOrTime(sunset) } }),
        ...(gone && { responses: { 410: schemas.errorResponse(410) } }),
      }),
    },
  ]
}

const MOMENT = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))?$/

function momentOf(route: Route, name: string, moment: unknown): Date | undefined {
  const date =
    moment instanceof Date
      ? moment
      : typeof moment === 'string' && MOMENT.test(moment)
        ? new Date(moment)
        : undefined
  const time = date?.getTime() ?? Number.NaN
  // Date turns a day that does not exist, such as 31 April, into another one
  const exists =
    typeof moment !== 'string' ||
    (!Number.isNaN(time) &&
      new Date(moment.slice(0, 10)).toISOString().startsWith(moment.slice(0, 10)))
  if (date && !Number.isNaN(time) && exists) return date
  route.fault(
    `deprecated: ${name} is a Date, a day (2027-05-01) or a time with an offset (2027-05-01T12:00:00Z), not ${JSON.stringify(moment) ?? String(moment)}`,
  )
  return undefined
}

function dayOrTime(moment: Date): string {
  return moment
    .toISOString()
    .replace(/T00:00:00\.000Z$/, '')
    .replace(/\.000Z$/, 'Z')
}

const DEPRECATION: HeaderObject = {
  description: 'Since when the operation is deprecated, as a date of structured fields (RFC 9745)',
  required: true,
  schema: { type: 'string' },
}
const SUNSET: HeaderObject = {
  description: 'When the operation ends (RFC 8594)',
  required: true,
  schema: { type: 'string' },
}
const LINK: HeaderObject = {
  description: 'Where the deprecation is explained, as `rel="deprecation"` (RFC 8288)',
  required: true,
  schema: { type: 'string' },
}
