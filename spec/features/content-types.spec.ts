import { readdirSync } from 'node:fs'
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  Blueprint,
  files,
  form,
  json,
  operation,
  optional,
  type RegistrationError,
  struct,
  Upload,
} from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { body, field, file, uploadFolder } from '../http/uploads.js'
import { serveBlueprints } from '../support/client.js'

const { base } = uploadFolder()

const Fields = t.strict({ a: t.string })
const File = struct({ f: Upload })

const views = new Blueprint('views')
  .post(
    '/form',
    operation(form(Fields, { contentType: 'application/vnd.form; v=1' })),
    (_ctx, value) => value,
  )
  .post(
    '/json',
    operation(json(Fields, { contentType: 'application/vnd.thing; v="1"' })),
    (_ctx, value) => value,
  )
  .post(
    '/multipart',
    operation(form(Fields, { contentType: 'multipart/form-data' })),
    (_ctx, value) => value,
  )
  .post('/stored', operation(form(struct({ a: optional(t.string) }))), (_ctx, value) => ({
    ...value,
    stored: readdirSync(`${base}/uploads`).length,
  }))
const { request, api } = await serveBlueprints(views)
const send = async (path: string, type: string, text: string | Buffer) => {
  const { status, body: value } = await request('POST', path, {
    headers: { 'Content-Type': type },
    body: new Uint8Array(Buffer.from(text)),
  })
  return { status, value }
}

function faultsOf(blueprint: Blueprint): readonly string[] {
  try {
    new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(blueprint)
    return []
  } catch (error) {
    return (error as RegistrationError).faults
  }
}

describe('a 415', () => {
  const patched = new Blueprint('patched').patch(
    '/',
    operation(json(Fields, { contentType: 'application/merge-patch+json' })),
    () => null,
  )
  const headersOf = ({ headers }: { headers: Headers }) => ({
    accept: headers.get('Accept'),
    patch: headers.get('Accept-Patch'),
  })

  it('names the accepted media types in Accept, and for PATCH in Accept-Patch', async () => {
    const sent = { headers: { 'Content-Type': 'text/plain' }, body: 'a' }
    expect(headersOf(await request('POST', '/form', sent))).toEqual({
      accept: 'application/vnd.form; v=1, application/x-www-form-urlencoded, multipart/form-data',
      patch: null,
    })
    const { request: patch } = await serveBlueprints(patched)
    const type = 'application/merge-patch+json'
    expect(headersOf(await patch('PATCH', '/', sent))).toEqual({ accept: type, patch: type })
  })
})

describe('the content type of a form', () => {
  it('is documented, and read as urlencoded, with any parameters', async () => {
    for (const type of [
      'application/vnd.form; v=1',
      'application/VND.form',
      'application/x-www-form-urlencoded',
    ]) {
      expect(await send('/form', type, 'a=%C3%BC')).toEqual({ status: 200, value: { a: 'ü' } })
    }
    expect(api.spec.latest.paths).toMatchObject({
      '/form': {
        post: { requestBody: { content: { 'application/vnd.form; v=1': expect.any(Object) } } },
      },
    })
  })

  it('is named if another is refused', async () => {
    expect(await send('/form', 'text/plain', 'a=1')).toMatchObject({
      status: 415,
      value: {
        message:
          'The body must be application/vnd.form; v=1, application/x-www-form-urlencoded or multipart/form-data, not text/plain.',
      },
    })
    expect(await send('/multipart', 'text/plain', 'a=1')).toMatchObject({
      status: 415,
      value: {
        message:
          'The body must be multipart/form-data or application/x-www-form-urlencoded, not text/plain.',
      },
    })
  })
})

describe('the content type of a JSON body', () => {
  it('may have parameters, which do not matter', async () => {
    for (const type of [
      'application/vnd.thing; v="1"',
      'application/vnd.thing',
      'application/vnd.thing; v=2',
    ]) {
      expect(await send('/json', type, '{"a":"x"}')).toEqual({ status: 200, value: { a: 'x' } })
    }
  })
})

describe('files of a form that nobody takes', () => {
  it('are not stored', async () => {
    const bytes = body(file('f', 'x', 'a'.repeat(1000)), field('a', '1'))
    expect(await send('/stored', 'multipart/form-data; boundary=X', bytes)).toEqual({
      status: 200,
      value: { a: '1', stored: 0 },
    })
  })

  it('have the limits of files all the same', async () => {
    const many = body(...Array<string>(11).fill(file('f', 'x', 'a')))
    expect((await send('/stored', 'multipart/form-data; boundary=X', many)).status).toBe(413)
  })
})

describe('a content type that cannot be read', () => {
  it('is a fault of registration that says why', () => {
    const bad = new Blueprint('bad')
      .post('/a', operation(files(File, { contentType: 'multipart/mixed' })), () => undefined)
      .post(
        '/b',
        operation(files(File), form(Fields, { contentType: 'application/x-www-form-urlencoded' })),
        () => undefined,
      )
      .post('/c', operation(form(Fields, { contentType: 'multipart/related' })), () => undefined)
      .post('/d', operation(json(Fields, { contentType: 'json' })), () => undefined)
      .post('/e', operation(form(Fields, { contentType: 'application/*' })), () => undefined)
    expect(faultsOf(bad)).toEqual([
      expect.stringContaining(
        'files: files are parts of a multipart/form-data body; its contentType cannot be "multipart/mixed"',
      ),
      expect.stringContaining(
        'form: with files it is read from one multipart/form-data body; its contentType cannot be "application/x-www-form',
      ),
      expect.stringContaining(
        'form: of multipart bodies only multipart/form-data can be read; its contentType cannot be "multipart/related"',
      ),
      expect.stringContaining('json: its contentType "json" is not a media type'),
      expect.stringContaining('form: its contentType "application/*" is not a media type'),
    ])
  })

  it('is none under the names that are read, nor with a reader of the Blueprint', () => {
    class Own extends Blueprint {
      static override ARGUMENTS_PARSER = { ...Blueprint.ARGUMENTS_PARSER, files: () => ({}) }
    }
    const good = new Own('good')
      .post('/a', operation(files(File, { contentType: 'multipart/mixed' })), () => undefined)
      .post('/b', operation(form(Fields, { contentType: 'multipart/form-data' })), () => undefined)
    const both = new Blueprint('both').post(
      '/c',
      operation(
        form(Fields, { contentType: 'multipart/form-data' }),
        files(File, { contentType: 'Multipart/Form-Data' }),
      ),
      () => undefined,
    )
    expect([...faultsOf(good), ...faultsOf(both)]).toEqual([])
  })
})
