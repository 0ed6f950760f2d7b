import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Upload } from '../../src/http/body/upload.js'
import { readForm, readMultipart } from './reading.js'
import { exchange, post, serverReading } from './server.js'
import { body, field, file, limits, openFiles, serveUploads, TYPE } from './uploads.js'

const { accepted, base, expectNothingLeft, send, server } = await serveUploads()

describe('temporary files', () => {
  it('T62: go when the client does, and none stays open', async () => {
    await accepted(body(file('f', 'x', '1')))
    const before = openFiles()
    const head =
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=X\r\nContent-Length: 10000\r\n\r\n'
    for (let cut = 0; cut < 30; cut++) {
      const socket = connect(server.port, '127.0.0.1')
      socket.write(
        Buffer.concat([
          Buffer.from(head),
          body(file('f', 'x', 'a'.repeat(500)), file('g', 'y', 'b')).subarray(0, cut * 30),
        ]),
      )
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
    const bad = [
      file('f', 'x', '1', '\r\nContent-Transfer-Encoding: rot13'),
      file('g', 'y', '2'),
      file('h', 'z', '3'),
    ]
    for (let count = 0; count < 20; count++) {
      await send(
        body(file('f', 'x', 'a'), file('f', 'x', 'a'), file('f', 'x', 'a'), file('f', 'x', 'a')),
      )
      await send(body(...bad))
      await send(body(...bad).subarray(0, -10))
      await send(body(file('f', 'x', 'a')).subarray(0, -10))
    }
    await expectNothingLeft()
    expect(openFiles()).toBeLessThanOrEqual(before + 3)
  })

  it('go when the process exits in the middle of a request', () => {
    const script = `
      const { temporaryDirectory } = await import('./src/http/body/parts.ts')
      process.stdout.write(await temporaryDirectory(() => {}))
      process.exit()`
    const directory = execFileSync(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '-e', script],
      {
        encoding: 'utf8',
        env: { ...process.env, TMPDIR: base },
      },
    )
    expect(directory).toContain('koa-smorest-')
    expect(existsSync(directory)).toBe(false)
  })

  it('leave the connection to the next request if the body is refused', async () => {
    const bytes = body(file('f', 'x', 'a'.repeat(100_000)))
    const head = `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=X\r\nContent-Length: ${bytes.length}\r\n\r\n`
    const received = await exchange(
      server.port,
      head,
      bytes,
      'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    )
    expect(received.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200'])
  })
})

describe('one multipart body', () => {
  it('is read once, for its fields and for its files', async () => {
    const both = await serverReading(async ctx => {
      const [fields, multipart, again] = [
        await readForm(ctx, { limits }),
        await readMultipart(ctx, { limits }),
        await readMultipart(ctx, { limits }),
      ]
      return 'files' in multipart
        ? [fields, Object.keys(multipart.files), multipart === again]
        : multipart
    })
    expect(await post(both.url, TYPE, body(field('a', '1'), file('f', 'x', '2')))).toEqual({
      status: 200,
      value: [{ a: '1' }, ['f'], true],
    })
    const form = await serverReading(ctx => readForm(ctx, { limits }))
    expect(await post(form.url, TYPE, 'x')).toMatchObject({
      status: 400,
      errors: { form: [expect.any(String)] },
    })
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
    expect((await post(kept.url, TYPE, body(file('f', 'x', 'kept')))).value).toEqual([true, false])
    await expectNothingLeft()
    expect(readFileSync(target, 'utf8')).toBe('kept')
  })
})
