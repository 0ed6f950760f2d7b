// The Link header field of lists (RFC 8288), as references that are relative to the request's own path: they are right behind
// any mount and any proxy. Numbered pages and keysets write it.

/** Parameters of the query that a link sets; `undefined` removes one. */
export type LinkParameters = Readonly<Record<string, string | number | undefined>>

/**
 * References to the same path with another query, which is read once: the given parameters come first, and all others but those
 * of `names` stay as they were sent. Names and values of `parameters` are escaped.
 */
export function relativeReferences(querystring: string, names: readonly string[]): (parameters: LinkParameters) => string {
  const kept = new URLSearchParams(querystring)
  for (const name of names) kept.delete(name)
  const rest = kept.toString()
  return parameters => {
    const set = Object.entries(parameters).flatMap(([name, value]) =>
      value === undefined ? [] : `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
    )
    return `?${[...set, ...(rest === '' ? [] : [rest])].join('&')}`
  }
}

/** The field's value; relations without a reference are left out. */
export function linkHeader(links: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(links)
    .flatMap(([relation, reference]) => (reference === undefined ? [] : `<${reference}>; rel="${relation}"`))
    .join(', ')
}
