// An operation that announces its end on every response, and in the document.
//
// $ curl -i localhost:3000/v1/rates
// HTTP/1.1 200 OK
// Deprecation: @1793491200
// Sunset: Fri, 01 May 2099 00:00:00 GMT
// Link: </docs/v2>; rel="deprecation"
//
// [1.0842]
import * as t from 'io-ts'
import Koa from 'koa'
import { Api, Blueprint, deprecated, operation, response } from 'koa-smorest'

const ending = deprecated({ since: '2026-11-01', sunset: '2099-05-01', link: '/docs/v2' })
const rates = new Blueprint('rates', { urlPrefix: '/v1/rates' }).get(
  '',
  operation('List the rates', ending, response(t.array(t.number))),
  () => [1.0842],
)

const app = new Koa()
export const api = new Api(app, { OPENAPI_VERSION: '3.1.0', OPENAPI_URL_PREFIX: '/docs' })
api.registerBlueprint(rates)
export const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1')
