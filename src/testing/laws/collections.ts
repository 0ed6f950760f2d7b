// The laws of lists and their items: what is added, what is removed, and what each row leads to.
import { isDeepStrictEqual } from 'node:util'
import { brief, schemaOf } from '../judge/echo.js'
import type { Run } from '../judge/run.js'
import { isObject } from '../requests/alike.js'
import { type DescribedOperation, pathNames } from '../requests/document.js'
import type { RequestCase } from '../requests/request-case.js'
import { createdBy, resolved } from '../send/resources.js'
import type { Outcome } from '../send/session.js'
import { broken, type Law, readAt } from './law.js'
import { identityOf, wholeList } from './paging.js'
import { itemOf, outerOf } from './read-back.js'

/** How many rows are read one by one from either end of a list. */
const ROWS = 2

/** POST adds one row to its list, and DELETE removes one. */
export const listsChangeByOne: Law = async (run, operation) => {
  if (operation.method === 'POST') return added(run, operation)
  if (operation.method === 'DELETE') return removed(run, operation)
}

async function added(run: Run, operation: DescribedOperation): Promise<void> {
  const list = run.find('GET', operation.path)
  const isList = run.parts.checks.echo.alike.itemsOf(schemaOf(list, 200)) !== undefined
  const valid = list && isList ? await run.sample(operation) : undefined
  const before = list && valid && (await wholeList(run, list, valid.path))
  if (!before || Array.isArray(contentIn(valid))) return
  const others = (await run.parts.resources.of(list)).filter(
    path => !isDeepStrictEqual(path, valid.path),
  )
  const [other] = others
  const elsewhere = other && (await wholeList(run, list, other))
  const outcome = await run.send(operation, await run.prepared(operation, valid))
  const after = outcome.status === 201 ? await wholeList(run, list, valid.path) : undefined
  if (!after) return
  const there = elsewhere && (await wholeList(run, list, other))
  if (there && there.rows.length > elsewhere.rows.length)
    broken(
      run,
      operation,
      'parents',
      `what was created below ${brief(valid.path)} is in the list of ${brief(other)} as well`,
      outcome,
    )
  const fail = (message: string) => broken(run, operation, 'list', message, outcome)
  const [ids, later] = [before.rows.map(identityOf), after.rows.map(identityOf)]
  const id = isObject(outcome.json) ? identityOf(outcome.json) : undefined
  // without an id, the new row may equal an existing one
  const isNew = later.filter(one => !ids.includes(one))
  const gone = ids.filter(one => !later.includes(one))
  if (gone.length > 0 && hasIds(before.rows)) return fail(`the list has lost ${gone[0]}`)
  if (hasIds(after.rows) && id !== undefined && 'id' in (outcome.json as object)) {
    if (ids.includes(id)) return fail(`the id ${id} was in the list before`)
    if (!later.includes(id)) return fail(`the list lacks what was created, ${id}`)
  }
  if (later.length !== ids.length + 1)
    return fail(`the list had ${ids.length} rows, and has ${later.length} after one was created`)
  if (isNew.length > 1) return fail(`the list has ${isNew.length} new rows after one was created`)
  const row = after.rows.find(one => identityOf(one) === id)
  const { alike } = run.parts.checks.echo
  const [own, rows] = [schemaOf(operation, outcome.status), alike.itemsOf(schemaOf(list, 200))]
  if (!row || !own || !rows) return
  const [differs] = alike.differences(
    { schema: own, value: outcome.json },
    { schema: rows, value: row },
    { isOurs: true },
  )
  if (differs)
    fail(
      `${differs.field} is ${brief(differs.shown)} in the list, and ${brief(differs.given)} was created`,
    )
}

async function removed(run: Run, operation: DescribedOperation): Promise<void> {
  const names = pathNames(operation.path)
  const list = operation.path.endsWith('}') ? listOf(run, operation) : undefined
  const made = list && (await run.create(operation.path))
  const created = made ?? (list && (await knownTo(run, operation)))
  const last = names.at(-1)
  const valid = created && (await run.sample(operation, created))
  if (!list || !valid || last === undefined) return
  const before = await wholeList(run, list, created)
  const outcome = await run.send(operation, await run.prepared(operation, valid))
  const after =
    outcome.status < 300 && outcome.status !== 202 && (await wholeList(run, list, created))
  if (!before || !after) return
  const { [last]: own, ...outer } = created
  // rows are told apart as their paths are
  const idOf = (row: unknown) =>
    isObject(row) ? String(pathOf(operation, outer, row)?.[last]) : undefined
  const ids = before.rows.map(idOf)
  if (ids.some(id => id === undefined || id === 'undefined')) return
  const later = new Set(after.rows.map(idOf))
  const gone = ids.filter(id => !later.has(id))
  // a row that the list never showed cannot leave it
  const isShown = ids.includes(String(own))
  const left = before.rows.filter(row => gone.includes(idOf(row)))
  // with what was there before, what belongs to it may go
  const belongs = (row: unknown) =>
    !made && (idOf(row) === String(own) || mentions(row, gone, idOf(row)))
  if (isShown && gone.length !== 1 && !(gone.length > 1 && left.every(belongs)))
    broken(
      run,
      operation,
      'list',
      `${gone.length} rows have left the list after one was deleted`,
      outcome,
    )
}

/** Whether a row names another one. */
function mentions(row: unknown, ids: readonly unknown[], own: unknown): boolean {
  const values = Object.values(isObject(row) ? row : {}).map(String)
  return values.some(value =>
    ids.some(id => id !== own && (value === id || value.startsWith(`${id}/`))),
  )
}

/** A thing that was there before, if it comes back. */
async function knownTo(
  run: Run,
  operation: DescribedOperation,
): Promise<RequestCase['path'] | undefined> {
  return run.parts.reset && (await run.parts.resources.of(operation))[0]
}

/** The GET of the list that an item is in. */
export function listOf(run: Run, { path }: DescribedOperation): DescribedOperation | undefined {
  const collection = path.slice(0, path.lastIndexOf('/'))
  return run.find('GET', collection) ?? run.find('GET', `${collection}/`)
}

export const hasIds = (rows: readonly unknown[]): boolean =>
  rows.every(row => isObject(row) && 'id' in row)

const contentIn = ({ body }: RequestCase): unknown =>
  body && 'value' in body ? body.value : undefined

/** A created thing can be read, and a deleted one is gone. */
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
  const names = pathNames(operation.path)
  const below = run.operations.filter(
    ({ method, path, responses }) =>
      method === 'GET' &&
      path.startsWith(`${operation.path}/`) &&
      pathNames(path).length === names.length &&
      responses[404] !== undefined,
  )
  const shown = []
  for (const get of below) if ((await readAt(run, get, created))?.status === 200) shown.push(get)
  const deleted = await run.send(
    deletion,
    await run.prepared(deletion, { ...sample, path: created, query: {}, body: undefined }),
  )
  if (deleted.status >= 300) return
  const name = 'what is deleted is gone'
  const gone = await run.send(operation, { ...sample, path: created })
  if (gone.status < 400)
    return broken(run, operation, name, `${gone.status} for what was just deleted`, gone)
  for (const get of shown) {
    const left = await readAt(run, get, created)
    if (left && left.status < 400)
      broken(run, get, name, `${left.status} below what was just deleted`, left)
  }
}

/** Each row of a list can be read by itself, with the same content. */
export const listedCanBeRead: Law = async (run, operation) => {
  const item = operation.method === 'GET' ? itemOf(run, operation.path) : undefined
  const rowSchema = run.parts.checks.echo.alike.itemsOf(schemaOf(operation, 200))
  const itemSchema = schemaOf(item, 200)
  if (!item || !rowSchema || !itemSchema) return
  const paths = await run.parts.resources.of(operation)
  await othersCanRead(run, operation, item, paths[0] ?? {})
  for (const path of pathNames(operation.path).length > 0 ? paths.slice(0, 2) : [{}]) {
    const whole = await wholeList(run, operation, path)
    const rows = whole?.rows ?? []
    for (const row of new Set([...rows.slice(0, ROWS), ...rows.slice(-ROWS)])) {
      const { alike } = run.parts.checks.echo
      if (!whole || !isObject(row)) return
      const parameters = pathOf(item, outerOf(item, operation.path, path), row)
      if (!parameters) return
      const found = await readAt(run, item, parameters)
      if (!found || found.status === 429 || found.status === 401) return
      const fail = (message: string) => broken(run, operation, 'listed', message, found)
      if (found.status >= 400)
        return fail(`${found.status} for ${brief(row)}, which is in the list`)
      const [differs] = alike.differences(
        { schema: rowSchema, value: row },
        { schema: itemSchema, value: found.json },
        { isOurs: true },
      )
      if (differs && (await wholeList(run, operation, path))?.last.text === whole.last.text)
        return fail(
          `${differs.field} is ${brief(differs.given)} in the list, and ${brief(differs.shown)} alone`,
        )
    }
  }
}

/** Lesser callers find what their lists show. A 403 is fine: it may be seen and not opened. */
async function othersCanRead(
  run: Run,
  list: DescribedOperation,
  item: DescribedOperation,
  path: RequestCase['path'],
): Promise<void> {
  const { session } = run.parts
  const { credentials } = session
  const callers = credentials.callers(list)
  if (credentials.callers(item).length !== callers.length) return
  for (const caller of callers.slice(1)) {
    const whole = await wholeList(run, list, path, {}, sent => session.send(list, sent, caller))
    for (const row of (whole?.rows ?? []).filter(isObject).slice(0, READ_BY_OTHERS)) {
      const parameters = pathOf(item, outerOf(item, list.path, path), row)
      const sample = parameters && (await run.sample(item, parameters))
      if (!sample) return
      const sent = { ...sample, path: parameters }
      const found = await session.send(item, sent, caller)
      if (found.status === 404)
        return broken(
          run,
          list,
          'listed',
          `404 for ${brief(row)}, which is in the list of the same caller`,
          found,
        )
    }
  }
}

/** How many rows of a lesser caller's list are read. */
const READ_BY_OTHERS = 4

/** The path parameters of a row. */
export function pathOf(
  { path: template }: DescribedOperation,
  path: RequestCase['path'],
  row: object,
): RequestCase['path'] | undefined {
  const request = { method: 'GET', target: '/', headers: {}, body: undefined }
  return createdBy(template, path, { headers: new Headers(), json: row, request })
}

/** The Location of what was created, or of what shows how far it is, leads there. */
export const locationLeads: Law = async (run, operation) => {
  if (!['POST', 'PUT'].includes(operation.method)) return
  const valid = await run.sample(operation)
  if (!valid) return
  const outcome = await run.send(operation, await run.prepared(operation, valid))
  const location = outcome.headers.get('Location')
  if (![201, 202].includes(outcome.status) || location === null) return
  const target = resolved(location, outcome.request.target)
  const found = target && documentedAt(run, target)
  if (target && !found && outcome.status === 201)
    return leadsNowhere(run, operation, target, outcome)
  if (!found) return
  const shown = await readAt(run, found.get, found.path)
  if (!shown) return
  const fail = (message: string) => broken(run, operation, 'Location', message, outcome)
  if (shown.status >= 400) return fail(`${location} is ${shown.status}`)
  const [own, schema] = [schemaOf(operation, outcome.status), schemaOf(found.get, 200)]
  const isOne = isObject(outcome.json) && itemOf(run, operation.path) !== undefined
  if (outcome.status === 201 && isOne && Array.isArray(shown.json))
    return fail(`${location} is a list, and not what was created`)
  if (outcome.status !== 201 || shown.status !== 200 || !own || !schema) return
  const [differs] = run.parts.checks.echo.alike.differences(
    { schema: own, value: outcome.json },
    { schema, value: shown.json },
    { isOurs: true },
  )
  if (differs)
    fail(`${location} has another ${differs.field}, ${brief(differs.shown)}, than what was created`)
}

/**
 * A Location of this application that is a 404. A proxy may have another prefix, so the end of a
 * documented path is enough.
 */
async function leadsNowhere(
  run: Run,
  operation: DescribedOperation,
  { host, pathname }: URL,
  outcome: Outcome,
): Promise<void> {
  const ends = pathname.split('/').map((_, index, all) => `/${all.slice(index).join('/')}`)
  const isKnown = run.parts.document.operations.some(({ path }) =>
    ends.some(end => matched(path, end) !== undefined && !/^\/(\{[^}]+\}\/?)+$/.test(path)),
  )
  if (host !== 'localhost' || isKnown) return
  const request = { method: 'GET', target: pathname, headers: {}, body: undefined }
  const shown = await run.parts.session.sendAs(operation, request)
  if (shown.status === 404)
    broken(run, operation, 'Location', `there is nothing at ${pathname}`, outcome)
}

/**
 * The documented GET that matches a URL; if several do, the one with the most literal characters.
 */
function documentedAt(
  run: Run,
  { pathname }: URL,
): { readonly get: DescribedOperation; readonly path: RequestCase['path'] } | undefined {
  const { prefix } = run.parts.session
  const own = pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : pathname
  const gets = run.operations.filter(({ method }) => method === 'GET')
  const found = gets.flatMap(get => {
    const given = matched(get.path, own)
    return given ? [{ get, path: given }] : []
  })
  return found.sort((a, b) => pathNames(a.get.path).length - pathNames(b.get.path).length)[0]
}

/** The path parameters of a path that matches a template. */
export function matched(template: string, path: string): RequestCase['path'] | undefined {
  const [wanted, given] = [template.split('/'), path.split('/')]
  if (wanted.length !== given.length) return undefined
  const pairs = wanted.map((segment, index) => [segment, given[index] as string] as const)
  if (pairs.some(([segment, text]) => !/^\{[^}]+\}$/.test(segment) && segment !== text))
    return undefined
  const own = pairs.filter(([segment]) => segment.startsWith('{'))
  return Object.fromEntries(own.map(([segment, text]) => [segment.slice(1, -1), unescaped(text)]))
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** How many redirects in a row are followed. */
const HOPS = 10

/** Redirects end, at something that is there. */
export const redirectsEnd: Law = async (run, operation) => {
  if (!Object.keys(operation.responses).some(status => /^30[12378]$/.test(status))) return
  const valid = operation.method === 'GET' ? await run.sample(operation) : undefined
  const first = valid && (await run.send(operation, valid))
  let last = first
  for (let hop = 0; first && last && last.status >= 300 && last.status < 400; hop++) {
    const location = last.headers.get('Location')
    const target = location === null ? undefined : resolved(location, last.request.target)
    const found = target?.host === 'localhost' ? documentedAt(run, target) : undefined
    if (!target || !found || last.status === 304) return
    if (hop === HOPS)
      return broken(run, operation, 'redirects', `${HOPS} redirects, and no end`, first)
    const request = { ...first.request, target: target.pathname + target.search }
    last = await run.parts.session.sendAs(found.get, request)
    if (last.status === 404 || last.status >= 500)
      return broken(run, operation, 'redirects', `${location} is ${last.status}`, first)
  }
}

/** How often two creations are sent at once: whether they overlap is a matter of chance. */
const RACES = 5

/** If a repeated creation is a conflict, at most one of two simultaneous creations succeeds. */
export const oneOfTwoCreations: Law = async (run, operation) => {
  if (operation.method !== 'POST' || operation.responses[409] === undefined) return
  const valid = await run.sample(operation)
  if (!valid || !run.parts.reset) return
  const once = async () => run.send(operation, await run.prepared(operation, valid))
  const [first, second] = [await once(), await once()]
  if (first.status >= 300 || second.status !== 409) return
  for (let race = 0; race < RACES; race++) {
    await run.reset()
    const prepared = [await run.prepared(operation, valid), await run.prepared(operation, valid)]
    const both = await Promise.all(prepared.map(sent => run.send(operation, sent)))
    const good = both.filter(({ status }) => status < 300)
    if (good.length > 1)
      return broken(
        run,
        operation,
        'two at once',
        'two equal creations at once have both succeeded, and one after the other is a 409',
        good[1] as Outcome,
      )
  }
}
