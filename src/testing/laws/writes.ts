// The laws of single fields: what a write changes, and what it leaves alone.
import { isDeepStrictEqual } from 'node:util'
import { brief, schemaOf, sentIn, takesMergePatch } from '../judge/echo.js'
import { mayCreate, type Run, takes } from '../judge/run.js'
import { isObject } from '../requests/alike.js'
import { type DescribedOperation, type Json, pathNames } from '../requests/document.js'
import type { RequestCase } from '../requests/request-case.js'
import type { Outcome } from '../send/session.js'
import { listOf } from './collections.js'
import { broken, type Law, read, readAt } from './law.js'
import { wholeList } from './paging.js'

/** How many fields of a body are tried, one at a time. */
const FIELDS = 6

/** A write of fields with the GET that shows them. */
interface Writing {
  readonly sent: RequestCase
  readonly value: Readonly<Record<string, unknown>>
  readonly mediaType: string
  readonly fields: Readonly<Record<string, Json>>
  /** The names that GET shows as well. */
  readonly shown: readonly string[]
  readonly show: () => Promise<Readonly<Record<string, unknown>> | undefined>
  readonly write: (value: object) => Promise<Outcome>
}

/** A valid request with the most fields in its body among those that have succeeded. */
export async function fullest(
  run: Run,
  operation: DescribedOperation,
  path?: RequestCase['path'],
): Promise<RequestCase | undefined> {
  const sample = await run.sample(operation, path)
  const sizeOf = (one: RequestCase) =>
    Object.values(sentIn(operation, one)?.value ?? {}).filter(field => !isEmpty(field)).length
  const good = [...(run.good.get(operation.name) ?? [])]
  const most = good.sort((left, right) => sizeOf(right) - sizeOf(left))[0]
  return sample && { ...sample, body: (most ?? sample).body }
}

async function writingOf(run: Run, operation: DescribedOperation): Promise<Writing | undefined> {
  const get = run.find('GET', operation.path)
  const sent = await fullest(run, operation)
  const given = sent && sentIn(operation, sent)
  const schema = schemaOf(get, 200)
  if (!get || !sent?.body || !given || !isObject(given.value) || !schema) return undefined
  const { mediaType } = sent.body
  const { alike } = run.parts.checks.echo
  const names = pathNames(operation.path)
  const shown = alike
    .commonFields(given.schema, schema)
    .filter(name => !names.includes(name) && !isNormalised(run, operation, name))
  return {
    sent,
    mediaType,
    value: given.value,
    fields: alike.fieldsOf(given.schema, given.value),
    shown,
    show: async () => {
      const found = await readAt(run, get, sent.path)
      return found?.status === 200 && isObject(found.json) ? found.json : undefined
    },
    write: async value =>
      run.send(operation, await run.prepared(operation, { ...sent, body: { mediaType, value } })),
  }
}

function isNormalised(run: Run, { name }: DescribedOperation, field: string): boolean {
  return Object.keys(run.parts.checks.echo.normalises).some(
    key => key === `${name} json.${field}` || key.startsWith(`${name} json.${field}.`),
  )
}

/** A PATCH of one field changes it, and leaves the others alone. */
export const patchChangesOne: Law = async (run, operation) => {
  if (operation.method !== 'PATCH') return
  const writing = await writingOf(run, operation)
  if (!writing) return
  const { shown, fields, value, show, write } = writing
  const { echo } = run.parts.checks
  const names = shown.filter(one => one in value).slice(0, FIELDS)
  let before = await show()
  // in the second round every field has a value to lose
  for (const name of [...names, ...names]) {
    const was = before
    const outcome = was && (await write({ [name]: value[name] }))
    const after = outcome && outcome.status < 300 ? await show() : undefined
    if (!was || !after || !outcome) continue
    before = after
    const isEqual = (field: string, left: unknown, right: unknown) =>
      echo.alike.isEqual(fields[field] as Json, left, right)
    const fail = (message: string) => broken(run, operation, 'patch', message, outcome)
    const other = shown.find(one => one !== name && !isEqual(one, was[one], after[one]))
    if (other)
      return fail(
        `only ${name} was sent, and ${other} has changed from ${brief(was[other])} to ${brief(after[other])}`,
      )
    // an object may be merged, and null may remove a field, of which "echo" knows the default
    const isPlain = !isObject(value[name]) && !(value[name] === null && takesMergePatch(operation))
    if (isPlain && !isEqual(name, value[name], after[name]))
      return fail(`${name} is ${brief(after[name])}, and ${brief(value[name])} was sent`)
  }
}

/** A PUT without an optional field removes it. */
export const putReplaces: Law = async (run, operation) => {
  if (operation.method !== 'PUT') return
  const writing = await writingOf(run, operation)
  if (!writing) return
  const { shown, fields, value, show, write, mediaType } = writing
  const { judge } = run.parts.cases
  const { echo } = run.parts.checks
  const schema = operation.bodies.find(one => one.mediaType === mediaType)?.schema ?? {}
  const optional = shown.filter(name => {
    const { [name]: _, ...rest } = value
    return name in fields && judge.faultOf(schema, rest) === undefined
  })
  await replacesWhole(run, operation, writing)
  for (const name of optional.slice(0, FIELDS)) {
    const { [name]: given, ...rest } = value
    // an empty value cannot be told from none
    const own = isEmpty(given ?? null)
      ? TELLING.find(one => judge.faultOf(fields[name] as Json, one) === undefined)
      : given
    if (own === undefined) continue
    if ((await write({ ...rest, [name]: own })).status >= 300) continue
    const before = await show()
    const outcome = before && (await write(rest))
    const after = outcome && outcome.status < 300 ? await show() : undefined
    if (!before || !after || !outcome) continue
    const field = fields[name] as Json
    const fallback = field.default ?? run.parts.document.resolve(field).default
    const isKept = echo.alike.isEqual(field, after[name], own)
    if (isKept && !echo.alike.isEqual(field, own, fallback))
      return broken(
        run,
        operation,
        'PUT replaces',
        `a PUT without ${name} keeps ${brief(own)} of the one before`,
        outcome,
      )
  }
}

/** A PUT with less in an object or a dictionary removes the rest of it. */
async function replacesWhole(
  run: Run,
  operation: DescribedOperation,
  { shown, fields, value, show, write, mediaType }: Writing,
): Promise<void> {
  const { judge } = run.parts.cases
  const { alike } = run.parts.checks.echo
  const schema = operation.bodies.find(one => one.mediaType === mediaType)?.schema ?? {}
  const isValid = (one: object) => judge.faultOf(schema, one) === undefined
  for (const name of shown.slice(0, FIELDS)) {
    const given = value[name]
    const entries = TELLING.map(one => ({ contract: one }))
    // an empty dictionary has nothing to lose
    const own = isEmpty(given ?? null)
      ? entries.find(one => judge.faultOf(fields[name] as Json, one) === undefined)
      : given
    if (!isObject(own)) continue
    const whole = { ...value, [name]: own }
    const inner = alike.fieldsOf(fields[name] as Json, own)
    for (const key of Object.keys(own).slice(0, FIELDS)) {
      const { [key]: had, ...less } = own
      const rest = { ...value, [name]: less }
      if (had === null || (key in inner && isDefaulted(run, inner[key] as Json))) continue
      if (!isValid(rest) || !isValid(whole) || (await write(whole)).status >= 300) continue
      const outcome = await write(rest)
      const after = outcome.status < 300 ? await show() : undefined
      const found = after?.[name]
      if (isObject(found) && isDeepStrictEqual(found[key], had))
        return broken(
          run,
          operation,
          'PUT replaces',
          `a PUT without ${name}.${key} keeps ${brief(had)} of the one before`,
          outcome,
        )
    }
  }
}

const isDefaulted = (run: Run, field: Json): boolean =>
  (field.default ?? run.parts.document.resolve(field).default) !== undefined

/** Values that differ from what a field has by itself. */
const TELLING = ['note', 7, true]

/** Values that a field may have by itself. */
const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === '' ||
  value === 0 ||
  value === false ||
  (typeof value === 'object' && Object.keys(value).length === 0)

/** The same PUT again changes nothing. */
export const putTwice: Law = async (run, operation) => {
  if (operation.method !== 'PUT') return
  await putTwiceInList(run, operation)
  const writing = await writingOf(run, operation)
  if (!writing) return
  const { shown, fields, value, show, write } = writing
  if ((await write(value)).status >= 300) return
  const before = await show()
  const outcome = await write(value)
  const fail = (message: string) => broken(run, operation, 'PUT twice', message, outcome)
  // refusing the repetition is a visible effect as well
  if (outcome.status >= 400 && outcome.status !== 429 && operation.responses[409] === undefined)
    return fail(`${outcome.status} for the same PUT again`)
  const after = outcome.status < 300 ? await show() : undefined
  if (!before || !after) return
  const { alike } = run.parts.checks.echo
  const name = shown.find(one => !alike.isEqual(fields[one] as Json, before[one], after[one]))
  if (name)
    fail(
      `the same PUT again has changed ${name} from ${brief(before[name])} to ${brief(after[name])}`,
    )
}

/** The same, judged by the list that contains the row. */
async function putTwiceInList(run: Run, operation: DescribedOperation): Promise<void> {
  const list = operation.path.endsWith('}') ? listOf(run, operation) : undefined
  const valid = list && (await run.sample(operation))
  if (!list || !valid) return
  const write = async () => run.send(operation, await run.prepared(operation, valid))
  if ((await write()).status >= 300) return
  const before = await wholeList(run, list, valid.path)
  const outcome = await write()
  const after = outcome.status < 300 ? await wholeList(run, list, valid.path) : undefined
  if (before && after && before.rows.length !== after.rows.length)
    broken(
      run,
      operation,
      'PUT twice',
      `the list had ${before.rows.length} rows, and has ${after.rows.length} after the same PUT again`,
      outcome,
    )
}

/** Tags of what is around a write follow it: `tags` compares whatever is read. */
export const surroundingsAreTagged: Law = async (run, operation) => {
  if (!['POST', 'PUT', 'PATCH', 'DELETE'].includes(operation.method)) return
  const around = run.operations.filter(
    ({ method, path, responses }) =>
      method === 'GET' &&
      path !== operation.path &&
      'ETag' in (responses[200]?.headers ?? {}) &&
      isAround(operation.path, path),
  )
  const valid = around.length > 0 ? await run.sample(operation) : undefined
  if (!valid) return
  const readAll = async () => {
    for (const get of around)
      if (pathNames(get.path).every(name => name in valid.path)) await readAt(run, get, valid.path)
  }
  for (const sent of [valid, ...(run.good.get(operation.name) ?? [])].slice(0, 2)) {
    await readAll()
    await run.send(operation, await run.prepared(operation, { ...sent, path: valid.path }))
  }
  await readAll()
}

function isAround(path: string, other: string): boolean {
  const [own, their] = [`${path.replace(/\/$/, '')}/`, `${other.replace(/\/$/, '')}/`]
  return own.startsWith(their) || their.startsWith(own)
}

/** `If-None-Match: *` creates what is absent, once (RFC 9110, section 13.1.2). */
export const createdOnce: Law = async (run, operation) => {
  if (!takes(operation, 'if-match') || !mayCreate(operation)) return
  const valid = await run.sample(operation)
  const name = pathNames(operation.path).at(-1) as string
  const fresh = valid && run.parts.cases.freshPath(operation, name, run.parts.seed)
  if (!valid || fresh === undefined) return
  const headers = { ...valid.headers, 'If-None-Match': '*' }
  const sent = { ...valid, headers, path: { ...valid.path, [name]: fresh } }
  const fail = (message: string, outcome: Outcome) =>
    broken(run, operation, 'creation by PUT', message, outcome)
  const absent = await read(run, operation, sent.path)
  if (absent?.status !== 404) return
  await run.send(operation, { ...sent, headers: valid.headers })
  const first = await run.send(operation, sent)
  if (first.status >= 500 || ![404, 401, 403, 409, 422, 429].includes(first.status)) {
    if (first.status === 412)
      return fail('412 for If-None-Match: * although nothing is there', first)
    if (first.status >= 300) return
    if (first.status !== 201)
      return fail(`${first.status} for a PUT that has created something, instead of 201`, first)
    const found = await read(run, operation, sent.path)
    if (found && found.status >= 400)
      return fail(`${found.status} for what was just created`, found)
    const second = await run.send(operation, sent)
    if (second.status !== 412)
      fail(`${second.status} for If-None-Match: * although it is there, instead of 412`, second)
  }
}
