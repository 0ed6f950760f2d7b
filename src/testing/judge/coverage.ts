// Which of the documented responses a run has seen: statuses, and for one status that has several
// reasons, each of them.
import {
  type ApiDocument,
  type DescribedOperation,
  describedFor,
  type Json,
} from '../requests/document.js'
import { isLimited, type Outcome } from '../send/session.js'
import type { ContractReport } from './report.js'

/** A documented response, and the reason for it if its status has several. */
interface Documented {
  readonly operation: string
  readonly status: number
  readonly problem?: string
  readonly stage?: string
}

const USED_UP = 'a limit was used up: give its limiter more points, or refill it in `reset`'

export class Coverage {
  readonly #seen = new Set<string>()

  constructor(readonly document: ApiDocument) {}

  /** Notes what a response is an example of. */
  note(operation: DescribedOperation, { status, json, stage }: Outcome): void {
    if (!describedFor(operation, status)) return
    this.#seen.add(`${operation.name} ${status}`)
    const { problem, type } = (json ?? {}) as { problem?: unknown; type?: unknown }
    const name = problem ?? (typeof type === 'string' ? lastOf(type) : undefined)
    if (status >= 400 && name !== undefined) this.#seen.add(`${operation.name} ${status} ${name}`)
    if (stage !== 'arguments') this.#seen.add(`${operation.name} ${status} method`)
  }

  reportOn(
    operations: readonly DescribedOperation[],
    unreachable: Readonly<Record<string, string>>,
    refused: ReadonlyMap<string, Pick<Outcome, 'status'>>,
  ): ContractReport['coverage'] {
    const all = operations.flatMap(one => documentedBy(this.document, one))
    const isSeen = (one: Documented) => this.#seen.has(keyOf(one))
    const reasonOf = (one: Documented) =>
      unreachable[keyOf(one)] ?? unreachable[`${one.operation} ${one.status}`]
    const counted = all.filter(one => reasonOf(one) === undefined)
    const limited = new Set(
      operations
        .filter(operation => isLimited(operation, refused.get(operation.name) ?? { status: 0 }))
        .map(({ name }) => name),
    )
    const successful = operations.filter(operation =>
      documentedBy(this.document, operation).some(one => one.status < 400 && isSeen(one)),
    )
    const part = (some: number, of: number) => (of === 0 ? 1 : some / of)
    return {
      operations: part(successful.length, operations.length),
      responses: part(counted.filter(isSeen).length, counted.length),
      missing: all
        .filter(one => !isSeen(one))
        .map(one => {
          const reason = reasonOf(one) ?? (limited.has(one.operation) ? USED_UP : undefined)
          return { ...one, ...(reason !== undefined && { reason }) }
        }),
    }
  }
}

/** How `unreachable` names a response: `POST /orders/ 409 out-of-stock`. */
export function keyOf({ operation, status, problem, stage }: Documented): string {
  return [operation, status, problem ?? stage].filter(one => one !== undefined).join(' ')
}

/** The responses that have to be seen: without `default`, ranges and 5xx. */
export function documentedBy(
  document: ApiDocument,
  operation: DescribedOperation,
): readonly Documented[] {
  const { name, responses, bodies, parameters } = operation
  return Object.entries(responses)
    .filter(([status]) => /^[1-4][0-9][0-9]$/.test(status))
    .flatMap(([text, { content, isOfArguments }]): readonly Documented[] => {
      const one = { operation: name, status: Number(text) }
      // a success may have a `type` that is no problem's
      const errors = one.status < 400 ? [] : Object.values(content)
      const problems = errors.flatMap(({ schema }) => problemsIn(document, schema))
      if (problems.length > 0) return [...new Set(problems)].map(problem => ({ ...one, problem }))
      // malformed arguments get these statuses as well, so they prove nothing about the method
      const isShared = ['400', '422'].includes(text) && bodies.length + parameters.length > 0
      return [isShared && !isOfArguments ? { ...one, stage: 'method' } : one]
    })
}

/** The names of the problems in an error's schema, in either form of errors. */
function problemsIn(document: ApiDocument, schema: unknown, depth = 0): readonly string[] {
  const {
    properties = {},
    allOf = [],
    anyOf = [],
    oneOf = [],
  } = document.resolve(schema ?? {}) as Readonly<Record<string, never>> & {
    properties?: Readonly<Record<string, Json>>
  }
  const name = properties.problem?.const ?? properties.type?.const
  if (typeof name === 'string') return name === 'about:blank' ? [] : [lastOf(name)]
  const parts: readonly unknown[] = [...allOf, ...anyOf, ...oneOf]
  return depth > 3 ? [] : parts.flatMap(part => problemsIn(document, part, depth + 1))
}

const lastOf = (type: string): string => type.replace(/^.*\//, '')
