// Server-sent events: each is encoded by its codec, and a client goes on after the last one it got.
//
// $ curl localhost:3000/jobs/changes -H 'Last-Event-ID: 1'
// id: 2
// event: job
// data: {"id":2,"title":"Sand"}
//
// id: 3
// event: removed
// data: {"id":1}
//
// $ curl -i localhost:3000/jobs/changes -H 'Last-Event-ID: 3'
// HTTP/1.1 204 No Content
import { setTimeout as sleep } from 'node:timers/promises'
import * as t from 'io-ts'
import Koa from 'koa'
import { Api, Blueprint, event, events, int, operation, struct } from 'koa-smorest'

const Job = struct({ id: int, title: t.string }, 'Job')
const JobRef = struct({ id: int }, 'JobRef')

const history = [
  event('job', { id: 1, title: 'Paint' }, 1),
  event('job', { id: 2, title: 'Sand' }, 2),
  event('removed', { id: 1 }, 3),
]

const jobs = new Blueprint('jobs', { urlPrefix: '/jobs' }).get(
  '/changes',
  operation('Watch the jobs', events({ job: Job, removed: JobRef }, { id: int })),
  async function* (_ctx, { lastEventId = 0, signal }) {
    for (const change of history.slice(lastEventId)) {
      yield change
      await sleep(100, undefined, { signal }) // ends as soon as the client has gone
    }
  },
)

const app = new Koa()
export const api = new Api(app, { OPENAPI_VERSION: '3.2.0', OPENAPI_URL_PREFIX: '/docs' })
api.registerBlueprint(jobs)
export const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1')
