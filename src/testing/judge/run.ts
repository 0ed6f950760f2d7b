// One run of a contract test: what its steps share, and how a valid request is made and judged.
import fc from 'fast-check'
import type { Cases, Drawn } from '../requests/cases.js'
import type { ApiDocument, DescribedOperation } from '../requests/document.js'
import type { RequestCase } from '../requests/request-case.js'
import { collectionsOf, createdBy, type Resources } from '../send/resources.js'
import type { Outcome, Session } from '../send/session.js'
import type { Checks } from './checks.js'
import { type Fault, type Findings, isSkipped, type Skip } from './report.js'

export interface RunParts {
  readonly document: ApiDocument
  readonly session: Session
  readonly cases: Cases
  readonly checks: Checks
  readonly findings: Findings
  readonly resources: Resources
  readonly drawn: () => Promise<Drawn>
  readonly reset: (() => Promise<void> | void) | undefined
  readonly seed: number
  readonly skips: readonly Skip[]
}

export class Run {
  /** Requests of an operation that succeeded, the last ones. */
  readonly good = new Map<string, RequestCase[]>()
  /** The last valid request of an operation that was refused. */
  readonly refused = new Map<string, Outcome>()
  #keys = 0

  constructor(readonly parts: RunParts) {}

  get operations(): readonly DescribedOperation[] {
    const { document, skips } = this.parts
    return document.operations.filter(operation => !isSkipped(skips, operation))
  }

  find(method: string, path: string): DescribedOperation | undefined {
    return this.operations.find(operation => operation.method === method && operation.path === path)
  }

  async reset(): Promise<void> {
    try {
      await this.parts.reset?.()
    } catch (error) {
      throw new Error(
        `contract: reset failed: ${error instanceof Error ? error.message : String(error)}`,
        { cause: error },
      )
    }
    this.parts.resources.forget()
  }

  /** A valid request of an operation: one that succeeded before, or a new one. */
  async sample(
    operation: DescribedOperation,
    path?: RequestCase['path'],
  ): Promise<RequestCase | undefined> {
    const known = path ? [path] : await this.parts.resources.of(operation)
    const good = this.good.get(operation.name)?.at(-1)
    if (good) return known.length > 0 ? { ...good, path: known[0] as RequestCase['path'] } : good
    return fc.sample(this.parts.cases.valid(operation, known, await this.parts.drawn()), {
      seed: this.parts.seed,
      numRuns: 1,
    })[0]
  }

  /** The request with what its features ask for: the tag that the thing has now, a key that nobody has used. */
  async prepared(operation: DescribedOperation, sent: RequestCase): Promise<RequestCase> {
    const headers: Record<string, string> = { ...sent.headers }
    if (takes(operation, 'if-match') && !('If-Match' in headers))
      headers['If-Match'] = (await this.tagOf(operation, sent.path)) ?? '*'
    if (takes(operation, 'idempotency-key') && !('Idempotency-Key' in headers))
      headers['Idempotency-Key'] = `"contract-${this.parts.seed}-${++this.#keys}"`
    return { ...sent, headers }
  }

  /** The entity tag that the thing at an operation's path has now. */
  async tagOf(
    { path }: DescribedOperation,
    parameters: RequestCase['path'],
  ): Promise<string | undefined> {
    const get = this.parts.document.operations.find(
      operation => operation.method === 'GET' && operation.path === path,
    )
    if (!get) return undefined
    const { status, headers } = await this.parts.session.send(get, {
      path: parameters,
      query: {},
      headers: {},
      cookies: {},
      body: undefined,
    })
    return status < 300 ? (headers.get('ETag') ?? undefined) : undefined
  }

  /** Sends what was prepared, and keeps what is wrong with the response. */
  async send(
    operation: DescribedOperation,
    sent: RequestCase,
    more: (outcome: Outcome) => readonly Fault[] = () => [],
  ): Promise<Outcome> {
    const outcome = await this.parts.session.send(operation, sent)
    for (const fault of [...this.parts.checks.faultsOf(operation, outcome), ...more(outcome)])
      this.parts.findings.add(operation, fault, outcome)
    if (outcome.status < 400) this.remember(operation, sent)
    return outcome
  }

  remember(operation: DescribedOperation, sent: RequestCase): void {
    // what belongs to that one time is not sent again
    const { 'If-Match': _, 'If-None-Match': __, 'Idempotency-Key': ___, ...headers } = sent.headers
    this.good.set(
      operation.name,
      [...(this.good.get(operation.name) ?? []), { ...sent, headers }].slice(-5),
    )
  }

  /**
   * Creates a thing at an item's path, by POST to its collection or by PUT to a path of its own; its path parameters, or undefined
   * where that cannot be done.
   */
  async create(item: string): Promise<RequestCase['path'] | undefined> {
    if (!item.endsWith('}')) return undefined
    for (const { collection, names } of collectionsOf(item)) {
      const post = this.operations.find(
        ({ method, path }) => method === 'POST' && path.replace(/\/$/, '') === collection,
      )
      if (post)
        return this.#createBy(post, await this.parts.resources.of(post), outcome =>
          createdBy(item, outcome.path, outcome),
        )
      const put = this.find('PUT', item)
      if (!put || put.responses[201] === undefined) continue
      const own = fc.record(
        Object.fromEntries(names.map(name => [name, this.parts.cases.pathValue(put, name)])),
      )
      const outer = await this.parts.resources.outerOf(collection)
      const paths = fc
        .sample(own, { seed: this.parts.seed + ++this.#keys, numRuns: 10 })
        .map(path => ({ ...outer[0], ...path }))
      if (outer.length > 0)
        return this.#createBy(put, paths, ({ path, status }) => (status === 201 ? path : undefined))
    }
    return undefined
  }

  async #createBy(
    operation: DescribedOperation,
    known: readonly RequestCase['path'][],
    found: (outcome: Outcome & Pick<RequestCase, 'path'>) => RequestCase['path'] | undefined,
  ): Promise<RequestCase['path'] | undefined> {
    const candidates = fc.sample(
      this.parts.cases.valid(operation, known, await this.parts.drawn()),
      {
        seed: this.parts.seed + ++this.#keys,
        numRuns: 10,
      },
    )
    for (const candidate of candidates) {
      const outcome = await this.send(operation, await this.prepared(operation, candidate))
      const path = outcome.status < 300 ? found({ ...outcome, path: candidate.path }) : undefined
      // what a POST has made once is enough, even where nobody knows how to find it
      if (path || (outcome.status < 300 && operation.method === 'POST')) return path
    }
    return undefined
  }
}

/** Whether an operation has a header field as a parameter. */
export function takes({ parameters }: DescribedOperation, field: string): boolean {
  return parameters.some(
    ({ in: place, name }) => place === 'header' && name.toLowerCase() === field,
  )
}
