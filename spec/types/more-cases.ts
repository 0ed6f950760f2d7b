// What else must compile and what must not: nested prefixes, loaders, contexts, pagers, struct. As
// in cases.ts, each line that is marked has to fail for the reason beside the mark.
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  altResponse,
  apiKey,
  Blueprint,
  type Context,
  etag,
  type InputOf,
  int,
  json,
  MethodView,
  type Operation,
  type OutputOf,
  operation,
  optional,
  Page,
  paginate,
  readOnly,
  reply,
  response,
  secure,
  struct,
  withDefault,
  writeOnly,
} from 'koa-smorest'

declare module 'koa-smorest' {
  interface Converters {
    date: Date
  }
}

const Pet = struct(
  {
    id: readOnly(int),
    name: t.string,
    nick: optional(t.string),
    size: withDefault(int, 1),
    secret: writeOnly(t.string),
  },
  'Pet',
)
type In = InputOf<typeof Pet>
type Out = OutputOf<typeof Pet>
declare const stored: Out & { secret: string }

const incoming: In = { name: 'Rex', size: 1, secret: 'x' }
// @ts-expect-error a read-only field does not come in
incoming.id
// @ts-expect-error a write-only field does not go out
const outgoing: Out = { id: 1, name: 'Rex', size: 1, secret: 'x' }
// @ts-expect-error a default is there on the way in
const undefaulted: In = { name: 'Rex', secret: 'x' }

const shops = new Blueprint('shops', { urlPrefix: '/shops/:shop<int>' })
const pets = shops.blueprint('pets', { urlPrefix: '/pets/:kind<any(cat, dog)>' })

class Nested extends MethodView {
  static get = operation(response(Pet))
  get(_ctx: Context, { shop, kind }: { shop: number; kind: 'cat' | 'dog' }): Out {
    return { ...stored, name: `${shop} ${kind}` }
  }
}
pets.route('/', Nested)
// @ts-expect-error get() wants a shop, which is not in this prefix
new Blueprint('elsewhere').route('/', Nested)

class Loads extends MethodView {
  static shared = operation(
    etag({
      load: async (_ctx, { id }: { id: number }) => (id > 0 ? stored : null),
      tag: pet => pet.id,
    }),
  )
  static get = operation(response(Pet))
  get(_ctx: Context, { current }: { current: Out }) {
    return current
  }
}
new Blueprint('loads').route('/:id<int>', Loads)
// @ts-expect-error the loader needs a number
new Blueprint('loads').route('/:id', Loads)

// an absent representation that may be created
new Blueprint('creates').put(
  '/:id',
  operation(
    etag({ load: () => stored as Out | undefined, tag: pet => pet.id, create: true }),
    json(Pet),
  ),
  (_ctx, pet, { current }) => {
    // @ts-expect-error there may be none
    current.name
    return [pet.name, current?.name]
  },
)

// a state and a context of one's own
interface State {
  user: string
}
interface Extension {
  log(text: string): void
}
const stateful = new Blueprint<State, Extension>('stateful', { urlPrefix: '/stateful' })
stateful.get('/', operation(response(t.string)), ctx => {
  ctx.log(ctx.state.user)
  // @ts-expect-error there is no such state
  ctx.state.nobody
  return ctx.state.user
})
new Api(new Koa<State, Extension>(), { OPENAPI_VERSION: '3.1.0' })
const login = operation(secure(apiKey('k', { in: 'header', name: 'K', principal: () => 7 })))
// @ts-expect-error beside types that are written out, the features of `shared` are not inferred
new Blueprint<State, Extension>('stateful', { shared: login })
new Blueprint<State, Extension>('root')
  .blueprint('stateful', { urlPrefix: '/stateful', shared: login })
  .get('/', operation(response(t.number)), (ctx, { principal }) => {
    ctx.log(ctx.state.user)
    return principal
  })

// views that are made with something
class Needy extends MethodView {
  constructor(readonly database: { find(): Out[] }) {
    super()
  }
  static get = operation(response(t.array(Pet)), paginate(Page))
  get() {
    return this.database.find()
  }
}
new Blueprint('needy').route('/', Needy, { create: () => new Needy({ find: () => [] }) })
// @ts-expect-error its constructor takes a database
new Blueprint('needy').route('/', Needy)

// what a page can be cut out of
const list = operation(response(t.array(Pet)), paginate(Page))
new Blueprint('lists')
  .get('/array', list, () => [stored])
  .get('/lazy', list, () => ({ count: async () => 1, slice: async () => [stored] }))
  .get('/reply', list, () => reply([stored], 206))
  // @ts-expect-error no pet
  .get('/wrong', list, () => [{ id: 'x' }])
class Cursor {
  part: Out[] = []
}
class CursorPage extends Page<Cursor> {}
new Blueprint('cursors')
  .get('/right', operation(response(t.array(Pet)), paginate(CursorPage)), () => new Cursor())
  // @ts-expect-error that pager wants its own collection
  .get('/wrong', operation(response(t.array(Pet)), paginate(CursorPage)), () => [stored])

// another answer has its own type
const Conflict = t.type({ holder: t.string }, 'Conflict')
new Blueprint('alternatives')
  .get('/', operation(response(Pet), altResponse(409, Conflict)), () =>
    reply({ holder: 'Kim' }, 409),
  )
  .get('/wrong', operation(response(Pet), altResponse(409, Conflict)), () =>
    // @ts-expect-error neither a pet nor a conflict
    reply({ owner: 'Kim' }, 409),
  )

// converters of one's own have a type
new Blueprint('converters').get('/:day<date>', operation(response(t.number)), (_ctx, { day }) =>
  day.getTime(),
)

// shared features of a Blueprint come before those of its views
const shared = new Blueprint('shared', { shared: operation(json(Pet)) })
shared.post('/', operation(response(t.string)), (_ctx, pet) => pet.name)

class Parent extends MethodView {
  static shared = operation(json(Pet))
  static post = operation(response(t.string))
  post(_ctx: Context, pet: In) {
    return pet.name
  }
}
class Undescribed extends Parent {
  patch() {
    return null
  }
}
shops.route('/parent', Parent)
// @ts-expect-error patch() has no descriptor
shops.route('/undescribed', Undescribed)

class Methodless extends Parent {
  static put = operation()
}
// @ts-expect-error static put describes a method that is not there
shops.route('/methodless', Methodless)

// TypeScript lets no subclass redeclare what is shared with other features; a function of it makes
// a class for each, and each is checked
function viewSharing<Shared extends Operation>(shared: Shared) {
  return class extends MethodView {
    static override shared = shared
    static post = operation(response(t.string))
    post(_ctx: Context, pet: In) {
      return pet.name
    }
  }
}
shops.route('/sharing', viewSharing(operation(json(Pet))))
shops.route('/sharing-more', viewSharing(operation(json(Pet), altResponse(404))))
// @ts-expect-error there is no argument 1 after ctx, but post() takes
shops.route('/sharing-nothing', viewSharing(operation()))
// @ts-expect-error argument 1 after ctx is
shops.route('/sharing-another', viewSharing(operation(json(t.number))))

export { outgoing, undefaulted }

const key = apiKey('key', {
  in: 'header',
  name: 'X-Key',
  principal: text => (text ? { isEditor: true } : undefined),
})
secure(key, { allow: user => user.isEditor, optional: true })
declare const chosen: { readonly allow?: (user: { isEditor: boolean }) => boolean }
secure(key, chosen)
// @ts-expect-error a misspelt option
secure(key, { alow: () => true })
// @ts-expect-error a misspelt option beside a right one
secure(key, { allow: user => user.isEditor, optinal: true })
