// The server of `bench/bodies.mjs`: a list of rows and a text, validated, by the framework that
// `PEER` names.
import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import * as t from 'io-ts'
import Koa from 'koa'

const { PEER } = process.env
const port = Number(process.env.PORT)
const LIMIT = 16 * 1024 * 1024

if (PEER === 'fastify') await listenFastify()
else await listenSmorest()

async function listenFastify() {
  const Row = Type.Object(
    {
      id: Type.Integer(),
      name: Type.String({ minLength: 1 }),
      price: Type.Number(),
      inStock: Type.Boolean(),
      tags: Type.Array(Type.String()),
      size: Type.Object(
        { width: Type.Number(), height: Type.Number() },
        { additionalProperties: false },
      ),
    },
    { additionalProperties: false },
  )
  const Count = Type.Object({ count: Type.Integer() })
  const app = Fastify({ bodyLimit: LIMIT, ajv: { customOptions: { allErrors: true } } })
  app.setErrorHandler((error, _request, reply) => {
    const errors = Object.fromEntries(
      error.validation.map(({ instancePath, message }) => [instancePath, [message]]),
    )
    reply.code(422).send({ code: 422, status: 'Unprocessable Entity', errors: { json: errors } })
  })
  app.post(
    '/rows',
    { schema: { body: Type.Array(Row), response: { 200: Count } } },
    (request, reply) => {
      reply.send({ count: request.body.length })
    },
  )
  app.post(
    '/text',
    {
      schema: {
        body: Type.Object({ text: Type.String({ minLength: 1 }) }, { additionalProperties: false }),
        response: { 200: Count },
      },
    },
    (request, reply) => {
      reply.send({ count: request.body.text.length })
    },
  )
  await app.listen({ port, host: '127.0.0.1' })
}

async function listenSmorest() {
  const { Api, Application, Blueprint, int, json, minLength, operation, response, struct } =
    await import(process.env.KOA_SMOREST ?? '../../dist/index.js')
  const Row = struct(
    {
      id: int,
      name: minLength(t.string, 1),
      price: t.number,
      inStock: t.boolean,
      tags: t.array(t.string),
      size: struct({ width: t.number, height: t.number }, 'Size'),
    },
    'Row',
  )
  const Text = struct({ text: minLength(t.string, 1) }, 'Text')
  const Count = struct({ count: int }, 'Count')
  const app = PEER === 'application' ? new Application() : new Koa()
  if (PEER === 'behind') app.use((_ctx, next) => next())
  const bodies = new Blueprint('bodies')
    .post(
      '/rows',
      operation(json(t.array(Row), { limits: { json: LIMIT } }), response(Count)),
      (_ctx, rows) => ({
        count: rows.length,
      }),
    )
    .post('/text', operation(json(Text), response(Count)), (_ctx, { text }) => ({
      count: text.length,
    }))
  new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(bodies)
  app.listen(port, '127.0.0.1')
}
