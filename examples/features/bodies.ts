// Bodies of several media types: JSON or a form, YAML, text, bytes.
//
// $ curl localhost:3000/jobs --json '{"title":"Paint"}'
// {"title":"Paint"}
// $ curl localhost:3000/jobs -d 'title=Paint'
// {"title":"Paint"}
// $ curl localhost:3000/jobs -H 'Content-Type: application/yaml' -d 'title: Paint'
// {"title":"Paint"}
// $ curl localhost:3000/words -H 'Content-Type: text/plain' -d 'paint the fence'
// 3
// $ curl localhost:3000/checksum -H 'Content-Type: application/octet-stream' -d 'abc'
// 294
// $ curl -i localhost:3000/words --json '3'
// HTTP/1.1 415 Unsupported Media Type
// Accept: text/plain
//
// {"code":415,…"message":"The body must be text/plain, not application/json."}
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  Blueprint,
  body,
  bytes,
  form,
  json,
  operation,
  response,
  struct,
  text,
} from 'koa-smorest'
import { parse } from 'yaml'

const Job = struct({ title: t.string }, 'Job')
const yaml = json(Job, { contentType: 'application/yaml', parse })

const bodies = new Blueprint('bodies')
  .post(
    '/jobs',
    operation('Add a job', body(json(Job), form(Job), yaml), response(Job)),
    (_ctx, job) => job,
  )
  .post(
    '/words',
    operation('Count words', text({ maxSize: 10_000 }), response(t.number)),
    (_ctx, given) => given.split(/\s+/).length,
  )
  .post(
    '/checksum',
    operation('Add up bytes', bytes({ maxSize: 1_000_000 }), response(t.number)),
    (_ctx, given) => given.reduce((sum, byte) => sum + byte, 0),
  )

const app = new Koa()
export const api = new Api(app, { OPENAPI_VERSION: '3.1.0', OPENAPI_URL_PREFIX: '/docs' })
api.registerBlueprint(bodies)
export const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1')
