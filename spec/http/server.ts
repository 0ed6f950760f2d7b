import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll } from 'vitest'
import type { BodyContext } from '../../src/http/body/request-body.js'
import { Refusal } from '../../src/http/failure.js'

import type { ReadContext } from './reading.js'

/** What a test server has read, as JSON: the value, or the refusal's code with what it says. */
export interface Answer {
  readonly status: number
  readonly value?: unknown
  readonly message?: string
  readonly errors?: unknown
  readonly headers?: Record<string, string>
}

/**
 * A server on 127.0.0.1 that reads every request with `read`, and answers with what came out of it.
 * Closed after the file's tests.
 */
export async function serverReading(
  read: (ctx: BodyContext) => Promise<unknown>,
): Promise<{ port: number; url: string }> {
  const server = createServer((req: IncomingMessage, res: ServerResponse) => {
    const answer = (status: number, body: object) => {
      res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
    }
    const ctx: ReadContext = { req, res, request: {} }
    read(ctx).then(
      value =>
        value instanceof Refusal
          ? answer(value.code, value)
          : answer(200, value === undefined ? {} : { value }),
      error => answer(500, { message: String(error) }),
    )
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { port, url: `http://127.0.0.1:${port}/` }
}

export type Body = NonNullable<RequestInit['body']>

/** Sends a body with fetch. */
export async function post(
  url: string,
  contentType: string | undefined,
  body: Body | undefined,
  headers = {},
): Promise<Answer> {
  const type = contentType === undefined ? {} : { 'Content-Type': contentType }
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...type, ...headers },
    body: body ?? null,
    duplex: 'half',
  } as RequestInit)
  return { status: response.status, ...((await response.json()) as object) }
}

/**
 * Sends bytes as they are on a connection of their own, and gives all that comes back until the
 * server closes it.
 */
export function exchange(port: number, ...chunks: (string | Buffer)[]): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = ''
    const socket = connect(port, '127.0.0.1', () => {
      for (const chunk of chunks) socket.write(chunk)
    })
    socket.setTimeout(3000, () => socket.destroy())
    socket.on('data', data => {
      received += data.toString('latin1')
    })
    socket.on('error', reject).on('close', () => resolve(received))
  })
}
