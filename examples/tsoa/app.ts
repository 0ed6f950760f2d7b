import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  abort,
  altResponse,
  apiKey,
  Blueprint,
  doc,
  files,
  form,
  headers,
  int32,
  json,
  maximum,
  maxLength,
  minimum,
  minLength,
  type OutputOf,
  operation,
  optional,
  query,
  readOnly,
  reply,
  response,
  safeEqual,
  secure,
  struct,
  Upload,
  withDefault,
} from 'koa-smorest'

const Kind = t.keyof({ cat: null, dog: null }, 'Kind')
const Pet = struct(
  {
    id: readOnly(int32),
    name: maxLength(minLength(t.string, 1), 40),
    kind: Kind,
    age: optional(minimum(int32, 0)),
  },
  'Pet',
)
const stored = new Map<number, OutputOf<typeof Pet>>()
let ids = 0

const Filter = struct({
  kind: optional(Kind),
  limit: withDefault(maximum(minimum(int32, 1), 100), 20),
})
const Client = struct({ 'X-Client': optional(t.string) })
const key = apiKey('key', {
  in: 'header',
  name: 'X-Key',
  principal: given => (safeEqual(given, 'sesame') ? { name: 'Ann' } : undefined),
})
const example = { id: 1, name: 'Rex', kind: 'dog' } as const

const pets = new Blueprint('pets', { urlPrefix: '/pets' })
  .get(
    '',
    operation('List the pets', query(Filter), response(t.array(Pet))),
    (_ctx, { kind, limit }) =>
      [...stored.values()].filter(pet => kind === undefined || pet.kind === kind).slice(0, limit),
  )
  .get(
    '/:petId<int>',
    operation('Find a pet', headers(Client), response(Pet), altResponse(404)),
    (_ctx, _client, { petId }) =>
      stored.get(petId) ?? abort(404, { message: 'There is no such pet.' }),
  )
  .post(
    '',
    operation(
      'Add a pet',
      secure(key),
      json(Pet),
      response(Pet, { code: 201, example }),
      doc({ operationId: 'addPet' }),
    ),
    (_ctx, pet) => {
      const added = { ...pet, id: ++ids }
      stored.set(added.id, added)
      return reply(added, 201, { Location: `/pets/${added.id}` })
    },
  )
  .delete(
    '/:petId<int>',
    operation('Remove a pet', secure(key), response({ code: 204 }), doc({ deprecated: true })),
    (_ctx, { petId }) => {
      stored.delete(petId)
    },
  )
  .post(
    '/:petId<int>/picture',
    operation(
      'Add a picture',
      form(struct({ title: t.string })),
      files(struct({ file: Upload })),
      response(t.string),
      doc({ 'x-size': 'small' }),
    ),
    async (_ctx, { title }, { file }) => `${title} ${(await file.bytes()).length}`,
  )
  .get('/secret', operation(response(t.string), doc({ hidden: true })), () => 'secret')

export const app = new Koa()
export const api = new Api(app, {
  OPENAPI_VERSION: '3.0.3',
  OPENAPI_URL_PREFIX: '/docs',
}).registerBlueprint(pets)
