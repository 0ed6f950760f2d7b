// Fastify as its experts write it: TypeBox schemas for what comes in and what goes out, those
// without formats, which would be checked again for each value that leaves; @fastify/etag with the
// one-shot hash of Node.
import { hash, randomUUID } from 'node:crypto'
import cors from '@fastify/cors'
import etag from '@fastify/etag'
import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import { hasUpstream, KINDS, logger, pageHeader, port, problem, resources, store } from './shop.mjs'

const LOCATIONS = { body: 'json', querystring: 'query' }

function answerErrors(error, _request, reply) {
  if (!error.validation)
    return reply.code(error.statusCode ?? 500).send(problem(error.statusCode ?? 500))
  const errors = {}
  for (const { instancePath, params, message } of error.validation) {
    const field = instancePath.split('/')[1] ?? params.missingProperty
    errors[field] ??= []
    errors[field].push(message)
  }
  reply.code(422).send(problem(422, { [LOCATIONS[error.validationContext]]: errors }))
}

function addRoutes(app, resource) {
  // an enum, not a union of literals: the serializer would try each of them
  const Kind = Type.Unsafe({ type: 'string', enum: KINDS })
  const fields = {
    name: Type.String({ minLength: 1, maxLength: 100 }),
    kind: Kind,
    age: Type.Integer({ minimum: 0, maximum: 100 }),
    weight: Type.Number({ minimum: 0 }),
    vaccinated: Type.Boolean(),
    born: Type.String({ format: 'date' }),
    tags: Type.Array(Type.String(), { maxItems: 10 }),
    owner: Type.Object(
      { name: Type.String(), phone: Type.String() },
      { additionalProperties: false },
    ),
  }
  const NewPet = Type.Object(fields, { additionalProperties: false })
  const Pet = Type.Object({ id: Type.String(), ...fields, born: Type.String() })
  const Filter = Type.Object({
    kind: Type.Optional(Kind),
    page: Type.Integer({ minimum: 1, default: 1 }),
    page_size: Type.Integer({ minimum: 1, maximum: 100, default: 10 }),
  })
  const params = Type.Object({ petId: Type.String() })
  const tagOf = (reply, pet) => `"${hash('sha1', reply.serializeInput(pet, Pet), 'base64')}"`

  app.get(
    `/${resource}`,
    { schema: { querystring: Filter, response: { 200: Type.Array(Pet) } } },
    (request, reply) => {
      const { page, page_size } = request.query
      const found = store.find(request.query)
      const first = (page - 1) * page_size
      reply.header('X-Pagination', pageHeader(found.length, page, page_size))
      reply.send(found.slice(first, first + page_size))
    },
  )
  app.post(
    `/${resource}`,
    { schema: { body: NewPet, response: { 201: Pet } } },
    (request, reply) => {
      reply.code(201).send(store.add(request.body))
    },
  )
  app.get(
    `/${resource}/:petId`,
    { schema: { params, response: { 200: Pet } } },
    (request, reply) => {
      const pet = store.get(request.params.petId)
      if (pet) reply.send(pet)
      else reply.code(404).send(problem(404))
    },
  )
  app.put(
    `/${resource}/:petId`,
    { schema: { params, body: NewPet, response: { 200: Pet } } },
    (request, reply) => {
      const ifMatch = request.headers['if-match']
      if (!ifMatch) return reply.code(428).send(problem(428))
      const current = store.get(request.params.petId)
      if (!current) return reply.code(404).send(problem(404))
      if (ifMatch !== '*' && ifMatch !== tagOf(reply, current))
        return reply.code(412).send(problem(412))
      reply.send(store.replace(request.params.petId, request.body))
    },
  )
}

async function addUpstream(app) {
  await app.register(cors)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Request-Id', request.id)
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    logger.info({
      id: request.id,
      method: request.method,
      url: request.url,
      status: reply.statusCode,
      time: reply.elapsedTime,
    })
    done()
  })
}

const app = Fastify({
  ajv: { customOptions: { allErrors: true } },
  requestIdHeader: 'x-request-id',
  ...(hasUpstream && { genReqId: () => randomUUID() }),
})
app.setErrorHandler(answerErrors)
app.setNotFoundHandler((_request, reply) => reply.code(404).send(problem(404)))
if (hasUpstream) await addUpstream(app)
await app.register(etag, { hashFn: payload => hash('sha1', payload, 'base64') })
for (const resource of resources) addRoutes(app, resource)
await app.listen({ port, host: '127.0.0.1' })
