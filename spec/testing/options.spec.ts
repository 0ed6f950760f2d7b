import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  abort,
  altResponse,
  apiKey,
  Blueprint,
  etag,
  files,
  int,
  json,
  maxLength,
  operation,
  problem,
  query,
  readOnly,
  response,
  secure,
  signed,
  struct,
  Upload,
} from 'koa-smorest'
import { type ContractOptions, contract } from 'koa-smorest/testing'
import { describe, expect, it } from 'vitest'
import { CHECKS } from '../../src/testing/judge/check-names.js'

const Note = struct({ text: maxLength(t.string, 20) }, 'Note')
const key = apiKey('key', {
  in: 'header',
  name: 'X-Key',
  principal: text => (text === 'sesame' ? text : undefined),
})

/** One note that needs a key to be changed, and a search, with the warnings of their Api. */
function notes() {
  let note = { id: 1, version: 1, text: 'tea' }
  const app = new Koa()
  const warnings: string[] = []
  class WatchedApi extends Api {
    override warn(text: string) {
      warnings.push(text)
    }
  }
  const tagged = etag({
    load: (_ctx, { noteId }: { noteId: number }) => (noteId === note.id ? note : undefined),
    tag: ({ version }) => version,
  })
  const all = new Blueprint('notes', { urlPrefix: '/notes' })
  all.get(
    '/',
    operation(
      query(t.partial({ author: maxLength(t.string, 9) })),
      response(t.array(struct({ id: int }))),
    ),
    () => [note],
  )
  all.get('/:noteId<int>', operation(tagged, response(Note)), (_ctx, { current }) => current, {
    endpoint: 'read',
  })
  all.put(
    '/:noteId<int>',
    operation(tagged, secure(key), json(Note), response(Note)),
    (_ctx, { text }) => {
      note = { ...note, text, version: note.version + 1 }
      return note
    },
    { endpoint: 'write' },
  )
  all.query(
    '/search',
    operation(json(Note), etag(), response(t.array(Note))),
    (_ctx, { text }) => [{ text }],
    { endpoint: 'search' },
  )
  const api = new WatchedApi(app, { OPENAPI_VERSION: '3.1.0', DEBUG: false, TESTING: false })
  api.registerBlueprint(all)
  const run = (options: ContractOptions) => contract(app, api, { runs: 5, ...options })
  return { run, warnings }
}

describe('contract', () => {
  it.each([
    [{ runs: 0 }, 'contract: runs must be a whole number of at least 1, not 0'],
    [{ runs: 2.5 }, 'contract: runs must be a whole number of at least 1, not 2.5'],
    [{ runs: '9' as never }, 'contract: runs must be a whole number of at least 1, not "9"'],
    [{ seed: Number.NaN }, 'contract: seed must be a whole number, not NaN'],
  ])('does not run with %j', async (options, message) => {
    await expect(notes().run(options)).rejects.toThrow(message)
  })

  it('warns of names in its options that the document does not have', async () => {
    const { run, warnings } = notes()
    await run({
      as: { key: 'sesame', kay: 'sesame' },
      skip: [
        'notes_get',
        'GET /notes/{noteId}',
        { operation: 'DELETE /notes/{noteId}', reason: 'none' },
      ],
      unreachable: { 'PUT /notes/{noteId} 413': 'no limit', 'PUT /notes/{noteId} 410': 'none' },
      values: {
        noteId: [1],
        'PUT /notes/{noteId} json.text': ['a'],
        author: ['ann'],
        autor: ['ann'],
        'PUT /notes/{noteId} json.txt': ['a'],
      },
    })
    expect(warnings).toEqual([
      'contract: skip names "DELETE /notes/{noteId}", which is not an operation in the document, did you mean "GET /notes/{noteId}"?',
      'contract: unreachable names "PUT /notes/{noteId} 410", which is not a response in the document',
      'contract: as names "kay", which is not a security scheme in the document, did you mean "key"?',
      'contract: values names "autor", which is neither a parameter nor a field of a body in the document, did you mean "author"?',
      'contract: values names "PUT /notes/{noteId} json.txt", which is neither a parameter nor a field of a body in the document, did you mean "PUT /notes/{noteId} json.text"?',
    ])
  })

  it('asks conditionally with QUERY as with GET', async () => {
    const { coverage } = await notes().run({ as: { key: 'sesame' } })
    expect(coverage.missing.filter(({ operation }) => operation === 'QUERY /notes/search')).toEqual(
      [],
    )
  })

  it('says once what is missing if it has no credentials', async () => {
    const { failures } = await notes().run({ values: { noteId: () => [1] } })
    expect(failures.map(({ check, operation }) => ({ check, operation }))).toEqual([
      { check: 'no success', operation: 'PUT /notes/{noteId}' },
    ])
  })

  it('warns of checks and fields that do not exist, and knows those of docs/testing.md', async () => {
    const { run, warnings } = notes()
    await run({
      as: { key: 'sesame' },
      values: { noteId: [1] },
      skip: [
        { operation: '*', check: 'law: filters', reason: 'none' },
        { operation: '*', check: 'law: own', reason: 'none' },
        ...CHECKS.map(check => ({ operation: '*', check, reason: 'none' })),
      ],
      normalises: { 'PUT /notes/{noteId} json.txt': 'none' },
      prepare: { 'POST /notes': request => request },
      laws: { own: { of: 'notes_none', holds: () => true } },
    })
    expect(warnings).toEqual([
      'contract: skip names "law: filters", which is not a check, did you mean "law: filter"?',
      'contract: laws names "notes_none", which is not an operation in the document',
      'contract: prepare names "POST /notes", which is not an operation in the document',
      expect.stringContaining('contract: normalises names "PUT /notes/{noteId} json.txt"'),
    ])
    const manual = readFileSync('docs/testing.md', 'utf8')
    expect(CHECKS.filter(name => !manual.includes(`\`${name}\``) && !/\s/.test(name))).toEqual([])
    expect(CHECKS.filter(name => !manual.replaceAll('\n', ' ').includes(name))).toEqual([])
  })
})

describe('an option of contract', () => {
  it('prepares requests, and hears of their echo what is meant', async () => {
    const app = new Koa()
    const Loud = struct({ name: maxLength(t.string, 9) }, 'Loud')
    const all = new Blueprint('all').post(
      '/loud',
      operation(json(Loud), response(Loud), altResponse(403)),
      (ctx, { name }) => (ctx.get('X-Signed') ? { name: name.toUpperCase() } : abort(403)),
    )
    const api = new Api(app, { OPENAPI_VERSION: '3.1.0', TESTING: false }).registerBlueprint(all)
    const prepare: ContractOptions['prepare'] = {
      'POST /loud': request => ({ ...request, headers: { ...request.headers, 'X-Signed': 'yes' } }),
    }
    const checks = async (more: ContractOptions) =>
      (await contract(app, api, { runs: 5, ...more })).failures.map(({ check }) => check)
    const field = 'POST /loud json.name'
    expect({
      unsigned: await checks({}),
      signed: await checks({ prepare }),
      meant: await checks({ prepare, normalises: { [field]: 'it is loud' } }),
      expected: await checks({
        prepare,
        normalises: { [field]: (name: string) => name.toUpperCase() },
      }),
      other: await checks({ prepare, normalises: { [field]: (name: string) => `${name}!` } }),
    }).toEqual({
      unsigned: ['no success'],
      signed: ['law: echo'],
      meant: [],
      expected: [],
      other: ['law: echo'],
    })
  })

  it('prepares no request that has to be refused for its signature', async () => {
    const app = new Koa()
    const hooks = new Blueprint('hooks').post(
      '/hooks',
      operation(
        secure(signed('hooks', { secret: 'sesame', format: 'github' })),
        json(Note),
        response(Note),
      ),
      (_ctx, note) => note,
    )
    const api = new Api(app, { OPENAPI_VERSION: '3.1.0', TESTING: false }).registerBlueprint(hooks)
    const prepare: ContractOptions['prepare'] = {
      'POST /hooks': ({ body, ...request }) => {
        if (!body) return { ...request, body }
        const text = 'text' in body ? body.text : JSON.stringify(body.value)
        const signature = createHmac('sha256', 'sesame').update(text).digest('hex')
        return {
          ...request,
          headers: { ...request.headers, 'X-Hub-Signature-256': `sha256=${signature}` },
          body: { mediaType: body.mediaType, text },
        }
      },
    }
    const { failures, coverage } = await contract(app, api, { runs: 5, prepare })
    expect({ failures, missing: coverage.missing }).toEqual({ failures: [], missing: [] })
  })

  it.each([
    [{ values: { 'POST /notes json.text': 'tea' } }, 'POST /notes json.text'],
    [{ values: { noteId: () => 1 } }, 'noteId'],
  ])('may be no list of values: %j', async (options, name) => {
    await expect(notes().run(options as never)).rejects.toThrow(
      `contract: values: ${name} must be a list, or a function that returns one, not `,
    )
  })

  it('gives laws of the business, which look before and after, and may throw', async () => {
    const app = new Koa()
    let count = 0
    const all = new Blueprint('all')
      .get('/count', operation(response(int)), () => count)
      .post('/count', operation(response(int, { code: 201 })), () => {
        count += 2
        return count
      })
    const api = new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(all)
    const look = ({ get }: { get: (path: string) => Promise<number> }) => get('/count')
    const { failures } = await contract(app, api, {
      runs: 3,
      reset() {
        count = 0
      },
      laws: {
        'by two': { of: 'POST /count', look, holds: ({ before, after }) => after === before + 2 },
        'by one': {
          of: ['POST /count'],
          look,
          holds: ({ before, after, call }) =>
            after === before + 1 || `${call.operation} ${call.status}: ${before} to ${after}`,
        },
        thrown: {
          of: 'GET /count',
          holds: () => {
            throw new Error('never')
          },
        },
        no: { of: 'GET /count', holds: () => false },
      },
    })
    expect(failures.map(({ check, operation: of, message }) => [check, of, message])).toEqual([
      ['law: thrown', 'GET /count', 'never'],
      ['law: no', 'GET /count', 'no does not hold'],
      ['law: by one', 'POST /count', 'POST /count 201: 0 to 2'],
    ])
  })

  it('takes what is not seen for a failure, each problem by itself', async () => {
    const app = new Koa()
    const Late = problem('too-late', { status: 409 })
    const Full = problem('full', { status: 409 })
    const all = new Blueprint('all').post(
      '/seats',
      operation(json(int), response(int, { code: 201 }), altResponse(Late), altResponse(Full)),
      (_ctx, n) => (n % 2 === 0 ? abort(Full) : n),
    )
    const api = new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(all)
    const run = (more: ContractOptions) => contract(app, api, { runs: 9, ...more })
    const { coverage } = await run({})
    expect(coverage.missing).toEqual([
      { operation: 'POST /seats', status: 409, problem: 'too-late' },
    ])
    const messages = async (more: ContractOptions) =>
      (await run({ complete: true, ...more })).failures.map(({ check, message }) => [
        check,
        message,
      ])
    expect(await messages({})).toEqual([['coverage', 'documented and not seen: 409 too-late']])
    expect(await messages({ unreachable: { 'POST /seats 409 too-late': 'clocks' } })).toEqual([])
  })

  it('takes no success for a problem, whatever its type', async () => {
    const app = new Koa()
    const Feature = struct({ type: t.literal('Feature'), id: int })
    const all = new Blueprint('all').get('/place', operation(response(Feature)), () => ({
      type: 'Feature' as const,
      id: 1,
    }))
    const api = new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(all)
    const { failures, coverage } = await contract(app, api, { runs: 2, complete: true })
    expect([failures, coverage.missing]).toEqual([[], []])
  })

  it('finds things in an envelope, and beside a list with a suffix', async () => {
    const app = new Koa()
    const things = new Map<number, { id: number; name: string }>()
    const Thing = struct({ id: readOnly(int), name: maxLength(t.string, 9) })
    const Shown = struct({ data: Thing, links: struct({ self: t.string }) })
    const find = (id: number) => {
      const data = things.get(id) ?? abort(404)
      return { data, links: { self: `/things/${id}` } }
    }
    const all = new Blueprint('all')
      .post(
        '/things.json',
        operation(json(struct({ data: Thing })), response(Shown, { code: 201 })),
        (_ctx, { data }) => {
          const id = things.size + 1
          things.set(id, { ...data, id })
          return find(id)
        },
      )
      .get(
        '/things/:thingId<int>.json',
        operation(response(Shown), altResponse(404)),
        (_ctx, one) => find(one.thingId),
      )
    const api = new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(all)
    const { failures, coverage } = await contract(app, api, {
      runs: 4,
      reset: () => things.clear(),
    })
    expect([failures, coverage.missing]).toEqual([[], []])
  })

  it('takes files as Blobs and bytes, by the name of either form', async () => {
    const app = new Koa()
    const png = Uint8Array.from([0x89, 0x50, 0xff, 0x00])
    const seen: string[] = []
    const all = new Blueprint('all').put(
      '/photo',
      operation(
        files(t.type({ photo: Upload })),
        response({ code: 204 }),
        altResponse(422, { description: 'No picture' }),
      ),
      async (_ctx, { photo }) => {
        const bytes = Buffer.from(await photo.bytes())
        if (bytes[0] !== 0x89) abort(422)
        seen.push(`${photo.mediaType} ${bytes.toString('hex')}`)
      },
    )
    const api = new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(all)
    const values = [new Blob([png], { type: 'image/png' }), png]
    const { failures } = await contract(app, api, {
      runs: 6,
      values: { 'PUT /photo form.photo': values },
    })
    expect(failures).toEqual([])
    expect(seen).toEqual(expect.arrayContaining(['image/png 8950ff00', 'text/plain 8950ff00']))
  })
})
