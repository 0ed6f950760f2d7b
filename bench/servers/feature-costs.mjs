// One item and one POST, with at most one feature more: the one that FEATURE names.
import * as t from 'io-ts'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import * as smorest from '../../dist/index.js'
import { port, store } from './shop.mjs'

const {
  apiKey,
  Application,
  Api,
  Blueprint,
  cache,
  deprecated,
  etag,
  idempotent,
  int,
  json,
  keyset,
  limit,
  maxLength,
  memoryStore,
  message,
} = smorest
const { operation, Page, paginate, query, refine, response, secure } = smorest

const fields = { name: t.string, age: int, tags: t.array(t.string), owner: t.strict({ name: t.string, phone: t.string }) }
const NewPet = t.strict(fields, 'NewPet')
const Pet = t.strict({ id: maxLength(t.string, 36), ...fields }, 'Pet')
const key = apiKey('key', {
  in: 'header',
  name: 'X-Key',
  principal: text => (text === 'k' ? { id: 1 } : undefined),
  identify: ({ id }) => id,
})
const limiter = () => new RateLimiterMemory({ points: 1e9, duration: 3600 })

/** What is added to each operation, or to one of them. */
const FEATURES = {
  none: {},
  'secure(apiKey)': { all: () => [secure(key)] },
  'limit by address': { all: () => [limit('all', limiter())] },
  'limit by principal': { all: () => [secure(key), limit('each', limiter(), { per: 'principal' })] },
  deprecated: { all: () => [deprecated({ since: '2026-01-01', sunset: '2036-01-01', link: '/docs' })] },
  cache: { item: () => [cache({ maxAge: 60, vary: ['Accept'] })] },
  etag: { all: () => [etag()] },
  'etag({ load })': { item: () => [etag({ load: (_ctx, { petId }) => store.get(petId) })] },
  'etag({ load, tag })': { item: () => [etag({ load: (_ctx, { petId }) => store.get(petId), tag: ({ age }) => age })] },
  query: { all: () => [query(t.partial({ verbose: t.boolean }))] },
  refine: { body: codec => refine(codec, ({ name }) => (name === '' ? { name: ['Must not be empty.'] } : undefined)) },
  message: { body: codec => message(codec, 'Not a pet.') },
  idempotent: { post: () => [secure(key), idempotent({ store: memoryStore() })] },
  "API_ERRORS: 'negotiated'": { settings: { API_ERRORS: 'negotiated' } },
  paginate: { list: () => [paginate(Page)] },
  keyset: { list: () => [keyset({ unique: 'id' })] },
}

const { all = () => [], item = () => [], post = () => [], list = () => [], body = codec => codec, settings } = FEATURES[process.env.FEATURE]
const few = store.find({}).slice(0, 200)
const pets = new Blueprint('pets', { urlPrefix: '/pets' })
  .get('/', operation(...list(), response(t.array(Pet))), () => (process.env.FEATURE === 'none' ? few.slice(0, 10) : few))
  .get('/:petId', operation(...all(), ...item(), response(Pet)), (...given) => store.get(given.at(-1).petId))
  .post('/', operation(...all(), ...post(), json(body(NewPet)), response(Pet, { code: 201 })), (...given) => store.add(given.at(-2)))

const app = new Application()
const api = new Api(app, { OPENAPI_VERSION: '3.1.0', ...settings })
api.warn = () => undefined
api.registerBlueprint(pets)
const server = app.listen(port, '127.0.0.1')
// a key is new each time, as in life
let keys = 0
server.prependListener('request', ({ headers }) => {
  if (headers['idempotency-key'] === undefined) return
  keys += 1
  headers['idempotency-key'] = `"${String(keys).padStart(24, '0')}"`
})
