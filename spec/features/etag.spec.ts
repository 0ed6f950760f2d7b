import * as t from 'io-ts'
import {
  abort,
  altResponse,
  Blueprint,
  type Context,
  checkEtag,
  etag,
  json,
  MethodView,
  operation,
  Page,
  paginate,
  reply,
  response,
  setEtag,
} from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { serveBlueprints } from '../support/client.js'

const Item = t.strict({ id: t.number, name: t.string, version: t.number }, 'Item')
const NewItem = t.strict({ name: t.string }, 'NewItem')
type Item = t.TypeOf<typeof Item>

let calls = 0
const first: Item = { id: 1, name: 'one', version: 1 }
let item: Item | undefined = first
const TAG = /^"[\w-]{22}"$/

/** By hand: the method loads and checks. */
class Checked extends MethodView {
  static shared = operation(etag())
  static get = operation(response(Item))
  get() {
    return item ?? abort(404)
  }
  static put = operation(json(NewItem), response(Item))
  put(ctx: Context, { name }: { name: string }) {
    const current = item ?? abort(404)
    checkEtag(ctx, current, Item)
    item = { ...current, name, version: current.version + 1 }
    return item
  }
  static delete = operation(response({ code: 204 }))
  delete(ctx: Context) {
    checkEtag(ctx, item, Item)
  }
}

/** With a loader: the library does both. */
class Loaded extends MethodView {
  static shared = operation(
    etag({ load: () => item, tag: ({ version }) => version, lastModified: () => new Date(Date.UTC(2026, 0, 2, 3, 4, 5, 678)) }),
  )
  static get = operation(response(Item))
  get(_ctx: Context, { current }: { current: Item }) {
    return current
  }
  static put = operation(json(NewItem), response(Item))
  put(_ctx: Context, { name }: { name: string }, { current }: { current: Item }) {
    calls++
    item = { ...current, name, version: current.version + 1 }
    return item
  }
  static patch = operation(json(NewItem))
  patch() {
    calls++
    return { ok: true }
  }
}

class Created extends MethodView {
  static put = operation(
    etag({ load: () => item, tag: ({ version }) => version, create: true }),
    json(NewItem),
    response(Item),
    altResponse(201, Item),
  )
  put(_ctx: Context, { name }: { name: string }, { current }: { current: Item | undefined }) {
    item = { id: 1, name, version: (current?.version ?? 0) + 1 }
    return reply(item, current ? 200 : 201)
  }
}

class Hashed extends MethodView {
  static shared = operation(etag({ load: () => item }))
  static get = operation(response(Item))
  get(_ctx: Context, { current }: { current: Item }) {
    return current
  }
  static delete = operation(response({ code: 204 }))
  delete() {}
}

const items = new Blueprint('items')
items.route('/checked', Checked)
items.route('/loaded', Loaded)
items.route('/created', Created)
items.route('/hashed', Hashed)
items.put('/forgotten', operation(etag(), response(Item)), () => first)
items.put('/unguarded', operation(etag({ requireIfMatch: false }), response(Item)), ctx => {
  checkEtag(ctx, first, Item)
  return first
})
items.get('/set', operation(etag(), response(Item)), ctx => {
  setEtag(ctx, ['a', 1])
  calls++
  return first
})
items.get('/fields', operation(etag(), response(Item)), ctx => {
  setEtag(ctx, first, ['version'])
  return first
})
items.get('/list', operation(etag(), response(t.array(Item)), paginate(Page)), () => [first, first])
items.get('/of/:count<int>', operation(etag(), response(t.array(Item)), paginate(Page)), (_ctx, { count }) => Array(count).fill(first))
items.get('/text', operation(etag(), response({ contentType: 'text/plain' })), () => new Response('plain'))
items.get('/buffer', operation(etag(), response({ contentType: 'application/octet-stream' })), () => Buffer.from('plain'))
items.get('/refused', operation(etag(), response(Item), altResponse(409, Item)), () => reply(first, 409))
items.get('/bad-tag', operation(etag({ load: () => first, tag: () => 'a"b' }), response(Item)), () => first)
items.get('/weak', operation(etag({ load: () => first, tag: () => 'W/"v1"' }), response(Item)), () => first)
items.get('/none', operation(etag({ load: () => first, tag: () => null }), response(Item)), () => first)

const { request, api, errors } = await serveBlueprints(items, { TESTING: true })
const tagOf = async (path: string) => (await request('GET', path)).headers.get('ETag') ?? ''
const put = (path: string, headers: Record<string, string> = {}, body: unknown = { name: 'new' }) =>
  request('PUT', path, { headers, json: body })

describe.each(['/checked', '/loaded', '/hashed'])('a representation under etag (%s)', path => {
  it('is tagged, and answers 304 to those who have it', async () => {
    item = first
    const tag = await tagOf(path)
    for (const field of [tag, `"x", W/${tag}`, '*']) {
      const { status, headers, text } = await request('GET', path, { headers: { 'If-None-Match': field } })
      expect([status, headers.get('ETag'), headers.get('Content-Type'), text]).toEqual([304, tag, null, ''])
    }
    expect((await request('GET', path, { headers: { 'If-None-Match': '"x"' } })).status).toBe(200)
  })

  it('has the same tag for HEAD', async () => {
    expect((await request('HEAD', path)).headers.get('ETag')).toBe(await tagOf(path))
  })

  it('answers 412 to a GET on condition of another one', async () => {
    expect((await request('GET', path, { headers: { 'If-Match': '"x"' } })).status).toBe(412)
  })
})

describe.each(['/checked', '/loaded'])('a change under etag (%s)', path => {
  it('is refused without If-Match (428) before its body is read', async () => {
    expect((await put(path, {}, { nme: 1 })).body).toEqual({ code: 428, status: 'Precondition Required' })
    expect((await put(path, { 'If-Match': ' ' })).status).toBe(428)
  })

  it('is refused for its body (422) before its tag', async () => {
    expect((await put(path, { 'If-Match': '"x"' }, { nme: 1 })).status).toBe(422)
  })

  it.each(['"x"', 'W/"1"', '1', '"1', ','])('is refused under the false If-Match %s (412) and changes nothing', async field => {
    item = first
    expect((await put(path, { 'If-Match': field })).body).toEqual({ code: 412, status: 'Precondition Failed' })
    expect(item).toBe(first)
  })

  it('happens under the right one, and its answer has the new tag', async () => {
    item = first
    const { status, headers, body } = await put(path, { 'If-Match': await tagOf(path) })
    expect([status, body.name, headers.get('ETag')]).toEqual([200, 'new', await tagOf(path)])
  })

  it('is 404 where there is nothing, whatever the tag', async () => {
    item = undefined
    expect((await put(path, { 'If-Match': '"x"' })).status).toBe(404)
    item = first
  })
})

describe('etag with a loader', () => {
  it('sends the version as a tag, and the date', async () => {
    item = first
    const { headers } = await request('GET', '/loaded')
    expect([headers.get('ETag'), headers.get('Last-Modified')]).toEqual(['"1"', 'Fri, 02 Jan 2026 03:04:05 GMT'])
    expect((await request('GET', '/loaded', { headers: { 'If-Modified-Since': 'Fri, 02 Jan 2026 03:04:05 GMT' } })).status).toBe(304)
  })

  it('runs the method only when everything holds', async () => {
    calls = 0
    await put('/loaded', { 'If-Match': '"7"' })
    await put('/loaded')
    expect(calls).toBe(0)
  })

  it('does not tag an answer that is no such representation', async () => {
    const { status, headers } = await request('PATCH', '/loaded', { json: { name: 'x' }, headers: { 'If-Match': '*' } })
    expect([status, headers.get('ETag')]).toEqual([200, null])
  })

  it('takes a complete tag as it is, and null as none; anything else is a fault', async () => {
    expect(await tagOf('/weak')).toBe('W/"v1"')
    expect(await tagOf('/none')).toBe('')
    expect((await request('GET', '/bad-tag')).status).toBe(500)
  })

  it('may create: If-None-Match: * stands in for If-Match, and fails where there is something', async () => {
    item = undefined
    expect((await put('/created')).status).toBe(428)
    expect((await put('/created', { 'If-Match': '*' })).status).toBe(412)
    expect((await put('/created', { 'If-None-Match': '*' })).status).toBe(201)
    expect((await put('/created', { 'If-None-Match': '*' })).status).toBe(412)
    expect((await put('/created', { 'If-Match': '"1"' })).status).toBe(200)
  })

  it('is a fault of registration where nothing says what the tag is made of', () => {
    const wrong = new Blueprint('wrong')
    wrong.get('/', operation(etag({ load: () => item })), () => null)
    expect(() => api.registerBlueprint(wrong, { urlPrefix: '/wrong' })).toThrow(
      /GET \/wrong\/: etag\(\{ load \}\) has neither a tag nor a codec/,
    )
  })
})

describe('etag without a loader', () => {
  it('is an error where the method has forgotten checkEtag', async () => {
    expect((await put('/forgotten', { 'If-Match': '"x"' })).status).toBe(500)
    expect(errors.at(-1)).toMatchObject({ name: 'CheckEtagNotCalledError', message: expect.stringContaining('PUT /forgotten') })
  })

  it('does not demand If-Match where it is told so, but heeds it', async () => {
    expect((await put('/unguarded')).status).toBe(200)
    expect((await put('/unguarded', { 'If-Match': '"x"' })).status).toBe(412)
  })

  it('ends a GET at setEtag where the client has it', async () => {
    const tag = await tagOf('/set')
    expect(tag).toMatch(TAG)
    calls = 0
    expect((await request('GET', '/set', { headers: { 'If-None-Match': tag } })).status).toBe(304)
    expect(calls).toBe(0)
  })

  it('ends it as a response, which middleware of the Blueprint sees', async () => {
    const seen: unknown[] = []
    const watched = new Blueprint('watched')
    watched.use(async (ctx, next) => {
      await next()
      seen.push({ status: ctx.status, etag: ctx.response.get('ETag') })
    })
    watched.get('/set', operation(etag(), response(t.array(Item)), paginate(Page)), ctx => {
      setEtag(ctx, first, ['version'])
      return [first]
    })
    const { request } = await serveBlueprints(watched)
    const tag = (await request('GET', '/set')).headers.get('ETag') as string
    const { status, headers, text } = await request('GET', '/set', { headers: { 'If-None-Match': tag } })
    expect({ status, text, pages: headers.get('X-Pagination') }).toEqual({ status: 304, text: '', pages: null })
    expect(seen).toEqual([
      { status: 200, etag: tag },
      { status: 304, etag: tag },
    ])
  })

  it('makes a tag of named fields', async () => {
    expect(await tagOf('/fields')).toMatch(TAG)
    expect(await tagOf('/fields')).not.toBe(await tagOf('/set'))
  })

  it('counts the pagination header: the same page of another whole has another tag', async () => {
    expect(await tagOf('/of/11?page_size=10')).not.toBe(await tagOf('/of/12?page_size=10'))
    expect(await tagOf('/list')).toBe(await tagOf('/list'))
  })

  it('sends no pagination header with a 304', async () => {
    const { status, headers } = await request('GET', '/list', { headers: { 'If-None-Match': '*' } })
    expect([status, headers.get('X-Pagination')]).toEqual([304, null])
  })

  it.each(['/buffer'])('tags a raw body (%s)', async path => {
    const { text } = await request('GET', path)
    expect([text, await tagOf(path)]).toEqual(['plain', expect.stringMatching(/^"/)])
    expect((await request('GET', path, { headers: { 'If-None-Match': await tagOf(path) } })).status).toBe(304)
  })

  it('does not tag a body that it cannot read', async () => {
    expect(await tagOf('/text')).toBe('')
  })

  it('ignores conditions on an answer that is no success', async () => {
    const { status, headers } = await request('GET', '/refused', { headers: { 'If-None-Match': '*' } })
    expect([status, headers.get('ETag')]).toEqual([409, null])
  })
})

describe('the settings of etag', () => {
  it('turn it off altogether, the loader staying', async () => {
    item = first
    const { request, api } = await serveBlueprints(items, { ETAG_DISABLED: true })
    const { status, headers } = await request('GET', '/loaded', { headers: { 'If-None-Match': '*' } })
    expect([status, headers.get('ETag')]).toEqual([200, null])
    expect((await request('PUT', '/loaded', { json: { name: 'x' } })).status).toBe(200)
    expect((await request('PUT', '/checked', { json: { name: 'x' } })).status).toBe(200)
    item = undefined
    expect((await request('GET', '/loaded')).status).toBe(404)
    item = first
    expect(JSON.stringify(api.spec.toJSON())).not.toMatch(/If-Match|"412"|ETag/)
  })

  it('do not demand If-Match', async () => {
    const { request } = await serveBlueprints(items, { ETAG_REQUIRE_IF_MATCH: false })
    expect((await request('PUT', '/loaded', { json: { name: 'x' } })).status).toBe(200)
  })
})

describe('the document of etag', () => {
  // biome-ignore lint/suspicious/noExplicitAny: a document is walked
  const paths = (api.spec.toJSON() as any).paths
  const fields = (path: string, method: string) => paths[path][method].parameters.map(({ name }: { name: string }) => name)

  it('says what a GET reads and answers', () => {
    expect(fields('/loaded', 'get')).toEqual(['If-None-Match'])
    expect(Object.keys(paths['/loaded'].get.responses)).toEqual(['200', '304', '404', '412', 'default'])
    expect(Object.keys(paths['/loaded'].get.responses[200].headers)).toContain('ETag')
  })

  it('says what a change reads and answers', () => {
    expect(fields('/loaded', 'put')).toEqual(['If-Match'])
    expect(Object.keys(paths['/loaded'].put.responses)).toEqual(['200', '400', '404', '412', '413', '415', '422', '428', 'default'])
    expect(Object.keys(paths['/checked'].delete.responses)).toEqual(['204', '412', '428', 'default'])
  })
})
