// A merge patch (RFC 7396) is applied to the loaded value; the method gets the whole.
//
// $ curl -X PATCH localhost:3000/pets/1 -H 'If-Match: "1"' --json '{"nickname":null,"age":4}'
// {"id":1,"version":2,"name":"Rex","age":4}
// $ curl -X PATCH localhost:3000/pets/1 -H 'If-Match: "1"' --json '{"age":5}'
// {"code":412,"status":"Precondition Failed"}
// $ curl -X PATCH localhost:3000/pets/1 -H 'If-Match: "2"' --json '{"name":null,"id":7}'
// {"code":422,"status":"Unprocessable Entity","errors":{"json":{"id":["Read-only field."],"name":["May not be null."]}}}
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  Blueprint,
  etag,
  int,
  mergePatch,
  type OutputOf,
  operation,
  optional,
  readOnly,
  response,
  struct,
} from 'koa-smorest'

const Pet = struct(
  {
    id: readOnly(int),
    version: readOnly(int),
    name: t.string,
    nickname: optional(t.string),
    age: int,
  },
  'Pet',
)
let rex: OutputOf<typeof Pet> = { id: 1, version: 1, name: 'Rex', nickname: 'Rexy', age: 3 }

const loaded = etag({
  load: (_ctx, { petId }: { petId: number }) => (petId === rex.id ? rex : undefined),
  tag: ({ version }) => version,
})

const pets = new Blueprint('pets', { urlPrefix: '/pets' }).patch(
  '/:petId<int>',
  operation('Change a pet', loaded, mergePatch(Pet), response(Pet)),
  (_ctx, pet, { current }) => {
    rex = { id: current.id, version: current.version + 1, ...pet }
    return rex
  },
)

const app = new Koa()
export const api = new Api(app, { OPENAPI_VERSION: '3.1.0', OPENAPI_URL_PREFIX: '/docs' })
api.registerBlueprint(pets)
export const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1')
