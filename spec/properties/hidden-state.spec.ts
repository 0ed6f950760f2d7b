import { setTimeout as sleep } from 'node:timers/promises'
import * as fc from 'fast-check'
import * as t from 'io-ts'
import {
  abort,
  altResponse,
  Blueprint,
  type Context,
  etag,
  int,
  json,
  MethodView,
  operation,
  optional,
  paginate,
  query,
  reply,
  response,
  setEtag,
  struct,
} from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { type Answer, serveBlueprints } from '../support/client.js'
import { cases, PATIENCE, seed } from './seed.js'

const Mark = struct({ mark: optional(t.string) })

/** Keeps on itself what another request must not find, and waits at every turn. */
class Marked extends MethodView {
  #marks: unknown[] = []

  static get = operation(etag(), query(Mark), response())
  async get(ctx: Context, { mark }: { mark?: string }, { id }: { id: number }) {
    await this.#note(ctx, id, mark)
    setEtag(ctx, [id, mark])
    return this.#marks
  }

  static post = operation(
    json(struct({ mark: t.string })),
    response({ code: 201 }),
    altResponse(202),
  )
  async post(ctx: Context, { mark }: { mark: string }, { id }: { id: number }) {
    await this.#note(ctx, id, mark)
    if (mark === 'refuse') abort(409, { message: `${id}`, errors: { mark: [mark] } })
    return reply(this.#marks, 202, { 'X-Mark': `${id}` })
  }

  async #note(ctx: Context, id: number, mark: string | undefined): Promise<void> {
    ctx.state.id = id
    await sleep(id % 3)
    this.#marks.push(id, mark, ctx.state.id, ctx.query.mark ?? null)
  }
}

const marks = new Blueprint('marks')
  .route('/marks/:id<int>', Marked)
  .get(
    '/list/:id<int>',
    operation(response(t.array(int)), paginate()),
    async (_, { id, paginationParameters: parameters }) => {
      parameters.itemCount = id
      await sleep(id % 2)
      return [parameters.page, parameters.pageSize, parameters.itemCount]
    },
  )
const { request } = await serveBlueprints(marks, { DEBUG: false, TESTING: false })

interface Shot {
  readonly method: string
  readonly path: string
  readonly json?: unknown
}

const text = fc.constantFrom('a', 'b', 'refuse', 'x y')
const shots: fc.Arbitrary<Shot> = fc.oneof(
  fc.tuple(fc.nat(20), text).map(([id, mark]) => ({
    method: 'GET',
    path: `/marks/${id}?mark=${encodeURIComponent(mark)}`,
  })),
  fc
    .tuple(fc.nat(20), text)
    .map(([id, mark]) => ({ method: 'POST', path: `/marks/${id}`, json: { mark } })),
  fc.nat(20).map(id => ({ method: 'POST', path: `/marks/${id}`, json: { mark: id } })),
  fc.tuple(fc.nat(20), fc.integer({ min: 1, max: 9 })).map(([id, page]) => ({
    method: 'GET',
    path: `/list/${id}?page=${page}&page_size=${page + id}`,
  })),
  fc.nat(20).map(id => ({ method: 'GET', path: `/nothing/${id}` })),
)

async function send({ method, path, json: body }: Shot): Promise<unknown> {
  const answer: Answer = await request(method, path, body === undefined ? {} : { json: body })
  const { status, headers, text: sent } = answer
  return [status, headers.get('ETag'), headers.get('X-Mark'), headers.get('X-Pagination'), sent]
}

describe(`P10: requests to things that have nothing to do with each other (seed ${seed})`, () => {
  it(
    'are answered as if each were alone, in any order and a hundred at once',
    async () => {
      const holds = async (all: readonly Shot[]) => {
        const alone: unknown[] = []
        for (const shot of all) alone.push(await send(shot))
        const together = await Promise.all(all.map(send))
        expect(together).toEqual(alone)
      }
      const hundred = fc.array(shots, { minLength: 2, maxLength: 100, size: 'max' })
      await fc.assert(fc.asyncProperty(hundred, holds), { seed, numRuns: Math.min(cases(4), 400) })
    },
    PATIENCE,
  )
})
