import * as t from 'io-ts'
import {
  Blueprint,
  etag,
  type Feature,
  MethodView,
  operation,
  Page,
  paginate,
  response,
} from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { serveBlueprints } from '../support/client.js'

const Num = t.strict({ n: t.number }, 'Num')
const nums = (total: number) => Array.from({ length: total }, (_, n) => ({ n }))

/** A feature of an application that gives the method a name, and has a kind. */
const greeting = <const Kind extends string>(
  text: string,
  kind: Kind,
): Feature<{ named: { greeting: string } }, Kind> => ({
  kind,
  on: () => [
    {
      stage: 'access',
      step: ({ named, ctx }) => {
        named.greeting = text
        ctx.append('X-Greeting', text)
      },
      docs: () => ({ success: { headers: { [`X-${text}`]: { schema: { type: 'string' } } } } }),
    },
  ],
})

describe('of the features of one kind', () => {
  it('the last one is kept: method over view over Blueprint', async () => {
    const all = new Blueprint('all', { shared: operation(greeting('blueprint', 'greeting')) })
    class Views extends MethodView {
      static override shared = operation(greeting('view', 'greeting'))
      static get = operation(greeting('method', 'greeting'))
      get(_ctx: unknown, { greeting }: { greeting: string }) {
        return { greeting }
      }
      static put = operation()
      put(_ctx: unknown, { greeting }: { greeting: string }) {
        return { greeting }
      }
    }
    all.route('/', Views)
    const { request, api } = await serveBlueprints(all, {}, { undocumented: ['/'] })
    const [got, put] = [await request('GET', '/'), await request('PUT', '/')]
    expect({ body: got.body, header: got.headers.get('X-Greeting') }).toEqual({
      body: { greeting: 'method' },
      header: 'method',
    })
    expect({ body: put.body, header: put.headers.get('X-Greeting') }).toEqual({
      body: { greeting: 'view' },
      header: 'view',
    })
    const { paths } = api.spec.toJSON() as {
      paths: Record<string, { get: { responses: { 200: { headers: object } } } }>
    }
    expect(Object.keys(paths['/']?.get.responses[200].headers ?? {})).toEqual(['X-method'])
  })

  it('each is kept if they have none, or different ones', async () => {
    const all = new Blueprint('all', { shared: operation(greeting('first', 'one')) })
    all.get('/', operation(greeting('second', 'two')), () => null)
    const { request } = await serveBlueprints(all, {}, { undocumented: ['/'] })
    expect((await request('GET', '/')).headers.get('X-Greeting')).toBe('first, second')
  })

  it('one etag tags the response, with what it was told', async () => {
    const tagged = new Blueprint('tagged', { shared: operation(etag()) })
    tagged.get(
      '/',
      operation(response(Num), etag({ load: () => ({ n: 1 }), tag: ({ n }) => n })),
      (_ctx, { current }) => current,
    )
    const { request } = await serveBlueprints(tagged, { DEBUG: false, TESTING: false })
    expect((await request('GET', '/')).headers.get('ETag')).toBe('"1"')
  })

  it('one paginate pages the list, once', async () => {
    const paged = new Blueprint('paged', { shared: operation(paginate(Page, { pageSize: 2 })) })
    paged.get('/', operation(response(t.array(Num)), paginate(Page, { pageSize: 3 })), () =>
      nums(4),
    )
    const { request } = await serveBlueprints(paged, { DEBUG: false, TESTING: false })
    const { body, headers } = await request('GET', '/')
    expect({ body, total: JSON.parse(headers.get('X-Pagination') ?? '').total }).toEqual({
      body: nums(3),
      total: 4,
    })
  })

  it('one response is documented, and gives the status', async () => {
    const made = new Blueprint('made', { shared: operation(response()) })
    made.post('/', operation(response(Num, { code: 201 })), () => ({ n: 1 }))
    const { request, api } = await serveBlueprints(made)
    expect((await request('POST', '/')).status).toBe(201)
    const { paths } = api.spec.toJSON() as {
      paths: Record<string, { post: { responses: object } }>
    }
    expect(Object.keys(paths['/']?.post.responses ?? {})).toEqual(['201', 'default'])
  })
})
