// The report of a contract test, and the collectors of failures and coverage.
import type { DescribedOperation } from '../requests/document.js'
import type { Outcome, Session } from '../send/session.js'

/** A contradiction between the application and its document. */
export interface ContractFailure {
  /** The name of the check or law: `status`, `body`, `law: stale If-Match`. */
  readonly check: string
  /** `GET /pets/{petId}` */
  readonly operation: string
  readonly message: string
  /** The request that shows it, as a command. */
  readonly curl: string
  readonly status: number
  readonly body: string
  /**
   * Whether the same request failed again, twice. Without `reset` it may have changed what it
   * needs.
   */
  readonly repeats: boolean
}

/** The result of `contract`. */
export interface ContractReport {
  readonly failures: readonly ContractFailure[]
  readonly coverage: {
    /** The part of the operations that had a success, 0 to 1. */
    readonly operations: number
    /**
     * The part of the documented responses that were seen, 0 to 1: each status of an operation,
     * and each of its problems, without `default`, 5xx and `unreachable`.
     */
    readonly responses: number
    readonly missing: readonly {
      readonly operation: string
      readonly status: number
      /** The problem that was not seen, of a status that documents some. */
      readonly problem?: string
      /** `method`: the status was seen, but only from the operation's arguments. */
      readonly stage?: string
      readonly reason?: string
    }[]
  }
  /** How many requests were sent. */
  readonly requests: number
}

/** A fault that a check has found in a response. */
export interface Fault {
  readonly check: string
  readonly message: string
}

/** An operation, or one check of it, that is left out, and why. */
export type Skip =
  | string
  | { readonly operation: string; readonly check?: string; readonly reason: string }

export function isSkipped(
  skips: readonly Skip[],
  { name, operationId }: DescribedOperation,
  check?: string,
): boolean {
  return skips.some(skip => {
    const { operation, check: only } = typeof skip === 'string' ? { operation: skip } : skip
    return (
      (operation === '*' || operation === name || operation === operationId) &&
      (only === undefined || only === check)
    )
  })
}

export class Findings {
  readonly failures: ContractFailure[] = []

  constructor(
    readonly session: Session,
    readonly skips: readonly Skip[],
  ) {}

  /** Whether the fault is not known yet, and not to be passed over. */
  isNews(operation: DescribedOperation, { check }: Fault): boolean {
    return (
      !isSkipped(this.skips, operation, check) &&
      !this.failures.some(known => known.operation === operation.name && known.check === check)
    )
  }

  add(
    operation: DescribedOperation,
    { check, message }: Fault,
    { request, status, text }: Outcome,
    repeats = true,
  ): void {
    if (!this.isNews(operation, { check, message })) return
    const { credentials } = this.session
    const shown = credentials.hide(text)
    const body = shown.length > 1000 ? `${shown.slice(0, 1000)}…` : shown
    const curl = this.session.curl(request)
    this.failures.push({
      check,
      operation: operation.name,
      message: credentials.hide(message),
      curl,
      status,
      body,
      repeats,
    })
  }

  /** A fault of an operation that no request shows. */
  addUnsent(operation: DescribedOperation, fault: Fault): void {
    if (this.isNews(operation, fault))
      this.failures.push({
        ...fault,
        operation: operation.name,
        curl: '',
        status: 0,
        body: '',
        repeats: true,
      })
  }
}
