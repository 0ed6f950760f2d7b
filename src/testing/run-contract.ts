import { shown, unknownOptions } from '../names.js'
import type { ContractOptions, Documented } from './contract-options.js'
import { Checks } from './judge/checks.js'
import { type ContractReport, coverageOf, Findings, isSkipped } from './judge/report.js'
import { Run } from './judge/run.js'
import { strayNames } from './judge/stray-names.js'
import { sendGenerated } from './laws/generated.js'
import { keepLaws } from './laws/laws.js'
import { provoke } from './laws/provocations.js'
import { Arbitraries } from './requests/arbitrary.js'
import { Cases, type Drawn } from './requests/cases.js'
import { Credentials } from './requests/credentials.js'
import { ApiDocument, type DescribedOperation, type Json } from './requests/document.js'
import { NoValueError } from './requests/fitting.js'
import { SchemaJudge } from './requests/schema-judge.js'
import { fetchOf, type Served } from './send/fetch-of.js'
import { Resources } from './send/resources.js'
import { isLimited, Session, tracing } from './send/session.js'

const OPTIONS: readonly (keyof ContractOptions)[] = [
  'seed',
  'runs',
  'as',
  'reset',
  'values',
  'skip',
  'prefix',
  'unreachable',
]

/** Carries out what `contract` promises. */
export async function runContract(
  app: Served,
  api: Documented,
  options: ContractOptions,
): Promise<ContractReport> {
  if (
    typeof Object(app).callback !== 'function' ||
    typeof Object(Object(api).spec).toJSON !== 'function'
  )
    throw new TypeError('contract() takes the application and its Api, contract(app, api)')
  const [unknown] = unknownOptions(options, OPTIONS)
  if (unknown) throw new TypeError(`contract: ${unknown}`)
  const { seed = 1, runs = 100, as = {}, reset, skip = [], unreachable = {}, prefix = '' } = options
  if (!Number.isSafeInteger(seed))
    throw new TypeError(`contract: seed is a whole number, not ${shown(seed)}`)
  if (!Number.isSafeInteger(runs) || runs < 1)
    throw new TypeError(`contract: runs is a whole number from 1 on, not ${shown(runs)}`)
  const document = new ApiDocument(api.spec.toJSON('3.2.0') as Json)
  for (const text of strayNames(document, options)) api.warn ? api.warn(text) : console.warn(text)
  const judge = new SchemaJudge(document)
  const served = below(app, prefix)
  const session = new Session(served, new Credentials(document, as), prefix)
  const findings = new Findings(session, skip)
  const cases = new Cases(document, new Arbitraries(document), judge)
  const drawn = () => drawnOf(options.values ?? {})
  const resources = new Resources(document, session, cases, drawn, path => run.create(path))
  const checks = new Checks(document, judge, await foreignFields(served))
  const run: Run = new Run({
    document,
    session,
    cases,
    checks,
    findings,
    resources,
    drawn,
    reset,
    seed,
    skips: skip,
  })
  const operations = inOrder(run.operations)
  await tracing(async () => {
    for (const operation of operations)
      await withValues(run, operation, async () => {
        await run.reset()
        await sendGenerated(run, operation, runs)
        if (!run.good.has(operation.name)) await afterPut(run, operation)
        needSuccess(run, operation)
        await run.reset()
        await provoke(run, operation)
      })
    for (const operation of operations)
      await withValues(run, operation, () => keepLaws(run, operation))
    await run.reset()
  }).finally(() => session.close())
  const counted = document.operations.filter(operation => !isSkipped(skip, operation))
  return {
    failures: findings.failures,
    coverage: coverageOf(counted, session, unreachable, run.refused),
    requests: session.requests,
  }
}

/** What reads comes before what writes, and what deletes last: things are there as long as they are needed. */
function inOrder(operations: readonly DescribedOperation[]): readonly DescribedOperation[] {
  const order = ['GET', 'QUERY', 'POST', 'PUT', 'PATCH', 'OPTIONS', 'HEAD', 'DELETE']
  return [...operations].sort(
    (left, right) => order.indexOf(left.method) - order.indexOf(right.method),
  )
}

async function drawnOf(values: NonNullable<ContractOptions['values']>): Promise<Drawn> {
  const entries = await Promise.all(
    Object.entries(values).map(
      async ([name, given]) => [name, typeof given === 'function' ? await given() : given] as const,
    ),
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

/** The header fields that a response has which no operation gave. */
async function foreignFields(app: Served): Promise<ReadonlySet<string>> {
  const { headers, body } = await fetchOf(app)('http://localhost/no-such-path-of-this-application')
  await body?.cancel()
  return new Set(headers.keys())
}

/** What a thing has one of, such as its picture, may have to be put there before anything else can be done with it. */
async function afterPut(run: Run, operation: DescribedOperation): Promise<void> {
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
  // the operation is as it should be; that it was not tested shows in the coverage
  if (last && isLimited(operation, last)) return
  if (last) findings.add(operation, fault, last)
  else findings.addUnsent(operation, fault)
}

/** Does something with an operation; where no value is found that it needs, that is what it reports. */
async function withValues(
  run: Run,
  operation: DescribedOperation,
  step: () => Promise<void>,
): Promise<void> {
  try {
    await step()
  } catch (error) {
    if (!(error instanceof NoValueError)) throw error
    run.parts.findings.addUnsent(operation, { check: 'no value', message: error.message })
  }
}

/** The schemes that an operation names, as alternatives: `login or key`. */
function schemesOf({ security = [] }: DescribedOperation): string {
  return security.map(alternative => Object.keys(alternative).join(' and ')).join(' or ')
}
