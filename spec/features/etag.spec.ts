import * as t from 'io-ts'
import {
  type AnyBlueprint,
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
  redirect,
  reply,
  response,
  type Settings,
  setEtag,
} from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { type Answer, serveBlueprints } from '../support/client.js'

const Item = t.strict({ id: t.number, name: t.string, version: t.number }, 'Item')
const NewItem = t.strict({ name: t.string }, 'NewItem')
type Item = t.TypeOf<typeof Item>

const first: Item = { id: 1, name: 'one', version: 1 }
const DATE = 'Fri, 02 Jan 2026 03:04:05 GMT'

/** What a rule works on: an item that changes or is gone, and how often a method has run. */
interface Shelf {
  item: Item | undefined
  calls: number
}
const shelfWith = (item: Item | undefined): Shelf => ({ item, calls: 0 })

function rename(shelf: Shelf, current: Item, name: string): Item {
  shelf.calls += 1
  shelf.item = { ...current, name, version: current.version + 1 }
  return shelf.item
}

/** The method loads and compares by hand. */
function checked(shelf: Shelf): AnyBlueprint {
  class Checked extends MethodView {
    static shared = operation(etag())
    static get = operation(response(Item))
    get() {
      return shelf.item ?? abort(404)
    }
    static put = operation(json(NewItem), response(Item))
    put(ctx: Context, { name }: { name: string }) {
      const current = shelf.item ?? abort(404)
      checkEtag(ctx, current, Item)
      return rename(shelf, current, name)
    }
    static delete = operation(response({ code: 204 }))
    delete(ctx: Context) {
      checkEtag(ctx, shelf.item, Item)
    }
  }
  return new Blueprint('checked').route('/', Checked)
}

/** The library loads and compares, before the method runs. */
function loaded(shelf: Shelf): AnyBlueprint {
  class Loaded extends MethodView {
    static shared = operation(
      etag({
        load: () => shelf.item,
        tag: ({ version }) => version,
        lastModified: () => new Date(Date.parse(DATE) + 678),
      }),
    )
    static get = operation(response(Item))
    get(_ctx: Context, { current }: { current: Item }) {
      return current
    }
    static put = operation(json(NewItem), response(Item))
    put(_ctx: Context, { name }: { name: string }, { current }: { current: Item }) {
      return rename(shelf, current, name)
    }
    static patch = operation(json(NewItem))
    patch() {
      return { ok: true }
    }
  }
  return new Blueprint('loaded').route('/', Loaded)
}

/** The library loads, and the tag is a hash of what was loaded. */
function hashed(shelf: Shelf): AnyBlueprint {
  class Hashed extends MethodView {
    static shared = operation(etag({ load: () => shelf.item }))
    static get = operation(response(Item))
    get(_ctx: Context, { current }: { current: Item }) {
      return current
    }
  }
  return new Blueprint('hashed').route('/', Hashed)
}

const CHANGED = [
  ['checkEtag', checked],
  ['a loader', loaded],
] as const
const READ = [...CHANGED, ['a loader without a tag', hashed]] as const

/** Serves a Blueprint; requests are for its rule `/` unless they name another. */
async function served(blueprint: AnyBlueprint, settings: Settings = { TESTING: true }) {
  const { request, errors, api } = await serveBlueprints(blueprint, settings)
  const get = (headers: Record<string, string> = {}, path = '/') =>
    request('GET', path, { headers })
  const put = (headers: Record<string, string> = {}, body: unknown = { name: 'new' }) =>
    request('PUT', '/', { headers, json: body })
  const tagOf = async (path = '/') => (await get({}, path)).headers.get('ETag') ?? ''
  return { request, get, put, tagOf, errors, api }
}

const outcome = ({ status, headers }: Answer) => ({ status, tag: headers.get('ETag') })

describe.each(READ)('a representation under etag, with %s', (_how, views) => {
  it('is tagged, and a 304 to those who have it', async () => {
    const { get, tagOf } = await served(views(shelfWith(first)))
    const tag = await tagOf()
    for (const field of [tag, `"x", W/${tag}`, '*']) {
      const answer = await get({ 'If-None-Match': field })
      expect({
        ...outcome(answer),
        type: answer.headers.get('Content-Type'),
        text: answer.text,
      }).toEqual({
        status: 304,
        tag,
        type: null,
        text: '',
      })
    }
    expect(outcome(await get({ 'If-None-Match': '"x"' }))).toEqual({ status: 200, tag })
  })

  it('has the same tag for HEAD', async () => {
    const { request, tagOf } = await served(views(shelfWith(first)))
    expect(outcome(await request('HEAD', '/'))).toEqual({ status: 200, tag: await tagOf() })
  })

  it('is 412 to a GET under If-Match with another tag', async () => {
    const { get } = await served(views(shelfWith(first)))
    expect((await get({ 'If-Match': '"x"' })).status).toBe(412)
  })
})

describe.each(CHANGED)('a change under etag, with %s', (_how, views) => {
  it('is refused without If-Match (428) before its body is read', async () => {
    const { put } = await served(views(shelfWith(first)))
    expect((await put({}, { nme: 1 })).body).toEqual({ code: 428, status: 'Precondition Required' })
    expect((await put({ 'If-Match': ' ' })).status).toBe(428)
  })

  it('is refused for its body (422) before its tag', async () => {
    const { put } = await served(views(shelfWith(first)))
    expect((await put({ 'If-Match': '"x"' }, { nme: 1 })).status).toBe(422)
  })

  it('is refused under a false If-Match (412), and changes nothing', async () => {
    const shelf = shelfWith(first)
    const { put } = await served(views(shelf))
    for (const field of ['"x"', 'W/"1"', '1', '"1', ',']) {
      const { body } = await put({ 'If-Match': field })
      expect({ field, body }).toEqual({ field, body: { code: 412, status: 'Precondition Failed' } })
    }
    expect(shelf).toEqual({ item: first, calls: 0 })
  })

  it('happens under the right If-Match, and its response has the new tag', async () => {
    const { put, tagOf } = await served(views(shelfWith(first)))
    const answer = await put({ 'If-Match': await tagOf() })
    expect({ ...outcome(answer), name: answer.body.name }).toEqual({
      status: 200,
      tag: await tagOf(),
      name: 'new',
    })
  })

  it('is 404 if there is nothing, whatever the tag', async () => {
    const { put } = await served(views(shelfWith(undefined)))
    expect((await put({ 'If-Match': '"x"' })).status).toBe(404)
  })
})

describe('etag with a loader', () => {
  it('sends the version as a tag, and the date without its milliseconds', async () => {
    const { get } = await served(loaded(shelfWith(first)))
    const { headers } = await get()
    expect({ tag: headers.get('ETag'), date: headers.get('Last-Modified') }).toEqual({
      tag: '"1"',
      date: DATE,
    })
    expect((await get({ 'If-Modified-Since': DATE })).status).toBe(304)
  })

  it('does not tag a result that is not such a representation', async () => {
    const { request } = await served(loaded(shelfWith(first)))
    const answer = await request('PATCH', '/', {
      json: { name: 'x' },
      headers: { 'If-Match': '*' },
    })
    expect(outcome(answer)).toEqual({ status: 200, tag: null })
  })

  it('takes a complete tag as it is, and null for no tag; anything else is a fault', async () => {
    const views = new Blueprint('tags')
      .get(
        '/weak',
        operation(etag({ load: () => first, tag: () => 'W/"v1"' }), response(Item)),
        () => first,
      )
      .get(
        '/none',
        operation(etag({ load: () => first, tag: () => null }), response(Item)),
        () => first,
      )
      .get(
        '/bad',
        operation(etag({ load: () => first, tag: () => 'a"b' }), response(Item)),
        () => first,
      )
    const { get } = await served(views)
    expect(outcome(await get({}, '/weak'))).toEqual({ status: 200, tag: 'W/"v1"' })
    expect(outcome(await get({}, '/none'))).toEqual({ status: 200, tag: null })
    expect(outcome(await get({}, '/bad'))).toEqual({ status: 500, tag: null })
  })

  it('may create: If-None-Match: * stands in for If-Match, and fails if there is something', async () => {
    const shelf = shelfWith(undefined)
    const creating = etag({ load: () => shelf.item, tag: ({ version }) => version, create: true })
    const view = new Blueprint('created').put(
      '/',
      operation(creating, json(NewItem), response(Item), altResponse(201, Item)),
      (_ctx, { name }, { current }) => {
        shelf.item = { id: 1, name, version: (current?.version ?? 0) + 1 }
        return reply(shelf.item, current ? 200 : 201)
      },
    )
    const { put } = await served(view)
    const requests = [
      {},
      { 'If-Match': '*' },
      { 'If-None-Match': '*' },
      { 'If-None-Match': '*' },
      { 'If-Match': '"1"' },
    ]
    const statuses: number[] = []
    for (const headers of requests)
      statuses.push((await put(headers as Record<string, string>)).status)
    expect(statuses).toEqual([428, 412, 201, 412, 200])
  })

  it('is a fault of registration if nothing says what the tag is made of', async () => {
    const { api } = await served(new Blueprint('right'))
    const wrong = new Blueprint('wrong').get(
      '/',
      operation(etag({ load: () => first })),
      () => null,
    )
    expect(() => api.registerBlueprint(wrong, { urlPrefix: '/wrong' })).toThrow(
      /GET \/wrong\/: etag\(\{ load \}\) has neither a tag nor a codec/,
    )
  })
})

describe('checkEtag', () => {
  it('that a method has forgotten is an error', async () => {
    const { put, errors } = await served(
      new Blueprint('forgotten').put('/', operation(etag(), response(Item)), () => first),
    )
    expect((await put({ 'If-Match': '"x"' })).status).toBe(500)
    expect(errors.at(-1)).toMatchObject({
      name: 'CheckEtagNotCalledError',
      message: expect.stringContaining('PUT /'),
    })
  })

  it('heeds If-Match if it is not required', async () => {
    const view = new Blueprint('unguarded').put(
      '/',
      operation(etag({ requireIfMatch: false }), response(Item)),
      ctx => {
        checkEtag(ctx, first, Item)
        return first
      },
    )
    const { put } = await served(view)
    expect((await put()).status).toBe(200)
    expect((await put({ 'If-Match': '"x"' })).status).toBe(412)
  })
})

describe('setEtag', () => {
  it('names the feature that it needs', () => {
    expect(() => setEtag({} as Context, 'x')).toThrow(
      new TypeError('setEtag() needs etag() in the descriptor of the operation'),
    )
  })

  it('ends a GET if the client has the tag', async () => {
    const shelf = shelfWith(first)
    const view = new Blueprint('set').get('/', operation(etag(), response(Item)), ctx => {
      setEtag(ctx, ['a', 1])
      shelf.calls += 1
      return first
    })
    const { get, tagOf } = await served(view)
    const tag = await tagOf()
    expect(tag).toMatch(/^"[\w-]{22}"$/)
    expect({ ...outcome(await get({ 'If-None-Match': tag })), calls: shelf.calls }).toEqual({
      status: 304,
      tag,
      calls: 1,
    })
  })

  it('ends it as a response, which middleware of the Blueprint sees', async () => {
    const seen: unknown[] = []
    const watched = new Blueprint('watched')
      .use(async (ctx, next) => {
        await next()
        seen.push({ status: ctx.status, tag: ctx.response.get('ETag') })
      })
      .get('/', operation(etag(), response(t.array(Item)), paginate(Page)), ctx => {
        setEtag(ctx, first, ['version'])
        return [first]
      })
    const { get, tagOf } = await served(watched)
    const tag = await tagOf()
    const { status, headers, text } = await get({ 'If-None-Match': tag })
    expect({ status, text, pages: headers.get('X-Pagination') }).toEqual({
      status: 304,
      text: '',
      pages: null,
    })
    expect(seen).toEqual([
      { status: 200, tag },
      { status: 304, tag },
    ])
  })

  it('makes a tag of the fields that it is given', async () => {
    const views = new Blueprint('fields')
    const fields = [['version'], ['id', 'version'], ['version', 'name']] as const
    for (const names of fields)
      views.get(`/${names.join('-')}`, operation(etag(), response(Item)), ctx => {
        setEtag(ctx, first, names)
        return first
      })
    const { tagOf } = await served(views)
    const tags = await Promise.all(fields.map(names => tagOf(`/${names.join('-')}`)))
    expect(new Set(tags).size).toBe(fields.length)
  })
})

describe('etag() by itself', () => {
  const lists = () =>
    new Blueprint('lists').get(
      '/:count<int>',
      operation(etag(), response(t.array(Item)), paginate(Page)),
      (_ctx, { count }) => Array<Item>(count).fill(first),
    )

  it('counts the pagination header: the same page of another whole has another tag', async () => {
    const { tagOf } = await served(lists())
    expect(await tagOf('/11?page_size=10')).not.toBe(await tagOf('/12?page_size=10'))
    expect(await tagOf('/11?page_size=10')).toBe(await tagOf('/11?page_size=10'))
  })

  it('sends no pagination header with a 304', async () => {
    const { get } = await served(lists())
    const { status, headers } = await get({ 'If-None-Match': '*' }, '/2')
    expect({ status, pages: headers.get('X-Pagination') }).toEqual({ status: 304, pages: null })
  })

  it('tags a Buffer, and does not tag a body that it cannot read', async () => {
    const views = new Blueprint('raw')
      .get(
        '/buffer',
        operation(etag(), response({ contentType: 'application/octet-stream' })),
        () => Buffer.from('plain'),
      )
      .get(
        '/stream',
        operation(etag(), response({ contentType: 'text/plain' })),
        () => new Response('plain'),
      )
    const { get, tagOf } = await served(views)
    const tag = await tagOf('/buffer')
    expect(tag).toMatch(/^"/)
    expect(outcome(await get({ 'If-None-Match': tag }, '/buffer'))).toEqual({ status: 304, tag })
    expect(outcome(await get({}, '/stream'))).toEqual({ status: 200, tag: null })
  })

  it('neither tags a response that is not a success nor heeds conditions on it (RFC 9110, section 13.2.1)', async () => {
    const views = new Blueprint('others')
      .get('/moved', operation(etag(), response(Item), altResponse(302)), () =>
        redirect('/elsewhere', 302),
      )
      .get('/choices', operation(etag(), response(Item), altResponse(300, Item)), () =>
        reply(first, 300),
      )
      .get('/refused', operation(etag(), response(Item), altResponse(409, Item)), () =>
        reply(first, 409),
      )
      .get(
        '/loaded',
        operation(etag({ load: () => first }), response(Item), altResponse(300, Item)),
        () => reply(first, 300),
      )
    const { get } = await served(views)
    for (const [path, status] of Object.entries({
      '/moved': 302,
      '/choices': 300,
      '/refused': 409,
    })) {
      expect({ path, ...outcome(await get({ 'If-None-Match': '*' }, path)) }).toEqual({
        path,
        status,
        tag: null,
      })
      expect({ path, ...outcome(await get({ 'If-Match': '"x"' }, path)) }).toEqual({
        path,
        status,
        tag: null,
      })
    }
    expect(outcome(await get({}, '/loaded'))).toEqual({ status: 300, tag: null })
  })
})

describe('the settings of etag', () => {
  it('turn it off altogether, the loader staying', async () => {
    for (const views of [checked, loaded]) {
      const { get, put, api } = await served(views(shelfWith(first)), { ETAG_DISABLED: true })
      expect(outcome(await get({ 'If-None-Match': '*' }))).toEqual({ status: 200, tag: null })
      expect((await put()).status).toBe(200)
      expect(JSON.stringify(api.spec.toJSON())).not.toMatch(/If-Match|"412"|ETag/)
    }
    expect(
      (await (await served(loaded(shelfWith(undefined)), { ETAG_DISABLED: true })).get()).status,
    ).toBe(404)
  })

  it('do not require If-Match', async () => {
    const { put } = await served(loaded(shelfWith(first)), { ETAG_REQUIRE_IF_MATCH: false })
    expect((await put()).status).toBe(200)
  })
})

describe('the document of etag', () => {
  /** The conditions that an operation reads, and its statuses. */
  async function documented(views: AnyBlueprint, method: string) {
    const { api } = await served(views)
    // biome-ignore lint/suspicious/noExplicitAny: a document is walked
    const { parameters, responses } = (api.spec.toJSON() as any).paths['/'][method]
    return {
      conditions: parameters.map(({ name }: { name: string }) => name),
      statuses: Object.keys(responses),
      responses,
    }
  }

  it('says what a GET reads and sends', async () => {
    const { responses, ...said } = await documented(loaded(shelfWith(first)), 'get')
    expect(said).toEqual({
      conditions: ['If-None-Match'],
      statuses: ['200', '304', '404', '412', 'default'],
    })
    expect(Object.keys(responses[200].headers)).toContain('ETag')
  })

  it('says what a change reads and sends', async () => {
    expect(await documented(loaded(shelfWith(first)), 'put')).toMatchObject({
      conditions: ['If-Match'],
      statuses: ['200', '400', '404', '412', '413', '415', '422', '428', 'default'],
    })
    expect(await documented(checked(shelfWith(first)), 'delete')).toMatchObject({
      conditions: ['If-Match'],
      statuses: ['204', '412', '428', 'default'],
    })
  })
})
