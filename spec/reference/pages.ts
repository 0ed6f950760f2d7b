import * as t from 'io-ts'
import type { DefaultContext, DefaultState } from 'koa'
import {
  abort,
  Blueprint,
  etag,
  operation,
  Page,
  paginate,
  query,
  reply,
  response,
} from 'koa-smorest'
import { B, Num, ViewPage } from './codecs.js'

const MOST = 100_000

/** `{ n: 0 }`, `{ n: 1 }` and so on; with `from`, from there on. */
function nums(total: number, from = 0): readonly Num[] {
  if (total > MOST || !Number.isSafeInteger(from + total))
    abort(404, { message: 'There is no list as long as that.' })
  return Array.from({ length: total }, (_, index) => ({ n: from + index }))
}

/** A collection that can be counted and sliced, and is not an array. */
class Cursor {
  constructor(private readonly total: number) {}

  count(): number {
    return this.total
  }

  slice(start: number, end: number): readonly Num[] {
    return nums(this.total).slice(start, end)
  }
}

class CursorPage extends Page<Cursor> {
  override get itemCount() {
    return this.collection.count()
  }
}

const List = response(t.array(Num))

export const pagesBlueprint = new Blueprint('pages', { urlPrefix: '/pages', description: '' })
  .get('/list/:total<int>', operation(List, paginate(Page)), (_, { total }) => nums(total))
  .get(
    '/cursor/:total<int>',
    operation(List, paginate(CursorPage)),
    (_, { total }) => new Cursor(total),
  )
  .get(
    '/view/:total<int>',
    operation(response(ViewPage), paginate()),
    (_, { total, paginationParameters }) => {
      const { page, pageSize, firstItem, lastItem } = paginationParameters
      paginationParameters.itemCount = total
      const items = nums(total)
        .slice(firstItem, lastItem + 1)
        .map(({ n }) => n ?? 0)
      return { page, page_size: pageSize, first_item: firstItem, last_item: lastItem, items }
    },
  )
  .get(
    '/unset/:total<int>',
    operation(List, paginate()),
    (_, { total, paginationParameters: { firstItem, lastItem } }) =>
      nums(total).slice(firstItem, lastItem + 1),
  )
  .get(
    '/defaults/:total<int>',
    operation(List, paginate(Page, { page: 2, pageSize: 5, maxPageSize: 7 })),
    (_, { total }) => nums(total),
  )
  .get('/status/:total<int>', operation(List, paginate(Page)), (_, { total }) =>
    reply(nums(total), 206),
  )
  .get('/headers/:total<int>', operation(List, paginate(Page)), (_, { total }) =>
    reply(nums(total), { 'X-Extra': 'yes' }),
  )
  .get('/all/:total<int>', operation(List, paginate(Page)), (_, { total }) =>
    reply(nums(total), 202, { 'X-Extra': 'yes' }),
  )
  .get('/etag/:total<int>', operation(etag(), List, paginate(Page)), (_, { total }) => nums(total))
  .get('/with-args/:total<int>', operation(query(B), List, paginate(Page)), (_, { b }, { total }) =>
    nums(total, b),
  )
  .get(
    '/args-inside/:total<int>',
    operation(List, paginate(), query(B, { asKwargs: true })),
    (_, { total, b, paginationParameters: parameters }) => {
      parameters.itemCount = total
      return nums(total, b).slice(parameters.firstItem, parameters.lastItem + 1)
    },
  )
  .post('/post/:total<int>', operation(List, paginate(Page)), (_, { total }) => nums(total))

class NamedPages<Prefix extends string> extends Blueprint<DefaultState, DefaultContext, Prefix> {
  static override DEFAULT_PAGINATION_PARAMETERS = { page: 1, pageSize: 3, maxPageSize: 4 }
  static override PAGINATION_HEADER_FIELD_NAME: string | null = 'X-Custom-Pagination'
}

class NamelessPages<Prefix extends string> extends NamedPages<Prefix> {
  static override PAGINATION_HEADER_FIELD_NAME = null
}

const Pages = operation(List, paginate(Page))

export const namedPagesBlueprint = new NamedPages('pages-named', {
  urlPrefix: '/pages-named',
  description: '',
}).get('/list/:total<int>', Pages, (_, { total }) => nums(total))
export const namelessPagesBlueprint = new NamelessPages('pages-none', {
  urlPrefix: '/pages-none',
  description: '',
}).get('/list/:total<int>', Pages, (_, { total }) => nums(total))
