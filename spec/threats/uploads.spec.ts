import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { body, field, file, TYPE, uploadFolder } from '../http/uploads.js'
import { cpuTime } from '../support/cpu-time.js'
import { requestBytes, sendBytes } from '../support/wire.js'
import { calls } from './application.js'
import { serveThreats } from './served.js'

const { base, expectNothingLeft } = uploadFolder()

const { port, request } = await serveThreats()

const send = async (path: string, bytes: Buffer, type = TYPE) =>
  (
    await sendBytes(
      port,
      requestBytes('POST', path, [`Content-Type: ${type}`, 'Connection: close'], bytes),
    )
  )[0]

describe('an upload', () => {
  it.each([
    '../../../tmp/evil',
    '..\\..\\evil',
    '/etc/passwd',
    'a%00b.png',
    'x'.repeat(300),
    '__proto__',
    '.',
    'con',
    'a\\"b',
  ])('is never stored under a name of the client, such as %s (T61)', async name => {
    expect((await send('/upload', body(file('file', name, 'content'))))?.body).toBe('content')
    expect({ stored: readdirSync(base), evil: existsSync('/tmp/evil') }).toEqual({
      stored: ['uploads'],
      evil: false,
    })
  })

  it('with a line break in its file name is no server error (T61)', async () => {
    expect(
      (await send('/upload', body(file('file', 'a\r\nX-Injected: 1', 'content'))))?.status,
    ).toBeLessThan(500)
  })

  it('is deleted if it was refused, if the method failed, and if the client has left (T62)', async () => {
    const good = body(file('file', 'x', 'a'.repeat(5000)))
    const answers = await Promise.all([
      send('/upload', body(file('file', 'x', 'a'), field('unknown', '1'))),
      send('/upload', body(file('other', 'x', 'a'))),
      send('/upload/fails', good),
      send('/upload', good),
    ])
    expect(answers.map(answer => answer?.status)).toEqual([422, 422, 500, 200])
    for (let cut = 0; cut < 20; cut++) {
      const whole = requestBytes('POST', '/upload', [`Content-Type: ${TYPE}`], good)
      await sendBytes(port, whole.subarray(0, Math.floor((whole.length * cut) / 20)), 10)
    }
    await expectNothingLeft()
  })

  it('is not stored by an operation that takes none (T63)', async () => {
    const bytes = body(file('file', 'x', 'a'.repeat(50_000)))
    const before = calls.count
    expect((await send('/closed', bytes))?.status).toBe(415)
    expect((await send('/nowhere', bytes))?.status).toBe(404)
    expect((await send('/search', bytes))?.status).toBe(405)
    expect(readdirSync(join(base, 'uploads'))).toEqual([])
    expect(calls.count).toBe(before)
  })

  it.each([
    ['10,000 parts', body(...Array<string>(10_000).fill(field('title', 'a'))), 413],
    ['100 files', body(...Array<string>(100).fill(file('file', 'x', 'a'))), 413],
    ['a header of 70 kB', body(`${'X-A: '.padEnd(70_000, 'a')}\r\n${field('title', 'a')}`), 400],
    ['a field of 70 kB', body(file('file', 'x', 'a'), field('title', 'a'.repeat(70_000))), 413],
  ])('is refused beyond its limits: %s (T64)', async (_what, bytes, status) => {
    const answer = await send('/upload', bytes)
    expect({ status: answer?.status, code: answer?.body?.code }).toEqual({ status, code: status })
  })

  it('is refused before the end of a header without end (T64)', async () => {
    const head = `POST /upload HTTP/1.1\r\nHost: x\r\nContent-Type: ${TYPE}\r\nContent-Length: 20000000\r\n\r\n`
    const [answer] = await sendBytes(port, `${head}--X\r\nX-A: ${'a'.repeat(2_000_000)}`, 1000)
    expect({ status: answer?.status, code: answer?.body?.code }).toEqual({ status: 400, code: 400 })
  })

  it.each([
    ['header that quotes again and again', file('file', 'filename="'.repeat(120_000), 'a'), 400],
    ['header of 240,000 lines', `${'a:b\r\n'.repeat(240_000)}${file('file', 'x', 'a')}`, 400],
    [
      'header of parameters',
      `Content-Disposition: form-data${';a="\\"'.repeat(1300)}\r\n\r\na`,
      400,
    ],
    ['file of CR', file('file', 'x', '\r'.repeat(5_000_000)), 200],
    ['file of CRLF', file('file', 'x', '\r\n'.repeat(2_500_000)), 200],
    ['file of what is nearly the boundary', file('file', 'x', '\r\n--'.repeat(1_000_000)), 200],
  ])('takes time in proportion to its length: a %s (T64)', async (_what, part, status) => {
    const bytes = body(part)
    await send('/upload', body(file('file', 'x', 'a')))
    const start = cpuTime()
    expect((await send('/upload', bytes))?.status).toBe(status)
    expect(cpuTime() - start).toBeLessThan(1000)
  })

  it.each([
    ['a line without a colon', `${field('title', 'a').replace('\r\n\r\n', '\r\ngarbage\r\n\r\n')}`],
    ['a folded line', 'Content-Disposition: form-data;\r\n name="title"\r\n\r\na'],
    ['a line break alone', 'Content-Disposition: form-data; name="title"\nX: a\r\n\r\na'],
    ['a name cut short', 'Content-Disposition: form-data; name="title\r\n\r\na'],
    ['text after a name', 'Content-Disposition: form-data; name="title"x\r\n\r\na'],
    ['two names', 'Content-Disposition: form-data; name="title"; name="file"\r\n\r\na'],
    [
      'two dispositions',
      'Content-Disposition: form-data; name="title"\r\nContent-Disposition: form-data; name="file"\r\n\r\na',
    ],
    ['another disposition', 'Content-Disposition: attachment; name="title"\r\n\r\na'],
    ['no disposition', 'Content-Type: text/plain\r\n\r\na'],
    ['no end', 'Content-Disposition: form-data; name="title"'],
    ['more lines than are read', `${'a:b\r\n'.repeat(2500)}${field('title', 'a')}`],
  ])('with a malformed part is a 400 as a whole: %s (T65)', async (_what, part) => {
    const answer = await send('/upload', body(file('file', 'x', 'a'), part))
    expect({ status: answer?.status, errors: answer?.body.errors }).toEqual({
      status: 400,
      errors: { files: [expect.any(String)] },
    })
  })

  it.each([
    ['no boundary', 400, body(file('file', 'x', 'a')), 'multipart/form-data'],
    ['an empty boundary', 415, body(file('file', 'x', 'a')), 'multipart/form-data; boundary='],
    ['another boundary', 400, body(file('file', 'x', 'a')), 'multipart/form-data; boundary=Y'],
    ['no end', 400, body(file('file', 'x', 'a')).subarray(0, -8), TYPE],
  ])('that is malformed is refused: %s, %i (T65)', async (_what, expected, bytes, type) => {
    const answer = await send('/upload', bytes, type)
    expect({ status: answer?.status, code: answer?.body?.code }).toEqual({
      status: expected,
      code: expected,
    })
  })

  it('may be followed by text, which is ignored (T65)', async () => {
    expect(
      (
        await send(
          '/upload',
          Buffer.concat([body(file('file', 'x', 'a')), Buffer.from('after the end')]),
        )
      )?.status,
    ).toBe(200)
  })

  it('is not a text, and a text is not an upload (T66)', async () => {
    expect((await send('/upload', body(field('file', 'text'))))?.body.errors).toMatchObject({
      files: { file: [expect.any(String)] },
    })
    expect(
      (await send('/upload', body(file('file', 'x', 'a'), file('title', 'x', 'b'))))?.status,
    ).toBe(200)
    expect((await request('POST', '/upload', { body: new URLSearchParams('file=x') })).status).toBe(
      415,
    )
  })
})
