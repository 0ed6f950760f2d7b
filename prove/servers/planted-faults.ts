import { setTimeout as sleep } from 'node:timers/promises'
import type Koa from 'koa'

/**
 * A fault that a server may have, as Koa middleware around a sound one; and the classes of the
 * attack that are to find it.
 */
export interface PlantedFault {
  readonly name: string
  readonly classes: string
  readonly fault: Koa.Middleware
}

type Change = (ctx: Koa.Context) => unknown

const before = (change: Change): Koa.Middleware => {
  return async (ctx, next) => {
    await change(ctx)
    await next()
  }
}
const after = (change: Change): Koa.Middleware => {
  return async (ctx, next) => {
    await next()
    await change(ctx)
  }
}
const afterStatus = (status: number, change: Change) =>
  after(ctx => ctx.status === status && change(ctx))

type Fields = Record<string, unknown>

function changeBody(ctx: Koa.Context, change: (body: Fields) => unknown): void {
  if (typeof ctx.body !== 'string' || !ctx.type.endsWith('json')) return
  const body = JSON.parse(ctx.body)
  ctx.body = JSON.stringify(change(body) ?? body)
}

/** The body as a parser in front of the API would leave it, changed. */
async function changeSentBody(ctx: Koa.Context, change: (body: Fields) => unknown): Promise<void> {
  if (!ctx.is('json') || ctx.req.headers['content-encoding']) return
  const chunks: Buffer[] = []
  for await (const chunk of ctx.req) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  const request: { body?: unknown; rawBody?: string } = ctx.request
  try {
    const body = JSON.parse(text)
    if (typeof body === 'object' && body !== null) change(body)
    request.body = body
  } catch {
    request.rawBody = text
  }
}

function changeQuery(ctx: Koa.Context, change: (value: string, name: string) => string): void {
  const pairs = [...new URLSearchParams(ctx.querystring)].map(([name, value]) => [
    name,
    change(value, name),
  ])
  ctx.querystring = new URLSearchParams(pairs as [string, string][]).toString()
}

const changeHeader = (ctx: Koa.Context, name: string, change: (value: string) => string) => {
  const value = ctx.req.headers[name]
  if (typeof value === 'string') ctx.req.headers[name] = change(value)
}

const changeAnswered = (ctx: Koa.Context, name: string, change: (value: string) => string) => {
  const value = ctx.res.getHeader(name)
  if (value !== undefined) ctx.set(name, change(String(value)))
}

const KNOWN = new Set(['name', 'kind', 'age'])
let answered = 0

/** The faults, each of another kind. */
export const FAULTS: readonly PlantedFault[] = [
  {
    name: 'errors as text',
    classes: 'wrongtype',
    fault: afterStatus(422, ctx => Object.assign(ctx, { body: 'Bad', type: 'text/plain' })),
  },
  {
    name: 'a stack in an error',
    classes: 'wrongtype',
    fault: afterStatus(422, ctx =>
      changeBody(ctx, body => Object.assign(body, { message: new Error('x').stack })),
    ),
  },
  {
    name: 'a fault for malformed JSON',
    classes: 'malformed',
    fault: afterStatus(400, ctx => Object.assign(ctx, { status: 500 })),
  },
  {
    name: 'unknown fields are kept',
    classes: 'unknown',
    fault: async (ctx, next) => {
      const unknown: Fields = {}
      await changeSentBody(ctx, body => {
        for (const name of Object.keys(body).filter(key => !KNOWN.has(key))) {
          unknown[name] = body[name]
          delete body[name]
        }
      })
      await next()
      if (ctx.status < 300) changeBody(ctx, body => Object.assign(body, unknown))
    },
  },
  {
    name: 'a missing field is made up',
    classes: 'missing',
    fault: before(ctx =>
      changeSentBody(ctx, body => Object.assign(body, { name: body.name ?? 'Rex' })),
    ),
  },
  {
    name: 'a text is taken for a number',
    classes: 'wrongtype',
    fault: before(ctx => changeSentBody(ctx, body => Object.assign(body, { age: 3 }))),
  },
  {
    name: 'a limit is not held',
    classes: 'boundary',
    fault: before(ctx =>
      changeSentBody(
        ctx,
        body =>
          typeof body.name === 'string' &&
          Object.assign(body, { name: body.name.padEnd(2).slice(0, 20) }),
      ),
    ),
  },
  {
    name: 'If-Match is not read',
    classes: 'conditional',
    fault: before(ctx => changeHeader(ctx, 'if-match', () => '*')),
  },
  {
    name: 'a weak tag matches nothing',
    classes: 'conditional',
    fault: before(ctx =>
      changeHeader(ctx, 'if-none-match', value => value.replaceAll('W/"', '"x')),
    ),
  },
  {
    name: '304 without a tag',
    classes: 'conditional',
    fault: afterStatus(304, ctx => ctx.remove('ETag')),
  },
  {
    name: '405 without Allow',
    classes: 'method',
    fault: afterStatus(405, ctx => ctx.remove('Allow')),
  },
  {
    name: 'OPTIONS without Allow',
    classes: 'method',
    fault: after(ctx => ctx.method === 'OPTIONS' && ctx.remove('Allow')),
  },
  {
    name: 'HEAD without a tag',
    classes: 'head',
    fault: after(ctx => ctx.method === 'HEAD' && ctx.remove('ETag')),
  },
  {
    name: 'another status',
    classes: 'valid',
    fault: afterStatus(201, ctx => Object.assign(ctx, { status: 203 })),
  },
  {
    name: 'a field too many',
    classes: 'valid',
    fault: afterStatus(200, ctx =>
      changeBody(ctx, body => (Array.isArray(body) ? body : { ...body, password: 'x' })),
    ),
  },
  {
    name: 'numbers in any spelling',
    classes: 'integers',
    fault: before(ctx =>
      changeQuery(ctx, (value, name) =>
        name !== 'kind' && Number(value) > 0
          ? String(Math.min(9, Math.ceil(Number(value))))
          : value,
      ),
    ),
  },
  {
    name: 'pages without a largest size',
    classes: 'boundary',
    fault: before(ctx =>
      changeQuery(ctx, (value, name) =>
        name === 'page_size' && Number(value) > 100 ? '100' : value,
      ),
    ),
  },
  {
    name: 'pages that overlap',
    classes: 'pagination',
    fault: before(ctx =>
      changeQuery(ctx, (value, name) =>
        name === 'page' && Number(value) > 1 ? String(Number(value) - 1) : value,
      ),
    ),
  },
  {
    name: 'a wrong number of pages',
    classes: 'pagination',
    fault: after(ctx =>
      changeAnswered(ctx, 'X-Pagination', value =>
        value.replace(/"total_pages":\d+/, '"total_pages":9'),
      ),
    ),
  },
  {
    name: 'any media type passes',
    classes: 'ctype',
    fault: async (ctx, next) => {
      await next()
      if (ctx.status === 415)
        Object.assign(ctx, {
          status: 201,
          body: '{"id":1,"name":"Rex","kind":"dog","age":1,"version":1}',
          type: 'json',
        })
    },
  },
  {
    name: 'a header field of the client’s',
    classes: 'crlf',
    fault: async (ctx, next) => {
      if (!ctx.querystring.includes('%0d%0a')) return next()
      ctx.respond = false
      ctx.req.socket.end(
        'HTTP/1.1 400 Bad Request\r\nX-Injected: 1\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
      )
    },
  },
  {
    name: 'no answer to a deep body',
    classes: 'deep',
    fault: (ctx, next) =>
      Number(ctx.length ?? ctx.request.length) > 90_000 ? sleep(8000) : next(),
  },
  {
    name: 'a compressed body ends the connection',
    classes: 'encoding',
    fault: (ctx, next) => (ctx.get('Content-Encoding') ? void ctx.req.socket.destroy() : next()),
  },
  {
    name: 'after a while nothing is found',
    classes: 'accept',
    fault: after(ctx => ++answered > 20 && Object.assign(ctx, { status: 404 })),
  },
]
