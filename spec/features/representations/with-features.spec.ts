import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  altResponse,
  apiKey,
  Blueprint,
  type Context,
  cache,
  etag,
  idempotent,
  int,
  json,
  jsonLines,
  keyset,
  MethodView,
  memoryStore,
  operation,
  Page,
  paginate,
  type RegistrationError,
  type Representation,
  reply,
  response,
  secure,
  setEtag,
  struct,
} from 'koa-smorest'
import { csv } from 'koa-smorest/csv'
import { describe, expect, it } from 'vitest'
import { serveBlueprints } from '../../support/client.js'

const Job = struct({ id: int, title: t.string }, 'Job')
const JobList = struct({ data: t.array(Job), total: int }, 'JobList')
const jobs = [1, 2, 3].map(id => ({ id, title: `Job ${id}` }))
const asCsv = { headers: { Accept: 'text/csv' } }

/** The GET of a path in the document. */
const documentOf = (api: Api, path: string) =>
  (
    api.spec.toJSON() as never as {
      paths: Record<
        string,
        { get: { responses: Record<string, { headers: { Vary: object }; content: object }> } }
      >
    }
  ).paths[path]?.get as never as {
    responses: Record<200 | 406, { headers: { Vary: object }; content: object }>
  }

describe('the conditions of a view with several representations', () => {
  let current = { id: 1, title: 'Paint', version: 3 }
  const load = () => current
  class Item extends MethodView {
    static shared = operation(etag({ load, tag: ({ version }) => version }))
    static get = operation(response(Job, { also: [csv()] }))
    get() {
      return current
    }
    static put = operation(json(Job), response(Job, { also: [jsonLines] }))
    put(_ctx: Context, job: { id: number; title: string }) {
      current = { ...job, version: current.version + 1 }
      return current
    }
    static delete = operation(response({ code: 204 }))
    delete() {}
  }
  class Hashed extends MethodView {
    static shared = operation(etag({ load: (): { id: number; title: string } => jobs[0] as never }))
    static get = operation(response(Job, { also: [csv()] }))
    get(_ctx: Context, { current }: { current: { id: number; title: string } }) {
      return current
    }
    static patch = operation(response(Job))
    patch(_ctx: Context, { current }: { current: { id: number; title: string } }) {
      return current
    }
  }
  class Manual extends MethodView {
    static shared = operation(etag())
    static get = operation(response(Job, { also: [csv()] }))
    get(ctx: Context) {
      setEtag(ctx, jobs[0], Job)
      return jobs[0] as never
    }
  }
  const views = new Blueprint('views')
    .route('/version', Item)
    .route('/hash', Hashed)
    .route('/manual', Manual)

  it('have the version with a suffix, and about a change any of them', async () => {
    const { request } = await serveBlueprints(views)
    const get = await request('GET', '/version', asCsv)
    expect([get.headers.get('ETag'), get.text]).toEqual(['"3;csv"', 'id,title\r\n1,Paint\r\n'])
    const put = (tag: string, accept = '*/*') =>
      request('PUT', '/version', {
        json: { id: 1, title: 'Sand' },
        headers: { 'If-Match': tag, Accept: accept },
      })
    expect((await put('"3;pdf"')).status).toBe(412)
    expect((await put('W/"3;csv"')).status).toBe(412)
    expect((await put('"3;csv;csv"')).status).toBe(412)
    expect((await put('"3;csv')).status).toBe(412)
    const changed = await put('"0", "3;csv"')
    expect([changed.status, changed.headers.get('ETag')]).toEqual([200, '"4"'])
    const again = await put('"4"', 'application/jsonl')
    expect([again.status, again.headers.get('ETag'), again.text]).toEqual([
      200,
      '"5;jsonl"',
      '{"id":1,"title":"Sand"}\n',
    ])
    expect((await put('"5;jsonl"')).headers.get('ETag')).toBe('"6"')
    const remove = (tag: string) => request('DELETE', '/version', { headers: { 'If-Match': tag } })
    expect((await remove('"5;csv"')).status).toBe(412)
    expect((await remove('"6;csv"')).status).toBe(204)
    expect((await remove('*')).status).toBe(204)
  })

  it('are about the selected representation when it is read', async () => {
    const { request } = await serveBlueprints(views)
    for (const path of ['/version', '/hash', '/manual']) {
      const ask = (accept: string, headers: Record<string, string>) =>
        request('GET', path, { headers: { Accept: accept, ...headers } })
      const plain = (await ask('*/*', {})).headers.get('ETag') as string
      const suffixed = `${plain.slice(0, -1)};csv"`
      expect((await ask('text/csv', {})).headers.get('ETag')).toBe(suffixed)
      const statuses = async (accept: string, tag: string) => [
        (await ask(accept, { 'If-None-Match': tag })).status,
        (await ask(accept, { 'If-Match': tag })).status,
      ]
      expect([path, await statuses('text/csv', suffixed)]).toEqual([path, [304, 200]])
      expect([path, await statuses('text/csv', plain)]).toEqual([path, [200, 412]])
      expect([path, await statuses('*/*', suffixed)]).toEqual([path, [200, 412]])
      const { headers } = await ask('text/csv', { 'If-None-Match': suffixed })
      expect([headers.get('ETag'), headers.get('Vary')]).toEqual([suffixed, 'Accept'])
    }
    const tag = (await request('GET', '/hash', asCsv)).headers.get('ETag') as string
    expect((await request('PATCH', '/hash', { headers: { 'If-Match': tag } })).status).toBe(200)
    expect(
      (await request('PATCH', '/hash', { headers: { 'If-Match': tag.replace(';csv', ';CSV') } }))
        .status,
    ).toBe(412)
  })
})

describe('what is negotiated', () => {
  const key = apiKey('key', {
    in: 'header',
    name: 'X-Key',
    principal: value => (value === 'sesame' ? { name: 'Ann' } : undefined),
  })
  let calls = 0
  const views = new Blueprint('views')
    .post(
      '/secure',
      operation(secure(key), json(Job), response(Job, { code: 201, also: [csv()] })),
      (_ctx, job) => {
        calls++
        return job
      },
    )
    .get(
      '/secure',
      operation(
        secure(key),
        cache({ private: true, maxAge: 5 }),
        response(t.array(Job), { also: [csv()] }),
      ),
      () => jobs,
    )
    .post(
      '/keyed',
      operation(
        idempotent({ store: memoryStore() }),
        response(Job, { also: [csv()] }),
        altResponse(201),
        altResponse(202, struct({ place: int }, 'Queued')),
      ),
      ctx => {
        const { code } = ctx.query
        if (code === '201') return reply(jobs[0] as never, 201)
        if (code === '202') return reply({ place: 1 }, 202)
        return jobs[0] as never
      },
    )

  it('is refused after the credentials and before the body, under every method', async () => {
    const { request } = await serveBlueprints(views)
    const post = (headers: Record<string, string>) =>
      request('POST', '/secure', { headers: { Accept: 'text/html', ...headers }, json: 'wrong' })
    expect([(await post({})).status, (await post({ 'X-Key': 'sesame' })).status]).toEqual([
      401, 406,
    ])
    expect(calls).toBe(0)
    expect((await request('HEAD', '/secure', { headers: { Accept: 'text/html' } })).status).toBe(
      401,
    )
  })

  it('is in Vary, with what credentials and caches name, and in the document', async () => {
    const { request, api } = await serveBlueprints(views)
    const vary = async (headers: Record<string, string>) =>
      (await request('GET', '/secure', { headers })).headers.get('Vary')
    expect([
      await vary({}),
      await vary({ 'X-Key': 'sesame' }),
      await vary({ 'X-Key': 'sesame', Accept: 'text/csv' }),
      await vary({ 'X-Key': 'sesame', Accept: 'text/html' }),
    ]).toEqual(Array(4).fill('X-Key, Accept'))
    const created = await request('POST', '/secure', {
      headers: { 'X-Key': 'sesame', Accept: 'text/csv' },
      json: jobs[0],
    })
    expect([created.status, created.headers.get('Vary'), created.text]).toEqual([
      201,
      'Accept',
      'id,title\r\n1,Job 1\r\n',
    ])
    const { responses } = documentOf(api, '/secure')
    const named = { description: '`X-Key, Accept`', schema: { type: 'string' } }
    expect([responses[200].headers.Vary, responses[406].headers.Vary]).toEqual([named, named])
    expect(responses[200].content).toEqual({
      'application/json': {
        schema: { type: 'array', items: { $ref: '#/components/schemas/Job' } },
      },
      'text/csv': { schema: { type: 'string' } },
    })
  })

  it('is the main response, under each of its statuses, and no other', async () => {
    const { request } = await serveBlueprints(views)
    const post = async (code: string) => {
      const { status, headers, text } = await request('POST', `/keyed?code=${code}`, asCsv)
      return [status, headers.get('Content-Type'), text]
    }
    const table = ['text/csv; charset=utf-8', 'id,title\r\n1,Job 1\r\n']
    expect(await post('200')).toEqual([200, ...table])
    expect(await post('201')).toEqual([201, ...table])
    expect(await post('202')).toEqual([202, 'application/json; charset=utf-8', '{"place":1}'])
  })

  it('is kept with its media type under an Idempotency-Key', async () => {
    const { request } = await serveBlueprints(views)
    const headers = { ...asCsv.headers, 'Idempotency-Key': '"abc"' }
    const first = await request('POST', '/keyed', { headers })
    const second = await request('POST', '/keyed', { headers })
    const shown = ({ status, headers, text }: typeof first) => [
      status,
      headers.get('Content-Type'),
      headers.get('Vary'),
      text,
    ]
    expect(shown(second)).toEqual(shown(first))
    expect(second.headers.get('Idempotency-Replayed')).toBe('true')
  })
})

describe('a page with several representations', () => {
  const also = [csv({ columns: ['title', 'id'] }), jsonLines] as const
  const wrapped = {
    items: 'data' as const,
    wrap: (items: readonly { id: number; title: string }[]) => ({ data: [...items], total: 9 }),
  }
  const views = new Blueprint('views')
    .get('/pages', operation(paginate(Page), response(t.array(Job), { also })), () => jobs)
    .get('/keys', operation(keyset({ unique: 'id' }), response(t.array(Job), { also })), () => jobs)
    .get(
      '/wrapped',
      operation(paginate(Page, wrapped), etag(), response(JobList, { also })),
      () => jobs,
    )
    .get(
      '/wrapped-keys',
      operation(keyset({ unique: 'id', ...wrapped }), response(JobList, { also })),
      () => jobs,
    )
  class Wrapping extends Blueprint {
    override prepareResponseContent(data: unknown) {
      return { data }
    }
  }
  const whole = new Wrapping('whole').get(
    '/whole',
    operation(response(t.array(Job), { also })),
    () => jobs.slice(0, 2),
  )

  it.each(['/pages', '/keys', '/wrapped', '/wrapped-keys'])(
    'has its rows alone in tables and lines, and the same links: %s',
    async path => {
      const { request } = await serveBlueprints(views)
      const get = (accept: string) =>
        request('GET', `${path}?page_size=2`, { headers: { Accept: accept } })
      const plain = await get('*/*')
      expect(plain.body).toEqual(
        path.startsWith('/wrapped') ? { data: jobs.slice(0, 2), total: 9 } : jobs.slice(0, 2),
      )
      for (const [accept, text] of [
        ['text/csv', 'title,id\r\nJob 1,1\r\nJob 2,2\r\n'],
        ['application/jsonl', '{"id":1,"title":"Job 1"}\n{"id":2,"title":"Job 2"}\n'],
      ] as const) {
        const other = await get(accept)
        expect([other.text, other.headers.get('Link'), other.headers.get('X-Pagination')]).toEqual([
          text,
          plain.headers.get('Link'),
          plain.headers.get('X-Pagination'),
        ])
      }
    },
  )

  it('is not wrapped by prepareResponseContent, as JSON is', async () => {
    const { request } = await serveBlueprints(whole, {}, { undocumented: ['/whole'] })
    expect((await request('GET', '/whole')).body).toEqual({ data: jobs.slice(0, 2) })
    expect((await request('GET', '/whole', asCsv)).text).toBe('title,id\r\nJob 1,1\r\nJob 2,2\r\n')
  })
})

describe('a representation', () => {
  const serveOne = (one: Representation<never>) =>
    serveBlueprints(
      new Blueprint('one').get(
        '/',
        operation(response(t.array(Job), { also: [one as Representation<unknown>] })),
        () => jobs,
      ),
      {},
      // a media type with parameters is more than the check can match
      { undocumented: one.mediaType.includes(';') ? ['/'] : [] },
    )
  const media = { mediaType: 'application/x-own' }

  it('that fails is a 500, and so is one that writes anything else', async () => {
    for (const [write, message] of [
      [
        () => {
          throw new Error('no paper')
        },
        'no paper',
      ],
      [() => undefined, /GET \/.*application\/x-own must return a string.*not undefined/],
      [async () => 'text', /must return a string.*not an object/],
    ] as const) {
      const { request, errors } = await serveOne({ ...media, write: write as never })
      const { status, body, headers } = await request('GET', '/', {
        headers: { Accept: 'application/x-own' },
      })
      expect([status, body, headers.get('Vary')]).toEqual([
        500,
        { code: 500, status: 'Internal Server Error' },
        'Accept',
      ])
      expect(errors[0]?.message).toMatch(message)
      expect((await request('GET', '/')).status).toBe(200)
    }
  })

  it('is given the exchange, keeps its charset, and is documented with its schema', async () => {
    const { request, api } = await serveOne({
      mediaType: 'text/x-own; charset=utf-16',
      schema: { type: 'string', maxLength: 9 },
      write(_rows, exchange) {
        return `${this.mediaType} ${exchange.status}`
      },
    })
    const { headers, text } = await request('GET', '/', { headers: { Accept: 'text/x-own' } })
    expect([headers.get('Content-Type'), text]).toEqual([
      'text/x-own; charset=utf-16',
      'text/x-own; charset=utf-16 200',
    ])
    expect(documentOf(api, '/').responses[200].content).toMatchObject({
      'text/x-own; charset=utf-16': { schema: { type: 'string', maxLength: 9 } },
    })
  })

  const register = (options: object, codec?: t.Mixed): readonly string[] => {
    const feature = codec ? response(codec, options as never) : response(options as never)
    const blueprint = new Blueprint('one').get('/', operation(feature as never), () => [] as never)
    try {
      new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(blueprint)
    } catch (error) {
      return (error as RegistrationError).faults
    }
    return []
  }
  const write = () => ''
  const of = (mediaType: string, tag?: string) => ({ mediaType, write, ...(tag && { tag }) })

  it.each<[options: object, codec: t.Mixed | undefined, fault: string]>([
    [
      { also: csv() },
      t.array(Job),
      'response: also must be a list of representations, such as csv(), not an object',
    ],
    [
      { also: [{ mediaType: 'text/csv' }] },
      t.array(Job),
      'response: also must be a list of representations, such as csv(), not [an object]',
    ],
    [
      { also: [{ write: () => '' }] },
      t.array(Job),
      'response: also must be a list of representations, such as csv(), not [an object]',
    ],
    [
      { also: [of('text/csv')] },
      undefined,
      'also needs the codec of the value: response(codec, { also })',
    ],
    [
      { also: [of('text/csv')], contentType: 'text/html' },
      t.string,
      'also is for results that are sent as JSON, not as text/html',
    ],
    [
      { also: [of('text/*')] },
      Job,
      'also: mediaType must be a media type such as text/csv, not "text/*"',
    ],
    [
      { also: [of('csv')] },
      Job,
      'also: mediaType must be a media type such as text/csv, not "csv"',
    ],
    [
      { also: [of('application/json; charset=utf-8')] },
      Job,
      'also: there are two representations of application/json',
    ],
    [
      { also: [of('text/csv'), of('TEXT/CSV', 'other')] },
      Job,
      'also: there are two representations of text/csv',
    ],
    [
      { also: [of('text/csv', 'a"b')] },
      Job,
      'also: the tag of text/csv must be made of letters, digits, ".", "+", "-" and "_", not "a\\"b"',
    ],
    [
      { also: [of('text/csv'), of('application/csv')] },
      Job,
      'also: application/csv has the tag "csv" of another representation: give it one of its own, { tag: \'…\' }',
    ],
  ])('is wrong %#: %j', (options, codec, fault) => {
    const faults = register(options, codec).map(text => text.replace(/^.*?GET \/: /, ''))
    expect(faults).toContain(fault)
  })

  it('is one fault for a value that is none', () => {
    expect(register({ also: [undefined] }, t.array(Job))).toEqual([
      expect.stringContaining(
        'also must be a list of representations, such as csv(), not [undefined]',
      ),
    ])
  })
})

it('a Vary of * that a method sets stays alone, whatever features name', async () => {
  const views = new Blueprint('views').get(
    '/',
    operation(cache({ maxAge: 5, vary: ['Accept-Language'] }), response(Job, { also: [csv()] })),
    ctx => {
      ctx.set('Vary', '*')
      return jobs[0] as never
    },
  )
  const { request } = await serveBlueprints(views)
  expect((await request('GET', '/', asCsv)).headers.get('Vary')).toBe('*')
})
