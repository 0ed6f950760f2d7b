// The Swagger Petstore, as its document describes it, without XML.
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  abort,
  altResponse,
  apiKey,
  Blueprint,
  bearer,
  describe,
  doc,
  files,
  form,
  headers,
  int32,
  int64,
  isoDateTime,
  json,
  maximum,
  minimum,
  type OutputOf,
  oauth2,
  operation,
  optional,
  path,
  query,
  readOnly,
  reply,
  response,
  secure,
  struct,
  Upload,
  withDefault,
} from 'koa-smorest'

const Category = struct({ id: optional(int64), name: optional(t.string) }, 'Category')
const Tag = struct({ id: optional(int64), name: optional(t.string) }, 'Tag')
const Status = t.keyof({ available: null, pending: null, sold: null })
const Pet = struct(
  {
    id: readOnly(optional(describe(int64, { example: 25 }))),
    category: optional(Category),
    name: describe(t.string, { example: 'doggie' }),
    photoUrls: t.array(t.string),
    tags: optional(t.array(Tag)),
    status: optional(describe(Status, { description: 'pet status in the store' })),
  },
  'Pet',
)
const Order = struct(
  {
    id: optional(int64),
    petId: optional(int64),
    quantity: optional(int32),
    shipDate: optional(isoDateTime),
    status: optional(t.keyof({ placed: null, approved: null, delivered: null })),
    complete: withDefault(t.boolean, false),
  },
  'Order',
)
const User = struct(
  {
    id: optional(int64),
    username: optional(t.string),
    firstName: optional(t.string),
    lastName: optional(t.string),
    email: optional(t.string),
    password: optional(t.string),
    phone: optional(t.string),
    userStatus: optional(int32),
  },
  'User',
)
const ApiResponse = struct(
  { code: optional(int32), type: optional(t.string), message: optional(t.string) },
  'ApiResponse',
)
type Pet = OutputOf<typeof Pet>

const petId = path(struct({ petId: int64 }))
const orderId = path(struct({ orderId: minimum(int64, 1) }))
const done = response({ content: false })
const notFound = altResponse(404, { description: 'Not found' })
const scopes = { 'write:pets': 'modify pets in your account', 'read:pets': 'read your pets' }

/** A store whose clients have this token and this key. */
export function petstore(token: string, key: string) {
  const pets = new Map<number, Pet>()
  const orders = new Map<number, t.TypeOf<typeof Order>>()
  const users = new Map<string, t.TypeOf<typeof User>>()
  let ids = 0
  const login = oauth2('petstore_auth', {
    flows: {
      implicit: { authorizationUrl: 'http://petstore.swagger.io/oauth/dialog', scopes },
    },
    token: bearer('petstore_auth', {
      principal: sent => (sent === token ? 'ann' : undefined),
      scopesOf: () => Object.keys(scopes),
    }),
  })
  const write = secure(login.scopes('write:pets', 'read:pets'))
  const keyed = secure(
    apiKey('api_key', {
      in: 'header',
      name: 'api_key',
      principal: sent => (sent === key ? 'key' : undefined),
    }),
  )
  const find = <K, V>(all: ReadonlyMap<K, V>, name: K): V => all.get(name) ?? abort(404)

  const invalid = altResponse(405, { description: 'Invalid input' })
  const pet = new Blueprint('pet', { urlPrefix: '/pet' })
    .post('', operation(write, json(Pet), done, invalid), (_ctx, added) => {
      const id = ++ids
      pets.set(id, { ...added, id })
    })
    .put('', operation(write, json(Pet), done, notFound, invalid), (_ctx, changed) => {
      // the id is read-only, so a client says by its name which pet it means
      const [id] = [...pets].find(([, { name }]) => name === changed.name) ?? abort(404)
      pets.set(id, { ...changed, id })
    })
    .get(
      '/findByStatus',
      operation(write, query(struct({ status: t.array(Status) })), response(t.array(Pet))),
      (_ctx, { status }) =>
        [...pets.values()].filter(one => one.status && status.includes(one.status)),
    )
    .get(
      '/findByTags',
      operation(
        write,
        doc({ deprecated: true }),
        query(struct({ tags: t.array(t.string) })),
        response(t.array(Pet)),
      ),
      (_ctx, { tags }) =>
        [...pets.values()].filter(one => one.tags?.some(({ name }) => name && tags.includes(name))),
    )
    .get('/:petId', operation(keyed, petId, response(Pet), notFound), (_ctx, { petId }) =>
      find(pets, petId),
    )
    .post(
      '/:petId',
      operation(
        write,
        petId,
        form(struct({ name: optional(t.string), status: optional(t.string) }), { required: false }),
        done,
        invalid,
      ),
      (_ctx, { petId }, { name }) => {
        const one = find(pets, petId)
        pets.set(petId, { ...one, name: name ?? one.name })
      },
    )
    .delete(
      '/:petId',
      operation(write, petId, headers(struct({ api_key: optional(t.string) })), done, notFound),
      (_ctx, { petId }) => {
        find(pets, petId)
        pets.delete(petId)
      },
    )
    .post(
      '/:petId/uploadImage',
      operation(
        write,
        petId,
        form(struct({ additionalMetadata: optional(t.string) }), { required: false }),
        files(struct({ file: optional(Upload) }), { required: false }),
        response(ApiResponse),
      ),
      (_ctx, _id, _form, { file }) => ({
        code: 200,
        type: 'image',
        message: `${file?.size ?? 0} bytes`,
      }),
    )

  const store = new Blueprint('store', { urlPrefix: '/store' })
    .get('/inventory', operation(keyed, response(t.record(t.string, int32))), () => {
      const counts: Record<string, number> = {}
      for (const { status = 'available' } of pets.values())
        counts[status] = (counts[status] ?? 0) + 1
      return counts
    })
    .post('/order', operation(json(Order), response(Order)), (_ctx, order) => {
      const id = order.id ?? ++ids
      orders.set(id, { ...order, id })
      return { ...order, id }
    })
    .get(
      '/order/:orderId',
      operation(
        path(struct({ orderId: maximum(minimum(int64, 1), 10) })),
        response(Order),
        notFound,
      ),
      (_ctx, { orderId }) => find(orders, orderId),
    )
    .delete('/order/:orderId', operation(orderId, done, notFound), (_ctx, { orderId }) => {
      find(orders, orderId)
      orders.delete(orderId)
    })

  const anyway = altResponse('default', { description: 'successful operation' })
  const add = (one: t.TypeOf<typeof User>): void => {
    users.set(one.username ?? '', one)
  }
  const user = new Blueprint('user', { urlPrefix: '/user' })
    .post('', operation(json(User), done, anyway), (_ctx, one) => add(one))
    .post('/createWithArray', operation(json(t.array(User)), done, anyway), (_ctx, all) =>
      all.forEach(add),
    )
    .post('/createWithList', operation(json(t.array(User)), done, anyway), (_ctx, all) =>
      all.forEach(add),
    )
    .get(
      '/login',
      operation(
        query(struct({ username: t.string, password: t.string })),
        response(t.string, {
          headers: {
            'X-Rate-Limit': { schema: { type: 'integer', format: 'int32' } },
            'X-Expires-After': { schema: { type: 'string', format: 'date-time' } },
          },
        }),
        altResponse(400, { description: 'Invalid username/password supplied' }),
      ),
      (_ctx, { username, password }) =>
        users.get(username)?.password === password
          ? reply(`logged in as ${username}`, 200, { 'X-Rate-Limit': '60' })
          : abort(400),
    )
    .get('/logout', operation(done, anyway), () => undefined)
    .get('/:username', operation(response(User), notFound), (_ctx, { username }) =>
      find(users, username),
    )
    .put('/:username', operation(json(User), done, notFound), (_ctx, changed, { username }) => {
      find(users, username)
      users.set(username, changed)
    })
    .delete('/:username', operation(done, notFound), (_ctx, { username }) => {
      find(users, username)
      users.delete(username)
    })

  return new Api(new Koa(), {
    API_TITLE: 'Swagger Petstore',
    OPENAPI_VERSION: '3.0.3',
    OPENAPI_URL_PREFIX: '/',
  })
    .registerBlueprint(pet)
    .registerBlueprint(store)
    .registerBlueprint(user)
}
