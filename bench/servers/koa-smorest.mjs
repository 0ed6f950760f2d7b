import * as t from 'io-ts'
import Koa from 'koa'
import { upstream } from './koa-upstream.mjs'
import { hasUpstream, KINDS, port, resources, store } from './shop.mjs'

const {
  Api,
  Application,
  Blueprint,
  etag,
  int,
  isoDate,
  json,
  MethodView,
  maxItems,
  maximum,
  maxLength,
  minimum,
  minLength,
  operation,
  Page,
  paginate,
  query,
  response,
} = await import(process.env.KOA_SMOREST ?? '../../dist/index.js')

function blueprintOf(resource) {
  const Kind = t.keyof(Object.fromEntries(KINDS.map(kind => [kind, null])))
  const fields = {
    name: minLength(maxLength(t.string, 100), 1),
    kind: Kind,
    age: minimum(maximum(int, 100), 0),
    weight: minimum(t.number, 0),
    vaccinated: t.boolean,
    born: isoDate,
    tags: maxItems(t.array(t.string), 10),
    owner: t.strict({ name: t.string, phone: t.string }),
  }
  const NewPet = t.strict(fields, `New_${resource}`)
  const Pet = t.strict({ id: t.string, ...fields }, `One_of_${resource}`)

  class Pets extends MethodView {
    static shared = operation(etag())

    static get = operation('List the pets', query(t.partial({ kind: Kind })), paginate(Page), response(t.array(Pet)))
    get(_ctx, filter) {
      return store.find(filter)
    }

    static post = operation('Add a pet', json(NewPet), response(Pet, { code: 201 }))
    post(_ctx, pet) {
      return store.add(pet)
    }
  }

  class PetById extends MethodView {
    static shared = operation(etag({ load: (_ctx, { petId }) => store.get(petId) }))

    static get = operation('Find a pet', response(Pet))
    get(_ctx, { current }) {
      return current
    }

    static put = operation('Replace a pet', json(NewPet), response(Pet))
    put(_ctx, pet, { petId }) {
      return store.replace(petId, pet)
    }
  }

  return new Blueprint(resource, { urlPrefix: `/${resource}` })
    .route('/', Pets, { endpoint: resource })
    .route('/:petId', PetById, { endpoint: `${resource}ById` })
}

const { VARIANT } = process.env
const app = VARIANT === 'application' ? new Application() : new Koa()
// any middleware of the application's own, so that answers go through Koa
if (VARIANT === 'behind') app.use((_ctx, next) => next())
if (hasUpstream) for (const middleware of upstream) app.use(middleware)
const api = new Api(app, { OPENAPI_VERSION: '3.1.0', OPENAPI_URL_PREFIX: '/' })
for (const resource of resources) api.registerBlueprint(blueprintOf(resource))
app.listen(port, '127.0.0.1')
