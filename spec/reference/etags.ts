import * as t from 'io-ts'
import type { DefaultContext, DefaultState } from 'koa'
import {
  abort,
  Blueprint,
  type Context,
  checkEtag,
  etag,
  json,
  MethodView,
  operation,
  reply,
  response,
  setEtag,
} from 'koa-smorest'
import { Item, Item1, type ItemChanges, ItemVersion, type NewItem } from './codecs.js'
import { type ItemData, items, type Stored } from './state.js'

type StoredItem = Stored<ItemData>
type ById = { item_id: number }

function find({ item_id }: ById): StoredItem {
  return items.get(item_id) ?? abort(404, { message: 'Item not found.' })
}

function replace(item: StoredItem, data: NewItem): StoredItem {
  return items.replace(item, { ...data, views: item.views })
}

function findAndCount(id: ById): StoredItem {
  const item = find(id)
  return items.amend(item, { ...item, views: item.views + 1 })
}

class ItemList extends MethodView {
  static shared = operation(etag())

  static get = operation(response(t.array(Item)))
  get() {
    return items.all()
  }

  static post = operation(json(Item), response(Item, { code: 201 }))
  post(_: Context, data: NewItem) {
    return items.add({ ...data, views: 0 })
  }
}

/** Tags are made of the representation that is answered. */
class ItemById extends MethodView {
  static shared = operation(etag())

  static get = operation(response(Item))
  get(_: Context, id: ById) {
    return find(id)
  }

  static put = operation(json(Item), response(Item))
  put(ctx: Context, data: NewItem, id: ById) {
    const item = find(id)
    checkEtag(ctx, item, Item)
    return replace(item, data)
  }

  static patch = operation(json(Item1), response(Item))
  patch(ctx: Context, changes: ItemChanges, id: ById) {
    const item = find(id)
    checkEtag(ctx, item, Item)
    return items.replace(item, { ...item, ...changes })
  }

  static delete = operation(response({ code: 204 }))
  delete(ctx: Context, id: ById) {
    checkEtag(ctx, find(id), Item)
    items.remove(id.item_id)
  }
}

/** Tags are made of what another codec says of the item. */
class Separate extends MethodView {
  static shared = operation(etag(ItemVersion))

  static get = operation(response(Item))
  get(_: Context, id: ById) {
    return findAndCount(id)
  }

  static put = operation(json(Item), response(Item))
  put(ctx: Context, data: NewItem, id: ById) {
    const item = find(id)
    checkEtag(ctx, item)
    return replace(item, data)
  }

  static delete = operation(response({ code: 204 }))
  delete(ctx: Context, id: ById) {
    checkEtag(ctx, find(id))
    items.remove(id.item_id)
  }
}

/** Tags are made of any data. */
class Arbitrary extends MethodView {
  static shared = operation(etag())

  static get = operation(response(Item))
  get(ctx: Context, id: ById) {
    const item = findAndCount(id)
    setEtag(ctx, [item.name, item.version])
    return item
  }

  static put = operation(json(Item), response(Item))
  put(ctx: Context, data: NewItem, id: ById) {
    const item = find(id)
    checkEtag(ctx, [item.name, item.version])
    const replaced = replace(item, data)
    setEtag(ctx, [replaced.name, replaced.version])
    return replaced
  }
}

/** Tags are made of one value. */
class Single extends MethodView {
  static shared = operation(etag())

  static get = operation(response(Item))
  get(ctx: Context, id: ById) {
    const item = find(id)
    setEtag(ctx, item.version)
    return item
  }

  static put = operation(json(Item), response(Item))
  put(ctx: Context, data: NewItem, id: ById) {
    const item = find(id)
    checkEtag(ctx, item.version)
    return replace(item, data)
  }
}

/** Each call says which codec its tag is made with. */
class Explicit extends MethodView {
  static shared = operation(etag())

  static get = operation(response(Item))
  get(ctx: Context, id: ById) {
    const item = findAndCount(id)
    setEtag(ctx, item, ItemVersion)
    return item
  }

  static put = operation(json(Item), response(Item))
  put(ctx: Context, data: NewItem, id: ById) {
    const item = find(id)
    checkEtag(ctx, item, ItemVersion)
    const replaced = replace(item, data)
    setEtag(ctx, replaced, ItemVersion)
    return replaced
  }
}

class FieldNames extends MethodView {
  static put = operation(etag(), json(Item), response(Item))
  put(ctx: Context, data: NewItem, id: ById) {
    const item = find(id)
    checkEtag(ctx, item, ['version'])
    return replace(item, data)
  }
}

/** Forgets `checkEtag`. */
class Unchecked extends MethodView {
  static shared = operation(etag())

  static put = operation(json(Item), response(Item))
  put(_: Context, data: NewItem, id: ById) {
    return replace(find(id), data)
  }

  static delete = operation(response({ code: 204 }))
  delete(_: Context, id: ById) {
    items.remove(find(id).id)
  }
}

class SetOnDelete extends MethodView {
  static delete = operation(etag(), response({ code: 204 }))
  delete(ctx: Context, id: ById) {
    const item = find(id)
    checkEtag(ctx, item, Item)
    setEtag(ctx, item, Item)
  }
}

class Undecorated extends MethodView {
  static get = operation(response(Item))
  get(_: Context, id: ById) {
    return find(id)
  }

  static put = operation(json(Item), response(Item))
  put(_: Context, data: NewItem, id: ById) {
    return replace(find(id), data)
  }
}

const plain = () => new Response('plain', { headers: { 'Content-Type': 'text/plain' } })
const revision = operation(etag(), response())

export const etagsBlueprint = new Blueprint('etags', {
  urlPrefix: '/etags',
  description: 'Conditional requests',
})
  .route('/items', ItemList)
  .route('/items/:item_id<int>', ItemById)
  .route('/separate/:item_id<int>', Separate)
  .route('/arbitrary/:item_id<int>', Arbitrary)
  .route('/single/:item_id<int>', Single)
  .route('/explicit/:item_id<int>', Explicit)
  .route('/field-names/:item_id<int>', FieldNames)
  .route('/unchecked/:item_id<int>', Unchecked)
  .route('/set-on-delete/:item_id<int>', SetOnDelete)
  .get('/response-object', operation(etag(), response()), ctx => {
    setEtag(ctx, 'v1')
    return plain()
  })
  .get('/response-object-unset', operation(etag(), response()), plain)
  .route('/undecorated/:item_id<int>', Undecorated)
  .get('/rev/:rev', revision, (_, { rev }) =>
    reply({ fixed: true }, { 'X-Rev': encodeURIComponent(rev) }),
  )

class TaggedByHeaders<Prefix extends string> extends Blueprint<
  DefaultState,
  DefaultContext,
  Prefix
> {
  static override ETAG_INCLUDE_HEADERS = ['X-Rev']
}

export const etagsHeadersBlueprint = new TaggedByHeaders('etags-headers', {
  urlPrefix: '/etags-headers',
  description: '',
}).get('/rev/:rev', revision, (_, { rev }) =>
  reply({ fixed: true }, { 'X-Rev': encodeURIComponent(rev) }),
)
