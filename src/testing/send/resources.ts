// The things of an API: path parameters that lead to something. They come from the values that a
// test gives, from the items of collections, and from things that the run creates if a collection
// is empty.
import fc from 'fast-check'
import { isObject } from '../requests/alike.js'
import { type Cases, type Drawn, drawnFor } from '../requests/cases.js'
import { type ApiDocument, type DescribedOperation, pathNames } from '../requests/document.js'
import type { RequestCase } from '../requests/request-case.js'
import { NoResponseError, type Outcome, type Session } from './session.js'

/** How many things of a kind are used. */
const ENOUGH = 10

/** Fields by which a thing without an id is known: `/queues/{queue}`. */
const NAMES = ['name', 'slug', 'key', 'code']

export class Resources {
  #known = new Map<string, Promise<readonly RequestCase['path'][]>>()

  constructor(
    readonly document: ApiDocument,
    readonly session: Session,
    readonly cases: Cases,
    readonly drawn: () => Promise<Drawn>,
    /** Creates a thing at a path that ends with its parameter; undefined if that fails. */
    readonly create: (path: string) => Promise<RequestCase['path'] | undefined>,
  ) {}

  /** Forgets everything: the application was reset. */
  forget(): void {
    this.#known = new Map()
  }

  /** Path parameters that lead the operation to something; none if nothing is known. */
  async of({ name: operation, path }: DescribedOperation): Promise<readonly RequestCase['path'][]> {
    const names = pathNames(path)
    const last = names.at(-1)
    if (last === undefined) return []
    const found = await this.below(path.slice(0, path.indexOf(`{${last}}`) + last.length + 2))
    // values for this operation alone replace the general ones
    const drawn = await this.drawn()
    return names.reduce((paths, name) => {
      const own = drawn[`${operation} path.${name}`]
      return own
        ? distinct(
            (paths.length > 0 ? paths : [{}]).flatMap(one =>
              own.map(value => ({ ...one, [name]: value })),
            ),
          )
        : paths
    }, found)
  }

  /**
   * Path parameters for an operation to begin with: of the things that are there, or else of what is
   * above them.
   */
  async around(operation: DescribedOperation): Promise<readonly RequestCase['path'][]> {
    const found = await this.of(operation)
    const last = operation.path.lastIndexOf('/{')
    return found.length > 0 || last < 0 ? found : this.outerOf(operation.path.slice(0, last))
  }

  /** The path parameters of the things at `prefix`, which ends with its last parameter. */
  below(prefix: string): Promise<readonly RequestCase['path'][]> {
    const known = this.#known.get(prefix) ?? this.#find(prefix)
    this.#known.set(prefix, known)
    return known
  }

  async #find(prefix: string): Promise<readonly RequestCase['path'][]> {
    const drawn = drawnFor(await this.drawn(), pathNames(prefix).at(-1) as string)
    for (const { collection, names } of collectionsOf(prefix)) {
      const outer = await this.outerOf(collection)
      if (drawn)
        return outer
          .flatMap(path => drawn.map(value => ({ ...path, [names.at(-1) as string]: value })))
          .slice(0, ENOUGH)
      const listed = await this.#listed(collection, names, outer)
      if (listed.length > 0) return listed
    }
    const elsewhere = await this.#listedElsewhere(prefix)
    if (elsewhere.length > 0) return elsewhere
    const created = await this.create(prefix)
    return created ? [created] : []
  }

  /** Path parameters of the things above a collection. */
  async outerOf(collection: string): Promise<readonly RequestCase['path'][]> {
    return pathNames(collection).length > 0
      ? this.below(collection.slice(0, collection.lastIndexOf('}') + 1))
      : [{}]
  }

  /** Path parameters of the items that the GET of a collection lists. */
  async #listed(
    collection: string,
    names: readonly string[],
    outer: readonly RequestCase['path'][],
  ): Promise<readonly RequestCase['path'][]> {
    const list = this.document.operations.find(
      ({ method, path }) => method === 'GET' && isCollection(path, collection),
    )
    if (!list) return []
    const found: RequestCase['path'][] = []
    for (const path of outer) {
      for (const item of await this.#items(list, path)) {
        const ids = idsIn(item, names) ?? this.#nameIn(item, collection, names)
        if (ids && found.length < ENOUGH) found.push({ ...path, ...ids })
      }
      if (found.length >= ENOUGH) break
    }
    return found
  }

  /** The name of an item without an id, if the path parameter can have it. */
  #nameIn(
    item: object,
    collection: string,
    names: readonly string[],
  ): RequestCase['path'] | undefined {
    const [name, ...others] = names
    const fields = item as Readonly<Record<string, unknown>>
    const field = NAMES.find(one => typeof fields[one] === 'string')
    if (name === undefined || field === undefined || others.length > 0) return undefined
    const schemas = this.document.operations
      .filter(({ path }) => path.startsWith(`${collection}/{${name}}`))
      .flatMap(({ parameters }) => parameters.filter(one => one.in === 'path' && one.name === name))
      .map(({ schema }) => schema)
    const isFit = schemas.every(one => this.cases.judge.faultOf(one, fields[field]) === undefined)
    return isFit ? { [name]: fields[field] } : undefined
  }

  /** Path parameters of the things that are listed below others: `/files/{id}` by `/folders/{id}/files`. */
  async #listedElsewhere(prefix: string): Promise<readonly RequestCase['path'][]> {
    const found: RequestCase['path'][] = []
    for (const list of this.document.operations.filter(
      ({ method, path }) => method === 'GET' && isShallow(prefix, path),
    ))
      for (const path of await this.of(list))
        for (const item of await this.#items(list, path)) {
          const ids = idsIn(item, pathNames(prefix))
          if (ids && found.length < ENOUGH) found.push(ids)
        }
    return distinct(found)
  }

  async #items(list: DescribedOperation, path: RequestCase['path']): Promise<readonly object[]> {
    const [sample] = fc.sample(this.cases.valid(list, [path], await this.drawn()), {
      seed: 1,
      numRuns: 1,
    })
    if (!sample) return []
    const required = list.parameters
      .filter(parameter => parameter.in === 'query' && parameter.required)
      .map(parameter => parameter.name)
    const query = Object.fromEntries(
      Object.entries(sample.query).filter(([name]) => required.includes(name)),
    )
    const { status, json } = await this.session.send(list, { ...sample, query }).catch(unread)
    return status < 300
      ? itemsIn(json).filter((item): item is object => typeof item === 'object' && item !== null)
      : []
  }
}

/** A list that gives no response has been reported, and has nothing to offer. */
function unread(error: unknown): Pick<Outcome, 'status' | 'json'> {
  if (error instanceof NoResponseError) return { status: 0, json: undefined }
  throw error
}

/** The items of a list, or of the one list in an envelope. */
export function itemsIn(json: unknown): readonly unknown[] {
  if (Array.isArray(json)) return json
  return typeof json === 'object' && json !== null
    ? (Object.values(json).find(Array.isArray) ?? [])
    : []
}

/**
 * The collections that an item may belong to, the nearest first, with the parameters that identify
 * its items: `/slots/{room}/{number}` belongs to `/slots/{room}` or, if its id has two parts, to
 * `/slots`.
 */
export function collectionsOf(
  item: string,
): readonly { readonly collection: string; readonly names: readonly string[] }[] {
  const segments = item.split('/')
  const found: { collection: string; names: readonly string[] }[] = []
  for (let end = segments.length - 1; segments[end]?.includes('{'); end--)
    found.push({
      collection: segments.slice(0, end).join('/'),
      names: pathNames(segments.slice(end).join('/')),
    })
  return found
}

/** Whether a path is that of a collection, perhaps with a slash or a suffix such as `.json`. */
export function isCollection(path: string, collection: string): boolean {
  return path.startsWith(collection) && /^(?:\/|\.\w+)?$/.test(path.slice(collection.length))
}

/** Whether the items of a path, which has one parameter, are listed below another thing. */
export function isShallow(item: string, list: string): boolean {
  const [own, above] = [item.split('/'), list.replace(/\/$/, '').split('/')]
  return (
    pathNames(item).length === 1 &&
    own.at(-2) === above.at(-1) &&
    above.at(-2)?.startsWith('{') === true
  )
}

/** The path parameters of a created thing: from Location, or from the body. */
export function createdBy(
  path: string,
  given: RequestCase['path'],
  { headers, json, request }: Pick<Outcome, 'headers' | 'json' | 'request'>,
): RequestCase['path'] | undefined {
  const location = headers.get('Location')
  const expression = new RegExp(
    `${path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{([^}]+)\}/g, '([^/]+)')}$`,
  )
  // a reference is relative to the requested URL (RFC 9110, section 10.2.2)
  const target = location === null ? undefined : resolved(location, request.target)
  const found = target && expression.exec(target.pathname)
  const names = pathNames(path)
  if (found)
    return Object.fromEntries(
      names.map((name, index) => [name, decoded(found[index + 1] as string)]),
    )
  const missing = names.filter(name => !(name in given))
  const ids = thingsIn(json)
    .map(thing => idsIn(thing, missing))
    .find(found => found !== undefined)
  return ids && { ...given, ...ids }
}

/** The objects in a response: itself, and those in an envelope, which has no other values. */
function thingsIn(json: unknown): readonly object[] {
  if (!isObject(json)) return []
  const inside = Object.values(json)
  const isEnvelope = inside.every(one => typeof one === 'object')
  return isEnvelope ? [json, ...inside.filter(isObject)] : [json]
}

/** Resolves a reference against the requested URL; undefined if it is malformed. */
export function resolved(reference: string, target: string): URL | undefined {
  const base = new URL(target, 'http://localhost')
  return URL.canParse(reference, base.href) ? new URL(reference, base) : undefined
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The values that an item has for these path parameters; undefined if one is missing. */
function idsIn(item: object, names: readonly string[]): RequestCase['path'] | undefined {
  const fields = item as Readonly<Record<string, unknown>>
  const ids = names.map(name => {
    const field = fieldOf(Object.keys(fields), name) ?? (names.length === 1 ? 'id' : '')
    return [name, fields[field]] as const
  })
  return ids.every(([, id]) => ['string', 'number'].includes(typeof id))
    ? Object.fromEntries(ids)
    : undefined
}

/**
 * The field that a path parameter is named after: its own name, in another spelling (`pet_id`), or
 * its end (`slug` of `shelfSlug`).
 */
function fieldOf(fields: readonly string[], name: string): string | undefined {
  const [found] = fields
    .filter(field => isNamedAfter(name, field))
    .sort(
      (left, right) => Number(right === name) - Number(left === name) || right.length - left.length,
    )
  return found
}

/** Whether a path parameter is named after a field. */
export function isNamedAfter(name: string, field: string): boolean {
  const [words, own] = [wordsOf(name), wordsOf(field)]
  return words === own || words.endsWith(`-${own}`)
}

const wordsOf = (name: string): string =>
  name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])|_/g, '-').toLowerCase()

function distinct(paths: readonly RequestCase['path'][]): readonly RequestCase['path'][] {
  return [...new Map(paths.map(path => [JSON.stringify(path), path])).values()].slice(0, ENOUGH)
}
