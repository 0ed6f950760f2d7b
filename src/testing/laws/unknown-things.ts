// Things that do not exist: an operation that documents 404 may not succeed for them.
import fc from 'fast-check'
import type { Fault } from '../judge/report.js'
import { type Run, takes } from '../judge/run.js'
import { type DescribedOperation, pathNames } from '../requests/document.js'
import type { RequestCase } from '../requests/request-case.js'
import type { Outcome } from '../send/session.js'

/** The response of an operation if one of its path parameters leads to nothing. */
interface Asked {
  readonly name: string
  readonly outcome: Outcome
  /**
   * The status of the GET of the thing that this parameter should lead to; undefined if it has no
   * GET.
   */
  readonly read: number | undefined
}

/** Replaces each path parameter in turn, the innermost first, by one that leads to nothing. */
export async function askForNothing(
  run: Run,
  operation: DescribedOperation,
  valid: RequestCase,
): Promise<void> {
  const mayCreate = operation.method === 'PUT' && operation.responses[201] !== undefined
  if (operation.responses[404] === undefined && !mayCreate) return
  const asked: Asked[] = []
  for (const name of [...pathNames(operation.path)].reverse()) {
    const unknown = await unknownOf(run, operation, name)
    if (unknown !== undefined)
      asked.push(
        await ask(run, operation, { ...valid, path: { ...valid.path, [name]: unknown } }, name),
      )
  }
  for (const one of asked) {
    const fault = mayCreate
      ? faultOfCreation(operation, one)
      : faultOfSuccess(operation, one, asked)
    if (fault) run.parts.findings.add(operation, fault, one.outcome)
  }
}

async function ask(
  run: Run,
  operation: DescribedOperation,
  unknown: RequestCase,
  name: string,
): Promise<Asked> {
  const get = run.find(
    'GET',
    operation.path.slice(0, operation.path.indexOf(`{${name}}`) + name.length + 2),
  )
  const sample = get && get !== operation ? await run.sample(get, unknown.path) : undefined
  const read =
    get && sample && (await run.parts.session.send(get, { ...sample, path: unknown.path })).status
  const headers = takes(operation, 'if-match') ? { 'If-Match': '"no-such-tag"' } : {}
  const sent = { ...unknown, headers: { ...unknown.headers, ...headers } }
  const prepared = takes(operation, 'idempotency-key') ? await run.prepared(operation, sent) : sent
  return { name, read, outcome: await run.send(operation, prepared) }
}

/** A PUT that may create has to document it (RFC 9110, section 9.3.4). */
function faultOfCreation(
  { path }: DescribedOperation,
  { name, outcome: { status }, read }: Asked,
): Fault | undefined {
  if (
    !path.endsWith(`{${name}}`) ||
    read !== 404 ||
    status >= 300 ||
    status === 201 ||
    status === 202
  )
    return undefined
  return {
    check: 'created',
    message: `${status} for a PUT that has created something, instead of 201 (RFC 9110, section 9.3.4)`,
  }
}

function faultOfSuccess(
  { method, path }: DescribedOperation,
  one: Asked,
  asked: readonly Asked[],
): Fault | undefined {
  const { name, outcome, read } = one
  if (outcome.status >= 300) return undefined
  const innermost = pathNames(path).at(-1)
  const isRefused = asked.some(({ outcome: { status } }) => status >= 400)
  // a second DELETE may succeed like the first one; its 404 is then about what the thing belonged
  // to
  if (method === 'DELETE' && name === innermost && isRefused) return undefined
  // not every parameter is an id: of several the ones count that lead to nothing when they are
  // read, and what is read itself
  if (asked.length > 1 && read !== 404 && isRefused && !(method === 'GET' && name === innermost))
    return undefined
  return {
    check: 'nothing found',
    message: `${outcome.status} although ${name} does not exist and 404 is documented: abort(404), or, if the PUT creates it, declare 201`,
  }
}

/**
 * A value of a path parameter that its schema allows and that leads to nothing; undefined if there
 * may be none.
 */
async function unknownOf(run: Run, operation: DescribedOperation, name: string): Promise<unknown> {
  const { document, cases, resources, seed } = run.parts
  const { schema = {} } =
    operation.parameters.find(parameter => parameter.in === 'path' && parameter.name === name) ?? {}
  const {
    type,
    format,
    maximum = Number.MAX_SAFE_INTEGER,
    enum: values,
  } = document.resolve(schema) as { readonly [key: string]: unknown }
  if (values !== undefined) return undefined
  const known = (await resources.of(operation)).map(path => String(path[name]))
  const usual =
    type === 'integer'
      ? Math.min(2_000_000_011, Number(maximum))
      : format === 'uuid'
        ? UUID
        : 'no-such-thing'
  const generated = fc.sample(cases.pathValue(operation, name), { seed, numRuns: 20 })
  return [usual, ...generated].find(
    value => !known.includes(String(value)) && cases.judge.faultOf(schema, value) === undefined,
  )
}

const UUID = '00000000-0000-4000-8000-00000000dead'
