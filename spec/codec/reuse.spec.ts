import * as t from 'io-ts'
import {
  Api,
  Application,
  Blueprint,
  int,
  int64,
  json,
  operation,
  optional,
  response,
  struct,
  wireName,
  withDefault,
} from 'koa-smorest'
import { fetchOf } from 'koa-smorest/testing'
import { expect, it } from 'vitest'
import { decoderOf } from '../../src/codec/decode/decode.js'

const Size = struct({ width: t.number }, 'Size')
const Row = struct({ id: int, tags: t.array(t.string), size: optional(Size) }, 'Row')

const decode = (codec: t.Mixed, input: unknown) => decoderOf(codec, { reuse: true })(input)

it('returns what decoding does not change, and copies what it does', () => {
  const row = { size: { width: 1 }, id: 1, tags: ['a'] }
  expect(decode(Row, row)).toBe(row)
  expect(decode(t.array(Row), [row])).toEqual([row])
  const rows = [row, { id: -0, tags: [] }, row]
  const decoded = decode(t.array(Row), rows) as (typeof rows)[number][]
  expect(decoded).not.toBe(rows)
  expect(decoded[0]).toBe(row)
  expect(decoded[2]).toBe(row)
  // a number on the wire is never -0
  expect(Object.is(decoded[1]?.id, 0)).toBe(true)
  expect(Object.is(rows[1]?.id, -0)).toBe(true)
})

it.each([
  ['a default', struct({ a: withDefault(int, 3) }, 'Default'), {}, { a: 3 }],
  ['another name', struct({ dueOn: wireName('due_on', int) }, 'Due'), { due_on: 1 }, { dueOn: 1 }],
  ['a bigint', struct({ a: int64.asBigInt }, 'Big'), { a: '5' }, { a: 5n }],
] as const)('copies an object with %s', (_, codec, input, expected) => {
  const decoded = decode(codec, input)
  expect(decoded).not.toBe(input)
  expect(decoded).toEqual(expected)
})

it('gives each request without a body an argument of its own', async () => {
  const app = new Application()
  const counts = new Blueprint('counts').post(
    '/counts',
    operation(json(t.partial({ count: int }, 'Count'), { required: false }), response(int)),
    (_ctx, given) => {
      given.count = (given.count ?? 0) + 1
      return given.count
    },
  )
  new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(counts)
  const post = async () => (await fetchOf(app)('/counts', { method: 'POST' })).json()
  expect([await post(), await post()]).toEqual([1, 1])
})
