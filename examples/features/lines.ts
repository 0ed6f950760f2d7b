// A list of any length as lines of JSON, sent while it is read.
//
// $ curl -i localhost:3000/primes?below=8
// HTTP/1.1 200 OK
// Content-Type: application/jsonl
//
// {"prime":2}
// {"prime":3}
// {"prime":5}
// {"prime":7}
import * as t from 'io-ts'
import Koa from 'koa'
import { Api, Blueprint, int, lines, operation, query } from 'koa-smorest'

const Prime = t.strict({ prime: int }, 'Prime')

const primes = new Blueprint('primes', { urlPrefix: '/primes' }).get(
  '',
  operation('List the primes', query(t.strict({ below: int })), lines(Prime)),
  function* (_ctx, { below }) {
    for (let n = 2; n < below; n++) if (isPrime(n)) yield { prime: n }
  },
)

function isPrime(n: number): boolean {
  for (let factor = 2; factor * factor <= n; factor++) if (n % factor === 0) return false
  return true
}

const app = new Koa()
export const api = new Api(app, { OPENAPI_VERSION: '3.2.0', OPENAPI_URL_PREFIX: '/docs' })
api.registerBlueprint(primes)
export const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1')
