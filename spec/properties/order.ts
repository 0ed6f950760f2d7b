import * as t from 'io-ts'
import {
  Blueprint,
  type Context,
  email,
  exclusiveMaximum,
  int,
  isoDate,
  json,
  list,
  maxItems,
  maximum,
  maxLength,
  minItems,
  minimum,
  minLength,
  multipleOf,
  nullable,
  operation,
  optional,
  pattern,
  query,
  readOnly,
  response,
  struct,
  uniqueItems,
  uuid,
} from 'koa-smorest'

const Line = struct(
  { sku: pattern(t.string, /^[A-Z]{3}-[0-9]{2}$/), amount: maximum(minimum(int, 1), 9) },
  'Line',
)

/** A codec with every bound that there is. */
const Order = struct(
  {
    id: optional(readOnly(int)),
    name: maxLength(minLength(t.string, 2), 5),
    kind: t.keyof({ new: null, old: null }),
    step: multipleOf(int, 5),
    share: exclusiveMaximum(minimum(t.number, 0), 1),
    tags: uniqueItems(maxItems(minItems(t.array(t.string), 1), 3)),
    lines: t.array(Line),
    day: isoDate,
    reference: uuid,
    contact: optional(email),
    flag: t.boolean,
    note: nullable(t.string),
  },
  'Order',
)

/** A body that fits, with what may be left out. */
export const ORDER = {
  name: 'abc',
  kind: 'new',
  step: 10,
  share: 0.5,
  tags: ['a', 'b'],
  lines: [{ sku: 'ABC-12', amount: 3 }],
  day: '2026-03-09',
  reference: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
  contact: 'a@example.com',
  flag: true,
  note: null,
}

const Search = struct({
  n: optional(maximum(minimum(int, 1), 10)),
  ids: optional(list(int)),
  kind: t.keyof({ new: null, old: null }),
})

/** How often a method was run. */
export const calls = { count: 0 }

function counted<Value>(): (ctx: Context, value: Value) => Value {
  return (_ctx, value) => {
    calls.count += 1
    return value
  }
}

/** Takes orders and searches; each answers what it was given. */
export const orders = new Blueprint('orders')
  .post('/orders', operation(json(Order), response(Order)), counted())
  .get('/search', operation(query(Search)), counted())
  .get('/orders/:id<int(min=1,max=9)>', operation(), (_ctx, { id }) => ({ id }))
