// Registers 1,000 operations and makes their document, for `bench/start.mjs`; writes what each took, as CPU in ms.
const used = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
const t = await import('io-ts')
const {
  Api,
  Application,
  Blueprint,
  etag,
  int,
  isoDate,
  json,
  MethodView,
  maxLength,
  minimum,
  operation,
  Page,
  paginate,
  query,
  response,
} = await import('../../dist/index.js')
const imported = used()

const Kind = t.keyof({ cat: null, dog: null })

function blueprintOf(name) {
  const fields = {
    name: maxLength(t.string, 100),
    kind: Kind,
    weight: minimum(t.number, 0),
    age: int,
    born: isoDate,
    tags: t.array(t.string),
    owner: t.strict({ name: t.string, phone: t.string }),
  }
  const NewPet = t.strict(fields, `New_${name}`)
  const Pet = t.strict({ id: t.string, ...fields }, `One_of_${name}`)

  class Pets extends MethodView {
    static shared = operation(etag())
    static get = operation('List the pets', query(t.partial({ kind: Kind })), paginate(Page), response(t.array(Pet)))
    get() {
      return []
    }

    static post = operation('Add a pet', json(NewPet), response(Pet, { code: 201 }))
    post(_ctx, pet) {
      return pet
    }
  }
  class PetById extends MethodView {
    static shared = operation(etag({ load: () => undefined }))
    static get = operation('Find a pet', response(Pet))
    get(_ctx, { current }) {
      return current
    }

    static put = operation('Replace a pet', json(NewPet), response(Pet))
    put(_ctx, pet) {
      return pet
    }
  }
  return new Blueprint(name, { urlPrefix: `/${name}` })
    .route('/', Pets, { endpoint: name })
    .route('/:petId', PetById, { endpoint: `${name}ById` })
}

const api = new Api(new Application(), { OPENAPI_VERSION: '3.1.0' })
for (let index = 0; index < 250; index++) api.registerBlueprint(blueprintOf(`resource${index}`))
const registered = used()
const { length } = api.spec.toText()
const documented = used()
console.log(JSON.stringify({ start: registered, registration: registered - imported, document: documented - registered, length }))
