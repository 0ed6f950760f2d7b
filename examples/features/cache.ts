// What caches may keep, and for how long.
//
// $ curl -i localhost:3000/rates
// HTTP/1.1 200 OK
// Cache-Control: max-age=60
// Vary: Accept-Language
//
// [1.0842]
import * as t from 'io-ts'
import Koa from 'koa'
import { Api, Blueprint, cache, operation, response } from 'koa-smorest'

const minute = cache({ maxAge: 60, vary: ['Accept-Language'] })
const rates = new Blueprint('rates', { urlPrefix: '/rates' }).get(
  '',
  operation('List the rates', minute, response(t.array(t.number))),
  () => [1.0842],
)

const app = new Koa()
export const api = new Api(app, { OPENAPI_VERSION: '3.1.0', OPENAPI_URL_PREFIX: '/docs' })
api.registerBlueprint(rates)
export const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1')
