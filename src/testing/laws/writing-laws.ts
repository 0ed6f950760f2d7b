// The laws of writing: what is created, replaced and deleted shows when it is read.
import { isDeepStrictEqual } from 'node:util'
import { type DescribedOperation, pathNames } from '../requests/document.js'
import type { RequestCase } from '../requests/request-case.js'
import type { Outcome } from '../send/session.js'
import { broken, type Law, read } from './law.js'

export const createdCanBeRead: Law = async (run, operation) => {
  if (
    operation.method !== 'GET' ||
    pathNames(operation.path).length === 0 ||
    !operation.path.endsWith('}')
  )
    return
  const created = await run.create(operation.path)
  if (!created) return
  const sample = await run.sample(operation, created)
  const found = sample && (await run.send(operation, { ...sample, path: created }))
  if (!found) return
  if (found.status >= 400)
    return broken(
      run,
      operation,
      'what is created can be read',
      `${found.status} for what was just created`,
      found,
    )
  const deletion = run.find('DELETE', operation.path)
  if (!deletion) return
  const deleted = await run.send(
    deletion,
    await run.prepared(deletion, { ...sample, path: created, query: {}, body: undefined }),
  )
  if (deleted.status >= 300) return
  const gone = await run.send(operation, { ...sample, path: created })
  if (gone.status < 400)
    broken(
      run,
      operation,
      'what is deleted is gone',
      `${gone.status} for what was just deleted`,
      gone,
    )
}

const WRITTEN = 'what is written can be read'

/** What a PUT or PATCH returns is what a GET returns afterwards; where it returns nothing, one of several changes has to show. */
export const writtenCanBeRead: Law = async (run, operation) => {
  if (!['PUT', 'PATCH'].includes(operation.method)) return
  const valid = await run.sample(operation)
  if (!valid) return
  const read200 = async () => {
    const outcome = await read(run, operation, valid.path)
    return outcome?.status === 200 ? outcome : undefined
  }
  const [before, again] = [await read200(), await read200()]
  // what changes by being read proves nothing
  if (!before || again?.text !== before.text) return
  const sent: RequestCase['body'][] = []
  for (const known of run.good.get(operation.name) ?? []) {
    const outcome = await run.send(
      operation,
      await run.prepared(operation, { ...known, path: valid.path }),
    )
    const after = outcome.status < 300 ? await read200() : undefined
    if (!after) return
    const isSame = isDeepStrictEqual(
      schemaOf(operation, outcome.status),
      schemaOf(run.find('GET', operation.path), 200),
    )
    const differs = isSame ? differenceIn(known, outcome, after) : undefined
    if (differs)
      return broken(
        run,
        operation,
        WRITTEN,
        `GET has another ${differs} than the response to ${operation.method} had`,
        after,
      )
    if (after.text !== before.text) return
    sent.push(known.body)
    if (outcome.json === undefined && hasChange(sent, after.json))
      return broken(
        run,
        operation,
        WRITTEN,
        `${outcome.status} for several changes, and what can be read stays the same`,
        outcome,
      )
  }
}

/** What the document says a response is; undefined where it is not JSON. */
function schemaOf(operation: DescribedOperation | undefined, status: number): unknown {
  const { content = {} } = operation?.responses[status] ?? {}
  return Object.entries(content).find(([type]) => type.endsWith('json'))?.[1].schema
}

/** A field that was sent and that both have, with different values. A caller may be shown more or less of a thing than another one. */
function differenceIn({ body }: RequestCase, written: Outcome, found: Outcome): string | undefined {
  const [left, right] = [fieldsOf(written.json), fieldsOf(found.json)]
  const sent = body && 'value' in body ? fieldsOf(body.value) : {}
  const names = Object.keys(sent).filter(
    name => Object.hasOwn(left, name) && Object.hasOwn(right, name),
  )
  return names.find(name => !isDeepStrictEqual(left[name], right[name]))
}

/** Whether what was sent has two values of one field that can be read. */
function hasChange(sent: readonly RequestCase['body'][], found: unknown): boolean {
  const bodies = sent.map(body => (body && 'value' in body ? fieldsOf(body.value) : {}))
  return Object.keys(fieldsOf(found)).some(name => {
    const values = bodies
      .filter(body => Object.hasOwn(body, name))
      .map(body => JSON.stringify(body[name]).toLowerCase())
    return new Set(values).size > 2
  })
}

function fieldsOf(json: unknown): Readonly<Record<string, unknown>> {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
    ? (json as Readonly<Record<string, unknown>>)
    : {}
}
