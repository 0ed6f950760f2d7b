import type { Flat } from '../../codec/types/types.js'
import { everyHeader } from '../../feature-api/exchange.js'
import type { Feature, Part, Route } from '../../feature-api/feature.js'
import { Refusal } from '../../http/failure.js'
import { textHeader } from '../../openapi/document/fragment.js'
import { checkOptions, isString, oneOf, type Rule, type Rules, required } from '../../options.js'

/**
 * A moment: a Date, a day (`2027-05-01`, which starts at 00:00 UTC) or a time with an offset
 * (`2027-05-01T12:00:00Z`).
 */
export type Moment = Date | string

/** The end of an operation's life. */
export interface DeprecatedOptions {
  /** Since when, or from when on, the operation is deprecated. */
  readonly since: Moment
  /** When the operation ends. */
  readonly sunset?: Moment
  /**
   * A document that explains the deprecation, or what to use instead: an absolute or relative
   * reference.
   */
  readonly link?: string
  /**
   * `gone` refuses every request with 410 from the sunset on. Default: requests are still served.
   */
  readonly after?: 'gone'
}

/**
 * Adds header fields to every response of the operation, errors included: its deprecation
 * (`Deprecation`, RFC 9745), its end (`Sunset`, RFC 8594) and the page that explains it (`Link`
 * with `rel="deprecation"`). The document marks it as deprecated.
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

type DeprecatedWire<Sunset, Link, After> = {
  every: Flat<
    { Deprecation: string } & (Sunset extends Moment ? { Sunset: string } : unknown) &
      (Link extends string ? { Link: string } : unknown)
  >
  errors: After extends 'gone' ? 410 : never
} & unknown

const MOMENT: Rule = {
  text: 'a Date, a day (2027-05-01) or a time with an offset (2027-05-01T12:00:00Z)',
  fits: value => momentOf(value) !== undefined,
}
const RULES: Rules<DeprecatedOptions> = {
  since: required(MOMENT),
  sunset: MOMENT,
  link: {
    text: 'a URI reference',
    fits: value => isString(value) && /^[\x21\x23-\x3b\x3d\x3f-\x7e]+$/.test(value),
  },
  after: oneOf('gone'),
}

function bind(route: Route, given: DeprecatedOptions): readonly Part[] {
  const options = checkOptions(route, 'deprecated', given, RULES)
  const { link, after } = options
  const since = momentOf(options.since)
  const sunset = momentOf(options.sunset)
  if (since && sunset && sunset < since)
    route.fault('deprecated: the sunset is before since: an operation is deprecated before it ends')
  if (after !== undefined && given.sunset === undefined)
    route.fault('deprecated: after needs a sunset, from which on it holds')
  if (!since) return []

  const fields = [everyHeader('Deprecation', `@${Math.floor(since.getTime() / 1000)}`)]
  if (sunset) fields.push(everyHeader('Sunset', sunset.toUTCString()))
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

const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))?$/

function momentOf(moment: unknown): Date | undefined {
  if (typeof moment !== 'string') return moment instanceof Date ? existing(moment) : undefined
  if (!TIME.test(moment)) return undefined
  // Date turns a day that does not exist, such as 31 April, into another one
  const day = moment.slice(0, 10)
  const exists = existing(new Date(day))?.toISOString().startsWith(day)
  return exists ? existing(new Date(moment)) : undefined
}

function existing(date: Date): Date | undefined {
  return Number.isNaN(date.getTime()) ? undefined : date
}

function dayOrTime(moment: Date): string {
  return moment
    .toISOString()
    .replace(/T00:00:00\.000Z$/, '')
    .replace(/\.000Z$/, 'Z')
}

const DEPRECATION = textHeader(
  'Since when the operation is deprecated, as a date of structured fields (RFC 9745)',
  true,
)
const SUNSET = textHeader('When the operation ends (RFC 8594)', true)
const LINK = textHeader(
  'Where the deprecation is explained, as `rel="deprecation"` (RFC 8288)',
  true,
)
