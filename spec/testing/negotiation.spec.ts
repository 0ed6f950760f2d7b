import * as t from 'io-ts'
import Koa from 'koa'
import { Api, Blueprint, int, operation, response, struct } from 'koa-smorest'
import { csv } from 'koa-smorest/csv'
import { contract } from 'koa-smorest/testing'
import { expect, it } from 'vitest'

it('causes the 406 of an operation that negotiates', async () => {
  const app = new Koa()
  app.silent = true
  const api = new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(
    new Blueprint('jobs').get(
      '/jobs',
      operation(response(t.array(struct({ id: int })), { also: [csv()] })),
      () => [{ id: 1 }],
    ),
  )
  const { failures, coverage } = await contract(app, api, { runs: 3 })
  expect({ failures, missing: coverage.missing }).toEqual({ failures: [], missing: [] })
})
