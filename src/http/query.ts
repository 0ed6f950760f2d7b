/**
 * Strings by name, or a list if a name occurs more than once. Without a prototype: a name may be
 * anything.
 */
export type Fields = Record<string, string | string[]>

/** Adds a value under a name, making a list if the name exists already. */
export function addField<Value>(
  fields: Record<string, Value | Value[]>,
  name: string,
  value: Value,
): void {
  const known = fields[name]
  if (known === undefined) fields[name] = value
  else if (Array.isArray(known)) known.push(value)
  else fields[name] = [known, value]
}

/**
 * Reads `a=1&b=2` as URLSearchParams does: `+` is a blank, names are plain strings (`a[b]` and
 * `a.b` mean nothing). Bad percent-encoding, or bytes that are not UTF-8, are not repaired:
 * `undefined`.
 */
export function parsePairs(text: string): Fields | undefined {
  const fields: Fields = Object.create(null)
  for (let start = 0; start < text.length; ) {
    const ampersand = text.indexOf('&', start)
    const end = ampersand === -1 ? text.length : ampersand
    const pair = text.slice(start, end)
    start = end + 1
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decode(equals === -1 ? pair : pair.slice(0, equals))
    const value = decode(equals === -1 ? '' : pair.slice(equals + 1))
    if (name === undefined || value === undefined) return undefined
    addField(fields, name, value)
  }
  return fields
}

/** Parses the query of a request target; returns `undefined` if it is invalid (400). */
export function parseQuery(search: string): Fields | undefined {
  return /[^!-~]/.test(search) ? undefined : parsePairs(search)
}

function decode(text: string): string | undefined {
  return percentDecoded(text.includes('+') ? text.replaceAll('+', ' ') : text)
}

/** Undoes percent-encoding; returns undefined if it is not valid UTF-8. */
export function percentDecoded(text: string): string | undefined {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/**
 * Reads a Cookie field (RFC 6265, section 5.4). Quotes around a value are dropped and
 * percent-encoding is undone; a value that is not percent-encoded UTF-8 stays unchanged, since
 * other applications of the host set cookies too.
 */
export function parseCookies(field: string | undefined): Fields {
  const cookies: Fields = Object.create(null)
  for (const pair of field?.split(';') ?? []) {
    const equals = pair.indexOf('=')
    const name = pair.slice(0, equals).trim()
    if (equals === -1 || name === '') continue
    const written = pair.slice(equals + 1).trim()
    const value =
      written.length > 1 && written.startsWith('"') && written.endsWith('"')
        ? written.slice(1, -1)
        : written
    addField(cookies, name, percentDecoded(value) ?? value)
  }
  return cookies
}
