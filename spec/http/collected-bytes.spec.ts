import { execFileSync } from 'node:child_process'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CollectedBytes, readBytes } from '../../src/http/body/bytes.js'
import { PartStore } from '../../src/http/body/parts.js'
import { DEFAULT_LIMITS } from '../../src/http/body/request-body.js'
import { seed } from '../properties/seed.js'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** The bytes of memory in use after the garbage has been collected. */
function used(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const COUNT = 40_000
/** Bytes that gzip cannot make smaller. */
const NOISE = Buffer.from(Array.from({ length: COUNT }, (_, index) => (index * index * 7919) >> 8))

async function whileReceiving(body: Buffer, coding: string): Promise<object> {
  const headers = { 'transfer-encoding': 'chunked', 'content-encoding': coding }
  const req = Object.assign(new Readable({ read() {} }), { headers })
  const before = used()
  const result = readBytes(req as unknown as IncomingMessage, DEFAULT_LIMITS.json)
  for (let index = 0; index < body.length; index++) {
    req.push(Buffer.from([body[index] as number]))
    if (index % 1000 === 0) await turn()
  }
  await turn()
  const held = used() - before
  req.push(null)
  return { isSmall: held < 50 * COUNT, isWhole: NOISE.equals((await result) as Buffer) }
}

describe('bytes that arrive in chunks', () => {
  it(`are what was sent, and stay it (seed ${seed})`, () =>
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 9 })), chunks => {
        const collected = new CollectedBytes()
        const prefixes = chunks.map((chunk, index) => {
          collected.add(Buffer.from(chunk))
          const wanted = Buffer.concat(chunks.slice(0, index + 1))
          return { bytes: collected.bytes, wanted, size: collected.size }
        })
        expect(prefixes.map(({ bytes, size }) => [bytes, size])).toEqual(
          prefixes.map(({ wanted }) => [wanted, wanted.length]),
        )
      }),
      { seed },
    ))

  it.each([
    ['identity', NOISE],
    ['gzip', gzipSync(NOISE)],
  ])('of one byte take no more memory than others: %s (T20)', async (coding, body) => {
    expect(await whileReceiving(body, coding)).toEqual({ isSmall: true, isWhole: true })
  })

  it('of one byte take no more memory than others in a field of a form (T20)', () => {
    const store = new PartStore(undefined, DEFAULT_LIMITS)
    const before = used()
    const sink = store.begin({ name: 'a', filename: undefined, type: undefined })
    for (let index = 0; index < COUNT; index++) 'write' in sink && sink.write(Buffer.from('x'))
    expect(used() - before).toBeLessThan(50 * COUNT)
    expect('end' in sink && sink.end()).toBe(undefined)
    expect(store.multipart.fields).toEqual({ a: 'x'.repeat(COUNT) })
  })
})

describe('a compressed body', () => {
  it('is read after the process has run out of file descriptors once', () => {
    const script = fileURLToPath(new URL('../support/out-of-descriptors.ts', import.meta.url))
    const command = `ulimit -n 100 && exec "${process.execPath}" --import tsx "${script}"`
    const output = execFileSync('sh', ['-c', command], { encoding: 'utf8' })
    expect(output).toBe('EMFILE\nhello\n')
  })
})
