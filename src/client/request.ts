// What the middleware looks at in a request.

/** Methods that change something. */
export const WRITES = /POST|PUT|PATCH|DELETE/

/** The header fields whose names, which are in small letters, match. */
export function fieldsOf(headers: Iterable<[string, string]>, names: RegExp): [name: string, value: string][] {
  return [...headers].filter(([name]) => names.test(name))
}
