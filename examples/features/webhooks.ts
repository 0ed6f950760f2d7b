// A webhook is documented, signed and sent; its receiver verifies the signature. Here both are one
// program. `allowPrivate` lets it send to itself.
//
// $ curl localhost:3000/subscriptions --json '{"url":"http://127.0.0.1:3000/hooks"}'
// {"url":"http://127.0.0.1:3000/hooks"}
// $ curl -X POST localhost:3000/jobs/7/finish
// [true]
// $ curl localhost:3000/hooks --json '{"id":8,"state":"forged"}'
// {"code":401,"status":"Unauthorized"}
// $ curl localhost:3000/hooks
// [{"id":7,"state":"finished"}]
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  Blueprint,
  callback,
  int,
  json,
  type OutputOf,
  operation,
  response,
  secure,
  signed,
  struct,
  webhook,
} from 'koa-smorest'

const JobEvent = struct({ id: int, state: t.string }, 'JobEvent')
const Subscription = struct({ url: t.string }, 'Subscription')
const secret = 'whsec_c2VzYW1lIHNlc2FtZSBzZXNhbWU='
const jobChanged = webhook('job.changed', JobEvent, { summary: 'A job has changed' })
const subscribers: string[] = []
const received: OutputOf<typeof JobEvent>[] = []

const sender = new Blueprint('sender')
  .post(
    '/subscriptions',
    operation(
      json(Subscription),
      callback('onChange', '{$request.body#/url}', jobChanged),
      response(Subscription),
    ),
    (_ctx, subscription) => {
      subscribers.push(subscription.url)
      return subscription
    },
  )
  .post('/jobs/:id<int>/finish', operation(response(t.array(t.boolean))), async (_ctx, { id }) => {
    const event = { id, state: 'finished' }
    const sent = subscribers.map(url =>
      jobChanged.send(url, event, { secret, allowPrivate: true }).catch(() => ({ ok: false })),
    )
    return (await Promise.all(sent)).map(({ ok }) => ok)
  })

const receiver = new Blueprint('receiver', { urlPrefix: '/hooks' })
  .get('', operation(response(t.array(JobEvent))), () => received)
  .post(
    '',
    operation(secure(signed('jobs', { secret })), json(JobEvent), response({ code: 204 })),
    (_ctx, event) => {
      received.push(event)
    },
  )

const app = new Koa()
export const api = new Api(app, { OPENAPI_VERSION: '3.1.0', OPENAPI_URL_PREFIX: '/docs' })
api.registerBlueprint(sender).registerBlueprint(receiver).registerWebhook(jobChanged)
export const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1')
