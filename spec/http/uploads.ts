import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, expect } from 'vitest'
import { type BodyContext, DEFAULT_LIMITS } from '../../src/http/body/request-body.js'
import type { Upload } from '../../src/http/body/upload.js'
import { Refusal } from '../../src/http/failure.js'
import { readMultipart } from './reading.js'
import { type Body, post, serverReading } from './server.js'

/**
 * Gives the temporary files of a spec a folder of their own, `base`/uploads, and checks after each
 * test that none stays. Nothing else is in `base`.
 */
export function uploadFolder() {
  const before = process.env.TMPDIR
  const base = mkdtempSync(join(tmpdir(), 'uploads-spec-'))
  const folder = join(base, 'uploads')
  mkdirSync(folder)
  process.env.TMPDIR = folder
  const expectNothingLeft = async () => {
    for (let round = 0; round < 40 && readdirSync(folder).length > 0; round++) await wait(25)
    expect(readdirSync(folder)).toEqual([])
  }
  afterEach(expectNothingLeft)
  afterAll(() => {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
    rmSync(base, { recursive: true })
  })
  return { base, expectNothingLeft }
}

/** How many files this process has open, where the system tells. */
export const openFiles = () =>
  existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0

/** A body of parts as written, between boundaries. */
export const body = (...parts: (string | Buffer)[]) =>
  Buffer.concat([
    ...parts.flatMap(part => [Buffer.from('--X\r\n'), Buffer.from(part), Buffer.from('\r\n')]),
    Buffer.from('--X--\r\n'),
  ])

export const field = (name: string, value: string) =>
  `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`

export const file = (
  name: string,
  filename: string,
  value: string,
  more = '\r\nContent-Type: text/plain',
) => `Content-Disposition: form-data; name="${name}"; filename="${filename}"${more}\r\n\r\n${value}`

export const limits = { ...DEFAULT_LIMITS, file: 2000, files: 2, total: 3000, form: 500, fields: 3 }

async function contentOf(upload: Upload): Promise<object> {
  const { filename, mediaType, size } = upload
  return { filename, mediaType, size, text: await upload.text() }
}

async function readAll(ctx: BodyContext): Promise<unknown> {
  const result = await readMultipart(ctx, { limits })
  if (result instanceof Refusal) return result
  const files: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(result.files)) {
    files[name] = Array.isArray(value)
      ? await Promise.all(value.map(contentOf))
      : await contentOf(value)
  }
  return { fields: Object.entries(result.fields), files }
}

export const TYPE = 'multipart/form-data; boundary=X'

/**
 * A server that returns all fields (as entries) and files of a body, read with `limits`, and how to
 * send one.
 */
export async function serveUploads() {
  const folder = uploadFolder()
  const server = await serverReading(readAll)
  const send = (bytes: Body, type = TYPE) => post(server.url, type, bytes)
  /** Sends a body that the server accepts. */
  const accepted = async (bytes: Body, type?: string) =>
    (await send(bytes, type)).value as { fields: unknown; files: Record<string, unknown> }
  return { ...folder, server, send, accepted }
}
