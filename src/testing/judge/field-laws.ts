// Checks the header fields of the lifecycle features in every response that a test sees, errors
// included.
import { type DescribedOperation, describedFor } from '../requests/document.js'
import type { Outcome } from '../send/session.js'
import type { Fault } from './report.js'

/** The faults of the fields that tell of deprecation, limits and caches. */
export function faultsOfLifecycle(
  operation: DescribedOperation,
  outcome: Outcome,
): readonly Fault[] {
  const laws = { deprecation: deprecationFault, 'rate limit': limitFault, cache: cacheFault }
  return Object.entries(laws).flatMap(([name, law]) => {
    const message = law(operation, outcome)
    return message === undefined ? [] : { check: `law: ${name}`, message }
  })
}

/**
 * RFC 9745: a date of structured fields, and no sunset before it. RFC 8594: an HTTP-date, which is
 * the one of the document.
 */
function deprecationFault(
  operation: DescribedOperation,
  { headers, status }: Outcome,
): string | undefined {
  const documented = describedFor(operation, status)?.headers ?? {}
  const deprecation = 'Deprecation' in documented ? headers.get('Deprecation') : null
  const sunset = 'Sunset' in documented ? headers.get('Sunset') : null
  const since = deprecation === null ? undefined : /^@(-?\d{1,15})$/.exec(deprecation)?.[1]
  if (deprecation !== null && since === undefined)
    return `Deprecation: ${deprecation} is not a date of RFC 9745, such as @1793491200`
  if (sunset === null) return undefined
  const end = new Date(sunset)
  if (end.toUTCString() !== sunset)
    return `Sunset: ${sunset} is not an HTTP-date, such as Sat, 01 May 2027 00:00:00 GMT`
  if (since !== undefined && end.getTime() < Number(since) * 1000)
    return `Sunset: ${sunset} is before Deprecation: @${since}`
  const { sunset: expected } = operation
  // an HTTP-date has whole seconds
  const isSame =
    expected === undefined ||
    Math.floor(new Date(expected).getTime() / 1000) * 1000 === end.getTime()
  return isSame ? undefined : `Sunset: ${sunset}, and x-sunset of the document is ${expected}`
}

/** The rest of a limit. */
interface LimitState {
  readonly name: string
  /** Requests that are left. */
  readonly r: number
  /** Seconds until there are more. */
  readonly t: number | undefined
}

const MEMBER =
  /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])+)"((?:;[a-z*][a-z0-9_.*-]*=(?:-?\d{1,15}|"[^"]*"|:[A-Za-z0-9+/=]*:))*)$/

/**
 * The members of a list of structured fields, each a string with parameters; undefined if the list
 * has another form.
 */
function membersOf(
  field: string,
):
  | readonly { readonly name: string; readonly parameters: ReadonlyMap<string, number> }[]
  | undefined {
  const members = field.split(/[ \t]*,[ \t]*(?=")/).map(text => {
    const [, name = '', rest = ''] = MEMBER.exec(text) ?? []
    const parameters = new Map(
      Array.from(rest.matchAll(/;([^=;]+)=(-?\d+)(?=;|$)/g), ([, key = '', value]) => [
        key,
        Number(value),
      ]),
    )
    return { name, parameters }
  })
  return members.every(({ name }) => name !== '') ? members : undefined
}

/** The rest of each limit according to a response. */
export function limitStates({ headers }: Outcome): readonly LimitState[] {
  const members = membersOf(headers.get('RateLimit') ?? '') ?? []
  return members.map(({ name, parameters }) => ({
    name,
    r: parameters.get('r') ?? Number.NaN,
    t: parameters.get('t'),
  }))
}

/** draft-ietf-httpapi-ratelimit-headers: lists of named policies and what is left of them. */
function limitFault(operation: DescribedOperation, outcome: Outcome): string | undefined {
  const { headers, status } = outcome
  const policy = headers.get('RateLimit-Policy')
  const state = headers.get('RateLimit')
  if (
    !('RateLimit' in (describedFor(operation, status)?.headers ?? {})) ||
    (policy === null && state === null)
  )
    return undefined
  const policies = membersOf(policy ?? '')
  if (!policies || policies.some(({ parameters }) => !(Number(parameters.get('q')) >= 0)))
    return `RateLimit-Policy: ${policy} is not a list of policies, such as "burst";q=100;w=60`
  if (state === null) return undefined
  const states = membersOf(state) ? limitStates(outcome) : undefined
  if (!states || states.some(({ r }) => !(r >= 0)))
    return `RateLimit: ${state} is not a list of limits with what is left, such as "burst";r=50;t=30`
  for (const { name, r, t = 0 } of states) {
    const parameters = policies.find(one => one.name === name)?.parameters
    if (!parameters) return `RateLimit tells of "${name}", which RateLimit-Policy does not name`
    if (r > (parameters.get('q') ?? 0))
      return `RateLimit: r=${r} of "${name}" is more than its q=${parameters.get('q')}`
    if (t < 0 || t > (parameters.get('w') ?? t))
      return `RateLimit: t=${t} of "${name}" is not within its w=${parameters.get('w')}`
  }
  return undefined
}

/**
 * If an operation sets Cache-Control, it is for its successes: a stored error would hide the later
 * ones.
 */
function cacheFault(
  { responses }: DescribedOperation,
  { headers, status }: Outcome,
): string | undefined {
  const tells = Object.entries(responses).some(
    ([code, response]) => code.startsWith('2') && 'Cache-Control' in response.headers,
  )
  const value = headers.get('Cache-Control') ?? ''
  const allows =
    /(?:^|[\s,])(?:public|immutable|(?:max-age|s-maxage|stale-[a-z-]+)=0*[1-9])/i.test(value) &&
    !/no-(?:store|cache)/i.test(value)
  return tells && status >= 400 && allows
    ? `Cache-Control: ${value} lets caches keep an error`
    : undefined
}
