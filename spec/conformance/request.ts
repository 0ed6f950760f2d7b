import type { RecordedRequest, Variables } from './exchange.js'

const BOUNDARY = 'conformance7MA4YWxk'

/** A request, ready to be sent. */
export interface Request {
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly body?: Uint8Array<ArrayBuffer>
}

/** The recorded request with its variables filled in. */
export function toRequest(recorded: RecordedRequest, variables: Variables): Request {
  const { method, path, headers = {}, ...body } = filledIn(recorded, variables)
  const [content, type] = encode(body)
  const hasType = Object.keys(headers).some(name => name.toLowerCase() === 'content-type')
  // header fields are sent as UTF-8, byte by byte
  const fields = Object.entries(headers).map(([name, value]) => [
    name,
    Buffer.from(value).toString('latin1'),
  ])
  return {
    method,
    path,
    headers: {
      ...(type !== undefined && !hasType && { 'Content-Type': type }),
      ...Object.fromEntries(fields),
    },
    ...(content !== undefined && { body: new Uint8Array(content) }),
  }
}

function filledIn<T>(value: T, variables: Variables): T {
  if (typeof value === 'string') {
    const filled = value.replace(/{{(\w+)(\|bare)?}}/g, (_, name: string, bare) => {
      const variable = variables.get(name) ?? '"missing"'
      return bare ? variable.replace(/^"|"$/g, '') : variable
    })
    return filled as T
  }
  if (Array.isArray(value)) return value.map(item => filledIn(item, variables)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, filledIn(item, variables)]),
  ) as T
}

/** The body and its media type; either may be missing. */
function encode({
  json,
  body,
  body_base64,
  form,
  multipart,
}: Omit<RecordedRequest, 'method' | 'path'>): [Buffer?, string?] {
  if (json !== undefined) return [Buffer.from(JSON.stringify(json)), 'application/json']
  if (body !== undefined) return [Buffer.from(body)]
  if (body_base64 !== undefined) return [Buffer.from(body_base64, 'base64')]
  if (form) {
    const pairs = Object.entries(form).flatMap(([name, values]) =>
      [values].flat().map((value): [string, string] => [name, value]),
    )
    return [Buffer.from(new URLSearchParams(pairs).toString()), 'application/x-www-form-urlencoded']
  }
  if (multipart)
    return [Buffer.from(multipartText(multipart)), `multipart/form-data; boundary=${BOUNDARY}`]
  return []
}

function multipartText(parts: NonNullable<RecordedRequest['multipart']>): string {
  const texts = parts.map(({ name, value, filename, content_type }) => {
    const file = filename === undefined ? '' : `; filename="${filename}"`
    const type =
      filename === undefined && content_type === undefined
        ? ''
        : `Content-Type: ${content_type ?? 'text/plain'}\r\n`
    return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n${type}\r\n${value}\r\n`
  })
  return `${texts.join('')}--${BOUNDARY}--\r\n`
}
