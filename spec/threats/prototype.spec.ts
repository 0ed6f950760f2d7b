import { describe, expect, it } from 'vitest'
import { serveThreats } from './served.js'

const { post, request } = await serveThreats()

/** What a polluted prototype would have. */
function pollution(): unknown[] {
  return [Object.prototype, Function.prototype, Array.prototype].flatMap(prototype =>
    ['isAdmin', 'x', 'polluted'].filter(name => name in prototype),
  )
}

describe('names such as __proto__ and toString', () => {
  it.each([
    ['T01', '{"__proto__":{"isAdmin":true}}'],
    ['T01', '{"a":[{"b":{"__proto__":{"isAdmin":true}}}]}'],
    ['T02', '{"\\u005f\\u005fproto\\u005f_":{"isAdmin":true}}'],
    ['T02', '{"a":{"_\\u005Fproto__":1}}'],
  ])('are refused in JSON if they name the prototype (%s): %s', async (_row, body) => {
    for (const path of ['/open', '/merge', '/closed']) {
      expect(await post(path, body)).toMatchObject({
        status: 400,
        body: { errors: { json: ['The name "__proto__" is not allowed.'] } },
      })
    }
    expect(pollution()).toEqual([])
  })

  it('are never merged into a prototype (T03)', async () => {
    const body = '{"constructor":{"prototype":{"x":1,"isAdmin":true}}}'
    expect((await post('/closed', body)).body.errors.json.constructor).toEqual(['Unknown field.'])
    for (const path of ['/open', '/merge'])
      expect((await post(path, body)).body).toEqual(JSON.parse(body))
    expect(pollution()).toEqual([])
  })

  it('are ordinary names in query, form, cookies and header fields (T04)', async () => {
    const odd = '__proto__=1&constructor[prototype][x]=1&__proto__[x]=1&toString=1&a.__proto__.x=1'
    expect(await request('GET', `/search?${odd}`)).toMatchObject({ status: 200, body: {} })
    const form = await request('POST', '/form', {
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: odd,
    })
    expect(Object.keys(form.body.errors.form)).toEqual([
      '__proto__',
      'constructor[prototype][x]',
      '__proto__[x]',
      'toString',
      'a.__proto__.x',
    ])
    const headers = { Cookie: '__proto__=1; constructor=2; a=3', 'X-A': '4', constructor: '5' }
    expect((await request('GET', '/cookies', { headers })).body).toEqual({ a: '3' })
    expect((await request('GET', '/headers', { headers })).body).toEqual({ 'X-A': '4' })
    expect(pollution()).toEqual([])
  })

  it('are ordinary names in a multipart body (T05)', async () => {
    const data = new FormData()
    for (const name of ['__proto__', 'toString']) data.append(name, '1')
    data.append('__proto__', new Blob(['2']), 'x')
    data.append('file', new Blob(['3']), 'x')
    const { status, body } = await request('POST', '/upload', { body: data })
    expect({ status, errors: body.errors }).toEqual({
      status: 422,
      errors: { form: { toString: ['Unknown field.'], ['__proto__']: ['Unknown field.'] } },
    })
    expect(pollution()).toEqual([])
  })

  it('are data in a value: nothing is called, nothing is awaited (T07)', async () => {
    const text = '{"toString":1,"valueOf":2,"toJSON":3,"then":4,"length":5}'
    for (const path of ['/open', '/anything', '/merge'])
      expect((await post(path, text)).text).toBe(text)
  })

  it('are ordinary fields if a codec declares them, and missing if they are only inherited (T08)', async () => {
    const inherited = { constructor: 'a', hasOwnProperty: 1, toString: 'b', length: 2 }
    expect((await post('/inherited', JSON.stringify(inherited))).body).toEqual(inherited)
    const { status, body } = await post('/inherited', '{}')
    const missing = ['Missing data for required field.']
    expect({ status, errors: body.errors.json }).toEqual({
      status: 422,
      errors: { constructor: missing, hasOwnProperty: missing, toString: missing, length: missing },
    })
  })
})
