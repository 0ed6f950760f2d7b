// One run of a contract test: what its steps share, and how a valid request is made and judged.
import fc from 'fast-check'
import type { Cases, Drawn } from '../requests/cases.js'
import type { ApiDocument, DescribedOperation } from '../requests/document.js'
import { NoValueError } from '../requests/fitting.js'
import { EMPTY_CASE, type RequestCase } from '../requests/request-case.js'
import {
  collectionsOf,
  createdBy,
  isCollection,
  isShallow,
  type Resources,
} from '../send/resources.js'
import { NoResponseError, type Outcome, type Session } from '../send/session.js'
import { type BusinessLaw, withBusiness } from './business.js'
import type { Checks } from './checks.js'
import { type Fault, type Findings, isSkipped, type Skip } from './report.js'
import { TagRegister } from './tag-register.js'

/** Changes a request before it is sent, to sign it for instance. */
export type Prepare = (request: RequestCase) => RequestCase | Promise<RequestCase>

interface RunParts {
  readonly document: ApiDocument
  readonly session: Session
  readonly cases: Cases
  readonly checks: Checks
  readonly findings: Findings
  readonly resources: Resources
  readonly drawn: () => Promise<Drawn>
  readonly reset: (() => Promise<void> | void) | undefined
  readonly business: readonly BusinessLaw[]
  readonly prepare: Readonly<Record<string, Prepare>>
  readonly seed: number
  readonly skips: readonly Skip[]
}

export class Run {
  /** Requests of an operation that succeeded, the last ones. */
  readonly good = new Map<string, RequestCase[]>()
  /** The last valid request of an operation that was refused. */
  readonly refused = new Map<string, Outcome>()
  /** The last requests of each operation whose response was a 409. */
  readonly conflicts = new Map<string, RequestCase[]>()
  /** A request of an operation that was in conflict with those before it, and not by itself. */
  readonly contended = new Map<string, RequestCase>()
  readonly tags = new TagRegister()
  #keys = 0
  /** How many requests had been sent at the last reset. */
  #sentBefore: number | undefined

  constructor(readonly parts: RunParts) {}

  get operations(): readonly DescribedOperation[] {
    const { document, skips } = this.parts
    return document.operations.filter(operation => !isSkipped(skips, operation))
  }

  find(method: string, path: string): DescribedOperation | undefined {
    return this.operations.find(operation => operation.method === method && operation.path === path)
  }

  /** Restores the data, unless nothing was sent since they were restored. */
  async reset(): Promise<void> {
    const { session } = this.parts
    if (session.requests === this.#sentBefore) return
    this.#sentBefore = session.requests
    await given('reset', () => this.parts.reset?.())
    this.parts.resources.forget()
    this.tags.forget()
  }

  /**
   * Runs a step of the test. The next step always follows: a request without a response has been
   * reported already, and a value that cannot be generated is reported here.
   */
  async attempt(operation: DescribedOperation, step: () => Promise<unknown>): Promise<void> {
    const { findings } = this.parts
    try {
      await step()
    } catch (error) {
      if (error instanceof GivenError) throw error
      if (error instanceof NoResponseError) return
      const check = error instanceof NoValueError ? 'no value' : 'no verdict'
      findings.addUnsent(operation, { check, message: (error as Error).message })
    }
  }

  /**
   * A valid request of an operation: one that succeeded before, preferably one with a body, or a new
   * one.
   */
  async sample(
    operation: DescribedOperation,
    path?: RequestCase['path'],
  ): Promise<RequestCase | undefined> {
    const known = path ? [path] : await this.parts.resources.around(operation)
    const all = this.good.get(operation.name)
    const good = all?.findLast(({ body }) => body !== undefined) ?? all?.at(-1)
    if (good) return { ...good, path: { ...good.path, ...known[0] } }
    return fc.sample(this.parts.cases.valid(operation, known, await this.parts.drawn()), {
      seed: this.parts.seed,
      numRuns: 1,
    })[0]
  }

  /** Adds the fields that features need, and the changes of `prepare`, to a request. */
  async prepared(operation: DescribedOperation, sent: RequestCase): Promise<RequestCase> {
    const request = await this.#asked(operation, sent)
    const own = this.#prepareOf(operation)
    return own ? given('prepare', () => own(request)) : request
  }

  /** The request without the header fields that the options add, such as a signature. */
  async unsigned(operation: DescribedOperation, sent: RequestCase): Promise<RequestCase> {
    const request = await this.#asked(operation, sent)
    const own = this.#prepareOf(operation)
    if (!own) return request
    const signed = await given('prepare', () => own({ ...request, headers: {} }))
    const added = Object.keys(signed.headers).map(name => name.toLowerCase())
    const left = Object.entries(request.headers).filter(
      ([name]) => !added.includes(name.toLowerCase()),
    )
    return { ...request, headers: Object.fromEntries(left) }
  }

  #prepareOf({ name, operationId = '' }: DescribedOperation): Prepare | undefined {
    return this.parts.prepare[name] ?? this.parts.prepare[operationId]
  }

  /**
   * The request with what its features ask for: the tag that the thing has now, a key that nobody
   * has used.
   */
  async #asked(operation: DescribedOperation, sent: RequestCase): Promise<RequestCase> {
    const headers: Record<string, string> = { ...sent.headers }
    if (takes(operation, 'if-match') && !('If-Match' in headers || 'If-None-Match' in headers)) {
      const { isAbsent, tag } = await this.#stateOf(operation, sent.path)
      // creation has its own condition
      if (isAbsent && mayCreate(operation)) headers['If-None-Match'] = '*'
      else headers['If-Match'] = tag ?? '*'
    }
    if (takes(operation, 'idempotency-key') && !('Idempotency-Key' in headers))
      headers['Idempotency-Key'] = `"contract-${this.parts.seed}-${++this.#keys}"`
    return { ...sent, headers }
  }

  /** Whether the thing at an operation's path is there, and the entity tag that it has now. */
  async #stateOf(
    { path }: DescribedOperation,
    parameters: RequestCase['path'],
  ): Promise<{ readonly isAbsent: boolean; readonly tag: string | undefined }> {
    const get = this.parts.document.operations.find(
      operation => operation.method === 'GET' && operation.path === path,
    )
    if (!get) return { isAbsent: false, tag: undefined }
    const sent = { ...EMPTY_CASE, path: parameters }
    const { status, headers } = await this.parts.session.send(get, sent)
    const tag = status < 300 ? (headers.get('ETag') ?? undefined) : undefined
    return { isAbsent: status === 404, tag }
  }

  /** Sends what was prepared, with the laws of the business around it. */
  async exchange(operation: DescribedOperation, sent: RequestCase): Promise<Outcome> {
    const outcome = await withBusiness(this.parts, operation, sent)
    if (outcome.status === 409) keep(this.conflicts, operation, sent)
    return outcome
  }

  /** Sends what was prepared, and keeps what is wrong with the response. */
  async send(
    operation: DescribedOperation,
    sent: RequestCase,
    more: (outcome: Outcome) => readonly Fault[] = () => [],
  ): Promise<Outcome> {
    const outcome = await this.exchange(operation, sent)
    for (const fault of [...this.parts.checks.faultsOf(operation, outcome), ...more(outcome)])
      this.parts.findings.add(operation, fault, outcome)
    if (outcome.status < 400) this.remember(operation, sent)
    return outcome
  }

  remember(operation: DescribedOperation, sent: RequestCase): void {
    keep(this.good, operation, sent)
  }

  /**
   * Creates a thing at an item's path, by POST to its collection or by PUT to a new path. Returns
   * its path parameters, or undefined if that fails.
   */
  async create(item: string): Promise<RequestCase['path'] | undefined> {
    if (!item.endsWith('}')) return undefined
    for (const { collection, names } of collectionsOf(item)) {
      const post = this.operations.find(
        ({ method, path }) => method === 'POST' && isCollection(path, collection),
      )
      if (post)
        return this.#createBy(post, await this.parts.resources.of(post), outcome =>
          createdBy(item, outcome.path, outcome),
        )
      const put = this.find('PUT', item)
      if (!put || !mayCreate(put)) continue
      const own = fc.record(
        Object.fromEntries(names.map(name => [name, this.parts.cases.pathValue(put, name)])),
      )
      const outer = await this.parts.resources.outerOf(collection)
      const paths = fc
        .sample(own, { seed: this.parts.seed + ++this.#keys, numRuns: 10 })
        .map(path => ({ ...outer[0], ...path }))
      if (outer.length > 0)
        return this.#createBy(put, paths, ({ path, status, request }) =>
          status === 201 || request.headers['If-None-Match'] === '*' ? path : undefined,
        )
    }
    const above = this.operations.find(
      ({ method, path }) => method === 'POST' && isShallow(item, path),
    )
    return above
      ? this.#createBy(above, await this.parts.resources.of(above), outcome =>
          createdBy(item, {}, outcome),
        )
      : undefined
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
      // one successful POST is enough, even if its result cannot be found
      if (path || (outcome.status < 300 && operation.method === 'POST')) return path
    }
    return undefined
  }
}

/** A function of the options has failed: the test itself cannot go on. */
export class GivenError extends Error {}

/** Calls a function of the options. */
export async function given<Value>(option: string, call: () => Value): Promise<Awaited<Value>> {
  try {
    return await call()
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new GivenError(`contract: ${option} failed: ${message}`, { cause: error })
  }
}

/** Keeps a request without the header fields that no other request can repeat. */
function keep(
  kept: Map<string, RequestCase[]>,
  { name }: DescribedOperation,
  sent: RequestCase,
): void {
  const { 'If-Match': _, 'If-None-Match': __, 'Idempotency-Key': ___, ...headers } = sent.headers
  kept.set(name, [...(kept.get(name) ?? []), { ...sent, headers }].slice(-5))
}

/** Whether a PUT creates what is absent: such a PUT documents no 404. */
export function mayCreate({ method, path, responses }: DescribedOperation): boolean {
  return method === 'PUT' && path.endsWith('}') && (!!responses[201] || !responses[404])
}

/** Whether an operation has a header field as a parameter. */
export function takes({ parameters }: DescribedOperation, field: string): boolean {
  return parameters.some(
    ({ in: place, name }) => place === 'header' && name.toLowerCase() === field,
  )
}
