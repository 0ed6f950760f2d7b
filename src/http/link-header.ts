// The Link header field of lists (RFC 8288), as references that are relative to the request's own
// path: they are right behind any mount and any proxy. Numbered pages and keysets write it.

/** Parameters of the query that a link sets; `undefined` removes one. */
type LinkParameters = Readonly<Record<string, string | number | undefined>>

/**
 * References to the same path with another query, which is read once: the given parameters come
 * first, and all others but those of `names` stay as they were sent. Names and values of
 * `parameters` are escaped.
 */
export function relativeReferences(
  querystring: string,
  names: readonly string[],
): (parameters: LinkParameters) => string {
  const rest = withoutParameters(querystring, names)
  return parameters => {
    let set = ''
    for (const [name, value] of Object.entries(parameters)) {
      if (value !== undefined)
        set += `${set && '&'}${encodeURIComponent(name)}=${encodeURIComponent(value)}`
    }
    return `?${set}${set && rest && '&'}${rest}`
  }
}

/** A query without escapes, which can be split at its `&`. */
const PLAIN_QUERY = /^[\w\-.*=&]*$/

/** Removes parameters from a query; the others are kept as sent, escaped if necessary. */
export function withoutParameters(querystring: string, names: readonly string[]): string {
  if (querystring === '') return ''
  if (!PLAIN_QUERY.test(querystring)) {
    const kept = new URLSearchParams(querystring)
    for (const name of names) kept.delete(name)
    return kept.toString()
  }
  let rest = ''
  for (const part of querystring.split('&')) {
    const end = part.indexOf('=')
    if (part !== '' && !names.includes(end === -1 ? part : part.slice(0, end)))
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
