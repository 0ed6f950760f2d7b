// The server of `bench/features.mjs`: the same item, POST and list, each under the path of the one
// feature that it has.
import * as t from 'io-ts'
import Koa from 'koa'
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import * as library from '../../dist/index.js'
import {
  Api,
  Application,
  apiKey,
  Blueprint,
  cache,
  deprecated,
  etag,
  idempotent,
  json,
  keyset,
  limit,
  maxLength,
  memoryStore,
  message,
  operation,
  Page,
  paginate,
  query,
  refine,
  response,
  secure,
} from '../../dist/index.js'
import { rows as rowsOf } from '../../dist/kysely.js'
import { petFields } from './pet-fields.mjs'
import { KINDS, port, store } from './shop.mjs'

const fields = petFields(library, KINDS)
const NewPet = t.strict(fields, 'NewPet')
const Pet = t.strict({ id: maxLength(t.string, 36), ...fields }, 'Pet')

const pets = store.find({})
const few = pets.slice(0, 200)
const ten = pets.slice(0, 10)
/**
 * A list as a database has it, in the order of its key: neither way of paging is charged with
 * finding the rows.
 */
const free = { slice: (start, end) => pets.slice(start, end), count: () => pets.length, seek }

function seek({ after, limit }) {
  const start = after === undefined ? 0 : Number.parseInt(after[0].slice(-12), 16) + 1
  return pets.slice(start, start + limit)
}

/**
 * The same list through Kysely, whose driver has the rows at hand: SQL is written, and a database
 * costs nothing.
 */
const connection = {
  executeQuery({ sql, parameters }) {
    if (/count\(/i.test(sql)) return Promise.resolve({ rows: [{ count: pets.length }] })
    const numbers = parameters.filter(one => typeof one === 'number')
    const after = parameters.find(one => typeof one === 'string')
    if (after !== undefined)
      return Promise.resolve({ rows: seek({ after: [after], limit: numbers.at(-1) }) })
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

const known = new Map([['sesame-0123456789', { name: 'Ada' }]])
const key = apiKey('key', {
  in: 'header',
  name: 'X-Key',
  principal: text => known.get(text),
  identify: ({ name }) => name,
})
const limiter = () => new RateLimiterMemory({ points: 1e9, duration: 3600 })
const load = (_ctx, { petId }) => store.get(petId)

/** By name: what is added to each operation or to one of them, and what the list returns. */
const FEATURES = {
  none: {},
  secure: { all: () => [secure(key)] },
  limit: { all: () => [limit('all', limiter())] },
  'limit-principal': { all: () => [secure(key), limit('each', limiter(), { per: 'principal' })] },
  deprecated: {
    all: () => [deprecated({ since: '2026-01-01', sunset: '2036-01-01', link: '/docs' })],
  },
  cache: { item: () => [cache({ maxAge: 60, vary: ['Accept'] })] },
  etag: { all: () => [etag()] },
  'etag-load': { item: () => [etag({ load })] },
  'etag-tag': { item: () => [etag({ load, tag: ({ age }) => age })] },
  query: { all: () => [query(t.partial({ verbose: t.boolean }))] },
  refine: {
    body: codec =>
      refine(codec, ({ name }) => (name === '' ? { name: ['Must not be empty.'] } : undefined)),
  },
  message: { body: codec => message(codec, 'Not a pet.') },
  idempotent: { post: () => [idempotent({ store: memoryStore() })] },
  paginate: { list: () => [paginate(Page)], rows: () => few },
  keyset: { list: () => [keyset({ unique: 'id' })], rows: () => few },
  'paginate-query': { list: () => [paginate(Page)], rows: queried },
  'keyset-query': { list: () => [keyset({ unique: 'id' })], rows: queried },
  'paginate-free': { list: () => [paginate(Page)], rows: () => free },
  'keyset-free': { list: () => [keyset({ unique: 'id' })], rows: () => free },
}

const none = () => []
const app = process.env.APP === 'application' ? new Application() : new Koa()
if (process.env.APP === 'behind') app.use((_ctx, next) => next())
const api = new Api(app, { OPENAPI_VERSION: '3.1.0' })
for (const [name, feature] of Object.entries(FEATURES)) {
  const {
    all = none,
    item = none,
    post = none,
    list = none,
    body = codec => codec,
    rows = () => ten,
  } = feature
  const pets = new Blueprint(name, { urlPrefix: `/${name}` })
    .get('/', operation(...list(), response(t.array(Pet))), rows)
    .get('/:petId', operation(...all(), ...item(), response(Pet)), (...given) =>
      store.get(given.at(-1).petId),
    )
    // the body is the last argument before the named values, where there are any
    .post(
      '/',
      operation(...all(), ...post(), json(body(NewPet)), response(Pet, { code: 201 })),
      (...given) => store.add(given.findLast(argument => argument.kind)),
    )
  api.registerBlueprint(pets)
}
app.listen(port, '127.0.0.1')
