// One request as the tests generate, send and print it.
import type { DescribedOperation } from './document.js'

/** The parts of a request, by location. */
export interface RequestCase {
  readonly path: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>
  readonly cookies: Readonly<Record<string, string>>
  /** The body's value and media type, or its raw string or bytes. */
  readonly body:
    | { readonly mediaType: string; readonly value: unknown }
    | { readonly mediaType: string; readonly text: string | Uint8Array }
    | undefined
}

export const EMPTY_CASE: RequestCase = {
  path: {},
  query: {},
  headers: {},
  cookies: {},
  body: undefined,
}

/** A request that is ready to be sent. */
export interface Sendable {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | FormParts | undefined
}

export function sendableOf(
  operation: DescribedOperation,
  { path, query, headers, cookies, body }: RequestCase,
): Sendable {
  const filled = operation.path.replace(/\{([^}]+)\}/g, (_whole, name: string) =>
    encodeURIComponent(textOf(path[name])),
  )
  const pairs = Object.entries(query).flatMap(([name, value]) => queryPairs(operation, name, value))
  const search = pairs
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&')
  const cookie = Object.entries(cookies).map(
    ([name, value]) => `${name}=${encodeURIComponent(value)}`,
  )
  const { deep = [] } =
    operation.bodies.find(({ mediaType }) => mediaType === body?.mediaType) ?? {}
  const content = contentOf(body, deep)
  return {
    method: operation.method,
    target: `${filled}${search && `?${search}`}`,
    headers: {
      ...content.headers,
      ...(cookie.length > 0 && { Cookie: cookie.join('; ') }),
      ...headers,
    },
    body: content.body,
  }
}

function queryPairs(
  operation: DescribedOperation,
  name: string,
  value: unknown,
): [string, string][] {
  const parameter = operation.parameters.find(one => one.in === 'query' && one.name === name)
  if (parameter?.deep) return deepPairs(name, value).map(([key, one]) => [key, textOf(one)])
  if (!Array.isArray(value)) return [[name, textOf(value)]]
  return parameter?.joined
    ? [[name, value.map(textOf).join(',')]]
    : value.map(item => [name, textOf(item)])
}

/** The values inside an object, each under its name in brackets. */
function deepPairs(name: string, value: unknown): readonly (readonly [string, unknown])[] {
  if (typeof value !== 'object' || value === null || value instanceof FilePart)
    return [[name, value]]
  return Object.entries(value).flatMap(([key, inner]) => deepPairs(`${name}[${key}]`, inner))
}

/** A value on a text wire; the items of a list are joined by commas. */
export function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(',')
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}

function contentOf(
  body: RequestCase['body'],
  deep: readonly string[],
): {
  readonly body: string | Uint8Array | FormParts | undefined
  readonly headers: Readonly<Record<string, string>>
} {
  if (body === undefined) return { body: undefined, headers: {} }
  const typed = { 'Content-Type': body.mediaType }
  if ('text' in body) return { body: body.text, headers: typed }
  const fields = Object.entries((body.value ?? {}) as Record<string, unknown>).flatMap(
    ([name, value]) => (deep.includes(name) ? deepPairs(name, value) : [[name, value] as const]),
  )
  if (body.mediaType === 'application/x-www-form-urlencoded') {
    const pairs = fields.flatMap(([name, value]) =>
      [value].flat().map((one): [string, string] => [name, textOf(one)]),
    )
    return { body: new URLSearchParams(pairs).toString(), headers: typed }
  }
  if (body.mediaType !== 'multipart/form-data')
    return { body: JSON.stringify(body.value), headers: typed }
  // the boundary is the form's own
  return {
    body: new FormParts(
      fields.flatMap(([name, value]) => [value].flat().map(one => [name, one] as const)),
    ),
    headers: {},
  }
}

/** Whether a value is a list without items: a form has no part for it. */
export function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

/** A part of a form that is a file. */
export class FilePart {
  constructor(
    readonly content: string | Uint8Array,
    readonly type: string,
  ) {}

  get bytes(): Uint8Array {
    return Buffer.from(this.content)
  }
}

export class FormParts {
  constructor(readonly parts: readonly (readonly [name: string, value: unknown])[]) {}

  toFormData(): FormData {
    const form = new FormData()
    for (const [name, value] of this.parts)
      if (value instanceof FilePart)
        form.append(name, new Blob([new Uint8Array(value.bytes)], { type: value.type }), 'file')
      else form.append(name, textOf(value))
    return form
  }
}
