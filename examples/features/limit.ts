// How often an operation may be called.
//
// $ curl -i localhost:3000/roll
// HTTP/1.1 200 OK
// RateLimit-Policy: "burst";q=1;w=60
// RateLimit: "burst";r=0;t=60
//
// 4
// $ curl -i localhost:3000/roll
// HTTP/1.1 429 Too Many Requests
// Retry-After: …
//
// {"code":429,"status":"Too Many Requests"}
import * as t from 'io-ts'
import Koa from 'koa'
import { Api, Blueprint, limit, operation, response } from 'koa-smorest'
import { RateLimiterMemory } from 'rate-limiter-flexible'

const burst = new RateLimiterMemory({ points: 1, duration: 60 })
const roll = operation('Roll a die', limit('burst', burst), response(t.number))
const dice = new Blueprint('dice').get('/roll', roll, () => 4)

const app = new Koa()
export const api = new Api(app, { OPENAPI_VERSION: '3.1.0', OPENAPI_URL_PREFIX: '/docs' })
api.registerBlueprint(dice)
export const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1')
