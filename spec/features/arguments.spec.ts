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
  minItems,
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
import { requestBytes, sendOne } from '../support/wire.js'

const A = t.strict({ a: t.string }, 'A')
const Part = struct({ sku: t.string, quantity: withDefault(int, 1) }, 'Part')
const Order = struct(
  { id: readOnly(int), name: maxLength(minLength(t.string, 2), 5), parts: optional(t.array(Part)) },
  'Order',
)

/**
 * Serves one operation, whose method returns what it is given after `ctx`: its arguments, and the
 * named values last.
 */
async function serveArguments(rule: string, ...features: readonly Feature[]) {
  const show = (_ctx: unknown, ...given: readonly unknown[]) => given
  const views = new Blueprint('views').route(rule, operation(...features), show as never, {
    methods: ['GET', 'POST'],
  })
  const { request, api, port } = await serveBlueprints(views, { TESTING: true })
  return {
    request,
    api,
    port,
    post: (json: unknown, path = rule) => request('POST', path, { json }),
  }
}

const JSON_TYPE = { 'Content-Type': 'application/json' }
const TEXT = expect.any(String)

describe('json', () => {
  it('gives the method the decoded body, defaults included', async () => {
    const { post } = await serveArguments('/', json(Order))
    expect((await post({ name: 'Rex', parts: [{ sku: 'x' }] })).body).toEqual([
      { name: 'Rex', parts: [{ sku: 'x', quantity: 1 }] },
      {},
    ])
  })

  it('names every fault at its place, and never repeats a value', async () => {
    const { post } = await serveArguments('/', json(Order))
    const { status, body, text } = await post({
      name: 'sesame',
      parts: [{ sku: 'x' }, { sku: 7, quantity: 1.5, size: 'sesame' }],
      age: 1,
    })
    const parts = {
      1: { sku: ['Not a string.'], quantity: ['Not a whole number.'], size: ['Unknown field.'] },
    }
    expect({ status, errors: body.errors }).toEqual({
      status: 422,
      errors: {
        json: { name: ['Must be at most 5 characters long.'], parts, age: ['Unknown field.'] },
      },
    })
    expect(text).not.toContain('sesame')
  })

  it('names the items of a list by their index', async () => {
    const { post } = await serveArguments('/', json(t.array(A)))
    const { body } = await post([{ a: 'x' }, {}])
    expect(body.errors).toEqual({ json: { 1: { a: ['Missing data for required field.'] } } })
  })

  it.each([
    ['absent', {}],
    ['empty', { body: '', headers: JSON_TYPE }],
  ])('names every missing field of a body that is %s', async (_what, sent) => {
    const { request } = await serveArguments('/', json(Order))
    expect((await request('POST', '/', sent)).body.errors).toEqual({
      json: { name: ['Missing data for required field.'] },
    })
  })

  it.each([[[]], ['text'], [7], [null]])('refuses a body that is not an object: %j', async body => {
    const { post } = await serveArguments('/', json(Order))
    expect((await post(body)).body.errors).toEqual({ json: { _schema: [TEXT] } })
  })

  it.each(['raise', 'exclude'] as const)(
    'refuses read-only fields under unknown: %s (T11)',
    async unknown => {
      const { post } = await serveArguments('/', json(Order, { unknown }))
      expect((await post({ name: 'Rex', id: 1 })).body.errors).toEqual({
        json: { id: ['Read-only field.'] },
      })
    },
  )

  it('drops unknown fields at every depth under unknown: exclude (T09, T10)', async () => {
    const { post } = await serveArguments('/', json(Order, { unknown: 'exclude' }))
    const [order] = (await post({ name: 'Rex', more: 1, parts: [{ sku: 'x', more: 1 }] })).body
    expect(order).toEqual({ name: 'Rex', parts: [{ sku: 'x', quantity: 1 }] })
  })

  it('keeps unknown fields under unknown: include', async () => {
    const { post } = await serveArguments(
      '/',
      json(t.type({ a: t.string }), { unknown: 'include' }),
    )
    expect((await post({ a: 'x', more: 1 })).body).toEqual([{ a: 'x', more: 1 }, {}])
  })

  it.each([
    ['application/merge-patch+json', undefined, 200],
    ['application/vnd.a', 'application/vnd.a', 200],
    ['application/vnd.a', undefined, 415],
    ['text/plain', undefined, 415],
  ])('is sent as %s if contentType is %s: %i', async (type, contentType, status) => {
    const { request } = await serveArguments(
      '/',
      json(A, contentType === undefined ? {} : { contentType }),
    )
    expect(
      (await request('POST', '/', { headers: { 'Content-Type': type }, body: '{"a":"x"}' })).status,
    ).toBe(status)
  })

  it('refuses with 400 what is not JSON', async () => {
    const { request } = await serveArguments('/', json(A))
    const { status, body } = await request('POST', '/', { headers: JSON_TYPE, body: '{' })
    expect({ status, errors: body.errors }).toEqual({
      status: 400,
      errors: { json: ['Invalid JSON body.'] },
    })
  })

  it.each([
    ['{"a":"xxxxxxxxxxxx"}', 200],
    ['{"a":"xxxxxxxxxxxxx"}', 413],
    ['[[[]]]', 400],
  ])('refuses %s with limits of 20 bytes and 2 levels: %i', async (body, status) => {
    const { request } = await serveArguments('/', json(A, { limits: { json: 20, depth: 2 } }))
    expect((await request('POST', '/', { headers: JSON_TYPE, body })).status).toBe(status)
  })

  it('refuses what does not decode with errorStatusCode', async () => {
    const { post } = await serveArguments('/', json(A, { errorStatusCode: 400 }))
    expect((await post({})).body).toMatchObject({ code: 400, errors: { json: { a: [TEXT] } } })
  })
})

describe('query', () => {
  const Search = struct({
    q: t.string,
    limit: withDefault(int, 20),
    ids: optional(t.array(int)),
    csv: optional(list(int)),
    flag: optional(t.boolean),
  })

  it.each([
    [
      'q=%C3%A9+x&limit=3&ids=1&ids=2&csv=4,5&flag=true',
      { q: 'é x', limit: 3, ids: [1, 2], csv: [4, 5], flag: true },
    ],
    ['q=x&ids=1', { q: 'x', limit: 20, ids: [1] }],
    ['q=x&more=1', { q: 'x', limit: 20 }],
    ['q=x&flag=True', { q: 'x', limit: 20, flag: true }],
  ])('reads texts as what the codec declares, and ignores the rest: ?%s', async (search, value) => {
    const { request } = await serveArguments('/', query(Search))
    expect((await request('GET', `/?${search}`)).body).toEqual([value, {}])
  })

  it.each([
    ['q=a&q=b', 'q'],
    ['q=a&limit=', 'limit'],
    ['q=a&limit=0x10', 'limit'],
    ['q=a&limit=1.0', 'limit'],
    ['q=a&limit=9007199254740993', 'limit'],
    ['q=a&flag=maybe', 'flag'],
    ['limit=1', 'q'],
  ])('refuses ?%s, and names %s', async (search, name) => {
    const { request } = await serveArguments('/', query(Search))
    const { status, body } = await request('GET', `/?${search}`)
    expect({ status, errors: body.errors }).toEqual({
      status: 422,
      errors: { query: { [name]: [TEXT] } },
    })
  })

  it('is a 400 if its percent-encoding is malformed', async () => {
    const { request } = await serveArguments('/', query(Search))
    expect((await request('GET', '/?q=%zz')).status).toBe(400)
  })

  it('is called "querystring" in errors if it was declared under that name', async () => {
    const { request } = await serveArguments(
      '/',
      argument(t.strict({ n: int }), { location: 'querystring' }),
    )
    expect((await request('GET', '/')).body.errors).toEqual({ querystring: { n: [TEXT] } })
  })
})

describe('path', () => {
  it('is decoded from the text as it was sent, beside the converted parameters', async () => {
    const { request } = await serveArguments('/:id', path(t.strict({ id: uuid })))
    const id = '7C9E6679-7425-40DE-944B-E07FC1F90AE7'
    expect((await request('GET', `/${id}`)).body).toEqual([{ id: id.toLowerCase() }, { id }])
    expect((await request('GET', '/x')).body.errors).toEqual({ path: { id: [TEXT] } })
  })
})

describe('headers', () => {
  it('are read in any case, and reported under the name in the codec', async () => {
    const { request } = await serveArguments(
      '/',
      headers(struct({ token: wireName('X-Token', t.string) })),
    )
    expect((await request('GET', '/', { headers: { 'x-tOKEN': 'abc' } })).body).toEqual([
      { token: 'abc' },
      {},
    ])
    expect((await request('GET', '/')).body.errors).toEqual({ headers: { 'X-Token': [TEXT] } })
  })
})

describe('cookies', () => {
  it('are read by name, and others ignored', async () => {
    const { request } = await serveArguments('/', cookies(t.strict({ session: t.string })))
    expect((await request('GET', '/', { headers: { Cookie: 'a=b; session=xyz' } })).body).toEqual([
      { session: 'xyz' },
      {},
    ])
  })
})

describe('form', () => {
  const Form = struct({ name: t.string, n: optional(t.array(int)) })

  it('reads urlencoded and multipart bodies', async () => {
    const { request } = await serveArguments('/', form(Form))
    expect(
      (await request('POST', '/', { body: new URLSearchParams('name=a&n=1&n=2') })).body,
    ).toEqual([{ name: 'a', n: [1, 2] }, {}])
    const multipart = new FormData()
    multipart.append('name', 'a')
    expect((await request('POST', '/', { body: multipart })).body).toEqual([{ name: 'a' }, {}])
  })

  it('refuses unknown fields', async () => {
    const { request } = await serveArguments('/', form(Form))
    const { body } = await request('POST', '/', { body: new URLSearchParams('name=a&more=1') })
    expect(body.errors).toEqual({ form: { more: ['Unknown field.'] } })
  })
})

describe('files', () => {
  it('are read beside the fields of a form, from one multipart body', async () => {
    const features = [
      files(struct({ file: Upload, more: optional(t.array(Upload)) })),
      form(A),
    ] as const
    const views = new Blueprint('views').post(
      '/',
      operation(...features),
      async (_ctx, { file, more = [] }, fields) => {
        const { filename, mediaType, size } = file
        return {
          filename,
          mediaType,
          size,
          text: await file.text(),
          more: more.map(one => one.filename),
          fields,
        }
      },
    )
    const { request } = await serveBlueprints(views)
    const multipart = new FormData()
    multipart.append('file', new Blob(['content'], { type: 'text/x-y' }), '../../name.txt')
    multipart.append('more', new Blob(['1']), 'one')
    multipart.append('a', 'x')
    expect((await request('POST', '/', { body: multipart })).body).toEqual({
      filename: '../../name.txt',
      mediaType: 'text/x-y',
      size: 7,
      text: 'content',
      more: ['one'],
      fields: { a: 'x' },
    })
  })
})

describe('several arguments', () => {
  const B = t.strict({ b: int })

  it('are given to the method in the order of the descriptor', async () => {
    const { post } = await serveArguments('/', query(B), json(A))
    expect((await post({ a: 'x' }, '/?b=1')).body).toEqual([{ b: 1 }, { a: 'x' }, {}])
  })

  it('are read in the order of the descriptor, and the first that fails decides', async () => {
    const { post } = await serveArguments('/', query(B), json(A))
    expect((await post({})).body.errors).toEqual({ query: { b: [TEXT] } })
  })

  it('with asKwargs are among the named values', async () => {
    const { post } = await serveArguments('/', json(A, { asKwargs: true }), query(B))
    expect((await post({ a: 'x' }, '/?b=1')).body).toEqual([{ b: 1 }, { a: 'x' }])
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
  const show = (_ctx: Context, all: object) => ({
    all: Object.entries(all),
    // a list as prototype would have no signal
    hasPrototype: 'signal' in Object.getPrototypeOf(all),
    hasSignal: (all as { signal?: unknown }).signal instanceof AbortSignal,
  })
  open.get('/record/:petId<int>', operation(named, query(anything, { asKwargs: true })), show)
  open.get(
    '/included/:petId<int>',
    operation(named, query(t.partial({ a: t.string }), { asKwargs: true, unknown: 'include' })),
    show,
  )
  open.get(
    '/user',
    operation(named, query(t.strict({ user: t.string }), { asKwargs: true })),
    show as never,
  )

  it.each(['record', 'included'])(
    'never replace a path parameter, or what an earlier feature has named (%s)',
    async kind => {
      const { request } = await serveBlueprints(open)
      const { body } = await request('GET', `/${kind}/7?petId=666&user=eve&signal=eve&a=1`)
      expect(body.hasSignal).toBe(true)
      expect(Object.fromEntries(body.all)).toEqual({ petId: 7, user: 'ann', a: '1' })
    },
  )

  it("are own properties of the method's last parameter, whatever a client calls them", async () => {
    const { request } = await serveBlueprints(open)
    const { body } = await request('GET', '/record/7?__proto__=a&__proto__=b&constructor=c')
    expect(body.hasPrototype).toBe(true)
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
  const isToken = (
    _value: unknown,
  ): _value is t.Branded<t.TypeOf<typeof Token>, { readonly Token: symbol }> => true
  const codecs: Record<string, t.Mixed> = {
    branded: t.brand(Token, isToken, 'Token' as never),
    refined: t.refinement(Token, () => true),
    united: t.union([t.strict({ kind: t.literal('a'), 'X-Token': t.string }), Token]),
    joined: t.intersection([Token, t.partial({ 'X-Other': t.string })]),
    recursive: t.recursion('Recursive', () => Token),
  }

  it.each(Object.keys(codecs))('of a codec that is %s are read', async name => {
    const views = new Blueprint('views').get(
      '/',
      operation(headers(codecs[name] as t.Mixed)),
      (_ctx, value) => value,
    )
    const { request } = await serveBlueprints(views)
    expect((await request('GET', '/', { headers: { 'x-token': 'abc' } })).body).toEqual({
      'X-Token': 'abc',
    })
  })
})

describe('a list in a header field', () => {
  const Lists = struct({
    many: wireName('X-Many', optional(t.array(int))),
    listed: wireName('X-Listed', optional(list(int))),
    pair: wireName('X-Pair', optional(t.tuple([int, t.string]))),
    bounded: wireName('X-Bounded', optional(minItems(t.array(t.string), 2))),
    either: wireName('X-Either', optional(t.union([t.array(t.string), t.string]))),
  })

  it.each([
    ['X-Many', '1, 2', { many: [1, 2] }],
    ['X-Many', '7', { many: [7] }],
    ['X-Many', ' ,1 ,\t, 2,', { many: [1, 2] }],
    ['X-Many', '', { many: [] }],
    ['X-Listed', '1, ,2', { listed: [1, 2] }],
    ['X-Pair', '1, a b', { pair: [1, 'a b'] }],
    ['X-Bounded', 'a,b', { bounded: ['a', 'b'] }],
    ['X-Either', 'a, b', { either: ['a, b'] }],
  ])('is split at commas, and empty items are skipped: %s: %s', async (name, value, expected) => {
    const { request } = await serveArguments('/', headers(Lists))
    expect((await request('GET', '/', { headers: { [name]: value } })).body).toEqual([expected, {}])
  })

  it('is joined from several lines', async () => {
    const { port } = await serveArguments('/', headers(Lists))
    const bytes = requestBytes('GET', '/', ['X-Many: 1', 'X-Many: 2,3'])
    expect((await sendOne(port, bytes)).body).toEqual([{ many: [1, 2, 3] }, {}])
  })

  it('is refused by its items', async () => {
    const { request } = await serveArguments('/', headers(Lists))
    const { body } = await request('GET', '/', { headers: { 'X-Many': '1, a', 'X-Bounded': 'a,' } })
    expect(body.errors).toEqual({
      headers: { 'X-Many': { 1: [TEXT] }, 'X-Bounded': [TEXT] },
    })
  })
})

describe('a list in a path', () => {
  it.each([
    ['t.array', t.array(t.string)],
    ['list', list(t.string)],
  ])('is split at commas, of %s', async (_what, codec) => {
    const { request } = await serveArguments('/of/:v', path(struct({ v: codec })))
    expect((await request('GET', '/of/a,b')).body[0]).toEqual({ v: ['a', 'b'] })
    expect((await request('GET', '/of/a,%20,,b')).body[0]).toEqual({ v: ['a', ' ', '', 'b'] })
  })
})

describe('limits', () => {
  it('that are undefined are the default, also beside another body', async () => {
    const limits = { form: undefined, file: undefined } as never
    const views = new Blueprint('views')
    views.post(
      '/',
      operation(form(A, { limits }), files(t.type({ file: Upload }), { limits })),
      (_ctx, value) => value,
    )
    const { request } = await serveBlueprints(views)
    const body = new FormData()
    body.append('a', 'x'.repeat(70_000))
    body.append('file', new Blob(['x']), 'x')
    expect((await request('POST', '/', { body })).status).toBe(413)
  })
})

describe('the document of an argument', () => {
  /** What the document says of an operation with these features. */
  async function documented(method: 'get' | 'post', ...features: readonly Feature[]) {
    const { api } = await serveArguments('/', ...features)
    // biome-ignore lint/suspicious/noExplicitAny: a document is walked
    return (api.spec.toJSON() as any).paths['/'][method]
  }

  it('has a JSON body by media type, with the responses to it', async () => {
    const { requestBody, responses } = await documented('post', json(Order))
    expect(requestBody).toEqual({
      required: true,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } },
    })
    expect(Object.keys(responses)).toEqual(['200', '400', '413', '415', '422', 'default'])
  })

  it.each([
    [
      'query',
      query(struct({ q: t.string, limit: withDefault(int, 20) })),
      ['query q', 'query limit'],
    ],
    ['headers', headers(struct({ token: wireName('X-Token', t.string) })), ['header X-Token']],
    ['cookies', cookies(t.strict({ session: t.string })), ['cookie session']],
  ])('has a parameter for each field of %s', async (_location, feature, expected) => {
    const { parameters } = await documented('get', feature)
    expect(
      parameters.map(
        (parameter: { in: string; name: string }) => `${parameter.in} ${parameter.name}`,
      ),
    ).toEqual(expected)
  })

  it('has one multipart body for files and form together, which is closed as the form is', async () => {
    const { requestBody } = await documented(
      'post',
      files(struct({ file: Upload, more: optional(t.array(Upload)) })),
      form(A),
    )
    expect(requestBody.content).toMatchObject({
      'multipart/form-data': {
        schema: { properties: { file: {}, more: {}, a: {} }, additionalProperties: false },
      },
    })
    expect(Object.keys(requestBody.content)).toEqual(['multipart/form-data'])
  })
})
