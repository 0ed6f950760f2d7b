// Hono with @hono/zod-openapi. Its middleware for entity tags answers 304; the tags are made here,
// as it makes none for POST and PUT, and those for GET by reading the answer back from a stream,
// which is several times dearer.
import { createHash } from 'node:crypto'
import { serve } from '@hono/node-server'
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { cors } from 'hono/cors'
import { etag } from 'hono/etag'
import { requestId } from 'hono/request-id'
import { hasUpstream, KINDS, logger, pageHeader, port, problem, resources, store } from './shop.mjs'

const tagOf = text => `"${createHash('sha1').update(text).digest('hex')}"`
const content = schema => ({ content: { 'application/json': { schema } } })
const answer = schema => ({ description: 'OK', ...content(schema) })
const refuse = (c, code) => c.json(problem(code), code)

function sendTagged(c, value, status) {
  const text = JSON.stringify(value)
  return c.body(text, status, { 'Content-Type': 'application/json', ETag: tagOf(text) })
}

function answerFaults(result, c) {
  if (result.success) return
  const errors = {}
  for (const { path, message } of result.error.issues) {
    errors[path[0]] ??= []
    errors[path[0]].push(message)
  }
  return c.json(problem(422, { [result.target]: errors }), 422)
}

function addRoutes(app, resource) {
  const Kind = z.enum(KINDS)
  const NewPet = z
    .object({
      name: z.string().min(1).max(100),
      kind: Kind,
      age: z.int().min(0).max(100),
      weight: z.number().min(0),
      vaccinated: z.boolean(),
      born: z.iso.date(),
      tags: z.array(z.string()).max(10),
      owner: z.object({ name: z.string(), phone: z.string() }),
    })
    .openapi(`New_${resource}`)
  const Pet = NewPet.extend({ id: z.string() }).openapi(`One_of_${resource}`)
  const query = z.object({
    kind: Kind.optional(),
    page: z.coerce.number().int().min(1).default(1),
    page_size: z.coerce.number().int().min(1).max(100).default(10),
  })
  const params = z.object({ petId: z.string() })
  const body = content(NewPet)
  const all = `/${resource}`
  const one = `/${resource}/{petId}`

  app.openapi(
    createRoute({
      method: 'get',
      path: all,
      request: { query },
      responses: { 200: answer(z.array(Pet)) },
    }),
    c => {
      const filter = c.req.valid('query')
      const found = store.find(filter)
      const first = (filter.page - 1) * filter.page_size
      c.header('X-Pagination', pageHeader(found.length, filter.page, filter.page_size))
      return sendTagged(c, found.slice(first, first + filter.page_size), 200)
    },
  )
  app.openapi(
    createRoute({ method: 'post', path: all, request: { body }, responses: { 201: answer(Pet) } }),
    c => sendTagged(c, store.add(c.req.valid('json')), 201),
  )
  app.openapi(
    createRoute({ method: 'get', path: one, request: { params }, responses: { 200: answer(Pet) } }),
    c => {
      const pet = store.get(c.req.valid('param').petId)
      return pet ? sendTagged(c, pet, 200) : refuse(c, 404)
    },
  )
  app.openapi(
    createRoute({
      method: 'put',
      path: one,
      request: { params, body },
      responses: { 200: answer(Pet) },
    }),
    c => {
      const { petId } = c.req.valid('param')
      const ifMatch = c.req.header('If-Match')
      if (!ifMatch) return refuse(c, 428)
      const current = store.get(petId)
      if (!current) return refuse(c, 404)
      if (ifMatch !== '*' && ifMatch !== tagOf(JSON.stringify(current))) return refuse(c, 412)
      return sendTagged(c, store.replace(petId, c.req.valid('json')), 200)
    },
  )
}

const app = new OpenAPIHono({ defaultHook: answerFaults })
app.notFound(c => refuse(c, 404))
if (hasUpstream) {
  app.use(cors(), requestId())
  app.use(async function log(c, next) {
    const start = performance.now()
    await next()
    logger.info({
      id: c.get('requestId'),
      method: c.req.method,
      url: c.req.url,
      status: c.res.status,
      time: performance.now() - start,
    })
  })
}
app.use(etag())
for (const resource of resources) addRoutes(app, resource)
app.doc31('/openapi.json', { openapi: '3.1.0', info: { title: 'Pets', version: '1' } })
serve({ fetch: app.fetch, port, hostname: '127.0.0.1' })
