// The server of `bench/features.mjs`: pairs of operations that differ in one feature.
import * as t from 'io-ts'
import Koa from 'koa'
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import {
  Api,
  Application,
  apiKey,
  Blueprint,
  idempotent,
  int,
  isoDate,
  json,
  keyset,
  maxItems,
  maximum,
  maxLength,
  memoryStore,
  minimum,
  minLength,
  operation,
  Page,
  paginate,
  response,
  secure,
} from '../../dist/index.js'
import { rows as rowsOf } from '../../dist/kysely.js'
import { KINDS, port, store } from './shop.mjs'

const fields = {
  name: minLength(maxLength(t.string, 100), 1),
  kind: t.keyof(Object.fromEntries(KINDS.map(kind => [kind, null]))),
  age: minimum(maximum(int, 100), 0),
  weight: minimum(t.number, 0),
  vaccinated: t.boolean,
  born: isoDate,
  tags: maxItems(t.array(t.string), 10),
  owner: t.strict({ name: t.string, phone: t.string }),
}
const NewPet = t.strict(fields, 'NewPet')
const Pet = t.strict({ id: maxLength(t.string, 36), ...fields }, 'Pet')

const pets = store.find({})
/** A list as a database has it, in the order of its key: neither way of paging is charged with finding the rows. */
const rows = { slice: (start, end) => pets.slice(start, end), count: () => pets.length, seek }

function seek({ after, limit }) {
  const start = after === undefined ? 0 : Number.parseInt(after[0].slice(-12), 16) + 1
  return pets.slice(start, start + limit)
}

/** The same list through Kysely, whose driver has the rows at hand: SQL is written, and a database costs nothing. */
const connection = {
  executeQuery({ sql, parameters }) {
    if (/count\(/i.test(sql)) return Promise.resolve({ rows: [{ count: pets.length }] })
    const numbers = parameters.filter(one => typeof one === 'number')
    const after = parameters.find(one => typeof one === 'string')
    if (after !== undefined) return Promise.resolve({ rows: seek({ after: [after], limit: numbers.at(-1) }) })
    const [limit, start = 0] = numbers
    return Promise.resolve({ rows: pets.slice(start, start + limit) })
  },
}
class Driver extends DummyDriver {
  acquireConnection() {
    return Promise.resolve(connection)
  }
}
const db = new Kysely({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new Driver(),
    createIntrospector: database => new PostgresIntrospector(database),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})
const queried = () => rowsOf(db.selectFrom('pets').selectAll())

const users = new Map([['sesame-0123456789', { name: 'Ann' }]])
const key = apiKey('key', { in: 'header', name: 'X-Key', principal: text => users.get(text), identify: ({ name }) => name })

const all = new Blueprint('pets', { urlPrefix: '/pets' })
all.get('/', operation(paginate(Page), response(t.array(Pet))), () => rows)
all.get('/queried', operation(paginate(Page), response(t.array(Pet))), queried)
all.get('/queried-keyset', operation(keyset({ unique: 'id' }), response(t.array(Pet))), queried)
all.get('/keyset', operation(keyset({ unique: 'id' }), response(t.array(Pet))), () => rows)
const add = (_ctx, pet) => store.add(pet)
all.post('/', operation(json(NewPet), response(Pet, { code: 201 })), add)
all.post('/idempotent', operation(idempotent({ store: memoryStore() }), json(NewPet), response(Pet, { code: 201 })), add)
const find = (_ctx, { petId }) => store.get(petId)
all.get('/open/:petId', operation(response(Pet)), find)
all.get('/secured/:petId', operation(secure(key), response(Pet)), find)

const { VARIANT } = process.env
const app = VARIANT === 'application' ? new Application() : new Koa()
if (VARIANT === 'behind') app.use((_ctx, next) => next())
new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(all)
app.listen(port, '127.0.0.1')
