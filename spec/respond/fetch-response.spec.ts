import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { Blueprint, etag, operation, response, setEtag } from 'koa-smorest'
import { afterAll, describe, expect, it } from 'vitest'
import { serveBlueprints } from '../support/client.js'
import { serveEveryWay, WAYS } from '../support/every-way.js'
import { requestBytes } from '../support/wire.js'

const TEXT = `{"poison":"${'HTTP/1.1 200 OK\\r\\n'.repeat(50)}"}`

const upstream = createServer((req, res) => {
  const hopByHop = {
    Connection: 'keep-alive, X-Hop',
    'Keep-Alive': 'timeout=7',
    'X-Hop': 'mine',
    'Proxy-Connection': 'keep-alive',
  }
  res.setHeader('Set-Cookie', ['a=1', 'b=2'])
  const body = gzipSync(TEXT)
  const fields = {
    'Content-Type': 'application/json',
    'Content-Encoding': 'gzip',
    'X-End': 'yes',
    Trailer: 'X-Late',
    ...hopByHop,
  }
  if (req.url === '/empty') res.writeHead(304, { ETag: '"1"', ...hopByHop }).end()
  else
    res
      .writeHead(
        203,
        req.url === '/chunked' ? fields : { ...fields, Trailer: [], 'Content-Length': body.length },
      )
      .end(body)
}).listen(0, '127.0.0.1')
await once(upstream, 'listening')
afterAll(() => {
  upstream.closeAllConnections()
  upstream.close()
})
const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`

const blueprint = () =>
  new Blueprint('proxy')
    .get('/upstream/:path', operation(response()), (ctx, { path }) =>
      fetch(`${url}/${path}`, { method: ctx.method }),
    )
    .get('/head', operation(response()), () => fetch(`${url}/length`, { method: 'HEAD' }))
    .get('/compressed', operation(response()), () => {
      const body = gzipSync('packed')
      return new Response(body, {
        headers: {
          'Content-Encoding': 'gzip',
          'Content-Length': '6',
          'Content-Type': 'text/plain',
        },
      })
    })
    .get('/read', operation(response()), async () => {
      const response = await fetch(`${url}/length`)
      await response.text()
      return response
    })

describe.each(WAYS)('a Response of fetch, %s,', async way => {
  const { [way]: request } = await serveEveryWay({ blueprint })

  it.each(['length', 'chunked'])(
    'is passed on decoded, without the framing of its own connection: %s',
    async path => {
      const { status, text, headers } = await request('GET', `/upstream/${path}`)
      const fields = Object.fromEntries(
        [...headers].filter(([name]) => name !== 'date' && name !== 'set-cookie'),
      )
      expect({ status, text, fields, cookies: headers.getSetCookie() }).toEqual({
        status: 203,
        text: TEXT,
        fields: {
          'content-type': 'application/json',
          'x-end': 'yes',
          'cache-control': 'private',
          'transfer-encoding': 'chunked',
          connection: 'keep-alive',
          'keep-alive': 'timeout=5',
        },
        cookies: ['a=1', 'b=2'],
      })
    },
  )

  it('keeps no length if it has no body', async () => {
    expect(await request('GET', '/head')).toMatchObject({ status: 203, text: '' })
    expect(await request('GET', '/upstream/empty')).toMatchObject({ status: 304, text: '' })
    expect(await request('HEAD', '/upstream/length')).toMatchObject({ status: 203, text: '' })
  })

  it('that the method has made keeps the encoding of its bytes, but no length', async () => {
    const { text, headers } = await request('GET', '/compressed')
    expect({
      text,
      encoding: headers.get('Content-Encoding'),
      length: headers.get('Content-Length'),
    }).toEqual({
      text: 'packed',
      encoding: 'gzip',
      length: null,
    })
  })

  it('whose body was read already is a fault, and a 500', async () => {
    expect(await request('GET', '/read')).toMatchObject({ status: 500, body: { code: 500 } })
  })
})

describe.each(WAYS)('a web stream that is not sent, %s,', async way => {
  const released: string[] = []
  /** A source without an end, as that of a server that never stops sending. */
  const endless = (name: string) =>
    new ReadableStream({
      pull: feed => feed.enqueue(new Uint8Array(10)),
      cancel: () => void released.push(name),
    })
  const streams = () =>
    new Blueprint('streams')
      .get('/head', operation(response()), () => new Response(endless('head')))
      .get('/head-stream', operation(response({ contentType: 'image/gif' })), () =>
        endless('head-stream'),
      )
      .get('/not-modified', operation(etag(), response()), ctx => {
        setEtag(ctx, 'the same')
        return new Response(endless('not-modified'))
      })
      .get('/replaced', operation(response()), () => new Response(endless('replaced')))
      .use(async (ctx, next) => {
        await next()
        if (ctx.path === '/replaced') throw new Error('in the place of the stream')
      })
  const { [way]: request } = await serveEveryWay({ blueprint: streams })

  it('is released, and a response to HEAD says nothing of its length', async () => {
    const tag = (await request('HEAD', '/not-modified')).headers.get('ETag') as string
    const responses = [
      await request('HEAD', '/head'),
      await request('HEAD', '/head-stream'),
      await request('GET', '/not-modified', { headers: { 'If-None-Match': tag } }),
      await request('GET', '/replaced'),
    ]
    expect(
      responses.map(({ status, headers }) => ({ status, length: headers.get('Content-Length') })),
    ).toEqual([
      { status: 200, length: null },
      { status: 200, length: null },
      { status: 304, length: null },
      { status: 500, length: '45' },
    ])
    await expect
      .poll(() => released.toSorted())
      .toEqual(['head', 'head-stream', 'not-modified', 'replaced'])
  })
})

it('a Response of fetch leaves the responses after it on the connection whole', async () => {
  const { port, errors } = await serveBlueprints(blueprint(), { DEBUG: false, TESTING: false })
  const requests = [
    requestBytes('GET', '/upstream/length'),
    requestBytes('GET', '/head'),
    requestBytes('GET', '/nowhere', ['Connection: close']),
  ]
  const received = await raw(port, Buffer.concat(requests))
  const heads = received
    .split(/(?=HTTP\/1\.1 \d{3} [A-Z][a-z])/)
    .filter(part => !part.startsWith('HTTP/1.1 200 OK\\r'))
  expect(heads.map(head => head.split('\r\n')[0])).toEqual([
    'HTTP/1.1 203 Non-Authoritative Information',
    'HTTP/1.1 203 Non-Authoritative Information',
    'HTTP/1.1 404 Not Found',
  ])
  expect(errors).toEqual([])
})

async function raw(port: number, bytes: Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1')
  let received = ''
  socket.on('data', chunk => {
    received += chunk
  })
  socket.write(bytes)
  await once(socket, 'close')
  return received
}
