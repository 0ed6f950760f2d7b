// One listener, reached in every way that a request can come: over HTTP/1.1, over HTTP/2, and
// without a connection.
import { isUtf8 } from 'node:buffer'
import { once } from 'node:events'
import {
  createServer as createHttp1,
  type RequestListener,
  request as requestHttp1,
} from 'node:http'
import { connect, createServer as createHttp2 } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { inject } from 'light-my-request'

/** A request. A body without `framed` has no declared length. */
export interface Shot {
  readonly method: string
  readonly target: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body?: Buffer | undefined
  readonly framed: boolean
}

/** What came back. */
export interface Received {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The bytes, as Latin-1. */
  readonly body: string
}

/** How it ended: with a response, with a connection that was closed, or not at all. */
export type Outcome = Received | 'cut' | 'hangs'

export interface Transport {
  /** Whether it can deliver a request as it is. Default: any. */
  takes?(shot: Shot): boolean
  send(shot: Shot): Promise<Outcome>
  close(): Promise<void>
}

const PATIENCE = 15_000

/** The server's, and what is different between versions of HTTP. */
const UNCOMPARED = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding'])

/** Fields are in the encoding of the body over HTTP/1.1, and always UTF-8 over HTTP/2. */
function textOf(name: string, value: number | string | string[]): string {
  const text = Array.isArray(value)
    ? value.join(name === 'set-cookie' ? '\n' : ', ')
    : String(value)
  const bytes = Buffer.from(text, 'latin1')
  return isUtf8(bytes) ? bytes.toString() : text
}

function received(
  status: number,
  headers: NodeJS.Dict<number | string | string[]>,
  body: Buffer,
): Received {
  const compared = Object.entries(headers).flatMap(([name, value]) =>
    UNCOMPARED.has(name) || name.startsWith(':') || value === undefined
      ? []
      : [[name, textOf(name, value)]],
  )
  const fields = Object.fromEntries(compared.sort())
  // an empty stream has this field over HTTP/1.1 only
  if (fields['content-length'] === '0') delete fields['content-length']
  // the ways take turns, and a second may pass between them
  if (fields.ratelimit) fields.ratelimit = fields.ratelimit.replace(/t=\d+/g, 't')
  delete fields['retry-after']
  return { status, headers: fields, body: body.toString('latin1') }
}

function within(run: (settle: (outcome: Outcome) => void) => void): Promise<Outcome> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, PATIENCE, 'hangs')
    run(outcome => {
      clearTimeout(timer)
      resolve(outcome)
    })
  })
}

export async function overHttp1(listener: RequestListener): Promise<Transport> {
  const server = createHttp1(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    send: ({ method, target, headers, body, framed }) =>
      within(settle => {
        // Node would frame the body that there is not
        const length =
          body === undefined || framed ? [['Content-Length', String(body?.length ?? 0)]] : []
        const coding = body && !framed ? [['Transfer-Encoding', 'chunked']] : []
        const lines = [['Host', '127.0.0.1'], ...headers, ...length, ...coding].flat() as string[]
        const request = requestHttp1({
          port,
          host: '127.0.0.1',
          method,
          path: target,
          headers: lines as never,
          agent: false,
        })
        request.on('error', () => settle('cut'))
        request.on('response', async response => {
          try {
            const chunks = (await response.toArray()) as Buffer[]
            settle(received(response.statusCode as number, response.headers, Buffer.concat(chunks)))
          } catch {
            settle('cut')
          }
        })
        request.end(body)
      }),
    close: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

export async function overHttp2(listener: RequestListener): Promise<Transport> {
  const server = createHttp2(listener as never).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  session.on('error', () => undefined)
  return {
    send: ({ method, target, headers, body, framed }) =>
      within(settle => {
        const fields: Record<string, string | string[]> = {}
        for (const [name, value] of headers) fields[name.toLowerCase()] = value
        if (body && framed) fields['content-length'] = String(body.length)
        const stream = session.request(
          { ':method': method, ':path': target, ...fields },
          { endStream: body === undefined },
        )
        stream.on('error', () => settle('cut'))
        stream.on('close', () => settle('cut'))
        stream.on('response', async head => {
          try {
            const chunks = (await stream.toArray()) as Buffer[]
            if (stream.rstCode !== 0) settle('cut')
            else settle(received(head[':status'] as number, head as never, Buffer.concat(chunks)))
          } catch {
            settle('cut')
          }
        })
        if (body) stream.end(body)
      }),
    close: async () => {
      session.destroy()
      server.close()
    },
  }
}

export async function inMemory(listener: RequestListener): Promise<Transport> {
  return {
    // targets are read as URLs
    takes: ({ target }) => !/\/\.|\/\//.test(target),
    send: ({ method, target, headers, body, framed }) =>
      within(async settle => {
        const fields: Record<string, string> = {}
        for (const [name, value] of headers) fields[name.toLowerCase()] = value
        if (body && !framed) fields['transfer-encoding'] = 'chunked'
        const payload = body && !framed ? Readable.from([body]) : body
        try {
          const response = await inject(listener as never, {
            method: method as never,
            url: target,
            headers: fields,
            ...(payload && { payload }),
          })
          settle(received(response.statusCode, response.headers as never, response.rawPayload))
        } catch {
          settle('cut')
        }
      }),
    close: async () => undefined,
  }
}
