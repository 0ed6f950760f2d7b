import { shown } from '../names.js'
import { danglingReferences } from '../openapi/document/dangling-references.js'
import {
  flag,
  func,
  list,
  object,
  type Rules,
  requireOptions,
  string,
  wholeFrom,
} from '../options.js'
import type { ContractOptions, Documented } from './contract-options.js'
import { Checks } from './judge/checks.js'
import { Coverage, keyOf } from './judge/coverage.js'
import { Echo } from './judge/echo.js'
import { type ContractReport, Findings, isSkipped } from './judge/report.js'
import { GivenError, given, Run } from './judge/run.js'
import { strayNames } from './judge/stray-names.js'
import { sendGenerated } from './laws/generated.js'
import { keepLaws } from './laws/laws.js'
import { provoke } from './laws/provocations.js'
import { Progress } from './progress.js'
import { Arbitraries } from './requests/arbitrary.js'
import { Cases, type Drawn } from './requests/cases.js'
import { Credentials } from './requests/credentials.js'
import { ApiDocument, type DescribedOperation, type Json } from './requests/document.js'
import { FilePart } from './requests/request-case.js'
import { SchemaJudge } from './requests/schema-judge.js'
import { fetchOf, type Served } from './send/fetch-of.js'
import { LIMITS } from './send/reading.js'
import { Resources } from './send/resources.js'
import { isLimited, Session, tracing } from './send/session.js'

const RULES: Rules<ContractOptions> = {
  seed: { text: 'a whole number', fits: Number.isSafeInteger },
  runs: wholeFrom(1),
  as: object,
  reset: func,
  values: object,
  skip: list,
  prefix: string,
  unreachable: object,
  prepare: object,
  normalises: object,
  laws: object,
  complete: flag,
}

export async function runContract(
  app: Served,
  api: Documented,
  options: ContractOptions,
  limits = LIMITS,
): Promise<ContractReport> {
  if (
    typeof Object(app).callback !== 'function' ||
    typeof Object(Object(api).spec).toJSON !== 'function'
  )
    throw new TypeError('contract() takes the application and its Api, contract(app, api)')
  requireOptions('contract', options, RULES)
  const { seed = 1, runs = 100, as = {}, reset, skip = [], unreachable = {}, prefix = '' } = options
  const described = api.spec.toJSON('3.2.0') as Json
  const dangling = danglingReferences(described)
  if (dangling.length > 0) return unreadable(dangling)
  const document = new ApiDocument(described)
  for (const text of strayNames(document, options)) api.warn ? api.warn(text) : console.warn(text)
  const judge = new SchemaJudge(document)
  const served = below(app, prefix)
  const session = new Session(served, new Credentials(document, as), prefix, limits)
  const findings = new Findings(session, skip)
  const coverage = new Coverage(document)
  session.onOutcome = (operation, outcome) => {
    coverage.note(operation, outcome)
    for (const fault of run.tags.faultsOf(outcome)) findings.add(operation, fault, outcome)
  }
  session.onNoResponse = ({ operation, message, outcome }) =>
    findings.add(operation, { check: 'no response', message }, outcome)
  const cases = new Cases(document, new Arbitraries(document), judge)
  const drawn = () => drawnOf(options.values ?? {})
  const resources = new Resources(document, session, cases, drawn, path => run.create(path))
  const echo = new Echo(document, judge, options.normalises ?? {})
  const checks = new Checks(document, judge, await foreignFields(served), echo)
  const run: Run = new Run({
    document,
    session,
    cases,
    checks,
    findings,
    resources,
    drawn,
    business: Object.entries(options.laws ?? {}).map(([name, law]) => ({ ...law, name })),
    prepare: options.prepare ?? {},
    reset,
    seed,
    skips: skip,
  })
  const operations = inOrder(run.operations)
  const progress = new Progress(2 * operations.length)
  await tracing(async () => {
    for (const operation of operations) {
      progress.at(operation.name)
      await run.reset()
      await run.attempt(operation, () => sendGenerated(run, operation, runs))
      await run.attempt(operation, () => afterPut(run, operation))
      needSuccess(run, operation)
      await run.reset()
      await provoke(run, operation)
    }
    for (const operation of operations) {
      progress.at(operation.name)
      await keepLaws(run, operation)
    }
    await run.reset()
  }).finally(() => {
    progress.end()
    return session.close()
  })
  const counted = document.operations.filter(operation => !isSkipped(skip, operation))
  const reported = coverage.reportOn(counted, unreachable, run.refused)
  if (options.complete)
    for (const operation of counted) {
      const unseen = reported.missing.filter(
        ({ operation: name, reason }) => name === operation.name && reason === undefined,
      )
      const names = unseen.map(one => keyOf(one).slice(operation.name.length + 1))
      if (names.length > 0)
        findings.addUnsent(operation, {
          check: 'coverage',
          message: `documented and not seen: ${names.join(', ')}`,
        })
    }
  return {
    failures: findings.failures,
    coverage: reported,
    requests: session.requests,
  }
}

/** The report on a document from which no requests can be made. */
function unreadable(faults: readonly string[]): ContractReport {
  const failures = faults.map(message => ({
    check: 'document',
    operation: 'openapi',
    message,
    curl: '',
    status: 0,
    body: '',
    repeats: true,
  }))
  return { failures, coverage: { operations: 0, responses: 0, missing: [] }, requests: 0 }
}

/**
 * Operations that read come first and those that delete last, so that things exist as long as they
 * are needed.
 */
function inOrder(operations: readonly DescribedOperation[]): readonly DescribedOperation[] {
  const order = ['GET', 'QUERY', 'POST', 'PUT', 'PATCH', 'OPTIONS', 'HEAD', 'DELETE']
  return [...operations].sort(
    (left, right) => order.indexOf(left.method) - order.indexOf(right.method),
  )
}

/** A drawn value; bytes become a file. */
async function drawnAs(value: unknown): Promise<unknown> {
  if (value instanceof Blob)
    return new FilePart(new Uint8Array(await value.arrayBuffer()), value.type)
  return value instanceof Uint8Array ? new FilePart(value, '') : value
}

async function drawnOf(values: NonNullable<ContractOptions['values']>): Promise<Drawn> {
  const entries = await Promise.all(
    Object.entries(values).map(async ([name, one]) => {
      const all: unknown = typeof one === 'function' ? await given('values', one) : one
      if (!Array.isArray(all))
        throw new GivenError(
          `contract: values: ${name} must be a list, or a function that returns one, not ${shown(all)}`,
        )
      return [name, await Promise.all(all.map(drawnAs))] as const
    }),
  )
  return Object.fromEntries(entries)
}

/** The application with the paths of the document, which begin behind `prefix`. */
function below(app: Served, prefix: string): Served {
  if (prefix === '') return app
  if (!/^(\/[^/?#\s]+)+$/.test(prefix))
    throw new TypeError(`contract: prefix is a path such as "/v2", not ${JSON.stringify(prefix)}`)
  return {
    callback() {
      const handle = app.callback()
      return (request, response) => {
        request.url = prefix + request.url
        handle(request, response)
      }
    },
  }
}

/** The header fields of a response that no operation set. */
async function foreignFields(app: Served): Promise<ReadonlySet<string>> {
  const { headers, body } = await fetchOf(app)('http://localhost/no-such-path-of-this-application')
  await body?.cancel()
  return new Set(headers.keys())
}

/**
 * A thing that exists once in its parent, such as a picture, may need a PUT before anything else.
 */
async function afterPut(run: Run, operation: DescribedOperation): Promise<void> {
  if (run.good.has(operation.name)) return
  const put = operation.method === 'PUT' ? undefined : run.find('PUT', operation.path)
  const sample = put && (await run.sample(put))
  if (!sample) return
  const { status } = await run.send(put, await run.prepared(put, sample))
  const own = status < 300 ? await run.sample(operation, sample.path) : undefined
  if (own) await run.send(operation, await run.prepared(operation, own))
}

/** An operation that no valid request can make succeed is not tested at all. */
function needSuccess(run: Run, operation: DescribedOperation): void {
  const { findings, session } = run.parts
  const { credentials } = session
  const successes = Object.keys(operation.responses).filter(status => status < '400')
  if (successes.length === 0 || run.good.has(operation.name)) return
  if (findings.failures.some(failure => failure.operation === operation.name)) return
  const advice =
    credentials.isSecured(operation) && !credentials.has(operation)
      ? `give credentials for ${schemesOf(operation)} with \`as\``
      : 'give `values` that exist'
  const fault = {
    check: 'no success',
    message: `no valid request succeeded: ${advice}, or leave the operation out with \`skip\``,
  }
  const last = run.refused.get(operation.name)
  // the operation is correct; that it was not tested shows in the coverage
  if (last && isLimited(operation, last)) return
  if (last) findings.add(operation, fault, last)
  else findings.addUnsent(operation, fault)
}

/** The schemes that an operation names, as alternatives: `login or key`. */
function schemesOf({ security = [] }: DescribedOperation): string {
  return security.map(alternative => Object.keys(alternative).join(' and ')).join(' or ')
}
