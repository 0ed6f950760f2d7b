import { STATUS_CODES } from 'node:http'
import { optionsIn, shown } from '../names.js'
import { defined } from '../options.js'

/** Messages by field, nested like the value; a leaf is a list of strings. */
export type Errors = readonly string[] | { readonly [field: string]: Errors }

/** The details of a failed request. */
export interface FailureDetails {
  /** A message for a person; shown to the client. */
  readonly message?: string
  /** Messages by location and field, usually of validation; shown to the client. */
  readonly errors?: Errors
  /** Further header fields of the response. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** A URI that identifies this occurrence; shown in problem details (RFC 9457, section 3.1.5). */
  readonly instance?: string
  /** The underlying error: logged, never shown. */
  readonly cause?: unknown
  /** Anything for a `handleHttpException` of the application; never shown. */
  readonly data?: unknown
}

/** The problem that a failure is an occurrence of, declared with `problem()`. */
export interface DeclaredProblem<Name extends string = string> {
  /** `out-of-stock`. */
  readonly name: Name
  readonly status: number
  readonly title: string
  /** Its data, encoded by the problem's codec: members of the body; `{}` if it has none. */
  readonly members: Readonly<Record<string, unknown>>
}

/** A failed request, whatever the reason: every error response is written from one. */
export interface Failure extends FailureDetails {
  /** The status of the response, 400 to 599. */
  readonly code: number
  /** The declared problem; undefined for any other failure. */
  readonly problem?: DeclaredProblem
}

/** A failure as a value, which a step returns to refuse a request instead of throwing. */
export class Refusal implements Failure {
  declare readonly message?: string
  declare readonly errors?: Errors
  declare readonly headers?: Readonly<Record<string, string | readonly string[]>>
  declare readonly instance?: string
  declare readonly cause?: unknown
  declare readonly data?: unknown

  constructor(
    readonly code: number,
    details?: FailureDetails,
  ) {
    checkCode('Refusal', code)
    if (details) Object.assign(this, details)
  }
}

/**
 * An occurrence of a declared problem: a step returns it as a Refusal, a method as a Left. Created
 * by calling what `problem` returned.
 */
export class ProblemFailure<Name extends string = string> extends Refusal {
  constructor(
    readonly problem: DeclaredProblem<Name>,
    details: FailureDetails = {},
  ) {
    super(problem.status, known(details))
    checkHeaders(details)
  }
}

/** A thrown failure, as `abort` throws it. `status` is what Koa calls the code. */
export class HttpException extends Error {
  override readonly name = 'HttpException'
  readonly status: number

  constructor(readonly failure: Failure) {
    super(
      failure.message ?? `${failure.code} ${STATUS_CODES[failure.code]}`,
      'cause' in failure ? { cause: failure.cause } : undefined,
    )
    checkCode('HttpException', failure.code)
    this.status = failure.code
  }
}

/** The arguments of `abort` after a code, or after a problem. */
export type AbortDetails<Failed> = Failed extends (...given: infer Given) => unknown
  ? Given
  : [details?: FailureDetails]

/**
 * Ends the request with an error: `abort(409, { message: 'Name taken.', errors: { name: ['taken'] }
 * })`, or with a declared problem, `abort(OutOfStock, { left: 3 })`, whose further details follow
 * its data. Throws a TypeError for a code that is not an error status (400 to 599) and for header
 * fields that frame the response. (Specification, section 7.)
 */
// one signature: of overloads the compiler's errors would be about the last one, whichever was
// meant
export function abort<const Failed extends number | ((...given: never[]) => ProblemFailure)>(
  failed: Failed,
  ...given: AbortDetails<Failed>
): never {
  if (typeof failed === 'function') {
    const failure: unknown = (failed as (...given: readonly unknown[]) => ProblemFailure)(...given)
    if (failure instanceof ProblemFailure) throw new HttpException(failure)
    throw new TypeError(
      `abort() takes a status or what problem() returned, not the function ${failed.name}`,
    )
  }
  const [details = {}] = given as [FailureDetails?]
  const code = failed as number
  if (!Number.isInteger(code) || code < 400 || STATUS_CODES[code] === undefined)
    throw new TypeError(`abort() takes the status code of an error, 400 to 599, not ${shown(code)}`)
  if (optionsIn(details) !== details)
    throw new TypeError(
      `abort(${code}): its details are an object, { message: '…' }, not ${shown(details)}`,
    )
  checkHeaders(details)
  throw new HttpException({ code, ...known(details) })
}

function checkCode(maker: string, code: number): void {
  if (!Number.isInteger(code) || code < 400 || code > 599)
    throw new TypeError(
      `a ${maker} must have the status code of an error, 400 to 599, not ${shown(code)}`,
    )
}

function checkHeaders({ headers = {} }: FailureDetails): void {
  for (const name of Object.keys(headers)) {
    if (isFraming(name))
      throw new TypeError(`abort() cannot set ${name}: the server frames the response`)
  }
}

/** Picks the known details from an object. */
function known(details: FailureDetails): FailureDetails {
  const { message, errors, headers, instance, cause, data } = details
  return {
    ...defined({ message, errors, headers, instance, data }),
    ...('cause' in details && { cause }),
  }
}

/** The value of Retry-After: whole seconds, at least one (RFC 9110, section 10.2.3). */
export function retryAfter(seconds: number): string {
  return String(Math.max(1, Math.ceil(Number.isFinite(seconds) ? seconds : 1)))
}

// Header fields that frame a message or control the connection. The server sets them: a second one
// would split the response, and one copied from elsewhere would be about another connection.

/** Fields about one connection only (RFC 9110, section 7.6.1), in lower case. */
export const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * Whether a field of this name frames a response, and so cannot be set for one whose body the
 * server writes.
 */
export function isFraming(name: string): boolean {
  const lower = name.toLowerCase()
  return lower === 'content-length' || HOP_BY_HOP.has(lower)
}

/**
 * Whether a response can end with this status: 200 to 599 (RFC 9110, section 15). Clients go on
 * waiting after an informational one (1xx), and treat what is out of range as a fault of the
 * server.
 */
export function isFinalStatus(status: unknown): status is number {
  return Number.isInteger(status) && (status as number) >= 200 && (status as number) <= 599
}

/** Statuses whose responses have no content (RFC 9110, sections 15.3.5, 15.3.6 and 15.4.5). */
export const NO_CONTENT: ReadonlySet<number> = new Set([204, 205, 304])
