// Express 5 with zod; entity tags and 304 are its own.
import { randomUUID } from 'node:crypto'
import cors from 'cors'
import express from 'express'
import { z } from 'zod'
import { hasUpstream, KINDS, logger, pageHeader, port, problem, resources, store } from './shop.mjs'

const valid = (schema, location, source) => (req, res, next) => {
  const result = schema.safeParse(req[source])
  if (result.success) {
    req.valid = result.data
    return next()
  }
  const errors = {}
  for (const { path, message } of result.error.issues) {
    errors[path[0]] ??= []
    errors[path[0]].push(message)
  }
  res.status(422).json(problem(422, { [location]: errors }))
}
const refuse = (res, code) => res.status(code).json(problem(code))

function addRoutes(app, resource) {
  const Kind = z.enum(KINDS)
  const NewPet = z.object({
    name: z.string().min(1).max(100),
    kind: Kind,
    age: z.int().min(0).max(100),
    weight: z.number().min(0),
    vaccinated: z.boolean(),
    born: z.iso.date(),
    tags: z.array(z.string()).max(10),
    owner: z.object({ name: z.string(), phone: z.string() }),
  })
  const Filter = z.object({
    kind: Kind.optional(),
    page: z.coerce.number().int().min(1).default(1),
    page_size: z.coerce.number().int().min(1).max(100).default(10),
  })

  app.get(`/${resource}`, valid(Filter, 'query', 'query'), (req, res) => {
    const { page, page_size } = req.valid
    const found = store.find(req.valid)
    const first = (page - 1) * page_size
    res.set('X-Pagination', pageHeader(found.length, page, page_size))
    res.json(found.slice(first, first + page_size))
  })
  app.post(`/${resource}`, valid(NewPet, 'json', 'body'), (req, res) => {
    res.status(201).json(store.add(req.valid))
  })
  app.get(`/${resource}/:petId`, (req, res) => {
    const pet = store.get(req.params.petId)
    if (pet) res.json(pet)
    else refuse(res, 404)
  })
  app.put(`/${resource}/:petId`, valid(NewPet, 'json', 'body'), (req, res) => {
    const ifMatch = req.get('If-Match')
    if (!ifMatch) return refuse(res, 428)
    const current = store.get(req.params.petId)
    if (!current) return refuse(res, 404)
    if (ifMatch !== '*' && ifMatch !== app.get('etag fn')(JSON.stringify(current), 'utf8'))
      return refuse(res, 412)
    res.json(store.replace(req.params.petId, req.valid))
  })
}

function addUpstream(app) {
  app.use(cors())
  app.use((req, res, next) => {
    req.id = req.get('X-Request-Id') ?? randomUUID()
    res.set('X-Request-Id', req.id)
    next()
  })
  app.use((req, res, next) => {
    const start = performance.now()
    res.on('finish', () => {
      logger.info({
        id: req.id,
        method: req.method,
        url: req.originalUrl,
        status: res.statusCode,
        time: performance.now() - start,
      })
    })
    next()
  })
}

const app = express()
app.set('etag', 'strong').disable('x-powered-by')
if (hasUpstream) addUpstream(app)
app.use(express.json())
for (const resource of resources) addRoutes(app, resource)
app.use((_req, res) => refuse(res, 404))
app.use((error, _req, res, _next) => refuse(res, error.status ?? 500))
app.listen(port, '127.0.0.1')
