import { connect } from 'node:net'
import { search } from './credential-leaks.js'

/** An answer as it came over the wire; names of header fields in lower case. */
export interface WireAnswer {
  readonly status: number
  readonly headers: ReadonlyMap<string, readonly string[]>
  readonly text: string
  /** The parsed JSON, or undefined where the text is none. */
  // what a spec expects of a body is said by its assertions
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly body: any
}

/** A request as bytes. A body is framed by its length; field lines go out as they are written. */
export function requestBytes(
  method: string,
  target: string,
  lines: readonly string[] = [],
  body?: string | Buffer,
): Buffer {
  const framing = body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]
  const head = [`${method} ${target} HTTP/1.1`, 'Host: 127.0.0.1', ...lines, ...framing]
    .map(line => `${line}\r\n`)
    .join('')
  return Buffer.concat([Buffer.from(`${head}\r\n`, 'latin1'), Buffer.from(body ?? '')])
}

/**
 * Sends bytes as they are on one connection; gives the answers when the server has closed it, or
 * has said nothing for `patience` ms.
 */
export function sendBytes(
  port: number,
  bytes: string | Buffer,
  patience = 2000,
): Promise<readonly WireAnswer[]> {
  return converse(port, bytes, patience, () => false)
}

/**
 * Sends one request as bytes on a connection of its own, and gives its answer as soon as it is
 * there.
 */
export async function sendOne(port: number, bytes: Buffer): Promise<WireAnswer> {
  const [answer] = await converse(port, bytes, 5000, received =>
    isWhole(received, bytes.toString('latin1', 0, 4) !== 'HEAD'),
  )
  if (!answer) throw new Error('there was no answer')
  return answer
}

function isWhole(received: string, hasBody: boolean): boolean {
  const end = received.indexOf('\r\n\r\n')
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(received.slice(0, end + 2))?.[1] ?? 0)
  return end !== -1 && (!hasBody || received.length >= end + 4 + length)
}

function converse(
  port: number,
  bytes: string | Buffer,
  patience: number,
  isEnough: (received: string) => boolean,
): Promise<WireAnswer[]> {
  return new Promise(resolve => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.setTimeout(patience, () => socket.destroy())
    socket.on('data', chunk => {
      chunks.push(chunk)
      if (isEnough(Buffer.concat(chunks).toString('latin1'))) socket.destroy()
    })
    // a reset after the answer: the server did not read what was left of the request
    socket.on('error', () => undefined)
    socket.on('close', () => {
      const received = Buffer.concat(chunks).toString('latin1')
      search('what came over a connection', received, { tokens: false })
      resolve(answersIn(received))
    })
  })
}

function answersIn(received: string): WireAnswer[] {
  const answers: WireAnswer[] = []
  for (let rest = received; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n')
    const [statusLine = '', ...lines] = rest.slice(0, end).split('\r\n')
    const headers = headersIn(lines)
    const length = Number(headers.get('content-length')?.[0] ?? 0)
    const isChunked = headers.has('transfer-encoding')
    const text = Buffer.from(
      isChunked ? rest.slice(end + 4) : rest.slice(end + 4, end + 4 + length),
      'latin1',
    ).toString()
    answers.push({ status: Number(statusLine.split(' ')[1]), headers, text, body: parsed(text) })
    rest = isChunked ? '' : rest.slice(end + 4 + length)
  }
  return answers
}

function headersIn(lines: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const headers = new Map<string, string[]>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    headers.set(name, [...(headers.get(name) ?? []), line.slice(colon + 1).trim()])
  }
  return headers
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
