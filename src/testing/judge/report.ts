// What a contract test reports, and how failures and coverage are collected on the way.
import type { DescribedOperation } from '../requests/document.js'
import { isLimited, type Outcome, type Session } from '../send/session.js'

/** Something that the application does and its document does not say, or the other way round. */
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
  /** Whether the same request failed again, twice. Without `reset` it may have changed what it needs. */
  readonly repeats: boolean
}

/** What `contract` has found. */
export interface ContractReport {
  readonly failures: readonly ContractFailure[]
  readonly coverage: {
    /** The part of the operations that had a success, 0 to 1. */
    readonly operations: number
    /** The part of the documented (operation, status) pairs that were seen, without `default`, 5xx and `unreachable`, 0 to 1. */
    readonly responses: number
    readonly missing: readonly {
      readonly operation: string
      readonly status: number
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
      (operation === name || operation === operationId) && (only === undefined || only === check)
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

const NOT_SENT = { status: 0 }
const USED_UP = 'a limit was used up: give its limiter more points, or refill it in `reset`'

export function coverageOf(
  operations: readonly DescribedOperation[],
  { seen }: Session,
  unreachable: Readonly<Record<string, string>>,
  refused: ReadonlyMap<string, Outcome>,
): ContractReport['coverage'] {
  const statuses = (operation: DescribedOperation) =>
    Object.keys(operation.responses)
      .filter(status => /^[1-4][0-9][0-9]$/.test(status))
      .map(Number)
  const pairs = operations.flatMap(operation =>
    statuses(operation).map(status => ({ operation: operation.name, status })),
  )
  const reasonOf = ({ operation, status }: (typeof pairs)[number]) =>
    unreachable[`${operation} ${status}`]
  const counted = pairs.filter(pair => reasonOf(pair) === undefined)
  const limited = new Set(
    operations.filter(operation => isLimited(operation, refused.get(operation.name) ?? NOT_SENT)),
  )
  const limitOf = ({ operation }: (typeof pairs)[number]) =>
    [...limited].some(({ name }) => name === operation) ? USED_UP : undefined
  const isSeen = ({ operation, status }: (typeof pairs)[number]) =>
    seen.has(`${operation} ${status}`)
  const successful = operations.filter(operation =>
    statuses(operation).some(status => status < 400 && seen.has(`${operation.name} ${status}`)),
  )
  return {
    operations: operations.length === 0 ? 1 : successful.length / operations.length,
    responses: counted.length === 0 ? 1 : counted.filter(isSeen).length / counted.length,
    missing: pairs
      .filter(pair => !isSeen(pair))
      .map(pair => {
        const reason = reasonOf(pair) ?? limitOf(pair)
        return { ...pair, ...(reason !== undefined && { reason }) }
      }),
  }
}
