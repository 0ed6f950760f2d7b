// The laws that an application gives: what holds before and after each success of its operations.
import type { DescribedOperation } from '../requests/document.js'
import { EMPTY_CASE, type RequestCase, sendableOf } from '../requests/request-case.js'
import type { Outcome, Session } from '../send/session.js'
import { type Findings, isSkipped, type Skip } from './report.js'

/** A request that has succeeded, as a law sees it. */
export interface Call {
  /** `POST /orders/` */
  readonly operation: string
  readonly path: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
  readonly body: unknown
  readonly status: number
  readonly json: unknown
}

/** Sends a GET to a path, with the credentials of the call, and returns its JSON. */
// biome-ignore lint/suspicious/noExplicitAny: what the application returns
type Get = (path: string) => Promise<any>

/** A law of the business. */
// biome-ignore lint/suspicious/noExplicitAny: what `look` returned, which only the law knows
export interface ContractLaw<Seen = any> {
  /** The operations it is about, as `GET /pets/{petId}` or by operationId; all by default. */
  readonly of?: string | readonly string[]
  /** Runs before and after each success; it gets what `before` and `after` are. */
  readonly look?: (tools: { readonly get: Get }) => Seen | Promise<Seen>
  /** False, a string or an exception is a failure; the string is its message. */
  readonly holds: (occasion: {
    readonly before: Seen
    readonly after: Seen
    readonly call: Call
    readonly get: Get
  }) => BusinessVerdict | Promise<BusinessVerdict>
}

// biome-ignore lint/suspicious/noConfusingVoidType: a law may only throw
type BusinessVerdict = boolean | string | void

export type BusinessLaw = ContractLaw & { readonly name: string }

/** The parts of a run that its laws need. */
interface Parts {
  readonly session: Session
  readonly business: readonly BusinessLaw[]
  readonly skips: readonly Skip[]
  readonly findings: Findings
}

/** Sends a request; the laws of its operation look before and after it, and judge a success. */
export async function withBusiness(
  { session, business, skips, findings }: Parts,
  operation: DescribedOperation,
  sent: RequestCase,
): Promise<Outcome> {
  const laws = business.filter(
    law => isOf(law, operation) && !isSkipped(skips, operation, `law: ${law.name}`),
  )
  const get = async (path: string) => {
    const as = session.credentials.authorized(operation, EMPTY_CASE)
    const { headers, target } = sendableOf({ ...operation, path: '' }, as)
    const query = target.replace(/^\?/, path.includes('?') ? '&' : '?')
    const request = { method: 'GET', target: path + query, headers, body: undefined }
    return (await session.sendAs(operation, request)).json
  }
  const look = async (law: ContractLaw) => {
    try {
      return { seen: await law.look?.({ get }) }
    } catch (error) {
      return { error }
    }
  }
  const before = []
  for (const law of laws) before.push(await look(law))
  const outcome = await session.send(operation, sent)
  if (outcome.status >= 400) return outcome
  const body = sent.body && ('value' in sent.body ? sent.body.value : sent.body.text)
  const { path, query } = sent
  const call = { operation: operation.name, path, query, body, ...pick(outcome) }
  for (const [index, law] of laws.entries()) {
    const [first, last] = [before[index], await look(law)]
    const message = await verdictOf(law, first, last, { call, get })
    if (message !== undefined)
      findings.add(operation, { check: `law: ${law.name}`, message }, outcome)
  }
  return outcome
}

type Looked = { readonly seen?: unknown; readonly error?: unknown } | undefined

async function verdictOf(
  law: BusinessLaw,
  before: Looked,
  after: Looked,
  more: { readonly call: Call; readonly get: Get },
): Promise<string | undefined> {
  try {
    for (const looked of [before, after]) if (looked && 'error' in looked) throw looked.error
    const verdict = await law.holds({ before: before?.seen, after: after?.seen, ...more })
    if (typeof verdict === 'string') return verdict
    return verdict === false ? `${law.name} does not hold` : undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function isOf({ of }: ContractLaw, { name, operationId }: DescribedOperation): boolean {
  return of === undefined || [of].flat().some(one => one === name || one === operationId)
}

const pick = ({ status, json }: Outcome) => ({ status, json })
