import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  abort,
  Blueprint,
  bearer,
  type Context,
  doc,
  etag,
  int,
  json,
  operation,
  reply,
  response,
  secure,
} from 'koa-smorest'
import { mcp } from 'koa-smorest/mcp'

const Job = t.strict({ id: t.string, title: t.string, owner: t.string, version: int }, 'Job')
type Job = t.TypeOf<typeof Job>
const JobText = t.strict({ title: t.string }, 'JobText')

/** An API of jobs for the owners of these tokens, and the part of it that agents may call. */
export function jobsApp(owners: ReadonlyMap<string, string>): Koa {
  const all = new Map<string, Job>()
  let ids = 0
  const login = bearer('login', { principal: (token: string) => owners.get(token) })
  const load = (_ctx: Context, { jobId }: { jobId: string }) => all.get(jobId)
  const tag = ({ version }: Job) => version
  const forAgents = doc({ tags: ['agents'] })

  const jobs = new Blueprint('jobs', { urlPrefix: '/jobs', shared: operation(secure(login)) })
  jobs.get(
    '',
    operation('List all jobs', forAgents, doc({ operationId: 'listJobs' }), response(t.array(Job))),
    () => [...all.values()],
  )
  jobs.post(
    '',
    operation(
      'Add a job',
      forAgents,
      doc({ operationId: 'addJob' }),
      json(JobText),
      response(Job, { code: 201 }),
    ),
    (_ctx, { title }, { principal }) => {
      const job = { id: String(++ids), title, owner: principal, version: 1 }
      all.set(job.id, job)
      return reply(job, 201, { Location: `/jobs/${job.id}` })
    },
  )
  jobs.get(
    '/:jobId',
    operation(
      'Read a job\n\nThe ETag of the result is the If-Match of renameJob.',
      forAgents,
      doc({ operationId: 'readJob' }),
      etag({ load, tag }),
      response(Job),
    ),
    (_ctx, { current }) => current,
  )
  jobs.put(
    '/:jobId',
    operation(
      'Rename a job\n\nOnly its owner may.',
      forAgents,
      doc({ operationId: 'renameJob', responses: { 403: { description: 'Of someone else' } } }),
      etag({ load, tag }),
      json(JobText),
      response(Job),
    ),
    (_ctx, { title }, { current, principal }) => {
      if (current.owner !== principal) abort(403, { message: `This job is ${current.owner}'s.` })
      const job = { ...current, title, version: current.version + 1 }
      all.set(job.id, job)
      return job
    },
  )
  // without the tag: nothing that a model may do
  jobs.delete(
    '/:jobId',
    operation('Remove a job', etag({ load, tag }), response({ code: 204 })),
    (_ctx, { jobId }) => {
      all.delete(jobId)
    },
  )

  const app = new Koa()
  const api = new Api(app, {
    API_TITLE: 'Jobs',
    OPENAPI_VERSION: '3.1.0',
    OPENAPI_URL_PREFIX: '/docs',
    API_SPEC_OPTIONS: { tags: [{ name: 'agents', description: 'What agents may call' }] },
  }).registerBlueprint(jobs)
  mcp(api, { path: '/mcp', tools: ({ tags }) => tags.includes('agents') })
  return app
}
