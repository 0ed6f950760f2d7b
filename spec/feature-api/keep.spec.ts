import { Readable } from 'node:stream'
import * as t from 'io-ts'
import {
  abort,
  Blueprint,
  CompleteResponse,
  type Exchange,
  type Feature,
  json,
  operation,
  Refusal,
  response,
  struct,
} from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { serveBlueprints } from '../support/client.js'

/** What a step of `keep` was shown. */
interface Seen {
  readonly stage: string
  readonly status: number
  readonly failure?: number
  readonly body?: string | Uint8Array
  readonly isRaw: boolean
}

/** Keeps what it sees; `instead` is what it returns. */
const keeping = (seen: Seen[], instead?: Refusal): Feature<Record<never, never>> => ({
  on: () => [
    {
      stage: 'keep',
      step: ({ stage, status, failure, body, isRaw }) => {
        seen.push({
          stage,
          status,
          isRaw,
          ...(failure && { failure: failure.code }),
          ...(body !== undefined && { body }),
        })
        return instead
      },
    },
  ],
})
const at = (
  stage: 'replay' | 'load',
  step: (exchange: Exchange) => Refusal | CompleteResponse,
): Feature<Record<never, never>> => ({
  on: () => [{ stage, step }],
})
const N = struct({ n: t.number })

async function ask(seen: Seen[], path: string) {
  const all = new Blueprint('all', { shared: operation(keeping(seen)) })
  all.post('/value', operation(response(N, { code: 201 })), () => ({ n: 1, more: 2 }))
  all.post('/abort', operation(), () => abort(409))
  all.post('/error', operation(), () => {
    throw new Error('planned')
  })
  all.post('/encode', operation(response(N)), () => ({ n: 'x' }) as never)
  all.post('/arguments', operation(json(struct({ n: t.number }))), () => null)
  all.post('/load', operation(at('load', () => new Refusal(412))), () => null)
  all.post('/stream', operation(), () => Readable.from(['text']))
  all.post(
    '/replay',
    operation(
      at(
        'replay',
        () => new CompleteResponse(201, [['Content-Type', 'application/json']], '{"n":1}'),
      ),
    ),
    () => abort(500),
  )
  const { request } = await serveBlueprints(
    all,
    { DEBUG: false, TESTING: false },
    { undocumented: [path] },
  )
  return request('POST', path)
}

describe('a step of keep', () => {
  it.each([
    [
      'a value that is encoded already',
      '/value',
      { stage: 'encode', status: 201, isRaw: false, body: '{"n":1}' },
    ],
    [
      'what the method aborted with',
      '/abort',
      { stage: 'method', status: 0, isRaw: false, failure: 409 },
    ],
    ['what the method threw', '/error', { stage: 'method', status: 0, isRaw: false, failure: 500 }],
    [
      'a result that cannot be encoded',
      '/encode',
      { stage: 'encode', status: 200, isRaw: false, failure: 500 },
    ],
    [
      'a refusal before the method',
      '/arguments',
      { stage: 'arguments', status: 0, isRaw: false, failure: 422 },
    ],
    ['a refusal of the loader', '/load', { stage: 'load', status: 0, isRaw: false, failure: 412 }],
    [
      'a raw response, without its content',
      '/stream',
      { stage: 'encode', status: 200, isRaw: true },
    ],
  ])('sees %s', async (_title, path, expected) => {
    const seen: Seen[] = []
    await ask(seen, path)
    expect(seen).toEqual([expected])
  })

  it('sees at which stage a complete response was sent instead', async () => {
    const seen: Seen[] = []
    const { status, body } = await ask(seen, '/replay')
    expect({ status, body }).toEqual({ status: 201, body: { n: 1 } })
    expect(seen).toEqual([{ stage: 'replay', status: 0, isRaw: false }])
  })

  it('may refuse in place of a success or of a failure', async () => {
    const all = new Blueprint('all', { shared: operation(keeping([], new Refusal(503))) })
    all.post('/value', operation(), () => 1)
    all.post('/abort', operation(), () => abort(409))
    const { request } = await serveBlueprints(all)
    expect((await request('POST', '/value')).status).toBe(503)
    expect((await request('POST', '/abort')).status).toBe(503)
  })
})
