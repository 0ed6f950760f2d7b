// The Link header field of lists (RFC 8288), as references that are relative to the request's own
// path: they are right behind any mount and any proxy. Numbered pages and keysets write it.

/**
 * References to the same path with another query, which is read once: the parameter `name` comes
 * first, or is left out, and all others stay as they were sent.
 */
export function relativeReferences(
  querystring: string,
  name: string,
): (value?: string | number) => string {
  const others = withoutParameter(querystring, name)
  const escaped = encodeURIComponent(name)
  return value =>
    value === undefined
      ? `?${others}`
      : `?${escaped}=${encodeURIComponent(value)}${others && `&${others}`}`
}

/** A query without escapes, which can be split at its `&`. */
const PLAIN_QUERY = /^[\w\-.*=&]*$/

/** Removes a parameter from a query; the others are kept as sent, escaped if necessary. */
export function withoutParameter(querystring: string, name: string): string {
  if (querystring === '') return ''
  if (!PLAIN_QUERY.test(querystring)) {
    const kept = new URLSearchParams(querystring)
    kept.delete(name)
    return kept.toString()
  }
  let rest = ''
  for (const part of querystring.split('&')) {
    const end = part.indexOf('=')
    if (part !== '' && name !== (end === -1 ? part : part.slice(0, end)))
      rest += rest === '' ? part : `&${part}`
  }
  return rest
}

/** Returns the value of the field; relations without a reference are left out. */
export function linkHeader(links: Readonly<Record<string, string | undefined>>): string {
  let text = ''
  for (const [relation, reference] of Object.entries(links)) {
    if (reference !== undefined) text += `${text && ', '}<${reference}>; rel="${relation}"`
  }
  return text
}
