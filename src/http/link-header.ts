// The Link header field of lists (RFC 8288), as references that are relative to the request's own path: they are right behind
// any mount and any proxy. Numbered pages and keysets write it.

/** Parameters of the query that a link sets; `undefined` removes one. */
export type LinkParameters = Readonly<Record<string, string | number | undefined>>

/** A reference to the same path with another query: all other parameters stay as they were sent. */
export function relativeReference(querystring: string, parameters: LinkParameters): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) search.append(name, String(value))
  for (const [name, value] of new URLSearchParams(querystring)) if (!Object.hasOwn(parameters, name)) search.append(name, value)
  return `?${search}`
}

/** The field's value; relations without a reference are left out. */
export function linkHeader(links: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(links)
    .flatMap(([relation, reference]) => (reference === undefined ? [] : `<${reference}>; rel="${relation}"`))
    .join(', ')
}
