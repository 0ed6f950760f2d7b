import { STATUS_CODES } from 'node:http'
import { isFraming } from './framing.js'

/** Texts by field, nested as the value is nested; a leaf is a list of texts. */
export type Errors = readonly string[] | { readonly [field: string]: Errors }

/** What may be said of a request that is not answered as it wished. */
export interface FailureDetails {
  /** A comment for a person; shown to the client. */
  readonly message?: string
  /** Usually of validation, by location and field; shown to the client. */
  readonly errors?: Errors
  /** Further header fields of the answer. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** What it came from: logged, never shown. */
  readonly cause?: unknown
}

/** A request that is not answered as it wished: the one shape of every error answer. */
export interface Failure extends FailureDetails {
  /** The status of the answer, 400 to 599. */
  readonly code: number
}

/** A failure as a value: what a step returns when it refuses a request. Nothing is thrown, so nothing is unwound. */
export class Refusal implements Failure {
  declare readonly message?: string
  declare readonly errors?: Errors
  declare readonly headers?: Readonly<Record<string, string | readonly string[]>>
  declare readonly cause?: unknown

  constructor(
    readonly code: number,
    details?: FailureDetails,
  ) {
    if (details) Object.assign(this, details)
  }
}

/** A failure that is thrown, as `abort` does. `status` is Koa's name for the code. */
export class HttpException extends Error {
  override readonly name = 'HttpException'
  readonly status: number

  constructor(readonly failure: Failure) {
    super(failure.message ?? `${failure.code} ${STATUS_CODES[failure.code]}`, 'cause' in failure ? { cause: failure.cause } : undefined)
    this.status = failure.code
  }
}

/**
 * Ends the request with an error answer: `abort(409, { message: 'Name taken.', errors: { name: ['taken'] } })`.
 * Throws TypeError for a code that is not an error's (400 to 599) and for header fields that frame the answer.
 * (Specification, section 7.)
 */
export function abort(code: number, details: FailureDetails = {}): never {
  if (!Number.isInteger(code) || code < 400 || code > 599 || STATUS_CODES[code] === undefined) {
    throw new TypeError(`abort() takes the status code of an error, 400 to 599, not ${String(code)}`)
  }
  for (const name of Object.keys(details.headers ?? {})) {
    if (isFraming(name)) throw new TypeError(`abort() cannot set ${name}: the server frames the answer`)
  }
  const { message, errors, headers, cause } = details
  throw new HttpException({
    code,
    ...(message !== undefined && { message }),
    ...(errors !== undefined && { errors }),
    ...(headers !== undefined && { headers }),
    ...('cause' in details && { cause }),
  })
}
