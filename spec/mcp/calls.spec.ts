import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  abort,
  altResponse,
  anyOf,
  apiKey,
  Blueprint,
  bearer,
  type Context,
  cookies,
  doc,
  etag,
  headers,
  idempotent,
  json,
  list,
  MethodView,
  memoryStore,
  open,
  operation,
  problem,
  query,
  reply,
  response,
  type Settings,
  secure,
} from 'koa-smorest'
import { mcp } from 'koa-smorest/mcp'
import { beforeAll, describe, expect, it } from 'vitest'
import { connected, served } from './connected.js'

const Job = t.type({ id: t.string, title: t.string, version: t.number }, 'Job')
const NewJob = t.type({ title: t.string }, 'NewJob')
type Job = t.TypeOf<typeof Job>

const login = bearer('login', {
  principal: (token: string) => (token.endsWith('-sesame') ? { name: token.slice(0, -7) } : null),
  identify: ({ name }: { name: string }) => name,
})
const key = apiKey('key', {
  in: 'header',
  name: 'X-Key',
  principal: (text: string) => (text === 'robot-sesame' ? { name: 'robot' } : null),
  identify: ({ name }: { name: string }) => name,
})
const session = apiKey('session', {
  in: 'cookie',
  name: 'session',
  principal: (text: string) => (text === 'carol-sesame' ? { name: 'carol' } : null),
})
const outOfPaper = problem('out-of-paper', { status: 409, title: 'There is no paper left' })

/** An Api with jobs that are read and changed, and one operation for each way to be called. */
function application(settings: Partial<Settings> = {}) {
  const app = new Koa()
  const seen: string[] = []
  app.use((ctx, next) => {
    seen.push(`${ctx.method} ${ctx.path}`)
    return next()
  })
  const api = new Api(app, { OPENAPI_VERSION: '3.1.0', ...settings })
  const all = new Map<string, Job>([['1', { id: '1', title: 'Paint', version: 1 }]])
  const load = (_ctx: Context, { jobId }: { jobId: string }) => all.get(jobId) ?? abort(404)
  const tag = ({ version }: Job) => `${version}`
  class Jobs extends MethodView {
    static post = operation(
      'Add a job',
      idempotent({ store: memoryStore(), required: true }),
      secure(login),
      json(NewJob),
      response(Job, { code: 201 }),
    )
    post(_ctx: Context, { title }: { title: string }) {
      const job = { id: String(all.size + 1), title, version: 1 }
      all.set(job.id, job)
      return reply(job, 201, { Location: `/jobs/${job.id}` })
    }
  }
  class JobById extends MethodView {
    static get = operation('Read a job', response(Job), etag({ load, tag }))
    get(_ctx: Context, { current }: { current: Job }) {
      return current
    }
    static put = operation('Replace a job', json(NewJob), response(Job), etag({ load, tag }))
    put(_ctx: Context, { title }: { title: string }, { current }: { current: Job }) {
      const job = { ...current, title, version: current.version + 1 }
      all.set(job.id, job)
      return job
    }
    static delete = operation(response({ code: 204 }), etag({ load, tag }))
    delete(_ctx: Context, { jobId }: { jobId: string }) {
      all.delete(jobId)
    }
  }
  class Who extends MethodView {
    static get = operation(secure(anyOf(login, key)), response(t.string))
    get(_ctx: Context, { principal }: { principal: { name: string } }) {
      return principal.name
    }
  }
  class Maybe extends MethodView {
    static get = operation(secure(login, { optional: true }), response(t.string))
    get(_ctx: Context, { principal }: { principal: { name: string } | undefined }) {
      return principal?.name ?? 'nobody'
    }
  }
  class Session extends MethodView {
    static get = operation(secure(session), response(t.string))
    get(_ctx: Context, { principal }: { principal: { name: string } }) {
      return principal.name
    }
  }
  class Echo extends MethodView {
    static get = operation(
      open(),
      query(
        t.partial({ q: t.string, tag: t.array(t.string), ids: list(t.string), flag: t.boolean }),
      ),
      headers(t.partial({ 'X-Trace': t.string })),
      cookies(t.partial({ taste: t.string })),
      response(t.UnknownRecord),
    )
    get(ctx: Context, query: object, headers: object, cookies: object, { rest }: { rest: string }) {
      return {
        ...query,
        ...headers,
        ...cookies,
        rest,
        ip: ctx.ip,
        host: ctx.host,
        cookie: ctx.get('Cookie'),
      }
    }
  }
  class Raw extends MethodView {
    static get = operation(
      doc({
        parameters: [
          { in: 'query', name: 'size', style: 'deepObject', schema: { type: 'object' } },
          { in: 'query', name: 'ids', explode: false, schema: { type: 'array' } },
          { in: 'query', name: 'where', content: { 'application/json': {} } },
        ],
      }),
      response(t.string),
    )
    get(ctx: Context) {
      return decodeURIComponent(ctx.querystring)
    }
  }
  class Print extends MethodView {
    static post = operation(altResponse(outOfPaper), response({ code: 204 }))
    post() {
      return abort(outOfPaper)
    }
  }
  class Broken extends MethodView {
    static get = operation(response(t.string))
    get(): string {
      throw new Error('the password is sesame')
    }
  }
  const blueprint = new Blueprint('jobs')
  blueprint.route('/jobs/', Jobs)
  blueprint.route('/jobs/:jobId', JobById)
  blueprint.route('/who', Who)
  blueprint.route('/maybe', Maybe)
  blueprint.route('/session', Session)
  blueprint.route('/echo/:rest', Echo)
  blueprint.route('/raw', Raw)
  blueprint.route('/print', Print)
  blueprint.route('/broken', Broken)
  api.registerBlueprint(blueprint)
  mcp(api, { path: '/mcp', tools: () => true })
  return { app, api, seen, all }
}

const ANN = { Authorization: 'Bearer ann-sesame' }
const SECURED = { 'Cache-Control': 'private, no-cache' }

describe.each(['auto', 'legacy'] as const)('calls in the protocol of %s clients', mode => {
  it('read with an entity tag and change with it', async () => {
    const url = await served(application().app)
    const { call } = await connected(url, {}, mode)
    const read = await call('JobById_get', { jobId: '1' })
    expect(read).toEqual({
      isError: false,
      status: 200,
      headers: { ETag: '"1"' },
      body: { id: '1', title: 'Paint', version: 1 },
    })
    const change = { jobId: '1', body: { title: 'Varnish' } }
    const found = [
      await call('JobById_put', change),
      await call('JobById_put', { ...change, 'If-Match': read.headers.ETag }),
      await call('JobById_put', { ...change, 'If-Match': read.headers.ETag }),
      await call('JobById_delete', { jobId: '1', 'If-Match': '"2"' }),
    ]
    expect(found).toEqual([
      {
        isError: true,
        status: 428,
        headers: {},
        body: { code: 428, status: 'Precondition Required' },
      },
      {
        isError: false,
        status: 200,
        headers: { ETag: '"2"' },
        body: { id: '1', title: 'Varnish', version: 2 },
      },
      {
        isError: true,
        status: 412,
        headers: {},
        body: { code: 412, status: 'Precondition Failed' },
      },
      { isError: false, status: 204, headers: {} },
    ])
  })
})

describe('a call', () => {
  let url: URL
  let seen: string[]
  const errors: unknown[] = []
  beforeAll(async () => {
    const made = application()
    made.app.on('error', error => errors.push((error as Error).name))
    seen = made.seen
    url = await served(made.app)
  })

  it('has its result as JSON text, too', async () => {
    const { client } = await connected(url)
    const { content, structuredContent } = await client.callTool({
      name: 'JobById_get',
      arguments: { jobId: '1' },
    })
    expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }])
  })

  it('happens once with one key, and not without a key that is required', async () => {
    const { call } = await connected(url, ANN)
    const given = { body: { title: 'Sweep' }, 'Idempotency-Key': '"0f5a9d0e-6f0b"' }
    const created = {
      isError: false,
      status: 201,
      headers: { Location: '/jobs/2' },
      body: { id: '2', title: 'Sweep', version: 1 },
    }
    expect([
      await call('Jobs_post', { body: { title: 'Sweep' } }),
      await call('Jobs_post', given),
      await call('Jobs_post', given),
    ]).toMatchObject([{ isError: true, status: 400 }, created, created])
  })

  it('has the credentials of its caller in header fields, and never cookies', async () => {
    const cookie = { Cookie: 'session=carol-sesame; taste=sweet' }
    const ann = await connected(url, { ...ANN, ...cookie })
    const robot = await connected(url, { 'X-Key': 'robot-sesame', ...cookie })
    const nobody = await connected(url, cookie)
    const bodies = (names: readonly string[], { call }: Awaited<ReturnType<typeof connected>>) =>
      Promise.all(names.map(async name => (await call(name)).body))
    expect({
      ann: await bodies(['Who_get', 'Maybe_get'], ann),
      robot: await bodies(['Who_get', 'Maybe_get'], robot),
      nobody: await nobody.call('Maybe_get'),
      echo: (await ann.call('Echo_get', { rest: 'x' })).body.cookie,
    }).toEqual({
      ann: ['ann', 'ann'],
      robot: ['robot', 'nobody'],
      nobody: {
        isError: false,
        status: 200,
        headers: { ...SECURED, Vary: 'Authorization' },
        body: 'nobody',
      },
      echo: '',
    })
    const refused = { isError: true, status: 401, body: { code: 401, status: 'Unauthorized' } }
    expect([await nobody.call('Who_get'), await ann.call('Session_get')]).toEqual([
      {
        ...refused,
        headers: {
          ...SECURED,
          Vary: 'Authorization, X-Key',
          'WWW-Authenticate': 'Bearer realm="login", ApiKey in="header", name="X-Key"',
        },
      },
      {
        ...refused,
        headers: {
          ...SECURED,
          Vary: 'Cookie',
          'WWW-Authenticate': 'ApiKey in="cookie", name="session"',
        },
      },
    ])
  })

  it('writes paths, queries and header fields as they are documented, and has address and host', async () => {
    const { call } = await connected(url)
    const given = {
      rest: 'a/b?ü',
      q: 'x&y=1',
      tag: ['a', 'b,c'],
      ids: ['1', '2'],
      flag: true,
      'X-Trace': 'abc',
    }
    expect((await call('Echo_get', given)).body).toEqual({
      ...given,
      ip: '127.0.0.1',
      host: url.host,
      cookie: '',
    })
    expect((await call('Echo_get', { rest: 'x', q: null })).body).not.toHaveProperty('q')
    const raw = { size: { gte: 5, in: ['s', 'm'], of: [{ a: 1 }] }, ids: [1, 2], where: { a: [1] } }
    expect((await call('Raw_get', raw)).body).toBe(
      'size[gte]=5&size[in][]=s&size[in][]=m&size[of][0][a]=1&ids=1,2&where={"a":[1]}',
    )
  })

  it('passes through the whole application', async () => {
    const { call } = await connected(url)
    seen.length = 0
    await call('Maybe_get')
    expect(seen).toContain('GET /maybe')
  })

  it('is judged by the operation alone, but for unknown arguments', async () => {
    const { call } = await connected(url, ANN)
    const refused = (errors: object, message?: string) => ({
      isError: true,
      status: 422,
      headers: {},
      body: { code: 422, status: 'Unprocessable Entity', ...(message && { message }), errors },
    })
    seen.length = 0
    const wrong = await call('JobById_put', { jobId: '1', 'If-Match': '"1"', body: { title: 7 } })
    expect(wrong).toMatchObject({ isError: true, status: 422 })
    expect(seen).toContain('PUT /jobs/1')
    seen.length = 0
    expect([
      await call('JobById_get', { jobId: '1', 'If-None-Match': '"1"' }),
      await call('Who_get', { body: {} }),
      await call('Echo_get', { rest: 'x', taste: 'sweet' }),
    ]).toEqual([
      refused(
        { arguments: { 'If-None-Match': ['Unknown field.'] } },
        'The arguments of this tool are jobId.',
      ),
      refused({ arguments: { body: ['Unknown field.'] } }, 'This tool has no arguments.'),
      refused(
        { arguments: { taste: ['Unknown field.'] } },
        'The arguments of this tool are rest, q, tag, ids, flag, X-Trace.',
      ),
    ])
    expect(new Set(seen)).toEqual(new Set(['POST /mcp']))
  })

  it.each([
    ['empty', ''],
    ['a dot', '.'],
    ['two dots', '..'],
    ['a list of nothing', []],
  ])('is refused if an argument of the path is %s', async (_what, jobId) => {
    const { call } = await connected(url)
    seen.length = 0
    expect(await call('JobById_get', { jobId })).toMatchObject({
      isError: true,
      status: 422,
      body: { errors: { path: { jobId: [`May not be ${JSON.stringify(jobId)}.`] } } },
    })
    expect(seen).not.toContain('GET /')
  })

  it.each([
    ['absent', {}],
    ['null', { jobId: null }],
  ])('is refused if an argument of the path is %s', async (_what, given) => {
    const { call } = await connected(url)
    seen.length = 0
    expect(await call('JobById_get', given)).toMatchObject({
      isError: true,
      status: 422,
      body: {
        message: 'The argument jobId is missing.',
        errors: { path: { jobId: ['Missing data for required field.'] } },
      },
    })
    expect(seen).not.toContain('GET /')
  })

  it('is refused if a header field would have two lines', async () => {
    const { call } = await connected(url)
    expect(await call('Echo_get', { rest: 'x', 'X-Trace': 'a\r\nCookie: b' })).toMatchObject({
      status: 422,
      body: { errors: { headers: { 'X-Trace': ['May not be "a\\r\\nCookie: b".'] } } },
    })
  })

  it('fails as the operation fails: with a problem, or with nothing but a status', async () => {
    const { call } = await connected(url)
    errors.length = 0
    expect([await call('Print_post'), await call('Broken_get')]).toEqual([
      {
        isError: true,
        status: 409,
        headers: {},
        body: { code: 409, status: 'Conflict', problem: 'out-of-paper' },
      },
      {
        isError: true,
        status: 500,
        headers: {},
        body: { code: 500, status: 'Internal Server Error' },
      },
    ])
    expect(errors).toEqual(['Error'])
  })

  it('of a tool that is not there names the nearest', async () => {
    const { call } = await connected(url)
    await expect(call('JobByID_get')).rejects.toThrow(
      'There is no tool "JobByID_get", did you mean "JobById_get"?',
    )
  })

  it('has its errors in the form of the Api', async () => {
    const { call } = await connected(await served(application({ API_ERRORS: 'problem' }).app))
    expect(await call('JobById_get', { jobId: '..' })).toEqual({
      isError: true,
      status: 422,
      headers: {},
      body: {
        type: 'about:blank',
        title: 'Unprocessable Entity',
        status: 422,
        detail: 'The argument jobId cannot be sent.',
        errors: [{ detail: 'May not be "..".', parameter: 'jobId', in: 'path' }],
      },
    })
  })

  it('has the forwarded address of its caller behind a proxy', async () => {
    const { app } = application()
    app.proxy = true
    const { call } = await connected(await served(app), { 'X-Forwarded-For': '192.0.2.7' })
    expect((await call('Echo_get', { rest: 'x' })).body.ip).toBe('192.0.2.7')
  })
})
