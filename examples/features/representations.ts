// One list as JSON, as CSV, as lines and as HTML: the client chooses with `Accept`.
//
// $ curl localhost:3000/jobs
// [{"id":1,"title":"Paint, twice"},{"id":2,"title":"=1+1"}]
// $ curl -i localhost:3000/jobs -H 'Accept: text/csv'
// HTTP/1.1 200 OK
// Content-Type: text/csv; charset=utf-8
// Vary: Accept
//
// id,title
// 1,"Paint, twice"
// 2,'=1+1
// $ curl localhost:3000/jobs -H 'Accept: application/jsonl'
// {"id":1,"title":"Paint, twice"}
// {"id":2,"title":"=1+1"}
// $ curl localhost:3000/jobs -H 'Accept: text/html'
// <p>2 jobs</p>
// $ curl localhost:3000/jobs -H 'Accept: image/png'
// {"code":406,"status":"Not Acceptable","message":"The media types are …"}
import * as t from 'io-ts'
import Koa from 'koa'
import { Api, Blueprint, int, jsonLines, operation, response, struct } from 'koa-smorest'
import { csv } from 'koa-smorest/csv'

const Job = struct({ id: int, title: t.string }, 'Job')
const html = {
  mediaType: 'text/html',
  write: (rows: object[]) => `<p>${rows.length} jobs</p>`,
} as const

const jobs = new Blueprint('jobs', { urlPrefix: '/jobs' }).get(
  '',
  operation('List the jobs', response(t.array(Job), { also: [csv(), jsonLines, html] })),
  () => [
    { id: 1, title: 'Paint, twice' },
    { id: 2, title: '=1+1' },
  ],
)

const app = new Koa()
export const api = new Api(app, { OPENAPI_VERSION: '3.1.0', OPENAPI_URL_PREFIX: '/docs' })
api.registerBlueprint(jobs)
export const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1')
