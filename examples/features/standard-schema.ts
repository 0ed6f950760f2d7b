// Schemas of zod (valibot and arktype, too) in the place of codecs.
//
// $ curl localhost:3000/pets --json '{"name":"Rex"}'
// {"name":"Rex","kind":"dog"}
// $ curl localhost:3000/pets --json '{"name":""}'
// {"code":422,"status":"Unprocessable Entity","errors":{"json":{"name":["Too small: expected string to have >=1 characters"]}}}
import Koa from 'koa'
import { Api, Blueprint, json, operation, response } from 'koa-smorest'
import { std } from 'koa-smorest/standard'
import * as z from 'zod'

const NewPet = z.object({ name: z.string().min(1) }).meta({ id: 'NewPet' })
const Pet = NewPet.extend({ kind: z.enum(['cat', 'dog']) }).meta({ id: 'Pet' })

const pets = new Blueprint('pets', { urlPrefix: '/pets' }).post(
  '',
  operation('Add a pet', json(std(NewPet)), response(std(Pet), { code: 201 })),
  (_ctx, { name }) => ({ name, kind: 'dog' as const }),
)

const app = new Koa()
export const api = new Api(app, { OPENAPI_VERSION: '3.1.0', OPENAPI_URL_PREFIX: '/docs' })
api.registerBlueprint(pets)
export const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1')
