import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { connect as connectSecure, createServer } from 'node:http2'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import Koa from 'koa'
import {
  Api,
  Blueprint,
  type DownloadSource,
  download,
  operation,
  reply,
  response,
} from 'koa-smorest'
import { afterAll, describe, expect, it } from 'vitest'
import { listen, serveBlueprints } from '../support/client.js'
import { serveEveryWay, WAYS } from '../support/every-way.js'

const folder = await mkdtemp(join(tmpdir(), 'download-'))
afterAll(() => rm(folder, { recursive: true }))
const path = join(folder, 'größe 100%.bin')
const bytes = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 256))
await writeFile(path, bytes)
await writeFile(join(folder, 'empty'), '')
await writeFile(join(folder, 'large'), Buffer.alloc(20_000_000))

const SOURCES: Record<string, DownloadSource> = {
  path,
  url: pathToFileURL(path),
  bytes,
  blob: new Blob([bytes]),
  empty: join(folder, 'empty'),
  missing: join(folder, 'missing'),
  folder,
  large: join(folder, 'large'),
}
const files = () =>
  new Blueprint('files')
    .get(
      '/:source',
      operation(response({ contentType: 'application/octet-stream' })),
      (_ctx, { source }) => download(SOURCES[source as string] as DownloadSource),
    )
    .get('/named/x', operation(response({ contentType: 'application/octet-stream' })), () =>
      reply(download(bytes, { name: '"Über" 1.bin', inline: true }), { 'X-A': '1' }),
    )
    .get(
      '/status/x',
      operation(response({ code: 203, contentType: 'application/octet-stream' })),
      () => reply(download(bytes), 203),
    )

const FIELDS = [
  'content-type',
  'content-length',
  'accept-ranges',
  'content-range',
  'content-disposition',
]
const shownFields = ({ headers }: { headers: Headers }) => FIELDS.map(name => headers.get(name))
const DISPOSITION = `attachment; filename="gr__e 100_.bin"; filename*=UTF-8''gr%C3%B6%C3%9Fe%20100%25.bin`

describe.each(WAYS)('a download, %s,', async way => {
  const { [way]: request } = await serveEveryWay({ blueprint: files })
  const tagOf = async (source: string) =>
    (await request('HEAD', `/${source}`)).headers.get('ETag') as string

  it.each(['path', 'url', 'bytes', 'blob'])(
    'is sent in whole, and HEAD has its fields: %s',
    async source => {
      const isFile = source === 'path' || source === 'url'
      const whole = [
        'application/octet-stream',
        '1000',
        'bytes',
        null,
        isFile ? DISPOSITION : 'attachment',
      ]
      const get = await request('GET', `/${source}`)
      const head = await request('HEAD', `/${source}`, { headers: { Range: 'bytes=0-9' } })
      expect({
        statuses: [get.status, head.status],
        get: shownFields(get),
        head: shownFields(head),
        tag: /^"[^"]+"$/.test(get.headers.get('ETag') as string),
        isSame: get.headers.get('ETag') === head.headers.get('ETag'),
      }).toEqual({ statuses: [200, 200], get: whole, head: whole, tag: true, isSame: true })
    },
  )

  it.each([
    ['bytes=0-9', 206, 'bytes 0-9/1000', '10'],
    ['bytes=990-', 206, 'bytes 990-999/1000', '10'],
    ['bytes=-5', 206, 'bytes 995-999/1000', '5'],
    ['Bytes=0-99999999999999999999', 206, 'bytes 0-999/1000', '1000'],
    ['bytes=-5000', 206, 'bytes 0-999/1000', '1000'],
    ['bytes=999-999', 206, 'bytes 999-999/1000', '1'],
    ['bytes=0-1,5-6', 200, null, '1000'],
    ['lines=0-1', 200, null, '1000'],
    ['bytes=9-1', 200, null, '1000'],
    ['bytes=-', 200, null, '1000'],
    ['bytes=a-b', 200, null, '1000'],
  ])('answers %s with %i', async (range, status, contentRange, length) => {
    for (const source of ['path', 'bytes']) {
      const found = await request('GET', `/${source}`, { headers: { Range: range } })
      expect([
        found.status,
        found.headers.get('Content-Range'),
        found.headers.get('Content-Length'),
      ]).toEqual([status, contentRange, length])
    }
  })

  it.each(['bytes=1000-', 'bytes=1000-2000', 'bytes=-0'])('refuses %s with 416', async range => {
    const { status, headers } = await request('GET', '/path', { headers: { Range: range } })
    expect([status, headers.get('Content-Range'), headers.has('ETag')]).toEqual([
      416,
      'bytes */1000',
      false,
    ])
  })

  it('evaluates conditions first, then If-Range', async () => {
    const tag = await tagOf('path')
    const status = async (headers: Record<string, string>) =>
      (await request('GET', '/path', { headers })).status
    const Range = 'bytes=0-9'
    expect([
      await status({ 'If-Match': tag, Range }),
      await status({ 'If-Match': '"other"', Range }),
      await status({ 'If-None-Match': tag, Range: 'bytes=5000-' }),
      await status({ 'If-None-Match': `W/${tag}` }),
      await status({ 'If-None-Match': '"other"', Range }),
      await status({ 'If-Range': tag, Range }),
      await status({ 'If-Range': '"other"', Range }),
      await status({ 'If-Range': `W/${tag}`, Range }),
      await status({ 'If-Range': new Date().toUTCString(), Range: 'bytes=5000-' }),
    ]).toEqual([206, 412, 304, 304, 206, 206, 200, 200, 200])
  })

  it('has its name in two forms, and may be shown inline', async () => {
    const { headers } = await request('GET', '/named/x')
    expect([headers.get('Content-Disposition'), headers.get('X-A')]).toEqual([
      `inline; filename="__ber_ 1.bin"; filename*=UTF-8''%22%C3%9Cber%22%201.bin`,
      '1',
    ])
  })

  it('may be empty', async () => {
    const whole = await request('GET', '/empty')
    const part = await request('GET', '/empty', { headers: { Range: 'bytes=0-' } })
    expect([whole.status, whole.headers.get('Content-Length'), part.status]).toEqual([
      200,
      '0',
      416,
    ])
  })

  it('is sent in whole with another status', async () => {
    const found = await request('GET', '/status/x', { headers: { Range: 'bytes=0-9' } })
    expect([found.status, found.headers.get('Content-Length')]).toEqual([203, '1000'])
  })

  it('is sent with another status whatever the conditions are', async () => {
    for (const headers of [{ 'If-None-Match': '*' }, { 'If-Match': '"other"' }])
      expect((await request('GET', '/status/x', { headers })).status).toBe(203)
  })

  it.each(['missing', 'folder'])(
    'is a 500 that tells nothing if there is no file: %s',
    async source => {
      const { status, body } = await request('GET', `/${source}`)
      expect([status, body]).toEqual([500, { code: 500, status: 'Internal Server Error' }])
    },
  )
})

describe('a download', () => {
  it('passes the check of responses in tests', async () => {
    const { request, errors } = await serveBlueprints(
      files(),
      { TESTING: true },
      { undocumented: ['/path'] },
    )
    const tag = (await request('GET', '/path')).headers.get('ETag') as string
    const status = async (headers: Record<string, string>) =>
      (await request('GET', '/path', { headers })).status
    expect({
      statuses: [
        await status({ 'If-Match': '"other"' }),
        await status({ 'If-None-Match': tag }),
        await status({ Range: 'bytes=0-9' }),
        await status({ 'If-Range': '"other"', Range: 'bytes=0-9' }),
      ],
      errors,
    }).toEqual({ statuses: [412, 304, 206, 200], errors: [] })
  })

  it('has the bytes of any range', async () => {
    const { 'alone on a Koa': request } = await serveEveryWay({
      blueprint: () =>
        new Blueprint('b').get('/', operation(response({ contentType: 'text/plain' })), () =>
          download(Buffer.from('x'.repeat(20) + 'y'.repeat(20))),
        ),
    })
    const text = 'x'.repeat(20) + 'y'.repeat(20)
    await fc.assert(
      fc.asyncProperty(fc.nat(45), fc.nat(45), async (first, last) => {
        const found = await request('GET', '/', { headers: { Range: `bytes=${first}-${last}` } })
        if (last < first) expect([found.status, found.text]).toEqual([200, text])
        else if (first >= 40) expect(found.status).toBe(416)
        else expect([found.status, found.text]).toEqual([206, text.slice(first, last + 1)])
      }),
      { numRuns: 40 },
    )
  })

  it('is sent over HTTP/2', async () => {
    const app = new Koa()
    new Api(app, { OPENAPI_VERSION: '3.1.0', TESTING: false }).registerBlueprint(files())
    const server = createServer(app.callback()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const session = connectSecure(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const stream = session.request({ ':path': '/path', range: 'bytes=0-9' })
    const [headers] = await once(stream, 'response')
    const body = Buffer.concat(await stream.toArray())
    session.close()
    server.close()
    expect([headers[':status'], headers['content-range'], body]).toEqual([
      206,
      'bytes 0-9/1000',
      bytes.subarray(0, 10),
    ])
  })

  it('closes its file when the client vanishes, and after 304, 412, 416 and HEAD', async () => {
    const app = new Koa()
    const logged: unknown[] = []
    app.on('error', error => logged.push(error))
    new Api(app, { OPENAPI_VERSION: '3.1.0', TESTING: false }).registerBlueprint(files())
    const port = await listen(app)
    const openFiles = async () => {
      const { readlink } = await import('node:fs/promises')
      const links = (await readdir('/proc/self/fd')).map(fd =>
        readlink(`/proc/self/fd/${fd}`).catch(() => ''),
      )
      return (await Promise.all(links)).filter(link => link.startsWith(folder)).length
    }
    const socket = connect(port, '127.0.0.1')
    socket.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n')
    await once(socket, 'data')
    socket.pause()
    expect(await openFiles()).toBe(1)
    socket.destroy()
    for (const headers of [
      { 'If-None-Match': '*' },
      { 'If-Match': '"other"' },
      { Range: 'bytes=99999999-' },
    ] as Record<string, string>[])
      await (await fetch(`http://127.0.0.1:${port}/large`, { headers })).text()
    await fetch(`http://127.0.0.1:${port}/large`, { method: 'HEAD' })
    await expect.poll(openFiles).toBe(0)
    // a client may go at any time: nothing has failed
    expect(logged).toEqual([])
  })

  it.each([[7], [null], [{}]])('is not of %j', source => {
    expect(() => download(source as never)).toThrow(
      'download() takes a path, a file: URL, bytes or a Blob, not',
    )
  })

  it('refuses other URLs and unknown options', () => {
    expect(() => download(new URL('https://a.example'))).toThrow(TypeError)
    expect(() => download('x', { nam: 'x' } as never)).toThrow('there is no option "nam"')
  })
})
