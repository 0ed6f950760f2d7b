import * as t from 'io-ts'
import Koa from 'koa'
import {
  type AnyBlueprint,
  Api,
  abort,
  Blueprint,
  bool,
  etag,
  files,
  form,
  int,
  isoDate,
  json,
  MethodView,
  nullable,
  operation,
  optional,
  Page,
  paginate,
  query,
  readOnly,
  response,
  struct,
  Upload,
  uuid,
} from 'koa-smorest'
import { expect, it } from 'vitest'
import { rowsBehind, type Sent, senderOf, sentBack, served } from './served.js'

const Pet = struct({ name: t.string, age: optional(int) }, 'Pet')
const rex = { name: 'Rex' }
const unprocessable = (errors: unknown) => ({ code: 422, status: 'Unprocessable Entity', errors })

const takingPets = () =>
  served(new Blueprint('pets').post('/', operation(json(Pet), response(Pet)), (_ctx, pet) => pet))
    .send
const takingQueries = () =>
  served(
    new Blueprint('numbers').get(
      '/',
      operation(query(struct({ n: optional(int) })), response(t.unknown)),
      (_ctx, { n }) => n ?? null,
    ),
  ).send
const paging = () =>
  served(
    new Blueprint('pages').get('/', operation(paginate(Page), response(t.array(int))), () => [
      1, 2, 3,
    ]),
  ).send

/** A pet with entity tags, and how often it was written. */
function tagged() {
  const written: unknown[] = []
  class View extends MethodView {
    static shared = operation(etag({ load: () => ({ name: 'Rex' }), tag: pet => pet.name }))
    static get = operation(response(Pet))
    get() {
      return { name: 'Rex' }
    }
    static put = operation(json(Pet), response(Pet))
    put(_: unknown, pet: { name: string }) {
      written.push(pet)
      return pet
    }
  }
  return { ...served(new Blueprint('pets').route('/', View)), written }
}

/** What a result becomes in production, where mistakes are not shown. */
function returning(blueprint: AnyBlueprint) {
  const app = new Koa()
  const errors: unknown[] = []
  app.on('error', error => errors.push(error))
  new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(blueprint)
  return { send: senderOf(app), errors }
}

const text = async (sent: Promise<Sent>) => (await sent).body
const status = async (sent: Promise<Sent>) => (await sent).status
const operationOf = (document: object, method: string) =>
  (document as { paths: Record<string, Record<string, { responses: object }>> }).paths['/']?.[
    method
  ]

/** What the last column of each row says, carried out. */
const ROWS: { readonly [row: string]: () => Promise<void> } = {
  async 'messages of a 422'() {
    expect(await text(takingPets()('POST /', {}))).toEqual(
      unprocessable({ json: { name: ['Missing data for required field.'] } }),
    )
  },
  async 'unknown fields of a body'() {
    expect(await text(takingPets()('POST /', { ...rex, more: 1 }))).toEqual(
      unprocessable({ json: { more: ['Unknown field.'] } }),
    )
    const lenient = new Blueprint('pets').post(
      '/',
      operation(json(Pet, { unknown: 'exclude' }), response(Pet)),
      (_ctx, pet) => pet,
    )
    expect(await text(served(lenient).send('POST /', { ...rex, more: 1 }))).toEqual(rex)
  },
  async 'a body of another media type, or of none'() {
    expect(await status(takingPets()('POST /', '{}', { 'Content-Type': 'text/plain' }))).toBe(415)
  },
  async 'a body that is a list or a string, if an object is expected'() {
    for (const body of [[1], '"a"'])
      expect(await text(takingPets()('POST /', body))).toEqual(
        unprocessable({ json: { _schema: ['Not an object.'] } }),
      )
  },
  async 'a JSON value of another type'() {
    const wrong = { errors: expect.anything() }
    expect(await sentBack(int, '3', 1.5)).toEqual([wrong, wrong])
    expect(await sentBack(bool, 'yes')).toEqual([wrong])
  },
  async 'booleans in queries and forms'() {
    const taking = (codec: t.Mixed) =>
      served(
        new Blueprint('flags').get(
          '/',
          operation(query(t.strict({ flag: codec })), response(t.unknown)),
          (_ctx, { flag }) => flag,
        ),
      ).send
    expect((await taking(t.boolean)('GET /?flag=on')).body).toBe(true)
    expect(await status(taking(bool)('GET /?flag=on'))).toBe(422)
    expect((await taking(bool)('GET /?flag=true')).body).toBe(true)
  },
  async 'a scalar given twice in a query'() {
    expect(await text(takingQueries()('GET /?n=1&n=2'))).toEqual(
      unprocessable({ query: { n: ['Given more than once.'] } }),
    )
  },
  async 'integers in queries and forms'() {
    const send = takingQueries()
    for (const spelling of ['%201', '%2B1', '01', '1_0'])
      expect(await status(send(`GET /?n=${spelling}`))).toBe(422)
    expect(await text(send('GET /?n=10'))).toBe(10)
  },
  async 'other numbers, dates in queries and forms'() {
    const { send } = served(
      new Blueprint('values').get(
        '/',
        operation(query(t.partial({ x: t.number, day: isoDate })), response(t.unknown)),
        (_ctx, { x, day }) => x ?? day ?? null,
      ),
    )
    const statuses = ['x=.5', 'x=1_000.5', 'day=2020-1-1', 'x=0.5', 'day=2020-01-01'].map(text =>
      status(send(`GET /?${text}`)),
    )
    expect(await Promise.all(statuses)).toEqual([422, 422, 422, 200, 200])
  },
  async 'leaves of `errors` given to `abort`'() {
    const { send } = served(
      new Blueprint('pets').get('/', operation(), () =>
        abort(422, { errors: { json: { token: 'expired' } } as never }),
      ),
    )
    expect((await send('GET /')).body).toMatchObject({ errors: { json: { token: ['expired'] } } })
  },
  async 'page parameters'() {
    const { headers } = await paging()('GET /?page=2&page_size=2')
    expect(JSON.parse(headers.get('X-Pagination') ?? '')).toMatchObject({ page: 2 })
  },
  async 'a slash at the end'() {
    const pets = new Blueprint('pets')
      .get('/with/', operation(response(Pet)), () => rex)
      .get('/without', operation(response(Pet)), () => rex)
    const { send } = served(pets)
    for (const path of ['/with/', '/with', '/without', '/without/'])
      expect(await text(send(`GET ${path}`))).toEqual(rex)
  },
  async '405, 304'() {
    const { send } = tagged()
    const refused = await send('DELETE /')
    expect([refused.status, refused.headers.get('Allow')]).toEqual([
      405,
      expect.stringContaining('PUT'),
    ])
    const tag = (await send('GET /')).headers.get('ETag') ?? ''
    const unchanged = await send('GET /', undefined, { 'If-None-Match': tag })
    expect([unchanged.status, unchanged.headers.get('ETag')]).toEqual([304, tag])
  },
  async '`If-None-Match`'() {
    const { send, written } = tagged()
    const tag = (await send('GET /')).headers.get('ETag') ?? ''
    expect(await status(send('GET /', undefined, { 'If-None-Match': `W/${tag}` }))).toBe(304)
    expect(await status(send('PUT /', rex, { 'If-None-Match': '*', 'If-Match': tag }))).toBe(412)
    expect(written).toEqual([])
  },
  async '`If-Match` on GET'() {
    expect(await status(tagged().send('GET /', undefined, { 'If-Match': '"other"' }))).toBe(412)
  },
  async 'entity tags without quotes'() {
    const { send } = tagged()
    const tag = ((await send('GET /')).headers.get('ETag') ?? '').replace(/"/g, '')
    expect(await status(send('PUT /', rex, { 'If-Match': tag }))).toBeGreaterThanOrEqual(400)
    expect(await status(send('GET /', undefined, { 'If-None-Match': tag }))).toBe(200)
  },
  async 'the tag itself'() {
    const { send } = served(
      new Blueprint('pets').get('/', operation(etag(), response(Pet)), () => rex),
    )
    // 22 characters of base64url are 132 bits; SHA-1 in hexadecimal has 40
    expect((await send('GET /')).headers.get('ETag')).toMatch(/^"[\w-]{22}"$/)
  },
  async '`None` with a schema'() {
    const { send, errors } = returning(
      new Blueprint('pets').get('/', operation(response(Pet)), () => null as never),
    )
    expect(await status(send('GET /'))).toBe(500)
    expect(errors).toEqual([expect.objectContaining({ name: 'EncodeError' })])
    const fine = new Blueprint('pets').get('/', operation(response(nullable(Pet))), () => null)
    expect(await text(served(fine).send('GET /'))).toBe(null)
  },
  async 'fields of a result that do not match the schema'() {
    const { send, errors } = returning(
      new Blueprint('pets').get('/', operation(response(Pet)), () => ({ name: 1 }) as never),
    )
    expect(await status(send('GET /'))).toBe(500)
    expect(errors).toHaveLength(1)
  },
  async 'names of statuses'() {
    const pets = new Blueprint('pets').post(
      '/',
      operation(json(Pet, { limits: { json: 5 } }), response(Pet)),
      (_ctx, pet) => pet,
    )
    expect(await text(served(pets).send('POST /', rex))).toMatchObject({
      code: 413,
      status: 'Payload Too Large',
    })
  },
  async '`form` and `files` in one request'() {
    const Note = operation(
      form(struct({ note: t.string })),
      files(struct({ file: Upload })),
      response(t.unknown),
    )
    const notes = new Blueprint('notes').post('/', Note, (_ctx, { note }, { file }) => [
      note,
      file.filename,
    ])
    const part = (name: string, rest: string) =>
      `--x\r\nContent-Disposition: form-data; name="${name}"${rest}\r\n\r\nhi\r\n`
    const body = `${part('note', '')}${part('file', '; filename="a.txt"')}--x--\r\n`
    expect(
      await text(
        served(notes).send('POST /', body, { 'Content-Type': 'multipart/form-data; boundary=x' }),
      ),
    ).toEqual(['hi', 'a.txt'])
  },
  async 'operations in the document'() {
    const document = tagged().api.spec.toJSON()
    expect(Object.keys(operationOf(document, 'get')?.responses ?? {})).toEqual(
      expect.arrayContaining(['304', '404', '412', 'default']),
    )
    expect(Object.keys(operationOf(document, 'put')?.responses ?? {})).toEqual(
      expect.arrayContaining(['404', '412', '422', '428', 'default']),
    )
  },
  async 'ReDoc, Swagger UI'() {
    const settings = {
      OPENAPI_URL_PREFIX: '/docs',
      OPENAPI_SWAGGER_UI_PATH: '/',
      OPENAPI_REDOC_PATH: '/redoc',
    }
    const { send } = served(new Blueprint('pets'), settings)
    for (const path of ['/docs/', '/docs/redoc'])
      expect(String(await text(send(`GET ${path}`)))).not.toMatch(/(?:src|href)="https?:/)
  },
  async 'a missing `check_etag`'() {
    const pets = () =>
      new Blueprint('pets').put(
        '/',
        operation(etag(), json(Pet), response(Pet)),
        (_ctx, pet) => pet,
      )
    const body = [rex, { 'If-Match': '"x"' }] as const
    const inTests = served(pets(), { TESTING: true })
    expect(await status(inTests.send('PUT /', ...body))).toBe(500)
    const warnings: string[] = []
    class Quiet extends Api {
      override warn(warning: string) {
        warnings.push(warning)
      }
    }
    const app = new Koa()
    new Quiet(app, { OPENAPI_VERSION: '3.1.0', DEBUG: false, TESTING: false }).registerBlueprint(
      pets(),
    )
    expect([await status(senderOf(app)('PUT /', ...body)), warnings.length]).toEqual([200, 1])
  },
  async 'UUIDs without dashes'() {
    expect(await sentBack(uuid, '2c5ea4c0406711e98bad9b1deb4d3b7d')).toEqual([
      { errors: ['Not a UUID.'] },
    ])
  },
  async '`NaN` in JSON'() {
    expect(await status(takingPets()('POST /', '{"name":"Rex","age":NaN}'))).toBe(400)
  },
  async 'a `dump_only` field that is sent'() {
    expect(await sentBack(struct({ id: readOnly(int) }), { id: 1 })).toEqual([
      { errors: { id: ['Read-only field.'] } },
    ])
  },
  async 'bad percent-encoding in the path'() {
    const { send } = served(
      new Blueprint('pets').get('/:name', operation(response(t.unknown)), (_ctx, { name }) => name),
    )
    expect(await status(send('GET /%zz'))).toBe(400)
  },
}

it.each(Object.keys(ROWS))(
  'what is otherwise than in flask-smorest is as the manual says: %s',
  async row => {
    await ROWS[row]?.()
  },
)

it('every row of the table of differences is tried', () => {
  expect(rowsBehind('## Differences')).toEqual(Object.keys(ROWS))
})
