import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  abort,
  Blueprint,
  type Context,
  etag,
  int,
  json,
  MethodView,
  maximum,
  maxLength,
  minimum,
  minLength,
  operation,
  optional,
  Page,
  paginate,
  query,
  response,
  struct,
} from 'koa-smorest'

// The small shop of E11 in which faults are planted.

const Name = maxLength(minLength(t.string, 2), 20)
const Pet = t.strict(
  { id: t.number, name: t.string, kind: t.string, age: t.number, version: t.number },
  'Pet',
)
const NewPet = struct(
  { name: Name, kind: t.keyof({ cat: null, dog: null }), age: maximum(minimum(int, 0), 50) },
  'NewPet',
)
const Filter = struct({
  kind: optional(t.keyof({ cat: null, dog: null })),
  age: optional(minimum(int, 0)),
})
type Pet = t.TypeOf<typeof Pet>
type NewPet = t.TypeOf<typeof NewPet>

function petBlueprint() {
  const pets = new Map<number, Pet>()
  let lastId = 0
  const keep = (pet: Pet) => {
    pets.set(pet.id, pet)
    return pet
  }
  const reset = () => {
    pets.clear()
    lastId = 0
    for (const name of ['Rex', 'Tom', 'Coco', 'Luna', 'Milo', 'Bella', 'Max'])
      keep({ id: ++lastId, name, kind: 'dog', age: 3, version: 1 })
  }
  reset()

  class PetList extends MethodView {
    static get = operation(query(Filter), paginate(Page, { maxPage: 1000 }), response(t.array(Pet)))
    get(_: Context, { kind, age }: t.TypeOf<typeof Filter>) {
      return [...pets.values()].filter(
        pet => (kind ?? pet.kind) === pet.kind && (age ?? pet.age) === pet.age,
      )
    }

    static post = operation(json(NewPet), response(Pet, { code: 201 }))
    post(_: Context, pet: NewPet) {
      if (pets.size > 500) abort(429)
      return keep({ ...pet, id: ++lastId, version: 1 })
    }
  }

  class PetById extends MethodView {
    static shared = operation(
      etag({
        load: (_, { petId }: { petId: number }) => pets.get(petId),
        tag: ({ version }) => version,
      }),
    )

    static get = operation(response(Pet))
    get(_: Context, { current }: { current: Pet }) {
      return current
    }

    static put = operation(json(NewPet), response(Pet))
    put(_: Context, pet: NewPet, { current }: { current: Pet }) {
      return keep({ ...pet, id: current.id, version: current.version + 1 })
    }

    static delete = operation(response({ code: 204 }))
    delete(_: Context, { current }: { current: Pet }) {
      pets.delete(current.id)
    }
  }
  return {
    blueprint: new Blueprint('pets', { urlPrefix: '/pets' })
      .route('/', PetList)
      .route('/:petId<int>', PetById),
    reset,
  }
}

/** The shop with a fault around it, or sound; `reset` restores its pets. */
export function createShop(fault?: Koa.Middleware) {
  const app = new Koa()
  const { blueprint, reset } = petBlueprint()
  const api = new Api(app, {
    OPENAPI_VERSION: '3.1.0',
    OPENAPI_URL_PREFIX: '/docs',
  }).registerBlueprint(blueprint)
  // in front of the guard, so that it has the last word
  if (fault) app.middleware.unshift(fault)
  return { app, api, reset }
}
