import { describe, expect, it } from 'vitest'
import { breaking } from '../../src/breaking/breaking.js'
import { DocumentError } from '../../src/breaking/references.js'
import { documentOf, type Json, TODAY, type Verdict, verdict, worst } from './documents.js'

const text = { type: 'string' }
const done = { 204: { description: 'Done' } }
const json = (schema: unknown = text): Json => ({ 'application/json': { schema } })
const body = (rest: Json = {}, content = json()): Json => ({
  requestBody: { content, ...rest },
  responses: done,
})
const answered = (responses: Json): Json => ({ responses })
const ok = (rest: Json = {}): Json => ({ description: 'A pet', content: json(), ...rest })
const taking = (...parameters: Json[]): Json => ({ parameters, responses: done })
const inQuery = (name: string, rest: Json = {}): Json => ({
  name,
  in: 'query',
  schema: text,
  ...rest,
})
const field = (rest: Json = {}): Json => ({ headers: { 'X-Total': { schema: text, ...rest } } })
const secured = (...security: Json[]): Json => ({ security, responses: done })
const schemes = {
  components: {
    securitySchemes: {
      key: { type: 'apiKey', in: 'header', name: 'X-Key' },
      login: { type: 'oauth2', flows: {} },
      other: { type: 'http', scheme: 'bearer' },
    },
  },
}
const schemeOf = (scheme: Json): Json => ({ components: { securitySchemes: { key: scheme } } })

/**
 * What changes, the operation before and after, the verdict of the change and of its reverse; then
 * what stands beside it.
 */
type Row = readonly [
  change: string,
  before: Json,
  after: Json,
  there: Verdict,
  back: Verdict,
  rest?: Json,
  afterwards?: Json,
]

const ROWS: readonly Row[] = [
  [
    'texts and tags',
    { ...taking(), summary: 'A', tags: ['a'] },
    { ...taking(), description: 'B', tags: ['b'] },
    'OK',
    'OK',
  ],
  [
    'operationId',
    { ...taking(), operationId: 'a' },
    { ...taking(), operationId: 'b' },
    'WARN',
    'WARN',
  ],
  ['operationId added', taking(), { ...taking(), operationId: 'a' }, 'OK', 'WARN'],
  [
    'sunset earlier',
    { ...taking(), deprecated: true, 'x-sunset': '2027-05-01' },
    { ...taking(), deprecated: true, 'x-sunset': '2027-04-01' },
    'ERR',
    'OK',
  ],
  [
    'sunset removed',
    { ...taking(), deprecated: true, 'x-sunset': '2027-05-01' },
    { ...taking(), deprecated: true },
    'ERR',
    'OK',
  ],
  ['deprecated', taking(), { ...taking(), deprecated: true, 'x-sunset': '2027-05-01' }, 'OK', 'OK'],
  [
    'a server less',
    taking(),
    taking(),
    'WARN',
    'OK',
    { servers: [{ url: '/a' }, { url: '/b' }] },
    { servers: [{ url: '/b' }] },
  ],

  ['an optional parameter', taking(), taking(inQuery('a')), 'OK', 'ERR'],
  ['a required parameter', taking(), taking(inQuery('a', { required: true })), 'ERR', 'ERR'],
  [
    'a parameter becomes required',
    taking(inQuery('a')),
    taking(inQuery('a', { required: true })),
    'ERR',
    'OK',
  ],
  [
    'a parameter moves',
    taking(inQuery('a')),
    taking({ name: 'a', in: 'header', schema: text }),
    'ERR',
    'ERR',
  ],
  [
    'another style',
    taking(inQuery('a')),
    taking(inQuery('a', { style: 'pipeDelimited' })),
    'ERR',
    'ERR',
  ],
  [
    'explode of a list',
    taking(inQuery('a', { schema: { type: 'array', items: text } })),
    taking(inQuery('a', { schema: { type: 'array', items: text }, explode: false })),
    'ERR',
    'ERR',
  ],
  [
    'explode of a text, which has no effect',
    taking(inQuery('a')),
    taking(inQuery('a', { explode: false })),
    'OK',
    'OK',
  ],
  [
    'explode of what may be a list',
    taking(inQuery('a', { schema: {} })),
    taking(inQuery('a', { schema: {}, explode: false })),
    'ERR',
    'ERR',
  ],
  [
    'the default style, said',
    taking(inQuery('a')),
    taking(inQuery('a', { style: 'form', explode: true })),
    'OK',
    'OK',
  ],
  [
    'a parameter in JSON',
    taking(inQuery('a')),
    taking({ name: 'a', in: 'query', content: json() }),
    'ERR',
    'ERR',
  ],
  [
    'a schema of a parameter',
    taking(inQuery('a')),
    taking(inQuery('a', { schema: { ...text, enum: ['x'] } })),
    'ERR',
    'OK',
  ],
  [
    'a default of a parameter',
    taking(inQuery('a')),
    taking(inQuery('a', { schema: { ...text, default: 'x' } })),
    'WARN',
    'WARN',
  ],
  [
    'a header field in other letters',
    taking({ name: 'X-Key', in: 'header', schema: text }),
    taking({ name: 'x-key', in: 'header', schema: text }),
    'OK',
    'OK',
  ],
  [
    'fields that are no parameters',
    taking(),
    taking({ name: 'Accept', in: 'header', schema: text }),
    'OK',
    'OK',
  ],

  ['an optional body', taking(), body(), 'OK', 'ERR'],
  ['a required body', taking(), body({ required: true }), 'ERR', 'ERR'],
  ['a body becomes required', body(), body({ required: true }), 'ERR', 'OK'],
  [
    'a media type of a body',
    body(),
    body({}, { ...json(), 'text/plain': { schema: text } }),
    'OK',
    'ERR',
  ],
  [
    'a media type in other letters',
    body({}, { 'text/csv; header=present': { schema: text } }),
    body({}, { 'Text/CSV;header=present': { schema: text } }),
    'OK',
    'OK',
  ],
  [
    'a range of media types',
    body({}, { 'text/plain': { schema: text } }),
    body({}, { 'text/*': { schema: text } }),
    'OK',
    'ERR',
  ],
  [
    'an encoding',
    body({}, { 'multipart/form-data': { schema: text } }),
    body(
      {},
      { 'multipart/form-data': { schema: text, encoding: { a: { contentType: 'image/png' } } } },
    ),
    'WARN',
    'WARN',
  ],

  ['a success status', answered({ 200: ok() }), answered({ 200: ok(), 201: ok() }), 'WARN', 'ERR'],
  ['a range of statuses', answered({ 200: ok() }), answered({ '2XX': ok() }), 'WARN', 'ERR'],
  [
    'an error status',
    answered({ 200: ok() }),
    answered({ 200: ok(), 404: { description: 'None' } }),
    'OK',
    'OK',
  ],
  [
    'the body of an error',
    answered({ 404: ok() }),
    answered({ 404: ok({ content: json({ type: 'integer' }) }) }),
    'ERR',
    'ERR',
  ],
  [
    'a media type of a response',
    answered({ 200: ok() }),
    answered({ 200: ok({ content: { ...json(), 'text/csv': { schema: text } } }) }),
    'OK',
    'ERR',
  ],
  [
    'content if there was none',
    answered({ 200: { description: 'OK' } }),
    answered({ 200: ok() }),
    'OK',
    'ERR',
  ],
  ['a header field', answered({ 200: ok() }), answered({ 200: ok(field()) }), 'OK', 'WARN'],
  [
    'a required header field',
    answered({ 200: ok() }),
    answered({ 200: ok(field({ required: true })) }),
    'OK',
    'ERR',
  ],
  [
    'a header field becomes required',
    answered({ 200: ok(field()) }),
    answered({ 200: ok(field({ required: true })) }),
    'OK',
    'ERR',
  ],
  [
    'the schema of a header field',
    answered({ 200: ok(field()) }),
    answered({ 200: ok(field({ schema: { type: 'integer' } })) }),
    'ERR',
    'ERR',
  ],

  ['security where there was none', taking(), secured({ key: [] }), 'ERR', 'OK', schemes],
  ['nobody is turned away', secured({ key: [] }), secured({ key: [] }, {}), 'OK', 'ERR', schemes],
  [
    'another way in',
    secured({ key: [] }),
    secured({ key: [] }, { other: [] }),
    'OK',
    'ERR',
    schemes,
  ],
  ['a second scheme', secured({ key: [] }), secured({ key: [], other: [] }), 'ERR', 'OK', schemes],
  [
    'a scope',
    secured({ login: ['read'] }),
    secured({ login: ['read', 'write'] }),
    'ERR',
    'OK',
    schemes,
  ],
  [
    'security of the document',
    secured({ key: [] }),
    taking(),
    'OK',
    'OK',
    { ...schemes, security: [{ key: [] }] },
  ],
  [
    'the type of a scheme',
    secured({ key: [] }),
    secured({ key: [] }),
    'ERR',
    'ERR',
    schemes,
    schemeOf({ type: 'http', scheme: 'basic' }),
  ],
  [
    'the field of a scheme',
    secured({ key: [] }),
    secured({ key: [] }),
    'ERR',
    'ERR',
    schemes,
    schemeOf({ type: 'apiKey', in: 'header', name: 'X-Other' }),
  ],
  [
    'the place of a scheme',
    secured({ key: [] }),
    secured({ key: [] }),
    'ERR',
    'ERR',
    schemes,
    schemeOf({ type: 'apiKey', in: 'query', name: 'X-Key' }),
  ],
  [
    'a scheme under another name',
    secured({ key: [] }),
    secured({ token: [] }),
    'OK',
    'OK',
    schemeOf({ type: 'apiKey', in: 'header', name: 'X-Key' }),
    { components: { securitySchemes: { token: { type: 'apiKey', in: 'header', name: 'x-key' } } } },
  ],
]

describe('a change of an operation', () => {
  const directions = ROWS.flatMap(
    ([change, before, after, there, back, rest = {}, afterwards = rest]) => [
      {
        change,
        before: documentOf(before, rest),
        after: documentOf(after, afterwards),
        expected: there,
      },
      {
        change: `${change}, reversed`,
        before: documentOf(after, afterwards),
        after: documentOf(before, rest),
        expected: back,
      },
    ],
  )

  it.each(directions)('is judged: $change', ({ before, after, expected }) => {
    expect(verdict(before, after)).toBe(expected)
  })
})

/** Parameters of which a request has only the text. */
describe('a parameter that is written as text', () => {
  const list = (items: Json = text, rest: Json = {}) => ({ type: 'array', items, ...rest })
  const [whole, flag] = [{ type: 'integer' }, { type: 'boolean' }]
  const choice = { ...text, enum: ['true', 'false', 'auto'] }

  it.each<[string, Json, Json, Verdict, Json?]>([
    ['integer to string', whole, text, 'OK'],
    ['boolean to string', flag, text, 'OK'],
    ['string to integer', text, whole, 'ERR'],
    ['integer to boolean', whole, flag, 'ERR'],
    ['integer to a string with a pattern', whole, { ...text, pattern: 'a' }, 'ERR'],
    ['integer to one of two strings', whole, { ...text, enum: ['a'] }, 'ERR'],
    ['integer to a short string', whole, { ...text, maxLength: 2 }, 'ERR'],
    ['two types to string', { type: ['integer', 'boolean'] }, text, 'OK'],
    ['two types to one of them', { type: ['integer', 'object'] }, text, 'ERR'],
    ['a value to a list', text, list(), 'OK'],
    ['an integer to a list of texts', whole, list(), 'OK'],
    ['two types to a list', { type: ['integer', 'string'] }, list(), 'OK'],
    ['a text to a list of integers', text, list(whole), 'ERR'],
    ['a value to a list of at least two', text, list(text, { minItems: 2 }), 'ERR'],
    ['a value to a list with commas', text, list(), 'ERR', { explode: false }],
    ['a list to a value', list(), text, 'ERR'],
    ['integers of a list to strings', list(whole), list(), 'OK'],
    ['booleans of a list to two strings', list(flag), list(choice), 'OK'],
    ['strings of a list to integers', list(), list(whole), 'ERR'],
    ['objects of a list to strings', list({ type: 'object' }), list(), 'ERR'],
    [
      'integers of a list to strings with a pattern',
      list(whole),
      list({ ...text, pattern: 'a' }),
      'ERR',
    ],
    ['integers of a list to strings, and fewer', list(whole), list(text, { maxItems: 1 }), 'WARN'],
    [
      'integers to the same as strings',
      { ...whole, enum: [1, 2] },
      { ...text, enum: ['1', '2', 'x'] },
      'OK',
    ],
    [
      'integers to one of them as a string',
      { ...whole, enum: [1, 2] },
      { ...text, enum: ['1'] },
      'ERR',
    ],
    ['boolean to the same as strings', flag, choice, 'OK'],
    ['boolean to strings that end', flag, { ...choice, maxLength: 4 }, 'ERR'],
    ['integer to string, with another default', { ...whole, default: 5 }, text, 'WARN'],
  ])('is compared as text: %s', (_case, before, after, expected, rest = {}) => {
    expect(
      verdict(
        documentOf(taking(inQuery('a', { schema: before, ...rest }))),
        documentOf(taking(inQuery('a', { schema: after, ...rest }))),
      ),
    ).toBe(expected)
  })

  it('is compared with all components that it refers to', () => {
    const taken = (first: Json, kinds: string[]) => {
      const schema = { anyOf: [first, list({ $ref: '#/components/schemas/Kind' })] }
      const components = { schemas: { Kind: { ...text, enum: kinds } } }
      return documentOf(taking(inQuery('a', { schema, explode: false })), { components })
    }
    expect(verdict(taken(whole, ['cat']), taken(text, ['cat']))).toBe('OK')
    expect(verdict(taken(whole, ['cat', 'dog']), taken(text, ['cat']))).toBe('ERR')
  })

  it('is not one in JSON', () => {
    const inJson = (schema: Json) => taking({ name: 'a', in: 'query', content: json(schema) })
    expect(verdict(documentOf(inJson(whole)), documentOf(inJson(text)))).toBe('ERR')
    expect(verdict(documentOf(body({}, json(whole))), documentOf(body()))).toBe('ERR')
  })

  it('in the path may become a string, and no list', () => {
    const inPath = (schema: Json) => ({
      ...documentOf(taking()),
      paths: { '/{a}': { get: taking({ name: 'a', in: 'path', required: true, schema }) } },
    })
    expect(verdict(inPath(whole), inPath(text))).toBe('OK')
    expect(verdict(inPath(text), inPath(list()))).toBe('ERR')
  })

  it('has no use for a default while it is required', () => {
    const required = taking(inQuery('a', { required: true }))
    const optional = taking(inQuery('a', { schema: { ...text, default: 'x' } }))
    expect(breaking(documentOf(required), documentOf(optional))).toEqual([])
  })
})

describe('the sunset of a parameter', () => {
  const old = (rest: Json) => documentOf(taking(inQuery('a', rest)))

  it.each<[string, Json, Verdict]>([
    ['has passed', { deprecated: true, 'x-sunset': '2026-11-22' }, 'OK'],
    ['is to come', { deprecated: true, 'x-sunset': '2026-11-23' }, 'ERR'],
    ['was not announced', { deprecated: true }, 'ERR'],
    ['is one of a parameter that is not deprecated', { 'x-sunset': '2026-11-22' }, 'ERR'],
  ])('decides whether it may be gone: it %s', (_case, rest, expected) => {
    expect(verdict(old(rest), documentOf(taking()))).toBe(expected)
  })

  it('is a promise, and a day', () => {
    const at = (sunset: string) => old({ deprecated: true, 'x-sunset': sunset })
    const found = breaking(at('2027-05-01'), at('2027-04-01'))
    expect(found.map(({ rule, where }) => [rule, where])).toEqual([
      ['sunset-earlier', 'query parameter "a"'],
    ])
    expect(
      breaking(at('2027-05-01'), at('soon')).map(({ rule, text: told }) => [rule, told]),
    ).toEqual([['sunset-invalid', 'x-sunset must be a day such as 2027-05-01, not soon']])
  })
})

describe('webhooks and callbacks', () => {
  const pet = (properties: Json, required: readonly string[] = []) => ({
    requestBody: { content: json({ type: 'object', properties, required }) },
    responses: done,
  })
  const webhook = (operation: Json, key = 'webhooks', version = '3.1.0') =>
    documentOf(taking(), { [key]: { born: { post: operation } } }, version)
  const callback = (operation: Json, expression = '{$request.body#/url}') =>
    documentOf({ ...taking(), callbacks: { onBirth: { [expression]: { post: operation } } } })
  const [name, age] = [{ name: text }, { name: text, age: { type: 'integer' } }]

  it.each([
    ['webhook', webhook],
    ['callback', callback],
  ])(
    'are judged for their receiver, who reads the request and sends the response: %s',
    (_case, of) => {
      const judged = (before: Json, after: Json) => verdict(of(before), of(after))
      expect({
        'a property is gone': judged(pet(age, ['age']), pet(name)),
        'an optional property is gone': judged(pet(age), pet(name)),
        'a property is new and required': judged(pet(name), pet(age, ['age'])),
        'a property becomes optional': judged(pet(name, ['name']), pet(name)),
        'the body becomes required': judged(pet(name), {
          ...pet(name),
          requestBody: { required: true, content: json({ type: 'object', properties: name }) },
        }),
        'the body is gone': judged(pet(name), taking()),
        'a parameter is new and required': judged(pet(name), {
          ...pet(name),
          ...taking(inQuery('a', { required: true })),
          responses: done,
        }),
        'a response may be 200 too': judged(pet(name), {
          ...pet(name),
          responses: { ...done, 200: ok() },
        }),
        'a response may no longer be 204': judged(pet(name), {
          ...pet(name),
          responses: { 200: ok() },
        }),
        'the response needs more': judged(
          { ...pet(name), responses: { 200: ok({ content: json({ type: 'object' }) }) } },
          {
            ...pet(name),
            responses: { 200: ok({ content: json({ type: 'object', required: ['a'] }) }) },
          },
        ),
      }).toEqual({
        'a property is gone': 'ERR',
        'an optional property is gone': 'WARN',
        'a property is new and required': 'OK',
        'a property becomes optional': 'ERR',
        'the body becomes required': 'OK',
        'the body is gone': 'ERR',
        'a parameter is new and required': 'OK',
        'a response may be 200 too': 'OK',
        'a response may no longer be 204': 'ERR',
        'the response needs more': 'ERR',
      })
    },
  )

  it('may be new, and may not be gone before their sunset', () => {
    const [there, gone] = [webhook(pet(name)), documentOf(taking())]
    expect(breaking(gone, there)).toEqual([])
    expect(breaking(there, gone)).toEqual([
      {
        rule: 'operation-removed',
        level: 'ERR',
        operation: 'POST webhook born',
        where: '',
        at: '',
        text: 'is gone, and was not deprecated before',
      },
    ])
    const retired = webhook({ ...pet(name), deprecated: true, 'x-sunset': '2026-11-21' })
    expect(verdict(retired, gone)).toBe('OK')
  })

  it('are found under x-webhooks of 3.0', () => {
    const [before, after] = [pet(age, ['age']), pet(name)].map(one =>
      webhook(one, 'x-webhooks', '3.0.3'),
    )
    expect(verdict(before ?? {}, after ?? {})).toBe('ERR')
  })

  it('are named after their operation and expression, which is a place of its own', () => {
    const moved = breaking(callback(pet(name)), callback(pet(name), '{$request.body#/hook}'))
    expect(moved.map(({ rule, operation }) => [rule, operation])).toEqual([
      ['operation-removed', 'POST callback onBirth {$request.body#/url} of POST /pets'],
    ])
  })

  it('are gone with their operation, which is reported alone', () => {
    const empty = { ...documentOf(taking()), paths: {} }
    expect(breaking(callback(pet(name)), empty).map(({ operation }) => operation)).toEqual([
      'POST /pets',
    ])
  })

  it('of a webhook go the first way again', () => {
    const nested = (needed: readonly string[]) =>
      webhook({ ...pet(name), callbacks: { back: { '{$url}': { post: pet(name, needed) } } } })
    expect(verdict(nested([]), nested(['name']))).toBe('ERR')
    expect(verdict(nested(['name']), nested([]))).toBe('OK')
  })
})

describe('the items of a stream', () => {
  const stream = (content: Json, version = '3.1.0') =>
    documentOf(answered({ 200: ok({ content: { 'application/jsonl': content } }) }), {}, version)
  const in32 = (itemSchema: Json) => stream({ itemSchema }, '3.2.0')
  const in31 = (itemSchema: Json) => stream({ schema: text, 'x-itemSchema': itemSchema })
  const job = (...required: string[]) => ({ type: 'object', properties: { id: text }, required })

  it('are compared, under itemSchema and under x-itemSchema', () => {
    expect(verdict(in32(job('id')), in32(job()))).toBe('ERR')
    expect(verdict(in31(job('id')), in31(job()))).toBe('ERR')
  })

  it('are the same in 3.2 and before', () => {
    expect(breaking(in32(job('id')), in31(job('id')))).toEqual([])
    expect(breaking(in31(job('id')), in32(job('id')))).toEqual([])
  })
})

describe('an operation that is gone', () => {
  const rest = documentOf(taking())
  const gone = (operation: Json) => ({
    ...rest,
    paths: { ...(rest.paths as Json), '/old': { get: { ...taking(), ...operation } } },
  })

  it.each<[string, Json, Verdict]>([
    ['was not deprecated', {}, 'ERR'],
    ['was deprecated without a sunset', { deprecated: true }, 'ERR'],
    ['has a sunset to come', { deprecated: true, 'x-sunset': '2026-11-23' }, 'ERR'],
    ['has a sunset that nobody can read', { deprecated: true, 'x-sunset': 'soon' }, 'ERR'],
    ['has a sunset and is not deprecated', { 'x-sunset': '2026-11-01' }, 'ERR'],
    ['has a sunset that has passed', { deprecated: true, 'x-sunset': '2026-11-21' }, 'OK'],
    ['has its sunset today', { deprecated: true, 'x-sunset': '2026-11-22' }, 'OK'],
    [
      'has a sunset with a time that has passed',
      { deprecated: true, 'x-sunset': '2026-11-21T23:59:59Z' },
      'OK',
    ],
  ])('may be gone or not: it %s', (_case, operation, expected) => {
    expect(verdict(gone(operation), rest)).toBe(expected)
  })

  it('may be gone later, by --today', () => {
    const old = gone({ deprecated: true, 'x-sunset': '2027-05-01' })
    expect(worst(breaking(old, rest, { today: TODAY }))).toBe('ERR')
    expect(breaking(old, rest, { today: Date.parse('2027-05-01') })).toEqual([])
  })

  it('is no change in the other direction', () => {
    expect(verdict(rest, gone({}))).toBe('OK')
  })
})

describe('paths', () => {
  const at = (path: string, name: string, rest: Json = {}): Json => ({
    ...documentOf(taking()),
    paths: {
      [path]: {
        parameters: [{ name, in: 'path', required: true, schema: text }],
        get: answered({ 200: ok() }),
        ...rest,
      },
    },
  })

  it('are the same if only a parameter is called otherwise, which is warned of', () => {
    const found = breaking(at('/pets/{id}', 'id'), at('/pets/{petId}', 'petId'))
    expect(found).toEqual([
      {
        rule: 'parameter-renamed',
        level: 'WARN',
        operation: 'GET /pets/{id}',
        where: 'path parameter "petId"',
        at: '',
        text: 'was called "id"; typed clients name it',
      },
    ])
  })

  it('lead elsewhere if a segment changes', () => {
    expect(verdict(at('/pets/{id}', 'id'), at('/animals/{id}', 'id'))).toBe('ERR')
    expect(verdict(at('/pets/{id}', 'id'), at('/pets/{id}/', 'id'))).toBe('ERR')
  })

  it('give their parameters to their operations', () => {
    const [inPath, inOperation] = [at('/pets/{id}', 'id'), at('/pets/{id}', 'id')]
    const { parameters, get } = (inOperation.paths as { readonly [path: string]: Json })[
      '/pets/{id}'
    ] as { parameters: Json[]; get: Json }
    const moved = { ...inOperation, paths: { '/pets/{id}': { get: { ...get, parameters } } } }
    expect(breaking(inPath, moved)).toEqual([])
  })

  it('may have an operation of QUERY, in 3.2 or as x-query', () => {
    const search = body()
    const stricter = body({ required: true })
    const in31 = (operation: Json) => ({
      ...documentOf(taking()),
      paths: { '/search': { 'x-query': operation } },
    })
    const in32 = (operation: Json) => ({
      ...documentOf(taking(), {}, '3.2.0'),
      paths: { '/search': { query: operation } },
    })
    expect(breaking(in31(search), in32(search))).toEqual([])
    expect(worst(breaking(in31(search), in32(stricter)))).toBe('ERR')
    expect(breaking(in31(search), in31(stricter))).toEqual([
      expect.objectContaining({ operation: 'QUERY /search', rule: 'body-became-required' }),
    ])
    expect(worst(breaking(in31(search), documentOf(taking())))).toBe('ERR')
  })

  it('may be components, as parameters, bodies, responses and header fields may', () => {
    const inline = documentOf({
      ...taking(inQuery('a')),
      ...body(),
      ...answered({ 200: ok(field()) }),
    })
    const components = {
      pathItems: {
        Pets: {
          post: {
            parameters: [{ $ref: '#/components/parameters/A' }],
            requestBody: { $ref: '#/components/requestBodies/B' },
            responses: { 200: { $ref: '#/components/responses/C' } },
          },
        },
      },
      parameters: { A: inQuery('a') },
      requestBodies: { B: { content: json() } },
      responses: { C: ok({ headers: { 'x-total': { $ref: '#/components/headers/D' } } }) },
      headers: { D: { schema: text } },
    }
    const referring = {
      ...documentOf(taking(), { components }),
      paths: { '/pets': { $ref: '#/components/pathItems/Pets' } },
    }
    expect([breaking(inline, referring), breaking(referring, inline)]).toEqual([[], []])
  })
})

describe('what is found', () => {
  it('names the rule, the operation and the place', () => {
    const pet = (properties: Json) => ({
      components: { schemas: { Pet: { type: 'object', properties } } },
    })
    const operation = answered({
      200: ok({ content: json({ type: 'array', items: { $ref: '#/components/schemas/Pet' } }) }),
    })
    expect(
      breaking(
        documentOf(operation, pet({ owner: { type: 'object', properties: { name: text } } })),
        documentOf(operation, pet({ owner: { type: 'object' } })),
      ),
    ).toEqual([
      {
        rule: 'property-removed',
        level: 'WARN',
        operation: 'POST /pets',
        where: 'response 200 application/json',
        at: 'Pet.owner.name',
        text: 'is no longer there',
      },
    ])
  })
})

describe('a document that cannot be compared', () => {
  const referring = ($ref: string) => documentOf(body({}, json({ $ref })))

  it.each<[string, unknown, string]>([
    ['a list', [], 'is not an OpenAPI document'],
    ['something else', { paths: {} }, 'it has no "openapi"'],
    ['Swagger 2.0', { swagger: '2.0', paths: {} }, 'is of OpenAPI 2.0'],
    ['a version to come', { openapi: '4.0.0', paths: {} }, 'is of OpenAPI 4.0.0'],
    ['a reference that leads out of it', referring('pets.yaml#/Pet'), 'bundle it first'],
    [
      'a reference that points at nothing',
      referring('#/components/schemas/Pet'),
      'points at nothing',
    ],
  ])('is refused: %s', (_case, document, message) => {
    expect(() => breaking(document, document)).toThrow(DocumentError)
    expect(() => breaking(document, document)).toThrow(message)
  })
})
