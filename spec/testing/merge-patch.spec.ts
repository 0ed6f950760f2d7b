import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  Blueprint,
  etag,
  int,
  maxItems,
  maxLength,
  mergePatch,
  nullable,
  type OutputOf,
  operation,
  optional,
  readOnly,
  response,
  struct,
  withDefault,
} from 'koa-smorest'
import { contract } from 'koa-smorest/testing'
import { expect, it } from 'vitest'

const Short = maxLength(t.string, 20)
const Job = struct(
  {
    id: readOnly(int),
    title: Short,
    owner: nullable(Short),
    note: optional(Short),
    tags: withDefault(maxItems(t.array(Short), 3), ['new']),
    code: withDefault(Short, () => `code ${codes++}`),
    size: optional(nullable(struct({ width: int, height: int, depth: int }, 'Size'))),
  },
  'Job',
)
let codes = 0

async function failuresWith(fault = '', runs = 10) {
  const first = { id: 1, title: 'a', owner: 'Ann', note: 'b', tags: ['c'], code: 'd' }
  let job: OutputOf<typeof Job> = first
  const load = etag({
    load: (_ctx, { id }: { id: number }) => (id === 1 ? job : undefined),
    tag: () => null,
  })
  const app = new Koa()
  app.silent = true
  const api = new Api(app, { OPENAPI_VERSION: '3.1.0', ETAG_REQUIRE_IF_MATCH: false })
  api.registerBlueprint(
    new Blueprint('jobs')
      .get('/jobs/:id<int>', operation(load, response(Job)), (_ctx, { current }) => current)
      .patch(
        '/jobs/:id<int>',
        operation(load, mergePatch(Job), response(Job)),
        (_ctx, changed, { current }) => {
          job = { ...(fault === 'null is ignored' && current), ...changed, id: current.id }
          if (fault === 'a list is kept') job = { ...job, tags: current.tags }
          return job
        },
      ),
  )
  const reset = () => {
    job = first
  }
  const { failures } = await contract(app, api, {
    runs,
    reset,
    values: { 'GET /jobs/{id} path.id': [1], 'PATCH /jobs/{id} path.id': [1] },
  })
  return failures.map(({ check, operation }) => `${check} | ${operation}`)
}

it('contract knows that null in a merge patch means absent, or the default', async () => {
  expect(await failuresWith()).toEqual([])
})

it('contract knows that a patch of a part may lack what is not there yet', async () => {
  expect(await failuresWith('', 60)).toEqual([])
})

it.each(['null is ignored', 'a list is kept'])('contract finds that %s', async fault => {
  expect(await failuresWith(fault)).toContain('law: echo | PATCH /jobs/{id}')
})
