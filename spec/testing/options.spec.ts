import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  apiKey,
  Blueprint,
  etag,
  int,
  json,
  maxLength,
  operation,
  query,
  response,
  secure,
  struct,
} from 'koa-smorest'
import { type ContractOptions, contract } from 'koa-smorest/testing'
import { describe, expect, it } from 'vitest'

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
    [{ runs: 0 }, 'contract: runs is a whole number from 1 on, not 0'],
    [{ runs: 2.5 }, 'contract: runs is a whole number from 1 on, not 2.5'],
    [{ runs: '9' as never }, 'contract: runs is a whole number from 1 on, not "9"'],
    [{ seed: Number.NaN }, 'contract: seed is a whole number, not NaN'],
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
      'contract: skip names "DELETE /notes/{noteId}", which is no operation in the document, did you mean "GET /notes/{noteId}"?',
      'contract: unreachable names "PUT /notes/{noteId} 410", which is no response in the document',
      'contract: as names "kay", which is no security scheme in the document, did you mean "key"?',
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

  it('says once what is missing where it has no credentials', async () => {
    const { failures } = await notes().run({ values: { noteId: [1] } })
    expect(failures.map(({ check, operation }) => ({ check, operation }))).toEqual([
      { check: 'no success', operation: 'PUT /notes/{noteId}' },
    ])
  })
})
