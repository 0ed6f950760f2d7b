// Who may call: keys, tokens and scopes, with every 401 and 403 documented.
//
// $ curl -i localhost:3000/me
// HTTP/1.1 401 Unauthorized
// WWW-Authenticate: Bearer realm="token", ApiKey in="header", name="X-Key"
//
// {"code":401,"status":"Unauthorized"}
// $ curl -i localhost:3000/me -H 'Authorization: Bearer bob-sesame'
// HTTP/1.1 200 OK
// Cache-Control: private, no-cache
// Vary: Authorization, X-Key
//
// "Bob"
// $ curl localhost:3000/me -H 'X-Key: ann-sesame'
// "Ann"
// $ curl -X DELETE localhost:3000/me -H 'Authorization: Bearer bob-sesame'
// {"code":403,"status":"Forbidden"}
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  anyOf,
  apiKey,
  Blueprint,
  bearer,
  operation,
  response,
  safeEqual,
  secure,
} from 'koa-smorest'

const users = [
  { name: 'Ann', secret: 'ann-sesame', mayLeave: true },
  { name: 'Bob', secret: 'bob-sesame', mayLeave: false },
]
const principal = (secret: string) => users.find(user => safeEqual(user.secret, secret))
const token = bearer('token', { principal })
const key = apiKey('key', { in: 'header', name: 'X-Key', principal })

const me = new Blueprint('me', { urlPrefix: '/me', shared: operation(secure(anyOf(token, key))) })
  .get('', operation('Who am I?', response(t.string)), (_ctx, { principal }) => principal.name)
  .delete(
    '',
    operation('Leave', secure(token, { allow: user => user.mayLeave }), response({ code: 204 })),
    () => undefined,
  )

const app = new Koa()
export const api = new Api(app, { OPENAPI_VERSION: '3.1.0', OPENAPI_URL_PREFIX: '/docs' })
api.registerBlueprint(me)
export const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1')
