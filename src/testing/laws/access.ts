// Who may reach what: the things of other callers, and those of other parents.
import { brief } from '../judge/echo.js'
import type { Run } from '../judge/run.js'
import { isObject } from '../requests/alike.js'
import type { Credential } from '../requests/credentials.js'
import { type DescribedOperation, pathNames } from '../requests/document.js'
import type { RequestCase } from '../requests/request-case.js'
import { createdBy } from '../send/resources.js'
import { broken, type Law, read } from './law.js'
import { wholeList } from './paging.js'
import { itemOf, outerOf } from './read-back.js'

type Caller = Readonly<Record<string, Credential>>

/** A thing that is only in another caller's list can be neither read nor changed. */
export const othersAreOutOfReach: Law = async (run, list) => {
  const { session } = run.parts
  const item = list.method === 'GET' ? itemOf(run, list.path) : undefined
  const callers = item ? session.credentials.callers(list) : []
  if (!item || callers.length < 2) return
  for (const [index, lesser] of callers.entries())
    for (const [other, owner] of callers.entries()) {
      if (index === 0 || other === index) continue
      for (const operation of run.operations.filter(one => isBelow(item.path, one.path)))
        if (await reaches(run, { list, item, operation, lesser, owner })) return
    }
}

interface Pair {
  readonly list: DescribedOperation
  readonly item: DescribedOperation
  readonly operation: DescribedOperation
  readonly lesser: Caller
  readonly owner: Caller
}

async function reaches(run: Run, pair: Pair): Promise<boolean> {
  const { list, operation, lesser } = pair
  const { credentials } = run.parts.session
  if (!credentials.isSecured(operation) || credentials.callers(operation).length < 2) return false
  await run.reset()
  const [path = {}] = await run.parts.resources.of(list)
  const names = pathNames(operation.path)
  for (const foreign of await foreignTo(run, pair, path)) {
    const valid = await run.sample(operation, foreign)
    // a deeper path has further ids
    const known = await run.parts.resources.of(operation)
    const own = known.find(one => Object.entries(foreign).every(([name, id]) => one[name] === id))
    const parameters = names.every(name => name in foreign) ? foreign : own
    if (!valid || !parameters) return false
    const sent = await run.prepared(operation, { ...valid, path: parameters })
    const outcome = await run.parts.session.send(operation, sent, lesser)
    if (outcome.status < 300) {
      broken(
        run,
        operation,
        'others',
        `${outcome.status} for another caller's ${brief(foreign)}, which is not in the list of this one`,
        outcome,
      )
      return true
    }
    // another row may be in a state that allows it
    if (outcome.status !== 409) return false
  }
  return false
}

/** The path parameters of things in the owner's list, and not in the lesser caller's. */
async function foreignTo(
  run: Run,
  { list, item, lesser, owner }: Pair,
  path: RequestCase['path'],
): Promise<readonly RequestCase['path'][]> {
  const { session } = run.parts
  const listFor = (caller: Caller) =>
    wholeList(run, list, path, {}, sent => session.send(list, sent, caller))
  /** Whether the lesser caller may not see what the things belong to. */
  const isHidden = async () => {
    const sample = pathNames(list.path).length > 0 ? await run.sample(list, path) : undefined
    const { status } = sample
      ? await session.send(list, { ...sample, path }, lesser)
      : { status: 0 }
    return status === 403 || status === 404
  }
  const find = async () => {
    const theirs = await listFor(owner)
    const own = (await listFor(lesser))?.rows ?? ((await isHidden()) ? [] : undefined)
    if (!theirs || !own) return []
    const outer = outerOf(item, list.path, path)
    // a row may say something about the caller: it is known by the path of its item
    const addressOf = (json: unknown) =>
      createdBy(item.path, outer, { ...theirs.last, headers: new Headers(), json })
    const known = new Set(own.map(row => JSON.stringify(addressOf(row))))
    return theirs.rows
      .map(addressOf)
      .filter(address => address !== undefined)
      .filter(address => !known.has(JSON.stringify(address)))
  }
  let found = await find()
  const post = run.find('POST', list.path)
  // the row that one request creates may belong to both callers
  for (const valid of (post && run.good.get(post.name)) ?? []) {
    if (!post || found.length > 0) break
    await session.send(post, await run.prepared(post, valid), owner)
    found = await find()
  }
  return found
}

/**
 * A response does not depend on earlier callers: a cache that ignores the caller gives the response
 * of the first one to all others.
 */
export const nothingOfOthersIsShown: Law = async (run, operation) => {
  const { session } = run.parts
  const callers = operation.method === 'GET' ? session.credentials.callers(operation) : []
  const [first, second] = callers
  const valid = first && second && (await run.sample(operation))
  if (!valid || !run.parts.reset || session.isEndless(operation)) return
  // with a filter both lists may be empty
  const query = Object.fromEntries(
    operation.parameters.flatMap(({ in: place, name, required }) =>
      place === 'query' && required ? [[name, valid.query[name]]] : [],
    ),
  )
  const ask = (caller: Caller) => session.send(operation, { ...valid, query }, caller)
  await run.reset()
  const before = await ask(second)
  await run.reset()
  const [theirs, own] = [await ask(first), await ask(second)]
  if (own.isCut || own.status !== 200 || before.status !== 200) return
  if (own.text === theirs.text && before.text !== theirs.text)
    broken(run, operation, 'others', 'it shows what another caller has got just before', own)
}

const isBelow = (item: string, path: string): boolean =>
  path === item || path.startsWith(`${item}/`)

/** A nested resource is not found below another parent. */
export const parentsMatter: Law = async (run, operation) => {
  const { path } = operation
  const names = pathNames(path)
  await rowsNameTheirParent(run, operation)
  const mayCreate = operation.method === 'PUT' && operation.responses[201] !== undefined
  if (names.length < 2 || mayCreate) return
  const known = await run.parts.resources.of(operation)
  const valid = await run.sample(operation, known[0])
  if (!valid || known.length === 0) return
  for (const name of names.slice(0, -1)) {
    const prefix = path.slice(0, path.indexOf(`{${name}}`) + name.length + 2)
    const parents = await run.parts.resources.below(prefix)
    const swapped = known.flatMap(own =>
      parents
        .filter(parent => parent[name] !== own[name])
        .map(parent => ({ ...own, [name]: parent[name] })),
    )
    // ids may be counted for each parent
    const other = swapped.find(one => !known.some(own => isSame(own, one, names)))
    if (!other || (await isListed(run, path, other, names))) continue
    const sent = await run.prepared(operation, { ...valid, path: other })
    const outcome = await run.send(operation, sent)
    const own = operation.method === 'DELETE' ? await read(run, operation, valid.path) : undefined
    // a DELETE may succeed for what is not there, as long as nothing is deleted; and a PUT may put
    // the same name below both, as that of a member
    const isHarmless =
      (operation.method === 'DELETE' && (!own || own.status === 200)) ||
      (operation.method === 'PUT' &&
        (await isListed(run, path, other, names)) &&
        (await isListed(run, path, valid.path, names)))
    if (outcome.status < 300 && !isHarmless)
      return broken(
        run,
        operation,
        'parents',
        `${outcome.status} although ${brief(other)} is below another ${name}`,
        outcome,
      )
  }
}

/** A row that names its parent names the one of the path. */
async function rowsNameTheirParent(run: Run, operation: DescribedOperation): Promise<void> {
  const name = pathNames(operation.path).at(-1)
  if (operation.method !== 'GET' || !name || operation.path.endsWith('}') || name === 'id') return
  for (const path of (await run.parts.resources.of(operation)).slice(0, 2)) {
    const whole = await wholeList(run, operation, path)
    const row = whole?.rows.find(
      one => isObject(one) && isScalar(one[name]) && String(one[name]) !== String(path[name]),
    )
    if (whole && row)
      return broken(
        run,
        operation,
        'parents',
        `the list below ${brief(path)} has ${brief(row)}`,
        whole.last,
      )
  }
}

const isScalar = (value: unknown): boolean => ['string', 'number'].includes(typeof value)

function isSame(left: RequestCase['path'], right: RequestCase['path'], names: readonly string[]) {
  return names.every(name => String(left[name]) === String(right[name]))
}

/** Whether the list of the other parent has the thing as well, or nobody can tell. */
async function isListed(
  run: Run,
  path: string,
  parameters: RequestCase['path'],
  names: readonly string[],
): Promise<boolean> {
  const last = names.at(-1) as string
  const collection = path.slice(0, path.indexOf(`/{${last}}`))
  const list = run.find('GET', collection) ?? run.find('GET', `${collection}/`)
  const whole = list && (await wholeList(run, list, parameters))
  if (!whole) return list === undefined
  // a list that ignores its parent has everything: then the item tells
  const item = path.slice(0, path.indexOf(`{${last}}`) + last.length + 2)
  return whole.rows.some(row => {
    if (!isObject(row)) return false
    const ids = createdBy(item, without(parameters, last), {
      ...whole.last,
      headers: new Headers(),
      json: row,
    })
    return String(ids?.[last]) === String(parameters[last])
  })
}

function without(path: RequestCase['path'], name: string): RequestCase['path'] {
  return Object.fromEntries(Object.entries(path).filter(([key]) => key !== name))
}
