// One request as the tests generate, send and print it.
import type { DescribedOperation } from './document.js'

/** What is sent with a request, by where it stands. */
export interface RequestCase {
  readonly path: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>
  readonly cookies: Readonly<Record<string, string>>
  /** The body's value and media type, or its text as it is. */
  readonly body: { readonly mediaType: string; readonly value: unknown } | { readonly mediaType: string; readonly text: string } | undefined
}

export const EMPTY_CASE: RequestCase = { path: {}, query: {}, headers: {}, cookies: {}, body: undefined }

/** A request that is ready to be sent. */
export interface Sendable {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | FormData | undefined
}

export function sendableOf(operation: DescribedOperation, { path, query, headers, cookies, body }: RequestCase): Sendable {
  const filled = operation.path.replace(/\{([^}]+)\}/g, (_whole, name: string) => encodeURIComponent(textOf(path[name])))
  const pairs = Object.entries(query).flatMap(([name, value]) => queryPairs(operation, name, value))
  const search = pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')
  const cookie = Object.entries(cookies).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  const content = contentOf(body)
  return {
    method: operation.method,
    target: `${filled}${search && `?${search}`}`,
    headers: { ...content.headers, ...(cookie.length > 0 && { Cookie: cookie.join('; ') }), ...headers },
    body: content.body,
  }
}

function queryPairs(operation: DescribedOperation, name: string, value: unknown): [string, string][] {
  const parameter = operation.parameters.find(one => one.in === 'query' && one.name === name)
  if (!Array.isArray(value)) return [[name, textOf(value)]]
  return parameter?.joined ? [[name, value.map(textOf).join(',')]] : value.map(item => [name, textOf(item)])
}

/** The text of a value on a text wire. */
export function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}

function contentOf(body: RequestCase['body']): {
  readonly body: string | FormData | undefined
  readonly headers: Readonly<Record<string, string>>
} {
  if (body === undefined) return { body: undefined, headers: {} }
  const typed = { 'Content-Type': body.mediaType }
  if ('text' in body) return { body: body.text, headers: typed }
  const fields = Object.entries((body.value ?? {}) as Record<string, unknown>)
  if (body.mediaType === 'application/x-www-form-urlencoded') {
    const pairs = fields.flatMap(([name, value]) => [value].flat().map((one): [string, string] => [name, textOf(one)]))
    return { body: new URLSearchParams(pairs).toString(), headers: typed }
  }
  if (body.mediaType !== 'multipart/form-data') return { body: JSON.stringify(body.value), headers: typed }
  const form = new FormData()
  for (const [name, value] of fields) for (const one of [value].flat()) appendTo(form, name, one)
  // the boundary is the form's own
  return { body: form, headers: {} }
}

/** A part of a form that is a file. */
export class FilePart {
  constructor(
    readonly text: string,
    readonly type: string,
  ) {}
}

function appendTo(form: FormData, name: string, value: unknown): void {
  if (value instanceof FilePart) form.append(name, new Blob([value.text], { type: value.type }), 'file')
  else form.append(name, textOf(value))
}

/** The request as a command that anybody can run; credentials are left to the reader. */
export function curlOf({ method, target, headers, body }: Sendable, isSecret: (field: string) => boolean): string {
  const shown = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${isSecret(name) ? '…' : value}`)}`)
  const data = body === undefined ? [] : typeof body === 'string' ? [textPart(body, headers['Content-Encoding'])] : formParts(body)
  return ['curl', ...(method === 'HEAD' ? ['-I'] : ['-X', method]), quoted(`http://localhost${target}`), ...shown, ...data].join(' ')
}

function textPart(body: string, coding: string | undefined): string {
  const text = quoted(body.length > 2000 ? `${body.slice(0, 2000)}…` : body)
  return coding === undefined ? `-d ${text}` : `--data-binary @<(printf %s ${text} | ${coding})`
}

function formParts(form: FormData): string[] {
  return [...form].map(
    ([name, value]) => `-F ${quoted(typeof value === 'string' ? `${name}=${value}` : `${name}=@file;type=${value.type}`)}`,
  )
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
