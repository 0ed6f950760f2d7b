// Helpers for the middleware.

/** Methods that change something. */
export const WRITES = /POST|PUT|PATCH|DELETE/

/** Returns the header fields whose names, in lower case, match. */
export function fieldsOf(
  headers: Iterable<[string, string]>,
  names: RegExp,
): [name: string, value: string][] {
  return [...headers].filter(([name]) => names.test(name))
}
