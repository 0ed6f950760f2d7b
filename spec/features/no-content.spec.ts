import * as t from 'io-ts'
import Koa from 'koa'
import type { PathsOf } from 'koa-smorest'
import {
  Api,
  altResponse,
  Blueprint,
  etag,
  MethodView,
  operation,
  query,
  reply,
  response,
  struct,
} from 'koa-smorest'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { serveBlueprints } from '../support/client.js'
import { serveEveryWay, WAYS } from '../support/every-way.js'

const Job = struct({ title: t.string }, 'Job')
const LOCATION = { Location: { required: true, schema: { type: 'string' } } } as const

class Jobs extends MethodView {
  static post = operation(
    query(struct({ later: t.boolean })),
    etag(Job),
    response(Job, { code: 201 }),
    altResponse(202, { content: false, headers: LOCATION, description: 'Later' }),
  )
  post(_ctx: unknown, { later }: { later: boolean }) {
    return later ? reply(undefined, 202, { Location: '/jobs/7' }) : { title: 'now' }
  }
}

const jobs = () =>
  new Blueprint('jobs')
    .route('/jobs', Jobs)
    .post('/all', operation(response({ code: 202, content: false })), ctx => {
      ctx.type = 'text/plain'
    })
    .get('/read', operation(response({ content: false })), () => undefined)

describe.each(WAYS)('a success without content, %s,', async way => {
  const { [way]: request } = await serveEveryWay({ blueprint: jobs })

  it('has a length of 0 and no media type', async () => {
    const of = async (method: string, path: string) => {
      const { status, text, headers } = await request(method, path)
      const shown = ['Content-Length', 'Content-Type', 'Location', 'ETag'].map(name =>
        headers.get(name),
      )
      return [status, text, ...shown]
    }
    expect(await of('POST', '/jobs?later=true')).toEqual([202, '', '0', null, '/jobs/7', null])
    expect(await of('POST', '/all')).toEqual([202, '', '0', null, null, null])
    expect(await of('GET', '/read')).toEqual([200, '', '0', null, null, null])
    expect((await of('POST', '/jobs?later=false')).slice(0, 2)).toEqual([201, '{"title":"now"}'])
  })
})

describe('a success without content', () => {
  it.each(['3.2.0', '3.1.0', '3.0.3', '2.0'])('is documented without any, in %s', async version => {
    const app = new Koa()
    const api = new Api(app, { OPENAPI_VERSION: version }).registerBlueprint(jobs())
    // biome-ignore lint/suspicious/noExplicitAny: a document is walked
    const { paths } = api.spec.toJSON() as any
    const later = paths['/jobs'].post.responses[202]
    expect({
      names: Object.keys(later).sort(),
      description: later.description,
      headers: Object.keys(later.headers).sort(),
      main: Object.keys(paths['/all'].post.responses[202]),
    }).toEqual({
      names: ['description', 'headers'],
      description: 'Later',
      headers: ['ETag', 'Location'],
      main: ['description'],
    })
  })

  it('is a fault beside a codec, a media type, or for a status that is not 2xx', () => {
    const faultsOf = (feature: unknown) => () =>
      new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(
        new Blueprint('b').get('/', operation(feature as ReturnType<typeof response>), () => null),
      )
    const options = { content: false } as object
    expect(faultsOf(response(Job, options))).toThrow('takes neither a codec nor a contentType')
    expect(faultsOf(response({ ...options, contentType: 'text/csv' } as object))).toThrow(
      'takes neither a codec nor a contentType',
    )
    expect(faultsOf(altResponse(404, options))).toThrow(
      '`content: false` is for a status from 200 to 299, not 404',
    )
    expect(faultsOf(response({ content: true } as object))).toThrow('content must be false')
  })

  it('needs no `content: false` with a status that never has content', () => {
    enum Status {
      NothingNew = 204,
      Created = 201,
    }
    const blueprint = new Blueprint('b')
    blueprint.get('/a', operation(response(Job), altResponse(204)), () => reply(undefined, 204))
    blueprint.get('/b', operation(response(Job), altResponse('205')), () => reply(undefined, 205))
    blueprint.get('/c', operation(response(Job), altResponse(Status.NothingNew)), () =>
      reply(undefined, 204),
    )
    blueprint.get('/d', operation(response(Job), altResponse(204, 'NothingNew')), () =>
      reply(undefined, 204),
    )
    // @ts-expect-error the 200 has content
    blueprint.get('/e', operation(response(Job), altResponse(204)), () => undefined)
    blueprint.get('/f', operation(response(Job), altResponse(Status.Created)), () =>
      // @ts-expect-error the 201 has content
      reply(undefined, 201),
    )
    const code: number = 204
    blueprint.get('/g', operation(response(Job), altResponse(code)), () =>
      // @ts-expect-error nobody knows whether this status has content
      reply(undefined, 204),
    )
    // @ts-expect-error errors have content
    blueprint.get('/h', operation(response(Job), altResponse('default')), () => reply(undefined))
  })

  it('of the main response lets a method return nothing beside a codec', async () => {
    const upsert = operation(response({ code: 204 }), altResponse(201, Job))
    const blueprint = new Blueprint('b')
      .put('/a', upsert, () => undefined)
      .put('/b', upsert, async () => {})
      .put('/c', upsert, () => reply(undefined, 204))
      .put('/d', upsert, ctx => (ctx.query['new'] ? reply({ title: 'x' }, 201) : undefined))
    // the result of a 204 is ignored, so it may be anything
    blueprint.delete('/e', operation(response({ code: 204 })), () => new Map().delete(1))
    // @ts-expect-error no codec fits
    blueprint.put('/f', upsert, () => reply({ size: 1 }, 201))
    // @ts-expect-error a 200 has content
    blueprint.put('/g', operation(response({ code: 200 }), altResponse(201, Job)), () => undefined)
    const { request } = await serveBlueprints(blueprint)
    const received = async (path: string) => {
      const { status, text } = await request('PUT', path)
      return [status, text]
    }
    expect(await received('/a')).toEqual([204, ''])
    expect(await received('/d')).toEqual([204, ''])
    expect(await received('/d?new=1')).toEqual([201, '{"title":"x"}'])
  })

  it('is known to the compiler: only a reply has none beside a codec', () => {
    const features = operation(response(Job), altResponse(202, { content: false }))
    const blueprint = new Blueprint('b')
    blueprint.get('/a', features, () => reply(undefined, 202))
    blueprint.get('/b', features, () => ({ title: 'x' }))
    // @ts-expect-error the 200 has content
    blueprint.get('/c', features, () => undefined)
    // @ts-expect-error the 200 has content
    blueprint.get('/d', operation(response(Job)), () => reply(undefined, 202))
    blueprint.get('/e', operation(response({ code: 202, content: false })), async () => {})
    // @ts-expect-error nothing is sent
    blueprint.get('/f', operation(response({ code: 202, content: false })), () => ({ a: 1 }))
    const api = new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(jobs())
    type Responses = PathsOf<typeof api>['/jobs']['post']['responses']
    expectTypeOf<Responses[202]['content']>().toEqualTypeOf<undefined>()
    expectTypeOf<Responses[202]['headers']>().toExtend<{ Location: string }>()
  })
})

describe('a response without bytes if content is documented', () => {
  const empty = (status: number) => () => new Response(null, { status })
  const blueprint = new Blueprint('empty')
    .get('/200', operation(response()), empty(200))
    .get('/head', operation(response()), ctx =>
      ctx.method === 'HEAD' ? new Response(null) : new Response('{}', JSON_FIELDS),
    )
    .get('/204', operation(response(), altResponse(204)), empty(204))
    .get('/205', operation(response(), altResponse(205)), empty(205))
    .get('/304', operation(response(), altResponse(304)), empty(304))
    .get('/202', operation(response(), altResponse(202, { content: false })), empty(202))
  const JSON_FIELDS = { headers: { 'Content-Type': 'application/json' } }

  it('is undocumented, except for HEAD and the statuses that have none', async () => {
    const { request, errors } = await serveBlueprints(blueprint, { TESTING: true })
    const statuses: number[] = []
    for (const path of ['200', '204', '205', '304', '202'])
      statuses.push((await request('GET', `/${path}`)).status)
    statuses.push((await request('HEAD', '/head')).status)
    expect({ statuses, errors: errors.map(({ message }) => message) }).toEqual({
      statuses: [500, 204, 205, 304, 202, 200],
      errors: [
        expect.stringContaining(
          'the response 200 has no content, but application/json is documented: return a value, or declare { code: 200, content: false }',
        ),
      ],
    })
  })
})
