import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { millisecondsFor } from '../http/timing.js'
import { cpuTime } from '../support/cpu-time.js'
import { requestBytes, sendBytes } from '../support/wire.js'
import { calls } from './application.js'
import { serveThreats } from './served.js'

const { port, post, request } = await serveThreats()

const TYPE = 'Content-Type: application/json'
const nest = (levels: number, open = '[', close = ']') => open.repeat(levels) + close.repeat(levels)

/** The CPU time of the cheapest of three, in milliseconds. */
async function timed(action: () => Promise<unknown>): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < 3; round++) {
    const start = cpuTime()
    await action()
    best = Math.min(best, cpuTime() - start)
  }
  return best
}

describe('nesting', () => {
  it.each([
    ['arrays', nest(50_000)],
    ['objects', `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`],
    ['both', `${'[{"a":'.repeat(25_000)}1${'}]'.repeat(25_000)}`],
    ['__proto__ on the ground', `${'{"a":'.repeat(1000)}{"__proto__":1}${'}'.repeat(1000)}`],
  ])('of 50,000 levels is a 400 at once: %s (T16)', async (_what, body) => {
    expect((await post('/anything', body)).status).toBe(400)
    expect(await timed(() => post('/anything', body))).toBeLessThan(100)
  })

  it('of a recursive codec may have 64 levels, and more is a 400 (T17)', async () => {
    const tree = (levels: number) => `${'{"next":'.repeat(levels)}null${'}'.repeat(levels)}`
    expect((await post('/tree', tree(64))).body).toEqual({ depth: 64 })
    for (const levels of [65, 3000]) expect((await post('/tree', tree(levels))).status).toBe(400)
  })
})

describe('a body', () => {
  it('at the limit is read, and one byte more is a 413, with a length or in chunks (T18)', async () => {
    const body = (size: number) => `{"name":"${'a'.repeat(size - 11)}"}`
    for (const [size, status] of [
      [100, 200],
      [101, 413],
    ] as const) {
      const before = calls.count
      expect((await post('/small', body(size))).status).toBe(status)
      const chunk = `${size.toString(16)}\r\n${body(size)}\r\n0\r\n\r\n`
      const [answer] = await sendBytes(
        port,
        `${requestBytes('POST', '/small', [TYPE, 'Transfer-Encoding: chunked', 'Connection: close'])}${chunk}`,
      )
      expect({ status: answer?.status, calls: calls.count - before }).toEqual({
        status,
        calls: status === 200 ? 2 : 0,
      })
    }
  })

  it.each(['99999999999', '4294967297'])(
    'whose Content-Length is %s is a 413 at once (T19)',
    async length => {
      const [answer] = await sendBytes(
        port,
        `${requestBytes('POST', '/closed', [TYPE, `Content-Length: ${length}`])}{}`,
        3000,
      )
      expect({ status: answer?.status, code: answer?.body.code }).toEqual({
        status: 413,
        code: 413,
      })
    },
  )

  it('of 512 MiB in a gzip of 0.5 MB is a 413, and is never in memory (T20)', async () => {
    const bomb = gzipSync(Buffer.alloc(512 * 1024 * 1024), { level: 1 })
    const before = process.memoryUsage.rss()
    const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }
    const start = cpuTime()
    expect((await request('POST', '/closed', { headers, body: bomb })).status).toBe(413)
    expect(cpuTime() - start).toBeLessThan(1500)
    expect(process.memoryUsage.rss() - before).toBeLessThan(150 * 1024 * 1024)
  }, 30_000)

  it('in a broken content coding is a 400, and in an unknown one a 415 (T21)', async () => {
    const send = (coding: string, body: Buffer) =>
      request('POST', '/closed', {
        headers: { 'Content-Type': 'application/json', 'Content-Encoding': coding },
        body: new Uint8Array(body),
      })
    expect((await send('gzip', Buffer.from('not gzip'))).status).toBe(400)
    expect((await send('gzip', gzipSync('{"name":"Ann"}').subarray(0, 12))).status).toBe(400)
    expect((await send('br', Buffer.from('x'))).status).toBe(400)
    expect((await send('zstd', Buffer.from('{}'))).status).toBe(415)
  })

  it.each([
    [
      '20,000 unknown fields',
      '/closed',
      JSON.stringify(Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`k${n}`, 1]))),
    ],
    ['100,000 bad items', '/shapes', `{"numbers":[${'"x",'.repeat(99_999)}"x"]}`],
  ])('with many mistakes gets an error of about 8 kB: %s (T22)', async (_what, path, body) => {
    const { status, text } = await post(path, body)
    expect(status).toBe(422)
    expect(text.length).toBeLessThan(12_000)
    expect(await timed(() => post(path, body))).toBeLessThan(300)
  })

  it('with a long bad value gets an error without it (T23)', async () => {
    const { status, text } = await post('/shapes', JSON.stringify({ numbers: 'x'.repeat(900_000) }))
    expect(status).toBe(422)
    expect(text.length).toBeLessThan(2000)
  })

  it('takes time in proportion to its length, whatever its names (T24)', async () => {
    for (const name of [
      (n: number) => String(n),
      (n: number) => n.toString(36),
      (n: number) => `${n % 2 ? '' : '0'}${n}`,
    ]) {
      const body = (count: number) =>
        JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [name(n), 1])))
      const [small, large] = [body(25_000), body(50_000)]
      const cost = await timed(() => post('/open', small))
      expect(await timed(() => post('/open', large))).toBeLessThan(cost * 4 + 20)
    }
  })
})

describe('the time for a request', () => {
  it('is not spent on a pattern if the text is longer than maxLength (T25)', async () => {
    const attack = JSON.stringify({ text: `${'a'.repeat(50_000)}!` })
    expect((await post('/pattern', attack)).status).toBe(422)
    expect(await timed(() => post('/pattern', attack))).toBeLessThan(200)
  })

  it('is linear in every field that is read with regular expressions of the library (T26)', async () => {
    const long = (text: string) => text.repeat(Math.ceil(12_000 / text.length))
    const values = [
      'a',
      '0',
      '-',
      '"',
      ',',
      ' ',
      ';',
      '\\"',
      'W/"',
      '%41',
      '2026-',
      'a=',
      '; a=b',
      'x@',
      '1.',
    ].map(long)
    for (const value of values) {
      for (const field of [
        'If-None-Match',
        'If-Match',
        'If-Modified-Since',
        'Content-Type',
        'Cookie',
        'Accept',
        'Content-Encoding',
      ]) {
        const start = cpuTime()
        const bytes = requestBytes(
          field.startsWith('Content') ? 'POST' : 'GET',
          field.startsWith('Content') ? '/closed' : '/leak/list',
          [`${field}: ${value}`, 'Connection: close'],
          field.startsWith('Content') ? '{}' : undefined,
        )
        const [answer] = await sendBytes(port, bytes)
        expect(answer?.status).toBeLessThan(500)
        expect(cpuTime() - start, `${field}: ${value.slice(0, 10)}`).toBeLessThan(500)
      }
    }
    for (const name of ['n', 'day', 'at', 'id', 'ids', 'flag']) {
      for (const value of values) {
        const [answer] = await sendBytes(
          port,
          requestBytes(
            'GET',
            `/search?${name}=${encodeURIComponent(value).slice(0, 14_000).replace(/%.?$/, '')}`,
            ['Connection: close'],
          ),
        )
        expect(answer?.status).toBeLessThan(500)
      }
    }
  }, 30_000)

  it('is spent less on an entity tag than on writing what is tagged (T80)', async () => {
    const { entityTagOf } = await import('../../src/http/entity-tag.js')
    const page = Array.from({ length: 100 }, (_, id) => ({
      id,
      name: `item ${id}`,
      tags: ['a', 'b', 'c'],
      price: id / 3,
    }))
    const text = JSON.stringify(page)
    expect(millisecondsFor(() => entityTagOf(text))).toBeLessThan(
      millisecondsFor(() => JSON.stringify(page)) * 4 + 0.1,
    )
  })
})
