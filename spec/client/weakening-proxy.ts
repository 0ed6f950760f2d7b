import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'

/**
 * A proxy that does to entity tags what nginx does with `gzip on`: what it compresses is sent with
 * a weak tag. Requests go on as they came.
 */
export async function weakeningProxy(
  upstream: string,
): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((request, response) => {
    const { method, url, headers } = request
    const forward = send(
      new URL(url ?? '/', upstream),
      { method: method ?? 'GET', headers },
      async from => {
        const chunks: Buffer[] = []
        for await (const chunk of from) chunks.push(chunk)
        const body = Buffer.concat(chunks)
        const isCompressed = body.length > 20 && /gzip/.test(headers['accept-encoding'] ?? '')
        response.writeHead(
          from.statusCode ?? 502,
          isCompressed ? compressed(from.headers) : from.headers,
        )
        response.end(isCompressed ? gzipSync(body) : body)
      },
    )
    forward.on('error', () => response.destroy())
    request.pipe(forward)
  })
  return { url: await listening(server), close: () => void server.close(() => undefined) }
}

function compressed({
  'content-length': _,
  etag,
  ...headers
}: IncomingHttpHeaders): IncomingHttpHeaders {
  return {
    ...headers,
    'content-encoding': 'gzip',
    vary: 'Accept-Encoding',
    ...(etag && { etag: etag.replace(/^"/, 'W/"') }),
  }
}

/** Starts a server on a free port; returns its address. */
export async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
