import * as t from 'io-ts'
import {
  argument,
  Blueprint,
  type Context,
  cookies,
  type Feature,
  files,
  form,
  headers,
  int,
  json,
  list,
  maxLength,
  minLength,
  operation,
  optional,
  path,
  query,
  readOnly,
  struct,
  Upload,
  uuid,
  wireName,
  withDefault,
} from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { serveBlueprints } from '../support/client.js'

const Part = struct({ sku: t.string, quantity: withDefault(int, 1) }, 'Part')
const Order = struct({ id: readOnly(int), name: maxLength(minLength(t.string, 2), 5), parts: optional(t.array(Part)) }, 'Order')
const Search = struct({
  q: t.string,
  limit: withDefault(int, 20),
  ids: optional(t.array(int)),
  csv: optional(list(int)),
  flag: optional(t.boolean),
})
const A = t.strict({ a: t.string }, 'A')

const views = new Blueprint('views')
views.post('/json', operation(json(Order)), (_ctx, order) => order)
views.post('/excluded', operation(json(Order, { unknown: 'exclude' })), (_ctx, order) => order)
views.post('/included', operation(json(t.type({ a: t.string }), { unknown: 'include' })), (_ctx, value) => value)
views.post('/small', operation(json(A, { limits: { json: 20, depth: 2 } })), (_ctx, value) => value)
views.post('/typed', operation(json(A, { contentType: 'application/vnd.a' })), (_ctx, value) => value)
views.post('/status', operation(json(A, { errorStatusCode: 400 })), (_ctx, value) => value)
views.post('/list', operation(json(t.array(A))), (_ctx, value) => value)
views.get('/query', operation(query(Search)), (_ctx, search) => search)
views.get('/querystring', operation(argument(t.strict({ n: int }), { location: 'querystring' })), (_ctx, value) => value)
views.get('/path/:id', operation(path(t.strict({ id: uuid }))), (_ctx, given, { id }) => [given, id])
views.get('/headers', operation(headers(struct({ token: wireName('X-Token', t.string) }))), (_ctx, value) => value)
views.get('/cookies', operation(cookies(t.strict({ session: t.string }))), (_ctx, value) => value)
views.post('/form', operation(form(struct({ name: t.string, n: optional(t.array(int)) }))), (_ctx, value) => value)
views.post(
  '/upload',
  operation(files(struct({ file: Upload, more: optional(t.array(Upload)) })), form(A)),
  async (_ctx, { file, more }, fields) => [
    { name: file.filename, type: file.mediaType, size: file.size, text: await file.text() },
    more?.length ?? 0,
    fields,
  ],
)
views.post('/order', operation(query(t.strict({ b: int })), json(A)), (_ctx, first, second) => [first, second])
views.post('/named', operation(json(A, { asKwargs: true }), query(t.strict({ b: int }))), (_ctx, first, { a }) => [first, a])

const { request, api } = await serveBlueprints(views, { TESTING: true })
const post = (path: string, json: unknown) => request('POST', path, { json })
const errorsOf = async (path: string, json: unknown) => (await post(path, json)).body.errors

describe('json', () => {
  it('gives the method the decoded body, defaults included', async () => {
    expect((await post('/json', { name: 'Rex', parts: [{ sku: 'x' }] })).body).toEqual({ name: 'Rex', parts: [{ sku: 'x', quantity: 1 }] })
  })

  it('names every fault where it is, and never repeats a value', async () => {
    const { status, body, text } = await post('/json', {
      name: 'sesame',
      parts: [{ sku: 'x' }, { sku: 7, quantity: 1.5, size: 'sesame' }],
      age: 1,
    })
    expect(status).toBe(422)
    const parts = { 1: { sku: [expect.any(String)], quantity: [expect.any(String)], size: ['Unknown field.'] } }
    expect(body.errors).toEqual({ json: { name: [expect.stringContaining('5')], parts, age: ['Unknown field.'] } })
    expect(text).not.toContain('sesame')
  })

  it('names every missing field of an absent body', async () => {
    for (const sent of [{}, { body: '', headers: { 'Content-Type': 'application/json' } }]) {
      expect((await request('POST', '/json', sent)).body.errors).toEqual({ json: { name: [expect.stringMatching(/missing/i)] } })
    }
  })

  it.each([[[]], ['text'], [7], [null]])('refuses a body that is no object: %j', async body => {
    expect(await errorsOf('/json', body)).toEqual({ json: { _schema: [expect.any(String)] } })
  })

  it('refuses read-only fields, whatever the policy (T11)', async () => {
    for (const path of ['/json', '/excluded'])
      expect(await errorsOf(path, { name: 'Rex', id: 1 })).toEqual({ json: { id: [expect.any(String)] } })
  })

  it('drops or keeps unknown fields where it is told to (T09, T10)', async () => {
    expect((await post('/excluded', { name: 'Rex', more: 1, parts: [{ sku: 'x', more: 1 }] })).body).toEqual({
      name: 'Rex',
      parts: [{ sku: 'x', quantity: 1 }],
    })
    expect((await post('/included', { a: 'x', more: 1 })).body).toEqual({ a: 'x', more: 1 })
  })

  it('refuses another media type with 415, and takes that of its own', async () => {
    const sent = (type: string) => ({ headers: { 'Content-Type': type }, body: '{"a":"x"}' })
    expect((await request('POST', '/status', sent('text/plain'))).status).toBe(415)
    expect((await request('POST', '/status', sent('application/merge-patch+json'))).status).toBe(200)
    expect((await request('POST', '/typed', sent('application/vnd.a'))).status).toBe(200)
  })

  it('refuses what is not JSON with 400, what is too large with 413', async () => {
    const sent = (body: string) => ({ headers: { 'Content-Type': 'application/json' }, body })
    expect((await request('POST', '/status', sent('{'))).body.errors).toEqual({ json: [expect.any(String)] })
    expect((await request('POST', '/small', sent('{"a":"xxxxxxxxxxxxxxxxx"}'))).status).toBe(413)
    expect((await request('POST', '/small', sent('[[[]]]'))).status).toBe(400)
  })

  it('has another status for what does not decode where it is told so', async () => {
    expect((await post('/status', {})).status).toBe(400)
  })

  it('names the items of a list by their index', async () => {
    expect(await errorsOf('/list', [{ a: 'x' }, {}])).toEqual({ json: { 1: { a: [expect.any(String)] } } })
  })
})

describe('query', () => {
  it('reads texts as what they are declared to be', async () => {
    const { body } = await request('GET', '/query?q=%C3%A9+x&limit=3&ids=1&ids=2&csv=4,5&flag=true&more=1')
    expect(body).toEqual({ q: 'é x', limit: 3, ids: [1, 2], csv: [4, 5], flag: true })
    expect((await request('GET', '/query?q=x&ids=1')).body).toEqual({ q: 'x', limit: 20, ids: [1] })
  })

  it.each(['q=a&q=b', 'q=a&limit=', 'q=a&limit=0x10', 'q=a&limit=1.0', 'q=a&limit=9007199254740993', 'q=a&flag=yes', 'limit=1'])(
    'refuses ?%s',
    async search => {
      expect((await request('GET', `/query?${search}`)).status).toBe(422)
    },
  )

  it('is 400 where it is malformed', async () => {
    expect((await request('GET', '/query?q=%zz')).status).toBe(400)
  })

  it('keeps the name that it was declared with', async () => {
    expect((await request('GET', '/querystring')).body.errors).toEqual({ querystring: { n: [expect.any(String)] } })
  })
})

describe('the other locations', () => {
  it('are the path, as it was written', async () => {
    const id = '7C9E6679-7425-40DE-944B-E07FC1F90AE7'
    expect((await request('GET', `/path/${id}`)).body[1]).toBe(id)
    expect((await request('GET', '/path/x')).body.errors).toEqual({ path: { id: [expect.any(String)] } })
  })

  it('are header fields in any case, under the name of the codec', async () => {
    expect((await request('GET', '/headers', { headers: { 'x-tOKEN': 'abc' } })).body).toEqual({ token: 'abc' })
    expect((await request('GET', '/headers')).body.errors).toEqual({ headers: { 'X-Token': [expect.any(String)] } })
  })

  it('are cookies', async () => {
    expect((await request('GET', '/cookies', { headers: { Cookie: 'a=b; session=xyz' } })).body).toEqual({ session: 'xyz' })
  })

  it('are forms, urlencoded or multipart', async () => {
    expect((await request('POST', '/form', { body: new URLSearchParams('name=a&n=1&n=2') })).body).toEqual({ name: 'a', n: [1, 2] })
    const multipart = new FormData()
    multipart.append('name', 'a')
    expect((await request('POST', '/form', { body: multipart })).body).toEqual({ name: 'a' })
    expect((await request('POST', '/form', { body: new URLSearchParams('name=a&more=1') })).body.errors).toEqual({
      form: { more: ['Unknown field.'] },
    })
  })

  it('are files beside the fields of a form, in one body', async () => {
    const multipart = new FormData()
    multipart.append('file', new Blob(['content'], { type: 'text/x-y' }), '../../name.txt')
    multipart.append('more', new Blob(['1']), 'one')
    multipart.append('a', 'x')
    const { body } = await request('POST', '/upload', { body: multipart })
    expect(body).toEqual([{ name: '../../name.txt', type: 'text/x-y', size: 7, text: 'content' }, 1, { a: 'x' }])
  })
})

describe('several arguments', () => {
  it('are given in the order of the descriptor, and the first that fails decides', async () => {
    expect((await post('/order?b=1', { a: 'x' })).body).toEqual([{ b: 1 }, { a: 'x' }])
    expect((await post('/order', {})).body.errors).toEqual({ query: { b: [expect.any(String)] } })
  })

  it('may be named', async () => {
    expect((await post('/named?b=1', { a: 'x' })).body).toEqual([{ b: 1 }, 'x'])
  })
})

describe('named fields', () => {
  const named: Feature<{ named: { user: string } }> = {
    on: () => [
      {
        stage: 'access',
        step(exchange) {
          exchange.named.user = 'ann'
        },
      },
    ],
  }
  const anything = t.record(t.string, t.union([t.string, t.array(t.string)]))
  const open = new Blueprint('open')
  const show = (_ctx: Context, all: object) => ({ all: Object.entries(all), isPlain: Object.getPrototypeOf(all) === Object.prototype })
  open.get('/record/:petId<int>', operation(named, query(anything, { asKwargs: true })), show)
  open.get('/included/:petId<int>', operation(named, query(t.partial({ a: t.string }), { asKwargs: true, unknown: 'include' })), show)
  open.get('/user', operation(named, query(t.strict({ user: t.string }), { asKwargs: true })), show as never)

  it.each(['record', 'included'])('never replace a path parameter, or what an earlier feature has named (%s)', async kind => {
    const { request } = await serveBlueprints(open)
    const { body } = await request('GET', `/${kind}/7?petId=666&user=eve&a=1`)
    expect(Object.fromEntries(body.all)).toEqual({ petId: 7, user: 'ann', a: '1' })
  })

  it("are own properties of the method's last parameter, whatever a client calls them", async () => {
    const { request } = await serveBlueprints(open)
    const { body } = await request('GET', '/record/7?__proto__=a&__proto__=b&constructor=c')
    expect(body.isPlain).toBe(true)
    expect(body.all).toEqual(
      expect.arrayContaining([
        ['__proto__', ['a', 'b']],
        ['constructor', 'c'],
      ]),
    )
  })

  it('that an earlier feature has named already are an error of the application', async () => {
    const { request, errors } = await serveBlueprints(open)
    expect((await request('GET', '/user?user=eve')).status).toBe(500)
    expect(errors.at(-1)?.message).toContain('an earlier feature has named "user" already')
  })
})

describe('header fields', () => {
  const Token = struct({ 'X-Token': optional(t.string) })
  const isToken = (_value: unknown): _value is t.Branded<t.TypeOf<typeof Token>, { readonly Token: symbol }> => true
  const codecs: Record<string, t.Mixed> = {
    branded: t.brand(Token, isToken, 'Token' as never),
    refined: t.refinement(Token, () => true),
    united: t.union([t.strict({ kind: t.literal('a'), 'X-Token': t.string }), Token]),
    joined: t.intersection([Token, t.partial({ 'X-Other': t.string })]),
    recursive: t.recursion('Recursive', () => Token),
  }

  it.each(Object.keys(codecs))('of a codec that is %s are read', async name => {
    const views = new Blueprint('views').get('/', operation(headers(codecs[name] as t.Mixed)), (_ctx, value) => value)
    const { request } = await serveBlueprints(views)
    expect((await request('GET', '/', { headers: { 'x-token': 'abc' } })).body).toEqual({ 'X-Token': 'abc' })
  })
})

describe('limits', () => {
  it('that are undefined are the default, also beside another body', async () => {
    const limits = { form: undefined, file: undefined } as never
    const views = new Blueprint('views')
    views.post('/', operation(form(A, { limits }), files(t.type({ file: Upload }), { limits })), (_ctx, value) => value)
    const { request } = await serveBlueprints(views)
    const body = new FormData()
    body.append('a', 'x'.repeat(70_000))
    body.append('file', new Blob(['x']), 'x')
    expect((await request('POST', '/', { body })).status).toBe(413)
  })
})

describe('the document of arguments', () => {
  // biome-ignore lint/suspicious/noExplicitAny: a document is walked
  const { paths } = api.spec.toJSON() as any

  it('has a body by media type, with the responses to it', () => {
    const { requestBody, responses } = paths['/json'].post
    expect(requestBody).toEqual({ required: true, content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } } })
    expect(Object.keys(responses)).toEqual(['200', '400', '413', '415', '422', 'default'])
  })

  it('has parameters for everything else', () => {
    const places = (path: string) =>
      paths[path].get.parameters.map((parameter: { in: string; name: string }) => `${parameter.in} ${parameter.name}`)
    expect(places('/query')).toEqual(['query q', 'query limit', 'query ids', 'query csv', 'query flag'])
    expect([places('/headers'), places('/cookies')]).toEqual([['header X-Token'], ['cookie session']])
  })

  it('has one multipart body for files and form together', () => {
    const { content } = paths['/upload'].post.requestBody
    expect(Object.keys(content)).toEqual(['multipart/form-data'])
    const { properties, additionalProperties } = content['multipart/form-data'].schema
    expect(Object.keys(properties)).toEqual(['file', 'more', 'a'])
    expect(additionalProperties, 'closed where the form is').toBe(false)
  })
})
