// Objects in a query: `created[gte]=2026-01-01`.
//
// $ curl 'localhost:3000/events?created[gte]=2026-01-01&tags[]=sea&tags[]=sun'
// {"created":{"gte":"2026-01-01"},"tags":["sea","sun"]}
// $ curl 'localhost:3000/events?created[gte]=soon'
// {"code":422,"status":"Unprocessable Entity","errors":{"query":{"created":{"gte":["Not a date."]}}}}
import * as t from 'io-ts'
import Koa from 'koa'
import { Api, Blueprint, isoDate, operation, optional, query, response, struct } from 'koa-smorest'

const Filter = struct(
  {
    created: optional(struct({ gte: optional(isoDate), lte: optional(isoDate) })),
    tags: optional(t.array(t.string)),
  },
  'Filter',
)

const events = new Blueprint('events', { urlPrefix: '/events' }).get(
  '',
  operation('Show the filter', query(Filter, { style: 'deepObject' }), response(Filter)),
  (_ctx, filter) => filter,
)

const app = new Koa()
export const api = new Api(app, { OPENAPI_VERSION: '3.1.0', OPENAPI_URL_PREFIX: '/docs' })
api.registerBlueprint(events)
export const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1')
