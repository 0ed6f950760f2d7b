import { readdirSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Multipart } from '../../src/http/body/multipart.js'
import { DEFAULT_LIMITS } from '../../src/http/body/request-body.js'
import { readMultipart } from './reading.js'
import { post, serverReading } from './server.js'
import { body, field, file, serveUploads, TYPE } from './uploads.js'

const { accepted, base, send, server } = await serveUploads()

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
          a: { filename: 'ü "b".png', mediaType: 'image/png', size: 6, text: 'hällo' },
          b: { filename: 'empty', mediaType: 'application/octet-stream', size: 0, text: '' },
        },
      },
    })
  })

  it('has a list if a name comes again, and plain names', async () => {
    const value = await accepted(
      body(field('a[]', '1'), field('a[]', '2'), file('f', 'x', '1'), file('f', 'y', '2')),
    )
    expect(value.fields).toEqual([['a[]', ['1', '2']]])
    expect(value.files.f).toMatchObject([
      { filename: 'x', text: '1' },
      { filename: 'y', text: '2' },
    ])
  })

  it('knows a file by its file name alone, whatever its type says', async () => {
    const typed =
      'Content-Disposition: form-data; name="t"\r\nContent-Type: text/plain; charset=utf-8\r\n\r\ntext'
    const value = await accepted(body(typed, file('f', 'x', 'no type', '')))
    expect(value).toEqual({
      fields: [['t', 'text']],
      files: {
        f: { filename: 'x', mediaType: 'application/octet-stream', size: 7, text: 'no type' },
      },
    })
  })

  it('has no file for an input that was left empty', async () => {
    expect((await accepted(body(file('f', '', '')))).files).toEqual({})
  })

  it('T05: has its fields and files under any name', async () => {
    const value = await accepted(
      body(field('__proto__', '1'), field('toString', '2'), file('constructor', 'x', '3')),
    )
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
    for (const boundary of [
      'json',
      'octet-stream-urlencoded',
      '"a b:c"',
      '------WebKitFormBoundaryJSON',
    ]) {
      const bytes = `--${boundary.replaceAll('"', '')}\r\n${field('a', '1')}\r\n--${boundary.replaceAll('"', '')}--`
      expect((await accepted(bytes, `multipart/form-data; boundary=${boundary}`)).fields).toEqual([
        ['a', '1'],
      ])
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
    expect(await accepted(pieces)).toMatchObject({
      fields: [['a', 'ü']],
      files: { f: { text: 'ü\r\n--Y' } },
    })
  })

  it('that is absent is no fields and no files', async () => {
    expect(await post(server.url, undefined, undefined)).toEqual({
      status: 200,
      value: { fields: [], files: {} },
    })
  })

  it.each([
    ['T65: truncated', body(field('a', '1')).subarray(0, -8)],
    [
      'T65: of another boundary',
      '--Y\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--Y--',
    ],
    ['T65: truncated in a file', body(file('f', 'x', 'abc')).subarray(0, -10)],
    ['without a name', body('Content-Disposition: form-data\r\n\r\n1')],
    ['without header fields', body('\r\n1')],
    ['with a field that is not UTF-8', body(Buffer.from(field('a', '\xff'), 'latin1'))],
    ['with a name that is not UTF-8', body(Buffer.from(field('\xff', '1'), 'latin1'))],
    ['T64: with a name of 9 kB', body(field('a'.repeat(8200), '1'))],
    [
      'with an unknown transfer encoding',
      body(file('f', 'x', '1', '\r\nContent-Transfer-Encoding: rot13'), file('g', 'y', '2')),
    ],
  ])('%s is 400', async (_what, bytes) => {
    expect(await send(bytes)).toMatchObject({
      status: 400,
      errors: { files: [expect.any(String)] },
    })
  })

  it('T65: without a boundary is 400, of another type 415, compressed 415', async () => {
    for (const type of [
      'multipart/form-data',
      'multipart/form-data; boundary=""',
      `multipart/form-data; boundary=${'x'.repeat(71)}`,
    ]) {
      expect(await send('x', type)).toMatchObject({ status: 400 })
    }
    expect(await send('{}', 'application/json')).toMatchObject({ status: 415 })
    expect(await send(body(), 'multipart/mixed; boundary=X')).toMatchObject({ status: 415 })
    expect(await post(server.url, TYPE, body(), { 'Content-Encoding': 'gzip' })).toMatchObject({
      status: 415,
    })
  })

  it.each(['identity', 'Identity', ''])(
    'is read as it is with Content-Encoding: %j',
    async coding => {
      expect(await post(server.url, TYPE, body(), { 'Content-Encoding': coding })).toMatchObject({
        status: 200,
      })
    },
  )

  it.each([
    ['a file', body(file('f', 'x', 'a'.repeat(2001))), 'A file may have at most 2000 bytes.'],
    [
      'all files',
      body(file('f', 'x', 'a'.repeat(2000)), file('g', 'y', 'a'.repeat(1001))),
      'The files of the body may have at most 3000 bytes.',
    ],
    [
      'the number of files',
      body(...Array<string>(3).fill(file('f', 'x', ''))),
      'The body may have at most 2 files.',
    ],
    [
      'the fields',
      body(field('a', 'a'.repeat(501))),
      'The fields of the body may have at most 500 bytes.',
    ],
    [
      'the number of fields',
      body(...Array<string>(10_000).fill(field('a', ''))),
      /^The body may have at most/,
    ],
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
      expect(await send(sent)).toMatchObject({
        status: 413,
        message: expect.stringMatching(message),
      })
    }
  })

  it('T64: at its limits is read', async () => {
    const value = await accepted(
      body(
        file('f', 'x', 'a'.repeat(2000)),
        file('g', 'y', 'a'.repeat(1000)),
        field('a', 'a'.repeat(500)),
        field('b', ''),
        field('c', ''),
      ),
    )
    expect(Object.keys(value.files)).toEqual(['f', 'g'])
  })

  it('may have one file of the size that one may have, however small the total is', async () => {
    const small = { ...DEFAULT_LIMITS, file: 2000, total: 1000 }
    const server = await serverReading(async ctx => {
      const result = await readMultipart(ctx, { limits: small })
      return 'files' in result ? [result.files.f].flat().map(one => one?.size) : result
    })
    const send = (size: number) => post(server.url, TYPE, body(file('f', 'x', 'a'.repeat(size))))
    expect(await send(2000)).toEqual({ status: 200, value: [2000] })
    expect(await send(2001)).toMatchObject({ status: 413 })
  })

  it('goes on after a file that has ended before the disk had it', async () => {
    const whole = await serverReading(async ctx =>
      Object.keys(((await readMultipart(ctx)) as Multipart).files),
    )
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
    expect(await post(whole.url, TYPE, pieces)).toEqual({ status: 200, value: ['f', 'g'] })
  })

  it('of large files is written as fast as the disk takes it', async () => {
    const large = await serverReading(async ctx => {
      const result = await readMultipart(ctx)
      return 'files' in result ? [result.files.f].flat().map(one => one?.size) : result
    })
    const data = new FormData()
    for (let count = 0; count < 3; count++)
      data.append('f', new Blob([Buffer.alloc(9_000_000, count)]), 'x')
    expect(await post(large.url, undefined, data)).toEqual({
      status: 200,
      value: [9_000_000, 9_000_000, 9_000_000],
    })
  })
})
