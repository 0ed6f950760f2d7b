// Objects in a multipart form: OpenAPI's default for them is a part of JSON.
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  Blueprint,
  body,
  files,
  form,
  int,
  isoDate,
  json,
  maximum,
  nullable,
  operation,
  optional,
  refine,
  response,
  struct,
  Upload,
} from 'koa-smorest'
import { std } from 'koa-smorest/standard'
import { contract } from 'koa-smorest/testing'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { serveBlueprints } from '../support/client.js'

const Parent = struct({ id: int, since: optional(isoDate.asDate) })
const Attributes = struct({
  name: t.string,
  parent: optional(nullable(Parent)),
  isDraft: optional(t.boolean),
})
const Fields = struct({
  attributes: refine(Attributes, () => undefined),
  rows: optional(t.array(struct({ n: maximum(int, 9) }))),
  labels: optional(t.record(t.string, int)),
  strategy: optional(t.union([t.literal('auto'), struct({ silence: int })])),
  title: optional(t.string),
})
const MULTIPART = { contentType: 'multipart/form-data' } as const
const ZFields = z.strictObject({ attributes: z.strictObject({ n: z.int() }), title: z.string() })

describe('objects in a multipart form', async () => {
  const { request, api } = await serveBlueprints(
    new Blueprint('views')
      .post(
        '/with-file',
        operation(form(Fields), files(struct({ file: Upload })), response(t.unknown)),
        async (_ctx, fields, { file }) => ({ ...fields, file: await file.text() }),
      )
      .post(
        '/file-first',
        operation(files(struct({ file: Upload })), form(Fields), response(t.unknown)),
        (_ctx, _files, fields) => fields,
      )
      .post(
        '/alone',
        operation(form(Fields, MULTIPART), response(Fields)),
        (_ctx, fields) => fields,
      )
      .post(
        '/either',
        operation(body(json(Fields), form(Fields, MULTIPART)), response(t.unknown)),
        (_ctx, fields) => fields,
      )
      .post(
        '/zod',
        operation(form(std(ZFields), MULTIPART), response(t.unknown)),
        (_ctx, fields) => fields,
      ),
  )
  const send = async (
    path: string,
    parts: readonly (readonly [name: string, value: string | Blob])[],
  ) => {
    const data = new FormData()
    for (const [name, value] of parts)
      if (typeof value === 'string') data.append(name, value)
      else data.append(name, value)
    const { status, body } = await request('POST', path, { body: data })
    return status === 200 ? body : (body as { errors: unknown }).errors
  }
  const file = ['file', new Blob(['x'], { type: 'text/plain' })] as const
  const attributes = [
    'attributes',
    '{"name":"a","parent":{"id":1,"since":"2026-01-01"},"isDraft":true}',
  ] as const
  const read = { name: 'a', parent: { id: 1, since: '2026-01-01T00:00:00.000Z' }, isDraft: true }

  it('are parts of JSON, beside files and alone', async () => {
    expect(await send('/with-file', [attributes, ['title', 'T'], file])).toEqual({
      attributes: read,
      title: 'T',
      file: 'x',
    })
    expect(await send('/file-first', [attributes, file])).toEqual({ attributes: read })
    expect(await send('/alone', [attributes, ['labels', '{"a":1}']])).toEqual({
      attributes: { ...read, parent: { id: 1, since: '2026-01-01' } },
      labels: { a: 1 },
    })
    expect(await send('/either', [attributes])).toEqual({ attributes: read })
    expect(
      await send('/zod', [
        ['attributes', '{"n":1}'],
        ['title', '{}'],
      ]),
    ).toEqual({
      attributes: { n: 1 },
      title: '{}',
    })
  })

  it('may be sent as a Blob of JSON, to which FormData gives a file name', async () => {
    const blob = new Blob([attributes[1]], { type: 'application/json;charset=utf-8' })
    for (const path of ['/with-file', '/file-first'])
      expect(await send(path, [['attributes', blob], file])).toMatchObject({ attributes: read })
    expect(await send('/alone', [['attributes', blob]])).toMatchObject({
      attributes: { name: 'a' },
    })
    // a Blob of another type is a file, whatever it contains
    expect(await send('/with-file', [['attributes', new Blob(['{"name":"a"}'])], file])).toEqual({
      form: { attributes: ['Missing data for required field.'] },
    })
  })

  it('are lists if each item is a part, or if one part has all', async () => {
    const one = ['rows', '{"n":1}'] as const
    for (const rows of [
      [one],
      [one, ['rows', '{"n":2}']],
      [['rows', '[{"n":1},{"n":2}]']],
    ] as const)
      expect(await send('/alone', [attributes, ...rows])).toMatchObject({
        rows: rows.length === 1 && rows[0] === one ? [{ n: 1 }] : [{ n: 1 }, { n: 2 }],
      })
    expect(await send('/alone', [attributes, one, ['rows', '{"n":10}']])).toEqual({
      form: { rows: { 1: { n: ['Must be at most 9.'] } } },
    })
  })

  it('may be something else than an object, which stays a string', async () => {
    expect(await send('/alone', [attributes, ['strategy', 'auto']])).toMatchObject({
      strategy: 'auto',
    })
    expect(await send('/alone', [attributes, ['strategy', '{"silence":1}']])).toMatchObject({
      strategy: { silence: 1 },
    })
  })

  it('are as strict as JSON is, and reported by field', async () => {
    expect(
      await send('/alone', [
        ['attributes', '{"name":1,"parent":{"id":"1"},"isDraft":"yes","x":1}'],
      ]),
    ).toEqual({
      form: {
        attributes: {
          name: ['Not a string.'],
          parent: { id: ['Not a whole number.'] },
          isDraft: ['Must be true or false.'],
          x: ['Unknown field.'],
        },
      },
    })
    for (const text of ['{', 'x', '1', '{"__proto__":{}}', `${'['.repeat(65)}${']'.repeat(65)}`])
      expect(await send('/alone', [['attributes', text]])).toEqual({
        form: { attributes: { _schema: ['Not an object.'] } },
      })
    expect(
      await send('/zod', [
        ['attributes', '{"n":"1"}'],
        ['title', 'T'],
      ]),
    ).toEqual({
      form: { attributes: { n: [expect.any(String)] } },
    })
  })

  it('are what the document says without an encoding', async () => {
    // biome-ignore lint/suspicious/noExplicitAny: a document is walked
    const { paths } = api.spec.toJSON('3.1.0') as any
    const content = paths['/alone'].post.requestBody.content['multipart/form-data']
    expect(content.encoding).toBeUndefined()
    expect(content.schema.properties.attributes).toMatchObject({ type: 'object' })
    const report = await contract(api.app, api, { reset() {}, runs: 10 })
    expect(report.failures).toEqual([])
  })

  it('and empty lists, which have no part, are not sent by contract', async () => {
    const Post = struct({ tags: optional(nullable(t.array(t.string))), text: optional(t.string) })
    const app = new Koa()
    const api = new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(
      new Blueprint('views').post(
        '/',
        operation(form(Post), files(struct({ file: optional(Upload) })), response(Post)),
        (_ctx, sent) => sent,
      ),
    )
    const { failures } = await contract(app, api, { reset() {}, runs: 10 })
    expect(failures).toEqual([])
  })

  it('have no form in a urlencoded body', () => {
    const register = () =>
      new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(
        new Blueprint('views').post('/', operation(form(Fields), response(t.string)), () => ''),
      )
    expect(register).toThrow(
      `form: "attributes" is an object, which has no form here: declare its fields one by one, or take it from a JSON body, or give the option style: 'deepObject', or contentType: 'multipart/form-data', where an object is a part of JSON`,
    )
  })
})
