// Requests to URLs of subscribers, at servers that do not do what they should.
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { type Post, post } from '../../../src/features/webhook/post.js'

const closing: (() => void)[] = []
afterAll(() => {
  for (const close of closing) close()
})

/** Serves until the specs have run; how many connections were made, and the port. */
async function serving(listener: RequestListener) {
  const server = createServer(listener)
  const served = { connections: 0, port: 0, server }
  server.on('connection', () => served.connections++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  served.port = (server.address() as AddressInfo).port
  closing.push(() => server.close().closeAllConnections())
  return served
}

const POST: Post = { headers: { 'X-Mac': 'a' }, body: '{"ä":1}', timeout: 5000, allowPrivate: true }
const CLOSED: Post = { ...POST, allowPrivate: false }

/** A lookup that finds these addresses, and how often it was asked. */
function finding(...addresses: readonly string[]) {
  const asked: string[] = []
  const lookup = (hostname: string, _: object, done: (error: null, found: object[]) => void) => {
    asked.push(hostname)
    done(
      null,
      addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }
  return { asked, lookup: lookup as unknown as NonNullable<Post['lookup']> }
}

const errorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: Error) => error.message,
  )

describe('an address that is not public', () => {
  it.each([
    ['http://127.0.0.1/', '127.0.0.1'],
    ['http://127.1/', '127.0.0.1'],
    ['http://2130706433/', '127.0.0.1'],
    ['http://0x7f.0.0.1/', '127.0.0.1'],
    ['http://0177.0.0.1/', '127.0.0.1'],
    ['http://127.0.0.1./', '127.0.0.1'],
    ['http://①②⑦.0.0.1/', '127.0.0.1'],
    ['https://169.254.169.254/latest/meta-data/', '169.254.169.254'],
    ['http://0/', '0.0.0.0'],
    ['http://[::1]/', '::1'],
    ['http://[::]/', '::'],
    ['http://[::ffff:127.0.0.1]/', '::ffff:7f00:1'],
    ['http://[64:ff9b::10.0.0.1]/', '64:ff9b::a00:1'],
    ['http://[fd00::1]/', 'fd00::1'],
  ])('is refused in %s', async (url, address) => {
    expect(await errorOf(post(new URL(url), CLOSED))).toBe(
      `${address} is not a public address: allowPrivate: true sends to it all the same`,
    )
  })

  it('is refused if a name leads to it, among others too, and no connection is made', async () => {
    const served = await serving((_, response) => response.end())
    const url = new URL(`http://subscriber.example:${served.port}/`)
    const errors = []
    for (const addresses of [['127.0.0.1'], ['1.1.1.1', '127.0.0.1'], ['::ffff:127.0.0.1']]) {
      const { asked, lookup } = finding(...addresses)
      errors.push([await errorOf(post(url, { ...CLOSED, lookup })), asked])
    }
    const refused = (address: string) => [
      `${address}, an address of subscriber.example, is not a public address: allowPrivate: true sends to it all the same`,
      ['subscriber.example'],
    ]
    expect([errors, served.connections]).toEqual([
      [refused('127.0.0.1'), refused('127.0.0.1'), refused('::ffff:127.0.0.1')],
      0,
    ])
  })

  it('is connected to with allowPrivate, by name and by number', async () => {
    const served = await serving(({ headers }, response) => response.end(headers.host))
    const { lookup } = finding('127.0.0.1')
    const texts = []
    for (const host of ['subscriber.example', '127.0.0.1'])
      texts.push(
        await (await post(new URL(`http://${host}:${served.port}/`), { ...POST, lookup })).text(),
      )
    expect(texts).toEqual([`subscriber.example:${served.port}`, `127.0.0.1:${served.port}`])
  })
})

it('a name that cannot be found is the error of the lookup', async () => {
  const failure = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })
  const lookup = ((_: string, __: object, done: (error: Error) => void) => done(failure)) as never
  await expect(post(new URL('http://none.example'), { ...CLOSED, lookup })).rejects.toBe(failure)
})

it.each(['file:///etc/passwd', 'ftp://1.1.1.1/', 'data:,x', 'blob:http://1.1.1.1/a'])(
  '%s is refused, whatever is allowed',
  async url => {
    const { protocol } = new URL(url)
    expect(await errorOf(post(new URL(url), POST))).toBe(
      `the URL must begin with http: or https:, not with ${protocol}`,
    )
  },
)

describe('a response', () => {
  it('is returned with status, header fields and body; a redirect is not followed', async () => {
    const served = await serving((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', chunk => chunks.push(chunk))
      request.on('end', () => {
        const { method, headers } = request
        response.writeHead(307, 'Elsewhere', { Location: '/other', 'X-A': ['1', '2'] })
        response.end(
          `${method} ${headers['x-mac']} ${headers['content-length']} ${chunks.join('')}`,
        )
      })
    })
    const response = await post(new URL(`http://127.0.0.1:${served.port}/hook`), POST)
    expect({
      status: response.status,
      text: response.statusText,
      location: response.headers.get('Location'),
      several: response.headers.get('X-A'),
      body: await response.text(),
      connections: served.connections,
    }).toEqual({
      status: 307,
      text: 'Elsewhere',
      location: '/other',
      several: '1, 2',
      body: 'POST a 8 {"ä":1}',
      connections: 1,
    })
  })

  it.each([204, 304, 500])('of %i is returned', async status => {
    const { port } = await serving((_, response) => response.writeHead(status).end())
    const response = await post(new URL(`http://127.0.0.1:${port}`), POST)
    expect([response.status, await response.text()]).toEqual([status, ''])
  })

  it('has the first 64 KiB of its body, and its connection is closed', async () => {
    const { port, server } = await serving((_, response) => {
      const write = () => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
      }
      response.on('drain', write).writeHead(200)
      write()
    })
    const closed = new Promise(resolve =>
      server.once('connection', socket => socket.on('error', () => undefined).on('close', resolve)),
    )
    const response = await post(new URL(`http://127.0.0.1:${port}`), { ...POST, timeout: 60_000 })
    await closed
    expect((await response.text()).length).toBe(65_536)
  })

  it('that begins and does not end is returned when the time is over', async () => {
    const { port } = await serving((_, response) => response.writeHead(202).write('so far'))
    const response = await post(new URL(`http://127.0.0.1:${port}`), { ...POST, timeout: 50 })
    expect([response.status, await response.text()]).toEqual([202, 'so far'])
  })

  it('with a status that no response has is an error', async () => {
    const { port } = await serving((_, response) => {
      response.socket?.end('HTTP/1.1 999 No\r\n\r\n')
    })
    expect(await errorOf(post(new URL(`http://127.0.0.1:${port}`), POST))).toMatch(/status/)
  })
})

describe('the time is over', () => {
  const late = 'there was no response within 50 ms'

  it('if nothing answers', async () => {
    const { port } = await serving(() => undefined)
    expect(await errorOf(post(new URL(`http://127.0.0.1:${port}`), { ...POST, timeout: 50 }))).toBe(
      late,
    )
  })

  it('if the name is not found in time', async () => {
    const lookup = (() => undefined) as never
    expect(
      await errorOf(post(new URL('http://slow.example'), { ...CLOSED, timeout: 50, lookup })),
    ).toBe(late)
  })

  it('if TLS is not agreed on in time', async () => {
    const server = createTcpServer(() => undefined).listen(0, '127.0.0.1')
    await once(server, 'listening')
    closing.push(() => server.close())
    const { port } = server.address() as AddressInfo
    expect(
      await errorOf(post(new URL(`https://127.0.0.1:${port}`), { ...POST, timeout: 50 })),
    ).toBe(late)
  })
})
