import type { Client, FetchResponse, MaybeOptionalInit, Middleware } from 'openapi-fetch'
import { missing } from './if-match.js'

/** The paths whose GET returns a list: those that `pages()` walks. */
export type PagedPath<Paths> = {
  [Path in keyof Paths]: Paths[Path] extends {
    get: { responses: { 200: { content: infer Content } } }
  }
    ? IsList<Content[keyof Content & `${string}json${string}`]> extends true
      ? Path
      : never
    : never
}[keyof Paths]

/** Not what has no JSON at all, such as a picture. */
type IsList<Body> = [Body] extends [never] ? false : Body extends readonly unknown[] ? true : false

/** A row of the list at a path, as a client receives it. */
export type Row<Paths, Path extends keyof Paths> = Paths[Path] extends {
  get: { responses: infer Responses extends { 200: unknown } }
}
  ? FetchResponse<{ responses: Pick<Responses, 200> }, object, `${string}/json`> extends {
      data?: infer Rows
    }
    ? NonNullable<Rows> extends readonly (infer Item)[]
      ? Item
      : never
    : never
  : never

/** What `client.GET` is given for a path; it may be left out where nothing in it is required. */
type Init<Paths, Path extends keyof Paths> =
  undefined extends MaybeOptionalInit<Paths[Path], 'get' & keyof Paths[Path]>
    ? [init?: MaybeOptionalInit<Paths[Path], 'get' & keyof Paths[Path]>]
    : [init: MaybeOptionalInit<Paths[Path], 'get' & keyof Paths[Path]>]

/** Thrown by `pages()` if a page has an error status. */
export class PageError extends Error {
  declare readonly name: 'PageError'
  /** The response, whose body has been read. */
  declare readonly response: Response
  /** Its body as openapi-fetch returns errors: parsed JSON, or the text. */
  declare readonly error: unknown

  constructor(response: Response, error: unknown) {
    super(`${response.url} has status ${response.status}`)
    Object.assign(this, { name: 'PageError', response, error })
  }
}

/** What of `init` is looked at here. */
interface AnyInit {
  readonly signal?: AbortSignal | null
  readonly middleware?: Middleware[]
}

type AnyGet = (
  path: unknown,
  init: unknown,
) => Promise<{ readonly data?: unknown; readonly error?: unknown; readonly response: Response }>

/**
 * Iterates over the rows of a list, fetching each page when it is reached: `for await (const pet of pages(client, '/pets/', init))`.
 * Follows `rel="next"` of Link, or else the pagination header. Requests go through the client, with its middleware, `init`, and the query
 * of the link. Throws `PageError` if a page has an error status, and an Error if a link leads to another path, or if no header field says
 * whether there is more. `init.signal` and leaving the loop end it.
 */
export async function* pages<
  Paths extends object,
  Media extends `${string}/${string}`,
  const Path extends PagedPath<Paths>,
>(
  client: Client<Paths, Media>,
  path: Path,
  ...[init]: Init<Paths, Path>
): AsyncGenerator<Row<Paths, Path>, void, undefined> {
  const { signal, middleware = [] }: AnyInit = (init as AnyInit | undefined) ?? {}
  let asked = ''
  const watch: Middleware = {
    onResponse({ request }) {
      asked = request.url
    },
  }
  // the first page has the query of `init`
  let page: Page | undefined = {}
  while (page) {
    const { data, error, response } = await (client.GET as AnyGet)(path, {
      ...init,
      ...page,
      middleware: [...middleware, watch],
    })
    if (!response.ok) throw new PageError(response, error)
    page = nextOf(response.headers, asked)
    for (const row of (data as Row<Paths, Path>[] | undefined) ?? []) {
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
function nextOf(headers: Headers, asked: string): Page | undefined {
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
    // the number of a page, or the cursor of a keyset
    const { next_page: number, next: place = number } = JSON.parse(field)
    if (!place) return undefined
    next.searchParams.set(number ? 'page' : 'cursor', place)
  }
  if (next.href === asked || next.href.split('?')[0] !== asked.split('?')[0])
    throw new Error(`${next} is no next page of ${asked}`)
  return { querySerializer: () => next.search }
}
