// Paths whose segments mix text and parameters.
//
// $ curl localhost:3000/reports/7.json
// "report 7"
// $ curl localhost:3000/compare/main...next
// "main and next"
// $ curl localhost:3000/jobs:search
// "no jobs"
// $ curl localhost:3000/reports/seven.json
// {"code":404,"status":"Not Found"}
import * as t from 'io-ts'
import Koa from 'koa'
import { Api, Blueprint, operation, response } from 'koa-smorest'

const paths = new Blueprint('paths')
  .get('/reports/:id<int>.json', operation(response(t.string)), (_ctx, { id }) => `report ${id}`)
  .get(
    '/compare/:base<string>...:head<string>',
    operation(response(t.string)),
    (_ctx, { base, head }) => `${base} and ${head}`,
  )
  .get('/jobs:search', operation(response(t.string)), () => 'no jobs')

const app = new Koa()
export const api = new Api(app, { OPENAPI_VERSION: '3.1.0', OPENAPI_URL_PREFIX: '/docs' })
api.registerBlueprint(paths)
export const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1')
