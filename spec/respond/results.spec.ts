import { Readable } from 'node:stream'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as t from 'io-ts'
import {
  abort,
  altResponse,
  Blueprint,
  etag,
  isoDate,
  list,
  operation,
  problem,
  refine,
  reply,
  response,
} from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { serveBlueprints } from '../support/client.js'
import { serveEveryWay, WAYS } from '../support/every-way.js'

const Pet = t.strict({ name: t.string }, 'Pet')
const pet = { name: 'Rex' }
const JSON_TYPE = 'application/json; charset=utf-8'
const CSV = 'text/csv; charset=utf-8'
const csv = 'name\nRéx\n'
const bytes = Buffer.from('GIF89a')

const results = () =>
  new Blueprint('results')
    .get('/value', operation(response(Pet)), () => pet)
    .get('/promise', operation(response(Pet)), async () => pet)
    .get('/task', operation(response(Pet)), () => async () => pet)
    .get('/either', operation(response(Pet)), () => E.right(pet))
    .get('/task-either', operation(response(Pet)), () => TE.right(pet))
    .get('/none', operation(), () => undefined)
    .get('/created', operation(response(Pet, { code: 201 })), () => pet)
    .get('/no-content', operation(response({ code: 204 })), () => pet)
    .get('/reset', operation(response({ code: 205 })), () => pet)
    .get('/reply', operation(response(Pet), altResponse(202)), () =>
      reply(pet, 202, { 'X-One': 'un' }),
    )
    .get(
      '/reply-buffer',
      operation(response({ contentType: 'image/gif' })),
      () => reply(bytes, 203, { 'Content-Length': bytes.length }) as never,
    )
    .get(
      '/reply-typed',
      operation(response()),
      () => reply(bytes, { 'Content-Type': 'image/gif' }) as never,
    )
    .get('/reply-vendor', operation(response(Pet)), () =>
      reply(pet, { 'Content-Type': 'application/vnd.pet+json' }),
    )
    .get('/reply-html', operation(response(Pet)), () => reply(pet, { 'Content-Type': 'text/html' }))
    .get(
      '/vendor',
      operation(response(Pet, { contentType: 'application/vnd.pet+json' })),
      () => pet,
    )
    .get('/csv', operation(response({ contentType: 'text/csv' })), () => csv)
    .get('/csv-created', operation(response({ contentType: 'text/csv', code: 201 })), () => csv)
    .get('/csv-codec', operation(response(t.string, { contentType: 'text/csv' })), () => csv)
    .get(
      '/csv-converted',
      operation(response(list(isoDate.asDate), { contentType: 'text/csv' })),
      () => [new Date(0)] as never,
    )
    .get('/csv-headed', operation(response({ contentType: 'text/csv' })), ctx => {
      ctx.type = 'text/csv; header=present; charset=utf-8'
      return csv
    })
    .get('/csv-mislabelled', operation(response({ contentType: 'text/csv' })), ctx => {
      ctx.type = 'text/html'
      return csv
    })
    .get(
      '/csv-other',
      operation(response(Pet), altResponse(202, { contentType: 'text/csv' })),
      () => reply(csv as never, 202),
    )
    .get('/range', operation(response({ contentType: 'text/*' })), () => csv)
    .get('/csv-object', operation(response({ contentType: 'text/csv' })), () => pet as never)
    .get('/buffer', operation(response({ contentType: 'image/gif' })), () => bytes)
    .get(
      '/buffer-created',
      operation(response({ contentType: 'image/gif', code: 201 })),
      () => bytes,
    )
    .get('/buffer-typed', operation(response({ contentType: 'image/*' })), ctx => {
      ctx.type = 'image/png'
      return bytes
    })
    .get('/buffer-unsaid', operation(response()), () => bytes)
    .get('/array', operation(response({ contentType: 'image/gif' })), () => new Uint8Array(bytes))
    .get(
      '/blob',
      operation(response({ contentType: 'image/*' })),
      () => new Blob([bytes], { type: 'image/gif' }),
    )
    .get('/stream', operation(response({ contentType: 'text/csv', code: 202 })), () =>
      Readable.from([csv], { objectMode: false }),
    )
    .get('/web-stream', operation(response({ contentType: 'text/csv' })), () =>
      new Blob([csv]).stream(),
    )
    .get(
      '/fetch',
      operation(response()),
      () =>
        new Response(csv, { status: 203, headers: { 'Content-Type': 'text/csv', 'X-One': 'un' } }),
    )
    .get('/koa', operation(response()), ctx => {
      ctx.status = 203
      ctx.type = 'text/csv'
      ctx.body = csv
    })

/** Status, media type and text of each; the bytes of texts are UTF-8. */
const EXPECTED: Readonly<
  Record<string, readonly [status: number, type: string | null, text: string]>
> = {
  value: [200, JSON_TYPE, '{"name":"Rex"}'],
  promise: [200, JSON_TYPE, '{"name":"Rex"}'],
  task: [200, JSON_TYPE, '{"name":"Rex"}'],
  either: [200, JSON_TYPE, '{"name":"Rex"}'],
  'task-either': [200, JSON_TYPE, '{"name":"Rex"}'],
  none: [200, JSON_TYPE, 'null'],
  created: [201, JSON_TYPE, '{"name":"Rex"}'],
  'no-content': [204, null, ''],
  reset: [205, null, ''],
  reply: [202, JSON_TYPE, '{"name":"Rex"}'],
  'reply-buffer': [203, 'image/gif', 'GIF89a'],
  'reply-typed': [200, 'image/gif', 'GIF89a'],
  'reply-vendor': [200, 'application/vnd.pet+json', '{"name":"Rex"}'],
  'reply-html': [200, JSON_TYPE, '{"name":"Rex"}'],
  vendor: [200, 'application/vnd.pet+json', '{"name":"Rex"}'],
  csv: [200, CSV, csv],
  'csv-created': [201, CSV, csv],
  'csv-codec': [200, CSV, csv],
  'csv-converted': [200, 'text/csv; charset=utf-8', '["1970-01-01"]'],
  'csv-headed': [200, 'text/csv; header=present; charset=utf-8', csv],
  'csv-mislabelled': [200, CSV, csv],
  'csv-other': [202, CSV, csv],
  range: [200, 'text/plain; charset=utf-8', csv],
  'csv-object': [200, JSON_TYPE, '{"name":"Rex"}'],
  buffer: [200, 'image/gif', 'GIF89a'],
  'buffer-created': [201, 'image/gif', 'GIF89a'],
  'buffer-typed': [200, 'image/png', 'GIF89a'],
  'buffer-unsaid': [200, 'application/octet-stream', 'GIF89a'],
  array: [200, 'image/gif', 'GIF89a'],
  blob: [200, 'image/gif', 'GIF89a'],
  stream: [202, 'text/csv', csv],
  'web-stream': [200, 'text/csv', csv],
  fetch: [203, 'text/csv', csv],
  koa: [203, 'text/csv; charset=utf-8', csv],
}

describe.each(WAYS)('%s', async way => {
  const { [way]: request } = await serveEveryWay({ blueprint: results })

  it.each(Object.entries(EXPECTED))('sends the result /%s', async (path, [status, type, text]) => {
    const response = await request('GET', `/${path}`)
    expect({
      status: response.status,
      type: response.headers.get('Content-Type'),
      text: response.text,
    }).toEqual({ status, type, text })
  })
})

describe('the status of a response', () => {
  const blueprint = () =>
    new Blueprint('statuses')
      .use((ctx, next) => {
        if (ctx.query.outside) ctx.status = Number(ctx.query.outside)
        return next()
      })
      .get('/usual', operation(response(Pet, { code: 201 })), () => pet)
      .get('/set/:code<int>', operation(response(Pet), altResponse(202)), (ctx, { code }) => {
        ctx.status = code
        return pet
      })
      .get(
        '/later/:code<int>',
        operation(response(Pet), altResponse(202)),
        async (ctx, { code }) => {
          await null
          ctx.status = code
          return pet
        },
      )
      .get('/node', operation(response(Pet)), ctx => {
        ctx.res.statusCode = 202
        return pet
      })
      .get('/reply', operation(response(Pet)), ctx => {
        ctx.status = 203
        return reply(pet, 202)
      })
      .get('/reply-without', operation(response(Pet)), ctx => {
        ctx.status = 202
        return reply(pet, { 'X-One': 'un' })
      })
      .get('/empty', operation(response(Pet)), ctx => {
        ctx.status = 204
        return undefined as never
      })
      .get('/buffer', operation(response({ contentType: 'image/gif' })), ctx => {
        ctx.status = 202
        return bytes
      })
      .get('/stream', operation(response({ contentType: 'image/gif', code: 202 })), () =>
        Readable.from([bytes]),
      )

  it.each(WAYS)(
    'is that of reply, else the one that the method has set, else that of the descriptor, %s',
    async way => {
      const { [way]: request } = await serveEveryWay({ blueprint })
      const statuses: Record<string, number> = {}
      for (const path of [
        '/usual',
        '/set/202',
        '/set/404',
        '/later/202',
        '/node',
        '/reply',
        '/reply-without',
        '/empty',
        '/buffer',
        '/stream',
      ])
        for (const outside of ['', '?outside=203', '?outside=404'])
          statuses[path + outside] = (await request('GET', path + outside)).status
      const same = (path: string, status: number) => ({
        [path]: status,
        [`${path}?outside=203`]: status,
        [`${path}?outside=404`]: status,
      })
      expect(statuses).toEqual({
        ...same('/usual', 201),
        ...same('/set/202', 202),
        // a status that was set before cannot be told from the same one set again
        ...same('/set/404', 404),
        '/set/404?outside=404': 200,
        ...same('/later/202', 202),
        ...same('/node', 202),
        ...same('/reply', 202),
        ...same('/reply-without', 202),
        ...same('/empty', 204),
        ...same('/buffer', 202),
        ...same('/stream', 202),
      })
    },
  )
})

describe('a text under its own media type', () => {
  it('is not wrapped, and its entity tag is that of the text', async () => {
    class Wrapped extends Blueprint {
      override prepareResponseContent(data: unknown) {
        return { data }
      }
    }
    const blueprint = new Wrapped('wrapped')
      .get('/csv', operation(etag(), response({ contentType: 'text/csv' })), () => csv)
      .get('/pet', operation(response(Pet)), () => pet)
      .get(
        '/vendor',
        operation(response(Pet, { contentType: 'application/vnd.pet+json' })),
        () => pet,
      )
    const { request } = await serveBlueprints(blueprint, {}, { undocumented: ['/pet', '/vendor'] })
    const { text, headers } = await request('GET', '/csv')
    expect(text).toBe(csv)
    const again = await request('GET', '/csv', {
      headers: { 'If-None-Match': headers.get('ETag') ?? '' },
    })
    expect({ status: again.status, type: again.headers.get('Content-Type') }).toEqual({
      status: 304,
      type: null,
    })
    expect((await request('GET', '/pet')).body).toEqual({ data: pet })
    expect((await request('GET', '/vendor')).body).toEqual({ data: pet })
  })
})

describe('a status that is declared without a codec', () => {
  const row = { name: 'Rex', secret: 'canary' }
  const blueprint = new Blueprint('declared')
    .get('/success', operation(response(Pet), altResponse(202, { description: 'Accepted' })), () =>
      reply(row, 202),
    )
    .get('/redirect', operation(response(Pet), altResponse(303)), () =>
      reply(row, 303, { Location: '/' }),
    )
    .get('/error', operation(response(Pet), altResponse(409)), () => reply(row, 409))
    .get('/error-body', operation(response(Pet), altResponse(409)), () =>
      reply(
        { code: 409, status: 'Conflict', errors: { name: ['taken'] }, secret: 'canary' } as never,
        409,
      ),
    )

  it('has the main body below 400, in the response and in the document', async () => {
    const { request, api } = await serveBlueprints(
      blueprint,
      { TESTING: false },
      { undocumented: ['/redirect'] },
    )
    expect(await request('GET', '/success')).toMatchObject({ status: 202, text: '{"name":"Rex"}' })
    expect(await request('GET', '/redirect')).toMatchObject({ status: 303, text: '{"name":"Rex"}' })
    const { paths } = api.spec.latest as {
      paths: Record<string, { get: { responses: Record<number, object> } }>
    }
    expect(paths['/success']?.get.responses[202]).toEqual({
      description: 'Accepted',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } },
    })
  })

  it('has the error body from 400 on, and a value that is none is a fault', async () => {
    const { request, errors } = await serveBlueprints(blueprint)
    expect(await request('GET', '/error')).toMatchObject({ status: 500, body: { code: 500 } })
    expect(String(errors[0])).toBe(
      'EncodeError: error (GET /error), response 409: The result does not fit its codec at code: expected a number, and there is nothing (undefined)',
    )
    expect(await request('GET', '/error-body')).toMatchObject({
      status: 409,
      body: { code: 409, status: 'Conflict', errors: { name: ['taken'] } },
    })
  })
})

describe('an Either', () => {
  const left = { _tag: 'Left', left: 'data' }
  const Tagged = t.union([
    t.strict({ _tag: t.literal('Circle'), r: t.number }),
    t.strict({ _tag: t.literal('Square'), a: t.number }),
  ])
  const OneSided = t.strict({
    _tag: t.union([t.literal('Left'), t.literal('Other')]),
    left: t.string,
  })
  const blueprint = new Blueprint('eithers')
    .get('/record', operation(response(t.UnknownRecord)), () => left)
    .get('/unknown', operation(response(t.unknown)), () => ({ _tag: 'Right', right: 1, more: 2 }))
    .get('/field', operation(response(t.record(t.string, t.string))), () => left)
    .get('/union', operation(response(t.union([Pet, OneSided]))), () => left as never)
    .get('/refined', operation(response(refine(OneSided, () => undefined))), () => left as never)
    .get('/reply', operation(response(Pet), altResponse(202, t.UnknownRecord)), () =>
      reply(left, 202),
    )
    .get('/list', operation(response(t.array(t.UnknownRecord))), () => E.right([left]))
    .get('/numbers', operation(response(t.record(t.string, t.number))), () => E.right({ a: 1 }))
    .get('/tagged', operation(response(Tagged)), () => E.right({ _tag: 'Circle', r: 1 } as const))
    .get('/branded', operation(response(t.refinement(Pet, () => true))), () => E.right(pet))

  it('is unwrapped only if the codec has no values that look like one', async () => {
    const { request } = await serveBlueprints(blueprint)
    const bodies: Record<string, unknown> = {}
    for (const path of [
      'record',
      'unknown',
      'field',
      'union',
      'refined',
      'reply',
      'list',
      'numbers',
      'tagged',
      'branded',
    ])
      bodies[path] = (await request('GET', `/${path}`)).body
    expect(bodies).toEqual({
      record: left,
      unknown: { _tag: 'Right', right: 1, more: 2 },
      field: left,
      union: left,
      refined: left,
      reply: left,
      list: [left],
      numbers: { a: 1 },
      tagged: { _tag: 'Circle', r: 1 },
      branded: pet,
    })
  })
})

describe('a declared problem', () => {
  const Sold = problem('sold', { status: 409, title: 'Sold' })
  const blueprint = () =>
    new Blueprint('problems')
      .get('/returned', operation(response(), altResponse(Sold)), () =>
        Sold({ message: 'Yesterday.' }),
      )
      .get('/aborted', operation(response(), altResponse(Sold)), () =>
        abort(Sold, { message: 'Yesterday.' }),
      )

  it('fails the request whether it is returned or given to abort', async () => {
    const clients = await serveEveryWay({ blueprint })
    for (const way of WAYS)
      for (const path of ['/returned', '/aborted'])
        expect(await clients[way]('GET', path)).toMatchObject({
          status: 409,
          body: { problem: 'sold', message: 'Yesterday.' },
        })
  })
})

describe('a method that writes to ctx.res itself', () => {
  const past = () =>
    new Blueprint('past')
      .get('/at-once', operation(response()), ctx => {
        ctx.respond = false
        ctx.res.end('own')
      })
      .get('/later', operation(response()), ctx => {
        ctx.respond = false
        setTimeout(() => ctx.res.end('own'), 5)
      })
      .get('/begun', operation(response()), ctx => {
        ctx.res.writeHead(200).end('own')
      })
      .get('/tagged', operation(etag(), response()), ctx => {
        ctx.respond = false
        setTimeout(() => ctx.res.end('own'), 5)
      })
      .get('/broken', operation(response()), ctx => {
        ctx.respond = false
        throw new Error('broken')
      })

  describe.each([true, false])('with DEBUG %s', DEBUG => {
    it('has its bytes sent as they are, whenever it writes them, and nothing is emitted', async () => {
      const errors: Error[] = []
      const clients = await serveEveryWay({
        blueprint: past,
        settings: { DEBUG },
        onError: error => errors.push(error),
      })
      for (const way of WAYS)
        for (const path of ['/at-once', '/later', '/begun', '/tagged'])
          expect((await clients[way]('GET', path)).text).toBe('own')
      expect(errors).toEqual([])
    })

    it('is responded to with a 500 if it throws before it has written', async () => {
      const errors: Error[] = []
      const clients = await serveEveryWay({
        blueprint: past,
        settings: { DEBUG },
        onError: error => errors.push(error),
      })
      for (const way of WAYS)
        expect(await clients[way]('GET', '/broken')).toMatchObject({
          status: 500,
          body: { code: 500 },
        })
      expect(errors.map(({ message }) => message)).toEqual(WAYS.map(() => 'broken'))
    })
  })
})
