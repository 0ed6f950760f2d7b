import type { Client, MaybeOptionalInit, Middleware } from 'openapi-fetch'
import { missing } from './if-match.js'

/** The JSON of a GET's 200, as a client receives it. */
type Body<Paths, Path extends keyof Paths> = Paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Body } } } }
}
  ? Body
  : never

/** Not what has no JSON at all, such as a picture. */
type IsList<Body> = [Body] extends [never] ? false : Body extends readonly unknown[] ? true : false

/** The paths whose GET returns a list as `application/json`: those that `pages()` walks. */
export type PagedPath<Paths> = {
  [Path in keyof Paths]: IsList<Body<Paths, Path>> extends true ? Path : never
}[keyof Paths]

/** A row of the list at a path, as a client receives it. */
export type Row<Paths, Path extends keyof Paths> =
  Body<Paths, Path> extends readonly (infer Item)[] ? Item : never

/** The fields of the object at a path that are lists: `items` of `pages()` names one. */
export type ListField<Paths, Path extends keyof Paths> =
  Body<Paths, Path> extends infer Envelope
    ? {
        [Name in keyof Envelope]-?: NonNullable<Envelope[Name]> extends readonly unknown[]
          ? Name
          : never
      }[keyof Envelope]
    : never

/** The paths whose GET returns an object with a list in it. */
export type EnvelopedPath<Paths> = {
  [Path in keyof Paths]: IsList<Body<Paths, Path>> extends true
    ? never
    : [ListField<Paths, Path>] extends [never]
      ? never
      : Path
}[keyof Paths]

/** A row of the list in this field of the object at a path. */
export type RowIn<Paths, Path extends keyof Paths, Items> =
  NonNullable<Body<Paths, Path>[Items & keyof Body<Paths, Path>]> extends readonly (infer Item)[]
    ? Item
    : never

/** The second argument of `client.GET` for a path; optional if nothing in it is required. */
export type Init<Paths, Path extends keyof Paths> =
  undefined extends MaybeOptionalInit<Paths[Path], 'get' & keyof Paths[Path]>
    ? [init?: MaybeOptionalInit<Paths[Path], 'get' & keyof Paths[Path]>]
    : [init: MaybeOptionalInit<Paths[Path], 'get' & keyof Paths[Path]>]

/** Thrown by `pages()` if a page has an error status. */
export class PageError extends Error {
  declare readonly name: 'PageError'
  /** The response, whose body has been read. */
  declare readonly response: Response
  /** Its body as openapi-fetch returns errors: parsed JSON, or a string. */
  declare readonly error: unknown

  constructor(response: Response, error: unknown) {
    super(`${response.url} has status ${response.status}`)
    Object.assign(this, { name: 'PageError', response, error })
  }
}

/** The part of `init` that is used here. */
interface AnyInit {
  readonly items?: string
  readonly signal?: AbortSignal | null
  readonly middleware?: Middleware[]
}

type AnyGet = (
  path: unknown,
  init: unknown,
) => Promise<{ readonly data?: unknown; readonly error?: unknown; readonly response: Response }>

/**
 * Iterates over the rows of a list, fetching each page when it is reached: `for await (const pet of
 * pages(client, '/pets/', init))`. Follows `rel="next"` of Link, or else the pagination header.
 * Requests go through the client, with its middleware, `init`, and the query of the link. Throws
 * `PageError` if a page has an error status, and an Error that names the field if a link leads to
 * another path or to a page that was fetched before, or if no header field tells whether there is
 * more. `init.signal` and leaving the loop end it.
 */
export function pages<
  Paths extends object,
  Media extends `${string}/${string}`,
  const Path extends PagedPath<Paths>,
>(
  client: Client<Paths, Media>,
  path: Path,
  ...[init]: Init<Paths, Path>
): AsyncGenerator<Row<Paths, Path>, void, undefined>
/**
 * The same for a list in an object: `items` names its field, `pages(client, '/jobs', { items:
 * 'data' })`. Throws an Error if the field is not a list.
 */
export function pages<
  Paths extends object,
  Media extends `${string}/${string}`,
  const Path extends EnvelopedPath<Paths>,
  const Items extends ListField<Paths, Path>,
>(
  client: Client<Paths, Media>,
  path: Path,
  init: { readonly items: Items } & NonNullable<Init<Paths, Path>[0]>,
): AsyncGenerator<RowIn<Paths, Path, Items>, void, undefined>
export async function* pages(
  client: { readonly GET: unknown },
  path: unknown,
  given: AnyInit = {},
): AsyncGenerator<unknown, void, undefined> {
  const { items, ...init } = given
  const { signal, middleware = [] } = init
  let asked = ''
  const watch: Middleware = {
    onResponse({ request }) {
      asked = request.url
    },
  }
  const seen = new Set<string>()
  // the first page has the query of `init`
  let page: Page | undefined = {}
  while (page) {
    const { data, error, response } = await (client.GET as AnyGet)(path, {
      ...init,
      ...page,
      middleware: [...middleware, watch],
    })
    if (!response.ok) throw new PageError(response, error)
    seen.add(asked)
    page = nextOf(response.headers, asked, seen)
    // a 204 has no rows
    const rows = items === undefined ? (data ?? []) : Object(data)[items]
    if (!Array.isArray(rows))
      throw new Error(
        items === undefined
          ? `${asked} is not a list: name the field that has the rows, items: '…'`
          : `${asked} has no list in "${items}"`,
      )
    for (const row of rows as readonly unknown[]) {
      signal?.throwIfAborted()
      yield row
    }
  }
}

/** The query of a page as given in a link, not as a serializer would write it. */
interface Page {
  readonly querySerializer?: () => string
}

/** A link (RFC 8288): its target and its relations. */
const LINK = /<([^>]*)>[^<]*?;\s*rel\s*=\s*"?([^";,]*)/gi

/** The next page; undefined after the last one. */
function nextOf(headers: Headers, asked: string, seen: ReadonlySet<string>): Page | undefined {
  let next = new URL(asked)
  const links = [...`${headers.get('Link')}`.matchAll(LINK)]
  const find = (relation: string) =>
    links.find(([, , relations = '']) => relations.toLowerCase().split(' ').includes(relation))?.[1]
  const reference = find('next')
  if (reference !== undefined) next = new URL(reference, asked)
  // a Link without these is about something else, such as a deprecation
  else if (find('first') || find('prev')) return undefined
  else {
    const field = headers.get('X-Pagination')
    if (!field) throw missing('Link or X-Pagination')
    const { next_page: number, next: cursor } = metadataIn(field)
    if (number === undefined && cursor === undefined) return undefined
    next.searchParams.set(number === undefined ? 'cursor' : 'page', `${number ?? cursor}`)
  }
  // a page again would be all pages again, for ever
  if (seen.has(next.href) || next.href.split('?')[0] !== asked.split('?')[0])
    throw new Error(`${next} is not a next page of ${asked}`)
  return { querySerializer: () => next.search }
}

/** The pagination header: the number of the next page, or the cursor of a keyset. */
function metadataIn(field: string): { readonly next_page?: number; readonly next?: string } {
  let metadata: unknown
  try {
    metadata = JSON.parse(field)
  } catch {
    // handled below like JSON that is not an object
  }
  if (typeof metadata !== 'object' || metadata === null)
    throw new Error(`X-Pagination must be a JSON object, not ${field}`)
  return metadata
}
