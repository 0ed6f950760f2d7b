import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { cpuTime } from '../support/cpu-time.js'
import { requestBytes, sendBytes } from '../support/wire.js'
import { calls } from './application.js'
import { serveThreats } from './served.js'

const { port, post, request } = await serveThreats()

const TYPE = 'Content-Type: application/json'
const GOOD = requestBytes('POST', '/closed', [TYPE, 'Connection: close'], '{"name":"Ann"}')
const invalid = '{"name":1}'

describe('the media type of a body', () => {
  it.each([
    'application/json\ta',
    'application/jsonx',
    'x/json',
    'application/json;charset="',
    'application/json; charset=utf-16',
    'text/plain',
    'application/json,text/plain',
    'application/json/x',
    '/',
    '',
  ])('is a 415 unless it is understood whole: %j (T67)', async type => {
    const before = calls.count
    const [answer] = await sendBytes(
      port,
      requestBytes('POST', '/closed', [`Content-Type: ${type}`, 'Connection: close'], invalid),
    )
    expect({ status: answer?.status, code: answer?.body.code }).toEqual({ status: 415, code: 415 })
    expect(calls.count).toBe(before)
  })

  it('is a 415 if it is missing or sent twice (T67)', async () => {
    for (const lines of [
      [],
      [TYPE, 'content-type: text/plain'],
      ['Content-Type: text/plain', TYPE],
      [TYPE, TYPE],
    ]) {
      const [answer] = await sendBytes(
        port,
        requestBytes('POST', '/closed', [...lines, 'Connection: close'], '{"name":"Ann"}'),
      )
      expect(answer?.status).toBe(415)
    }
  })

  it('may have white space around it, and the body is decoded all the same (T67)', async () => {
    const [answer] = await sendBytes(
      port,
      requestBytes(
        'POST',
        '/closed',
        ['Content-Type:  application/json ', 'Connection: close'],
        invalid,
      ),
    )
    expect(answer?.status).toBe(422)
  })

  it('may be any kind of JSON, whose body is decoded like other JSON; another type has to be declared (T68)', async () => {
    const send = (path: string, type: string, text: string) =>
      request('POST', path, { headers: { 'Content-Type': type }, body: text })
    for (const type of ['application/problem+json', 'application/merge-patch+json'])
      expect((await send('/closed', type, invalid)).status).toBe(422)
    expect((await send('/vendor', 'application/vnd.own', '{"name":"Ann"}')).status).toBe(200)
    expect((await send('/closed', 'application/vnd.own', '{"name":"Ann"}')).status).toBe(415)
    expect((await send('/closed', 'application/xml+jsonx', '{"name":"Ann"}')).status).toBe(415)
  })
})

describe('a connection', () => {
  it.each(['GET', 'DELETE'])(
    'goes on with the next request after a %s with a body that nobody reads (T69)',
    async method => {
      const path = method === 'GET' ? '/search' : '/nothing'
      const answers = await sendBytes(
        port,
        Buffer.concat([requestBytes(method, path, [TYPE], 'x'.repeat(10_000)), GOOD]),
      )
      expect(answers.map(({ status }) => status)).toEqual([method === 'GET' ? 200 : 204, 200])
      expect(answers[1]?.body).toEqual({ name: 'Ann' })
    },
  )

  it.each([
    ['invalid', '/closed', invalid, 422],
    ['malformed', '/closed', '{', 400],
    ['too large', '/small', `{"name":"${'a'.repeat(200)}"}`, 413],
    ['for nobody', '/nowhere', invalid, 404],
  ])(
    'goes on with the second of two pipelined requests if the first is %s (T70)',
    async (_what, path, text, status) => {
      const answers = await sendBytes(
        port,
        Buffer.concat([requestBytes('POST', path, [TYPE], text), GOOD]),
      )
      expect(answers.map(answer => answer.status)).toEqual([status, 200])
      expect(answers[1]?.body).toEqual({ name: 'Ann' })
    },
  )

  const head = `POST /closed HTTP/1.1\r\nHost: x\r\n${TYPE}\r\n`
  it.each([
    [
      'a length and chunks',
      `${head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['two lengths', `${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x`],
    ['a blank before the colon', `${head}Content-Length : 2\r\n\r\n{}`],
    ['a signed length', `${head}Content-Length: +2\r\n\r\n{}`],
    ['another transfer coding', `${head}Transfer-Encoding: xchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`],
    ['lines without carriage returns', 'GET /search HTTP/1.1\nHost: x\nContent-Length : 1\n\n'],
  ])('ends with a 400 if a request is framed twice or wrongly: %s (T71)', async (_what, bytes) => {
    const before = calls.count
    const answers = await sendBytes(port, bytes)
    expect(answers.map(({ status }) => status)).toEqual([400])
    expect(calls.count).toBe(before)
  })

  it('on which a body arrives byte by byte does not keep others waiting (T72)', async () => {
    const slow = Array.from({ length: 100 }, () => connect(port, '127.0.0.1'))
    for (const socket of slow)
      socket.on('error', () => undefined).write(`${head}Content-Length: 1000\r\n\r\n`)
    for (let round = 0; round < 5; round++) {
      for (const socket of slow) socket.write(' ')
      const start = cpuTime()
      expect((await post('/closed', '{"name":"Ann"}')).status).toBe(200)
      expect(cpuTime() - start).toBeLessThan(500)
    }
    for (const socket of slow) socket.destroy()
  })

  it('whose client does not read 50 MB does not have them in memory (T73)', async () => {
    const before = process.memoryUsage()
    const clients = Array.from({ length: 10 }, () => connect(port, '127.0.0.1').pause())
    for (const client of clients)
      client.on('error', () => undefined).write(requestBytes('GET', '/large'))
    await wait(300)
    const { rss, external } = process.memoryUsage()
    expect(Math.max(external - before.external, (rss - before.rss) / 4)).toBeLessThan(
      50 * 1024 * 1024,
    )
    expect((await post('/closed', '{"name":"Ann"}')).status).toBe(200)
    for (const client of clients) client.destroy()
  })
})
