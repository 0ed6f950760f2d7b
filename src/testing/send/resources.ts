// The things that an API has: which path parameters lead to something. They come from the values that a test gives, from the
// items of collections, and from what the run itself creates where a collection is empty.
import fc from 'fast-check'
import type { Cases, Drawn } from '../requests/cases.js'
import { type ApiDocument, type DescribedOperation, pathNames } from '../requests/document.js'
import type { RequestCase } from '../requests/request-case.js'
import type { Outcome, Session } from './session.js'

/** How many things of a kind are used. */
const ENOUGH = 10

export class Resources {
  #known = new Map<string, Promise<readonly RequestCase['path'][]>>()

  constructor(
    readonly document: ApiDocument,
    readonly session: Session,
    readonly cases: Cases,
    readonly drawn: () => Promise<Drawn>,
    /** Creates a thing at a path that ends with its parameter; undefined where that cannot be done. */
    readonly create: (path: string) => Promise<RequestCase['path'] | undefined>,
  ) {}

  /** Forgets everything: the application was reset. */
  forget(): void {
    this.#known = new Map()
  }

  /** Path parameters with which the operation's path leads to something; none where nothing is known. */
  of({ path }: DescribedOperation): Promise<readonly RequestCase['path'][]> {
    const name = pathNames(path).at(-1)
    return name === undefined ? Promise.resolve([]) : this.#below(path.slice(0, path.indexOf(`{${name}}`) + name.length + 2))
  }

  /** `prefix` ends with its last parameter. */
  #below(prefix: string): Promise<readonly RequestCase['path'][]> {
    const known = this.#known.get(prefix) ?? this.#find(prefix)
    this.#known.set(prefix, known)
    return known
  }

  async #find(prefix: string): Promise<readonly RequestCase['path'][]> {
    const name = pathNames(prefix).at(-1) as string
    const collection = prefix.slice(0, prefix.lastIndexOf('/'))
    const outer = pathNames(collection).length > 0 ? await this.#below(collection.slice(0, collection.lastIndexOf('}') + 1)) : [{}]
    const drawn = (await this.drawn())[name]
    if (drawn) return outer.flatMap(path => drawn.map(value => ({ ...path, [name]: value }))).slice(0, ENOUGH)
    const listed = await this.#listed(collection, name, outer)
    if (listed.length > 0) return listed
    const created = await this.create(prefix)
    return created ? [created] : []
  }

  /** Path parameters of the items that the GET of a collection lists. */
  async #listed(collection: string, name: string, outer: readonly RequestCase['path'][]): Promise<readonly RequestCase['path'][]> {
    const list = this.document.operations.find(({ method, path }) => method === 'GET' && path.replace(/\/$/, '') === collection)
    if (!list) return []
    const found: RequestCase['path'][] = []
    for (const path of outer) {
      const items = await this.#items(list, path)
      for (const item of items) {
        const id = (item as Record<string, unknown>)[name] ?? (item as Record<string, unknown>).id
        if (id !== undefined && found.length < ENOUGH) found.push({ ...path, [name]: id })
      }
      if (found.length >= ENOUGH) break
    }
    return found
  }

  async #items(list: DescribedOperation, path: RequestCase['path']): Promise<readonly object[]> {
    const [sample] = fc.sample(this.cases.valid(list, [path], await this.drawn()), { seed: 1, numRuns: 1 })
    if (!sample) return []
    const required = list.parameters.filter(parameter => parameter.in === 'query' && parameter.required).map(parameter => parameter.name)
    const query = Object.fromEntries(Object.entries(sample.query).filter(([name]) => required.includes(name)))
    const { status, json } = await this.session.send(list, { ...sample, query })
    return status < 300 ? itemsIn(json).filter((item): item is object => typeof item === 'object' && item !== null) : []
  }
}

/** The items of a list, or of the one list in an envelope. */
export function itemsIn(json: unknown): readonly unknown[] {
  if (Array.isArray(json)) return json
  return typeof json === 'object' && json !== null ? (Object.values(json).find(Array.isArray) ?? []) : []
}

/** The path parameters of what a creation has made: from Location, or from the body. */
export function createdBy(path: string, given: RequestCase['path'], { headers, json }: Outcome): RequestCase['path'] | undefined {
  const location = headers.get('Location')
  const expression = new RegExp(`${path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{([^}]+)\}/g, '([^/]+)')}$`)
  const found = location === null ? null : expression.exec(new URL(location, 'http://localhost').pathname)
  const names = pathNames(path)
  if (found) return Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(found[index + 1] as string)]))
  const last = names.at(-1) as string
  const id = (json as Record<string, unknown> | undefined)?.[last] ?? (json as Record<string, unknown> | undefined)?.id
  return id === undefined ? undefined : { ...given, [last]: id }
}
