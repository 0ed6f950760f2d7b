import * as t from 'io-ts'
import {
  Blueprint,
  type Context,
  checkEtag,
  etag,
  MethodView,
  operation,
  response,
  setEtag,
} from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { tagOfData } from '../../src/features/etag/data-tag.js'
import { serveBlueprints } from '../support/client.js'
import { cpuTime } from '../support/cpu-time.js'
import { requestBytes, sendBytes } from '../support/wire.js'

const Item = t.strict({ name: t.string }, 'Item')
let writes = 0

class ByHand extends MethodView {
  static shared = operation(etag())
  static get = operation(response(Item))
  get() {
    return { name: 'one' }
  }
  static put = operation(response(Item))
  put(ctx: Context) {
    checkEtag(ctx, { name: 'one' }, Item)
    writes += 1
    return { name: 'one' }
  }
}

class Loaded extends MethodView {
  static shared = operation(etag({ load: () => ({ name: 'one' }), tag: () => 'v1' }))
  static get = operation(response(Item))
  get(_ctx: Context, { current }: { current: { name: string } }) {
    return current
  }
  static put = operation(response(Item))
  put(_ctx: Context, { current }: { current: { name: string } }) {
    writes += 1
    return current
  }
}

/** What is behind a tag, by name: no two are the same data. */
const DATA: Readonly<Record<string, unknown>> = {
  number: { a: 1 },
  text: { a: '1' },
  null: { a: null },
  none: {},
  nested: [1, [2]],
  otherwise: [[1], 2],
  flat: [1, 2],
  joined: ['1,2'],
  half: { a: '\ud800' },
  replacement: { a: '\ufffd' },
  true: { a: true },
  list: { a: ['b'] },
  object: { a: { 0: 'b' } },
}
/** Its version cannot be seen from outside, or is an accessor of the class. */
class Row {
  readonly #version: number
  constructor(version: number) {
    this.#version = version
  }
  get version() {
    return this.#version
  }
}
/** A query that runs where it is awaited. */
// biome-ignore lint/suspicious/noThenProperty: query builders have one
const query = { limit: 1, then: (resolve: (row: object) => void) => resolve({ version: 1 }) }

const UNSAYABLE: Readonly<Record<string, unknown>> = {
  'a promise': Promise.resolve({ version: 1 }),
  'a query': query,
  'an instance': new Row(1),
  'an instance deep inside': { items: [{ row: new Row(1) }] },
  'an error': new Error('x'),
  NaN: Number.NaN,
  map: new Map([[1, 2]]),
  set: new Set([1]),
  function: () => 1,
  none: undefined,
}

const items = new Blueprint('items')
  .route('/by-hand', ByHand)
  .route('/loaded', Loaded)
  .get('/data/:name', operation(etag(), response()), (ctx, { name }) => {
    setEtag(ctx, DATA[name])
    return null
  })
  .get('/order/:order', operation(etag(), response()), (ctx, { order }) => {
    setEtag(ctx, order === 'first' ? { a: 1, b: { c: 2, d: [3] } } : { b: { d: [3], c: 2 }, a: 1 })
    return null
  })
  .get('/unsayable/:name', operation(etag(), response()), (ctx, { name }) => {
    setEtag(ctx, UNSAYABLE[name])
    return null
  })
  .get(
    '/for/:user',
    operation(etag(), response(t.strict({ public: t.string, own: t.string }))),
    (_ctx, { user }) => ({
      public: 'x',
      own: user,
    }),
  )
  .get(
    '/minus-zero/:sign',
    operation(etag(), response(t.strict({ n: t.number }))),
    (_ctx, { sign }) => ({ n: sign === 'minus' ? -0 : 0 }),
  )

const { request, port } = await serveBlueprints(items, { DEBUG: false, TESTING: false })
const tagOf = async (path: string) => (await request('GET', path)).headers.get('ETag') ?? ''
const send = async (method: string, path: string, ...lines: string[]) =>
  (await sendBytes(port, requestBytes(method, path, [...lines, 'Connection: close'])))[0]

describe('a condition', () => {
  it.each([
    ['700 tags', (tag: string) => `${'"abcdefghijklmnop", '.repeat(600)}${tag}`],
    ['6,000 commas', (tag: string) => `${','.repeat(6000)}${tag}`],
  ])('is found at the end of a long list: %s (T74)', async (_what, list) => {
    const tag = await tagOf('/loaded')
    expect((await send('GET', '/loaded', `If-None-Match: ${list(tag)}`))?.status).toBe(304)
    expect((await send('PUT', '/loaded', `If-Match: ${list(tag)}`))?.status).toBe(200)
  })

  it('that is long and malformed takes linear time (T74)', async () => {
    for (const list of ['"'.repeat(12_001), 'W/'.repeat(6000), '"a" '.repeat(3000)]) {
      const start = cpuTime()
      expect((await send('PUT', '/loaded', `If-Match: ${list}`))?.status).toBe(412)
      expect(cpuTime() - start).toBeLessThan(200)
    }
  })

  it.each(['/by-hand', '/loaded'])(
    'that does not hold prevents the write, however it is spelt: %s (T75)',
    async path => {
      const tag = await tagOf(path)
      const bare = tag.slice(1, -1)
      const before = writes
      const fields = [
        '"x"',
        bare,
        `W/${tag}`,
        `'${bare}'`,
        tag.slice(0, -1),
        `"${bare.slice(0, -1)}"`,
        `"${bare}x"`,
        `${tag} "x"`,
        `${tag};q=1`,
        `"x", *`,
        `[${tag}]`,
        '**',
      ]
      for (const field of fields)
        expect((await send('PUT', path, `If-Match: ${field}`))?.status, field).toBe(412)
      expect((await send('PUT', path, 'If-Match:'))?.status).toBe(428)
      expect((await send('PUT', path, 'If-Match: ,'))?.status).toBe(412)
      expect(writes).toBe(before)
      expect((await send('PUT', path, `If-Match: ${tag}`))?.status).toBe(200)
      expect(writes).toBe(before + 1)
    },
  )
})

describe('an entity tag', () => {
  it('is computed from what this caller is sent, so it reveals nothing of what others are sent (T76)', async () => {
    const [ann, bob] = [await tagOf('/for/ann'), await tagOf('/for/bob')]
    expect(ann).not.toBe(bob)
    expect(await tagOf('/for/ann')).toBe(ann)
    expect((await send('GET', '/for/ann', `If-None-Match: ${bob}`))?.status).toBe(200)
    for (const path of ['/nowhere', '/data/constructor%'])
      expect((await send('GET', path))?.headers.has('etag')).toBe(false)
  })

  it('is 132 bits of a SHA-256 in base64url (T77)', async () => {
    const { createHash } = await import('node:crypto')
    const expected = createHash('sha256').update('{"name":"one"}').digest('base64url').slice(0, 22)
    expect(await tagOf('/by-hand')).toBe(`"${expected}"`)
  })

  it('differs if the data differ (T78, T30)', async () => {
    const tags = await Promise.all(Object.keys(DATA).map(name => tagOf(`/data/${name}`)))
    expect(new Set(tags).size).toBe(Object.keys(DATA).length)
  })

  it('does not depend on the order of names, nor on the sign of zero (T78)', async () => {
    expect(await tagOf('/order/first')).toBe(await tagOf('/order/second'))
    expect(await tagOf('/minus-zero/minus')).toBe(await tagOf('/minus-zero/plus'))
  })

  it.each([['versoin'], ['id', 'versoin']])(
    'is not computed from fields that the data does not have: %j',
    (...names) => {
      expect(() => tagOfData({ id: 1, version: 2 }, names)).toThrow(
        'etag: the data has no field "versoin"',
      )
      expect(() => tagOfData(undefined, names)).toThrow('the data has no field')
    },
  )

  it('is computed from accessors if they are named, or if a codec reads them', () => {
    const [first, second] = [new Row(1), new Row(2)]
    for (const source of [['version'], t.strict({ version: t.number })])
      expect(tagOfData(first, source)).not.toBe(tagOfData(second, source))
  })

  it('is computed from instances that have a toJSON', () => {
    expect(tagOfData({ at: new Date(0) })).toBe(tagOfData({ at: '1970-01-01T00:00:00.000Z' }))
  })

  it.each(Object.keys(UNSAYABLE))(
    'is not computed from what JSON cannot express, or would write alike for every version: %s (T78)',
    async name => {
      expect(await request('GET', `/unsayable/${encodeURIComponent(name)}`)).toMatchObject({
        status: 500,
        body: { code: 500 },
      })
    },
  )
})
