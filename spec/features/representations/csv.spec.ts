import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  Blueprint,
  decimal,
  type Exchange,
  int,
  int64,
  nullable,
  operation,
  optional,
  type RegistrationError,
  refine,
  response,
  struct,
  wireName,
  writeOnly,
} from 'koa-smorest'
import { type CsvOptions, csv } from 'koa-smorest/csv'
import { describe, expect, it } from 'vitest'
import { serveBlueprints } from '../../support/client.js'

const Row = struct(
  {
    id: int,
    title: nullable(t.string),
    isDone: wireName('is_done', optional(t.boolean)),
    tags: optional(t.array(t.string)),
    password: writeOnly(optional(t.string)),
  },
  'Row',
)
type Value = { id: number; title: string | null; isDone?: boolean; tags?: string[] }

const tableOf = async (rows: readonly Value[], options?: CsvOptions): Promise<string> => {
  const blueprint = new Blueprint('rows').get(
    '/',
    operation(response(t.array(Row), { also: [csv(options)] })),
    () => [...rows],
  )
  const { request } = await serveBlueprints(blueprint)
  return (await request('GET', '/', { headers: { Accept: 'text/csv' } })).text
}
const cells = async (title: string, options?: CsvOptions) =>
  (await tableOf([{ id: 1, title }], { columns: ['title'], ...options })).slice('title\r\n'.length)

describe('csv', () => {
  it('has a column for each field that is sent, under its name on the wire', async () => {
    const rows = [
      { id: -1, title: 'Paint', isDone: true, tags: ['a', 'b'] },
      { id: 2, title: null, isDone: false },
    ]
    expect(await tableOf(rows)).toBe(
      'id,title,is_done,tags\r\n-1,Paint,true,"[""a"",""b""]"\r\n2,,false,\r\n',
    )
    expect(await tableOf(rows, { columns: ['is_done', 'id'] })).toBe(
      'is_done,id\r\ntrue,-1\r\nfalse,2\r\n',
    )
  })

  it('has its header line without any rows', async () => {
    expect(await tableOf([])).toBe('id,title,is_done,tags\r\n')
  })

  it.each([
    ['a,b', '"a,b"'],
    ['say "a"', '"say ""a"""'],
    ['a\nb', '"a\nb"'],
    ['a\rb', '"a\rb"'],
    ['a\r\nb', '"a\r\nb"'],
    ['Grüße', 'Grüße'],
    ['', ''],
  ])('quotes %j as %j', async (text, cell) => {
    expect(await cells(text)).toBe(`${cell}\r\n`)
  })

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1'])(
    'sends the string %j with an apostrophe, unless formulas are wanted',
    async text => {
      expect(await cells(text)).toBe(`'${text}\r\n`)
      expect(await cells(text, { formulas: true })).toBe(`${text}\r\n`)
    },
  )

  it('sends numbers that are strings in JSON as they are', async () => {
    const Payment = struct({
      amount: decimal,
      fee: optional(nullable(refine(decimal, () => undefined))),
      id: int64.asBigInt,
      note: t.string,
    })
    const blueprint = new Blueprint('payments').get(
      '/',
      operation(response(t.array(Payment), { also: [csv()] })),
      () => [{ amount: '-9.95', fee: '-0.5', id: -5n, note: '-9.95' }],
    )
    const { request } = await serveBlueprints(blueprint)
    expect((await request('GET', '/', { headers: { Accept: 'text/csv' } })).text).toBe(
      "amount,fee,id,note\r\n-9.95,-0.5,-5,'-9.95\r\n",
    )
  })

  it('quotes a string that begins with a carriage return, behind the apostrophe', async () => {
    expect(await cells('\r=1')).toBe(`"'\r=1"\r\n`)
    expect(await cells('a=1')).toBe('a=1\r\n')
  })

  it('writes rows of several kinds, records, and what has no codec', async () => {
    const blueprint = new Blueprint('rows')
      .get(
        '/union',
        operation(
          response(t.array(t.union([struct({ id: int }), struct({ name: t.string })])), {
            also: [csv()],
          }),
        ),
        () => [{ id: 1 }, { name: 'Ann' }],
      )
      .get(
        '/record',
        operation(
          response(t.array(t.record(t.string, int)), { also: [csv({ columns: ['a', 'b'] })] }),
        ),
        () => [{ a: 1 }, { b: 2, c: 3 }],
      )
      .get('/one', operation(response(Row, { also: [csv({ columns: ['id'] })] })), () => ({
        id: 1,
        title: null,
      }))
    const { request } = await serveBlueprints(blueprint)
    const get = async (path: string) =>
      (await request('GET', path, { headers: { Accept: 'text/csv' } })).text
    expect(await get('/union')).toBe('id,name\r\n1,\r\n,Ann\r\n')
    expect(await get('/record')).toBe('a,b\r\n1,\r\n,2\r\n')
    expect(await get('/one')).toBe('id\r\n1\r\n')
    expect(csv().write([{ a: 1 }, { b: null }], {} as Exchange)).toBe('a,b\r\n1,\r\n,\r\n')
    expect(csv().write({ a: 1 }, {} as Exchange)).toBe('a\r\n1\r\n')
  })

  it.each<[name: string, codec: t.Mixed, options: CsvOptions, fault: string]>([
    [
      'a column under the name of the program',
      t.array(Row),
      { columns: ['id', 'isDone', 'password'] },
      'csv: the response has no field "isDone" for a column: the fields are id, title, is_done, tags',
    ],
    [
      'a column that is never sent',
      t.array(Row),
      { columns: ['password'] },
      'csv: the response has no field "password" for a column: the fields are id, title, is_done, tags',
    ],
    ['a list of strings', t.array(t.string), {}, 'csv: the response must be a list of objects'],
    [
      'a list of records without columns',
      t.array(t.record(t.string, int)),
      {},
      'csv: the response declares no fields, so columns must be given',
    ],
  ])('reports %s', (_name, codec, options, fault) => {
    const feature = response(codec, { also: [csv(options)] as never })
    const blueprint = new Blueprint('rows').get('/', operation(feature), () => [] as never)
    const register = () =>
      new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(blueprint)
    let faults: readonly string[] = []
    try {
      register()
    } catch (error) {
      faults = (error as RegistrationError).faults
    }
    expect(faults.map(text => text.replace(/^.*?GET \/: /, ''))).toContain(fault)
  })

  it('refuses options that it does not know', () => {
    expect(() => csv({ colums: ['id'] } as never)).toThrow(
      'csv(): there is no option "colums", did you mean "columns"?',
    )
    expect(() => csv({ columns: 'id' } as never)).toThrow(
      'csv(): columns must be a list of strings, not "id"',
    )
  })
})
