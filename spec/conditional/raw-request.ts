import { connect } from 'node:net'

/** An answer as it came over the wire; names of header fields in lower case. */
export interface RawAnswer {
  readonly status: number
  readonly headers: ReadonlyMap<string, readonly string[]>
  readonly body: string
}

/**
 * Sends one request over its own connection, so that repeated, empty and malformed field lines go
 * out as they are written. Bodies are sent as JSON. Rejects where there is no answer within 5
 * seconds.
 */
export function rawRequest(
  port: number,
  method: string,
  path: string,
  lines: readonly (readonly [string, string])[] = [],
  body?: string,
): Promise<RawAnswer> {
  const framing: [string, string][] =
    body !== undefined
      ? [
          ['Content-Type', 'application/json'],
          ['Content-Length', String(Buffer.byteLength(body))],
        ]
      : ['POST', 'PUT', 'PATCH'].includes(method)
        ? [['Content-Length', '0']]
        : []
  const head = [['Host', `127.0.0.1:${port}`], ['Connection', 'close'], ...lines, ...framing].map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1')
    socket.setTimeout(5000, () => socket.destroy(new Error('no answer in 5 s')))
    socket.on('error', reject)
    socket.on('data', chunk => chunks.push(chunk))
    socket.on('close', () => resolve(parse(Buffer.concat(chunks).toString())))
    socket.write(`${method} ${path} HTTP/1.1\r\n${head.join('')}\r\n${body ?? ''}`)
  })
}

function parse(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n')
  const [statusLine = '', ...fields] = text.slice(0, end).split('\r\n')
  const headers = new Map<string, string[]>()
  for (const field of fields) {
    const colon = field.indexOf(':')
    const name = field.slice(0, colon).toLowerCase()
    headers.set(name, [...(headers.get(name) ?? []), field.slice(colon + 1).trim()])
  }
  return { status: Number(statusLine.split(' ')[1]), headers, body: text.slice(end + 4) }
}
