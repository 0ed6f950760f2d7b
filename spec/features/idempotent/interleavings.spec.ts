import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import Koa from 'koa'
import {
  Api,
  abort,
  Blueprint,
  idempotent,
  int,
  json,
  memoryStore,
  operation,
  response,
  struct,
} from 'koa-smorest'
import { fetchOf } from 'koa-smorest/testing'
import { describe, expect, it } from 'vitest'

/**
 * One of few keys with one of two bodies, sent after so many turns of the event loop, perhaps by a
 * client that goes away.
 */
const request = fc.record({
  key: fc.constantFrom('a', 'b', 'c'),
  n: fc.nat({ max: 1 }),
  after: fc.nat({ max: 12 }),
  leavesAfter: fc.option(fc.nat({ max: 6 }), { freq: 4, nil: undefined }),
  /** How the method ends for it, should it run, and how long it takes. */
  ends: fc.constantFrom('value', 'value', 'abort', 'crash'),
  turns: fc.nat({ max: 4 }),
})
type Sent = typeof request extends fc.Arbitrary<infer T> ? T : never

const turns = async (count: number) => {
  for (let index = 0; index < count; index++) await turn()
}

/** What a client has seen. */
interface Seen {
  readonly sent: Pick<Sent, 'key' | 'n'>
  readonly status: number
  readonly body: { readonly run?: number; readonly message?: string; readonly problem?: string }
  readonly replayed: boolean
}

/** An application whose method does what the request tells it, and what it has done by key. */
function application() {
  const done = new Map<
    string,
    { readonly run: number; readonly n: number; readonly ends: string }[]
  >()
  const active = new Map<string, number>()
  let [runs, mostAtOnce] = [0, 0]
  const blueprint = new Blueprint('all').post(
    '/',
    operation(
      idempotent({ store: memoryStore() }),
      json(struct({ n: int })),
      response(struct({ run: int }), { code: 201 }),
    ),
    async (ctx, { n }) => {
      const run = ++runs
      const key = ctx.get('Idempotency-Key')
      const ends = ctx.get('X-Ends')
      active.set(key, (active.get(key) ?? 0) + 1)
      mostAtOnce = Math.max(mostAtOnce, active.get(key) ?? 0)
      await turns(Number(ctx.get('X-Turns')))
      active.set(key, (active.get(key) ?? 0) - 1)
      if (ends === 'crash') throw new Error('planned')
      done.set(key, [...(done.get(key) ?? []), { run, n, ends }])
      return ends === 'abort' ? abort(409, { message: `run ${run}` }) : { run }
    },
  )
  const app = new Koa()
  app.silent = true
  new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(blueprint)
  const fetch = fetchOf(app)
  const send = async (
    { key, n, ends, turns }: Omit<Sent, 'after' | 'leavesAfter'>,
    signal?: AbortSignal,
  ): Promise<Seen> => {
    const headers = {
      'Content-Type': 'application/json',
      'Idempotency-Key': key,
      'X-Ends': ends,
      'X-Turns': String(turns),
    }
    const response = await fetch('/', {
      method: 'POST',
      headers,
      body: JSON.stringify({ n }),
      ...(signal && { signal }),
    })
    const { status } = response
    return {
      sent: { key, n },
      status,
      body: (await response.json()) as Seen['body'],
      replayed: response.headers.has('Idempotency-Replayed'),
    }
  }
  return { send, done, mostAtOnce: () => mostAtOnce }
}

async function leaving<Result>(
  leavesAfter: number | undefined,
  ask: (signal?: AbortSignal) => Promise<Result>,
): Promise<Result | undefined> {
  if (leavesAfter === undefined) return ask()
  const client = new AbortController()
  const asked = ask(client.signal).catch(() => undefined)
  await turns(leavesAfter)
  client.abort()
  return asked
}

describe('requests with few keys, sent at once by clients that come and go,', () => {
  it('happen once for each key, and all of a key see one outcome', async () => {
    const seenStatuses = new Set<string>()
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 2, maxLength: 14 }), async requests => {
        const { send, done, mostAtOnce } = application()
        const all = await Promise.all(
          requests.map(async sent => {
            await turns(sent.after)
            return leaving(sent.leavesAfter, signal => send(sent, signal))
          }),
        )
        // runs whose clients have gone come to their end
        await turns(40)
        const last = await Promise.all(
          (['a', 'b', 'c'] as const).map(key =>
            send({ key, n: done.get(key)?.[0]?.n ?? 0, ends: 'value', turns: 0 }),
          ),
        )
        expect(mostAtOnce()).toBeLessThanOrEqual(1)
        for (const runs of done.values()) expect(runs).toHaveLength(1)
        for (const one of [...all, ...last]) {
          if (!one) continue
          const { sent, status, body, replayed } = one
          const [first] = done.get(sent.key) ?? []
          seenStatuses.add(`${status}${replayed ? ' again' : ''} ${body.problem ?? ''}`.trim())
          if (status === 500 || body.problem === 'idempotency-running') continue
          if (status === 422) expect(sent.n).not.toBe(first?.n)
          else if (first?.ends === 'abort')
            expect(one).toMatchObject({
              status: 409,
              body: { message: `run ${first.run}` },
              sent: { n: first.n },
            })
          else
            expect(one).toMatchObject({
              status: 201,
              body: { run: first?.run },
              sent: { n: first?.n },
            })
        }
      }),
      { numRuns: 30, seed: 14 },
    )
    // otherwise it has tested nothing
    expect([...seenStatuses].sort()).toEqual([
      '201',
      '201 again',
      '409',
      '409 again',
      '409 idempotency-running',
      '422',
      '500',
    ])
  })
})
