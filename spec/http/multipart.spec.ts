import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { readForm } from '../../src/http/body.js'
import { type Multipart, readMultipart } from '../../src/http/multipart.js'
import { type BodyContext, DEFAULT_LIMITS } from '../../src/http/request-body.js'
import type { Upload } from '../../src/http/upload.js'
import { type Body, exchange, post, serverReading } from './server.js'

// The temporary files of these tests in a folder of their own, to see that none stays.
const base = mkdtempSync(join(tmpdir(), 'multipart-spec-'))
const folder = join(base, 'uploads')
mkdirSync(folder)
const previous = process.env.TMPDIR
beforeAll(() => {
  process.env.TMPDIR = folder
})
afterAll(() => {
  if (previous === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = previous
  rmSync(base, { recursive: true })
})

/** How many files this process has open, where the system tells. */
const openFiles = () => (existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0)

async function expectNothingLeft(): Promise<void> {
  for (let round = 0; round < 40 && readdirSync(folder).length > 0; round++) await wait(25)
  expect(readdirSync(folder)).toEqual([])
}
afterEach(expectNothingLeft)

const limits = { ...DEFAULT_LIMITS, file: 2000, files: 2, total: 3000, form: 500, fields: 3 }
const seen = async (value: unknown) =>
  value === null || typeof value !== 'object' || !('bytes' in value)
    ? value
    : {
        filename: (value as Upload).filename,
        type: (value as Upload).mediaType,
        size: (value as Upload).size,
        text: await (value as Upload).text(),
      }
async function readAll(ctx: BodyContext): Promise<unknown> {
  const result = await readMultipart(ctx, limits)
  if (!('files' in result)) return result
  const files: Record<string, unknown> = {}
  for (const [name, file] of Object.entries(result.files))
    files[name] = Array.isArray(file) ? await Promise.all(file.map(seen)) : await seen(file)
  return { fields: Object.entries(result.fields), files }
}
const server = await serverReading(readAll)

/** A body of parts as written, between boundaries. */
const body = (...parts: (string | Buffer)[]) =>
  Buffer.concat([...parts.flatMap(part => [Buffer.from('--X\r\n'), Buffer.from(part), Buffer.from('\r\n')]), Buffer.from('--X--\r\n')])
const field = (name: string, value: string) => `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`
const file = (name: string, filename: string, value: string, more = '\r\nContent-Type: text/plain') =>
  `Content-Disposition: form-data; name="${name}"; filename="${filename}"${more}\r\n\r\n${value}`
const send = (bytes: Body, type = 'multipart/form-data; boundary=X') => post(server.url, type, bytes)
const accepted = async (bytes: Body, type?: string) =>
  (await send(bytes, type)).value as { fields: unknown; files: Record<string, unknown> }

describe('a multipart body', () => {
  it('as fetch sends it, is fields and files', async () => {
    const data = new FormData()
    data.append('title', 'ü "quoted"')
    data.append('a', new Blob(['hällo'], { type: 'image/png' }), 'ü "b".png')
    data.append('b', new Blob([]), 'empty')
    expect(await post(server.url, undefined, data)).toEqual({
      status: 200,
      value: {
        fields: [['title', 'ü "quoted"']],
        files: {
          a: { filename: 'ü "b".png', type: 'image/png', size: 6, text: 'hällo' },
          b: { filename: 'empty', type: 'application/octet-stream', size: 0, text: '' },
        },
      },
    })
  })

  it('has a list where a name comes again, and plain names', async () => {
    const value = await accepted(body(field('a[]', '1'), field('a[]', '2'), file('f', 'x', '1'), file('f', 'y', '2')))
    expect(value.fields).toEqual([['a[]', ['1', '2']]])
    expect(value.files.f).toMatchObject([
      { filename: 'x', text: '1' },
      { filename: 'y', text: '2' },
    ])
  })

  it('knows a file by its file name alone, whatever its type says', async () => {
    const typed = 'Content-Disposition: form-data; name="t"\r\nContent-Type: text/plain; charset=utf-8\r\n\r\ntext'
    const value = await accepted(body(typed, file('f', 'x', 'no type', '')))
    expect(value).toEqual({
      fields: [['t', 'text']],
      files: { f: { filename: 'x', type: 'application/octet-stream', size: 7, text: 'no type' } },
    })
  })

  it('has no file for an input that was left empty', async () => {
    expect((await accepted(body(file('f', '', '')))).files).toEqual({})
  })

  it('T05: has its fields and files under any name', async () => {
    const value = await accepted(body(field('__proto__', '1'), field('toString', '2'), file('constructor', 'x', '3')))
    expect(value.fields).toEqual([
      ['__proto__', '1'],
      ['toString', '2'],
    ])
    expect(Object.entries(value.files)).toMatchObject([['constructor', { text: '3' }]])
  })

  it.each(['../../evil.html', 'a%00b', 'C:\\x.txt', 'x'.repeat(300), '__proto__'])(
    'T61: the file name %j is data, never a path',
    async name => {
      expect((await accepted(body(file('f', name, 'x')))).files.f).toMatchObject({ filename: name })
      expect(readdirSync(base)).toEqual(['uploads'])
    },
  )

  it.each(['7bit', '8bit', 'binary'])('is read with the transfer encoding %s', async encoding => {
    const more = `\r\nContent-Transfer-Encoding: ${encoding}`
    expect((await accepted(body(file('f', 'x', 'ü', more)))).files.f).toMatchObject({ text: 'ü' })
  })

  it('is read with any boundary, and in any pieces', async () => {
    for (const boundary of ['json', 'octet-stream-urlencoded', '"a b:c"', '------WebKitFormBoundaryJSON']) {
      const bytes = `--${boundary.replaceAll('"', '')}\r\n${field('a', '1')}\r\n--${boundary.replaceAll('"', '')}--`
      expect((await accepted(bytes, `multipart/form-data; boundary=${boundary}`)).fields).toEqual([['a', '1']])
    }
    const bytes = body(field('a', 'ü'), file('f', 'x', 'ü\r\n--Y'))
    const pieces = new ReadableStream({
      async start(controller) {
        for (const byte of bytes) {
          controller.enqueue(Uint8Array.of(byte))
          if (byte === 13) await wait(0)
        }
        controller.close()
      },
    })
    expect(await accepted(pieces)).toMatchObject({ fields: [['a', 'ü']], files: { f: { text: 'ü\r\n--Y' } } })
  })

  it('that is absent is no fields and no files', async () => {
    expect(await post(server.url, undefined, undefined)).toEqual({ status: 200, value: { fields: [], files: {} } })
  })

  it.each([
    ['T65: truncated', body(field('a', '1')).subarray(0, -8)],
    ['T65: of another boundary', '--Y\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--Y--'],
    ['T65: truncated in a file', body(file('f', 'x', 'abc')).subarray(0, -10)],
    ['without a name', body('Content-Disposition: form-data\r\n\r\n1')],
    ['without header fields', body('\r\n1')],
    ['with a field that is not UTF-8', body(Buffer.from(field('a', '\xff'), 'latin1'))],
    ['with a name that is not UTF-8', body(Buffer.from(field('\xff', '1'), 'latin1'))],
    ['T64: with a name of 9 kB', body(field('a'.repeat(8200), '1'))],
    ['with an unknown transfer encoding', body(file('f', 'x', '1', '\r\nContent-Transfer-Encoding: rot13'), file('g', 'y', '2'))],
  ])('%s is 400', async (_what, bytes) => {
    expect(await send(bytes)).toMatchObject({ status: 400, errors: { files: [expect.any(String)] } })
  })

  it('T65: without a boundary is 400, of another type 415, compressed 415', async () => {
    for (const type of ['multipart/form-data', 'multipart/form-data; boundary=""', `multipart/form-data; boundary=${'x'.repeat(71)}`]) {
      expect(await send('x', type)).toMatchObject({ status: 400 })
    }
    expect(await send('{}', 'application/json')).toMatchObject({ status: 415 })
    expect(await send(body(), 'multipart/mixed; boundary=X')).toMatchObject({ status: 415 })
    expect(await post(server.url, 'multipart/form-data; boundary=X', body(), { 'Content-Encoding': 'gzip' })).toMatchObject({ status: 415 })
  })

  it.each([
    ['a file', body(file('f', 'x', 'a'.repeat(2001))), 'A file may have at most 2000 bytes.'],
    [
      'all files',
      body(file('f', 'x', 'a'.repeat(2000)), file('g', 'y', 'a'.repeat(1001))),
      'The files of the body may have at most 3000 bytes.',
    ],
    ['the number of files', body(...Array<string>(3).fill(file('f', 'x', ''))), 'The body may have at most 2 files.'],
    ['the fields', body(field('a', 'a'.repeat(501))), 'The fields of the body may have at most 500 bytes.'],
    ['the number of fields', body(...Array<string>(10_000).fill(field('a', ''))), /^The body may have at most/],
    [
      'the body',
      body(field('a'.repeat(9000), '1'))
        .subarray(0, 20)
        .toString()
        .padEnd(100_000),
      'The body may have at most 8620 bytes.',
    ],
  ])('T64: has a limit for %s: 413', async (_what, bytes, message) => {
    const chunked = new Blob([bytes]).stream()
    for (const sent of [bytes, chunked]) {
      expect(await send(sent)).toMatchObject({ status: 413, message: expect.stringMatching(message) })
    }
  })

  it('T64: at its limits is read', async () => {
    const value = await accepted(
      body(file('f', 'x', 'a'.repeat(2000)), file('g', 'y', 'a'.repeat(1000)), field('a', 'a'.repeat(500)), field('b', ''), field('c', '')),
    )
    expect(Object.keys(value.files)).toEqual(['f', 'g'])
  })

  it('goes on after a file that has ended before the disk had it', async () => {
    const whole = await serverReading(async ctx => Object.keys(((await readMultipart(ctx)) as Multipart).files))
    const bytes = body(file('f', 'x', 'a'.repeat(30_000)), file('g', 'y', 'b'))
    const half = bytes.length - 40
    const pieces = new ReadableStream({
      async start(controller) {
        controller.enqueue(bytes.subarray(0, half))
        await wait(50)
        controller.enqueue(bytes.subarray(half))
        controller.close()
      },
    })
    expect(await post(whole.url, 'multipart/form-data; boundary=X', pieces)).toEqual({ status: 200, value: ['f', 'g'] })
  })

  it('of large files is written as fast as the disk takes it', async () => {
    const large = await serverReading(async ctx => {
      const result = await readMultipart(ctx)
      return 'files' in result ? [result.files.f].flat().map(one => one?.size) : result
    })
    const data = new FormData()
    for (let count = 0; count < 3; count++) data.append('f', new Blob([Buffer.alloc(9_000_000, count)]), 'x')
    expect(await post(large.url, undefined, data)).toEqual({ status: 200, value: [9_000_000, 9_000_000, 9_000_000] })
  })
})

describe('temporary files', () => {
  it('T62: go when the client does, and none stays open', async () => {
    await accepted(body(file('f', 'x', '1')))
    const before = openFiles()
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=X\r\nContent-Length: 10000\r\n\r\n'
    for (let cut = 0; cut < 30; cut++) {
      const socket = connect(server.port, '127.0.0.1')
      socket.write(Buffer.concat([Buffer.from(head), body(file('f', 'x', 'a'.repeat(500)), file('g', 'y', 'b')).subarray(0, cut * 30)]))
      await wait(cut % 3)
      socket.destroy()
    }
    await wait(100)
    await expectNothingLeft()
    expect(openFiles()).toBeLessThanOrEqual(before + 1)
  })

  it('T62: go when the body is refused, and none stays open', async () => {
    await accepted(body(file('f', 'x', '1')))
    const before = openFiles()
    const bad = [file('f', 'x', '1', '\r\nContent-Transfer-Encoding: rot13'), file('g', 'y', '2'), file('h', 'z', '3')]
    for (let count = 0; count < 20; count++) {
      await send(body(file('f', 'x', 'a'), file('f', 'x', 'a'), file('f', 'x', 'a'), file('f', 'x', 'a')))
      await send(body(...bad))
      await send(body(...bad).subarray(0, -10))
      await send(body(file('f', 'x', 'a')).subarray(0, -10))
    }
    await expectNothingLeft()
    expect(openFiles()).toBeLessThanOrEqual(before + 3)
  })

  it('leave the connection to the next request where the body is refused', async () => {
    const bytes = body(file('f', 'x', 'a'.repeat(100_000)))
    const head = `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=X\r\nContent-Length: ${bytes.length}\r\n\r\n`
    const received = await exchange(server.port, head, bytes, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    expect(received.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200'])
  })
})

describe('one multipart body', () => {
  it('is read once, for its fields and for its files', async () => {
    const both = await serverReading(async ctx => {
      const [fields, multipart, again] = [await readForm(ctx, limits), await readMultipart(ctx, limits), await readMultipart(ctx, limits)]
      return 'files' in multipart ? [fields, Object.keys(multipart.files), multipart === again] : multipart
    })
    const type = 'multipart/form-data; boundary=X'
    expect(await post(both.url, type, body(field('a', '1'), file('f', 'x', '2')))).toEqual({
      status: 200,
      value: [{ a: '1' }, ['f'], true],
    })
    const form = await serverReading(ctx => readForm(ctx, limits))
    expect(await post(form.url, type, 'x')).toMatchObject({ status: 400, errors: { form: [expect.any(String)] } })
  })
})

describe('an upload', () => {
  it('is read whole or as a stream, and stays where it is moved to', async () => {
    const target = join(base, 'kept.txt')
    const kept = await serverReading(async ctx => {
      const { files } = (await readMultipart(ctx)) as unknown as { files: { f: Upload } }
      const chunks: Buffer[] = []
      for await (const chunk of files.f.stream()) chunks.push(chunk)
      const bytes = await files.f.bytes()
      await files.f.moveTo(target)
      return [bytes.equals(Buffer.concat(chunks)), existsSync(files.f.path)]
    })
    expect((await post(kept.url, 'multipart/form-data; boundary=X', body(file('f', 'x', 'kept')))).value).toEqual([true, false])
    await expectNothingLeft()
    expect(readFileSync(target, 'utf8')).toBe('kept')
    rmSync(target)
  })
})
