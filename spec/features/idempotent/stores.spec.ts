import { setTimeout as wait } from 'node:timers/promises'
import Koa from 'koa'
import {
  type AnyBlueprint,
  Api,
  abort,
  apiKey,
  Blueprint,
  basic,
  idempotent,
  int,
  memoryStore,
  type Outcome,
  operation,
  type RegistrationError,
  type Run,
  response,
  type Store,
  secure,
  struct,
} from 'koa-smorest'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { serveBlueprints } from '../../support/client.js'

const N = struct({ n: int }, 'N')
const keyed = { headers: { 'Idempotency-Key': 'k' } }

/** A transaction that writes down what becomes of it. */
interface Transaction {
  readonly id: number
}

/** A store of one key that says what it is told, and does what `over` says instead. */
function telling(over: Partial<Store<Transaction>> = {}) {
  const calls: string[] = []
  const outcomes: Outcome[] = []
  const run: Run<Transaction> = { key: 'k', token: 't', transaction: { id: 7 } }
  const store: Store<Transaction> = {
    begin: over.begin ?? (async () => ({ state: 'fresh', run })),
    async finish(finished, outcome) {
      calls.push(`finish ${finished.token}`)
      outcomes.push(outcome)
      return over.finish ? over.finish(finished, outcome) : true
    },
    async release(released) {
      calls.push(`release ${released.token}`)
      await over.release?.(released)
    },
  }
  return { store, calls, outcomes }
}

const serving = (store: Store<Transaction>, view: () => { n: number } = () => ({ n: 1 })) => {
  const blueprint = new Blueprint('numbers').post(
    '/',
    operation(idempotent({ store }), response(N, { code: 201 })),
    view,
  )
  return serveBlueprints(blueprint, {}, { undocumented: ['/'] })
}

describe('a store', () => {
  it('hands its transaction to the method, typed, and to one that requires keys in any case', async () => {
    const { store, calls } = telling()
    const given: unknown[] = []
    const all = new Blueprint('all')
    all.post(
      '/required',
      operation(idempotent({ store, required: true })),
      (_ctx, { transaction }) => {
        expectTypeOf(transaction).toEqualTypeOf<Transaction>()
        given.push(transaction)
      },
    )
    all.post('/optional', operation(idempotent({ store })), (_ctx, { transaction }) => {
      expectTypeOf(transaction).toEqualTypeOf<Transaction | undefined>()
      given.push(transaction)
    })
    all.post(
      '/none',
      operation(idempotent({ store: memoryStore(), required: true })),
      (_ctx, named) => {
        expectTypeOf(named).toEqualTypeOf<{ signal: AbortSignal }>()
        given.push(named)
      },
    )
    const { request } = await serveBlueprints(all)
    await request('POST', '/required', keyed)
    await request('POST', '/optional', keyed)
    await request('POST', '/optional')
    await request('POST', '/none', keyed)
    expect(given).toEqual([{ id: 7 }, { id: 7 }, undefined, {}])
    expect(calls).toEqual(['finish t', 'finish t'])
  })

  it('is given what was sent, or what the method failed with', async () => {
    const { store, outcomes } = telling()
    const values = [() => ({ n: 1 }), () => abort(404, { message: 'No.', headers: { 'X-A': 'b' } })]
    const { request } = await serving(store, () => (values.shift() as () => { n: number })())
    await request('POST', '/', keyed)
    await request('POST', '/', keyed)
    expect(outcomes).toEqual([
      {
        status: 201,
        headers: [['Content-Type', 'application/json; charset=utf-8']],
        body: '{"n":1}',
        failed: false,
      },
      { status: 404, headers: [['X-A', 'b']], body: '{"message":"No."}', failed: true },
    ])
  })

  it('has finished before a byte is sent', async () => {
    let finish: (isOurs: boolean) => void = () => undefined
    const { store } = telling({
      finish: () =>
        new Promise(resolve => {
          finish = resolve
        }),
    })
    const { request } = await serving(store)
    let isSent = false
    const sent = request('POST', '/', keyed).then(response => {
      isSent = true
      return response
    })
    await wait(60)
    expect(isSent).toBe(false)
    finish(true)
    expect((await sent).status).toBe(201)
  })

  it('whose run was taken over gives the client no success that another could contradict', async () => {
    const { store } = telling({ finish: async () => false })
    const { request } = await serving(store)
    const { status, headers, body } = await request('POST', '/', keyed)
    expect([status, headers.get('Retry-After'), body.problem]).toEqual([
      409,
      '1',
      'idempotency-running',
    ])
  })

  it.each(['begin', 'finish'] as const)(
    'that fails in %s is 503 with Retry-After, and logged',
    async name => {
      let runs = 0
      const { store } = telling({ [name]: () => Promise.reject(new Error('away')) })
      const { request, errors } = await serving(store, () => ({ n: ++runs }))
      const { status, headers, text } = await request('POST', '/', keyed)
      expect([status, headers.get('Retry-After'), runs]).toEqual([
        503,
        '1',
        name === 'begin' ? 0 : 1,
      ])
      expect(text).not.toContain('away')
      expect(errors.map(({ cause }) => cause)).toEqual([new Error('away')])
    },
  )

  it('that fails to release changes nothing for the client, and is logged', async () => {
    const { store, calls } = telling({ release: () => Promise.reject(new Error('away')) })
    const { request, errors } = await serving(store, () => abort(500))
    expect((await request('POST', '/', keyed)).status).toBe(500)
    expect([calls, errors.map(({ message }) => message)]).toEqual([
      ['release t'],
      ['away', expect.any(String)],
    ])
  })

  it('ends its run also if another feature refuses what was done', async () => {
    const { store, calls } = telling()
    const refusing = { on: () => [{ stage: 'keep' as const, step: () => abort(503) }] }
    const all = new Blueprint('all').post(
      '/',
      operation(refusing, idempotent({ store })),
      () => null,
    )
    const { request } = await serveBlueprints(all)
    expect((await request('POST', '/', keyed)).status).toBe(503)
    expect(calls).toEqual(['release t'])
  })

  it.each([
    [2.1, '3'],
    [-1, '1'],
    [Number.NaN, '1'],
    [undefined as never, '1'],
  ])(
    'that says %s is running says how long a client is to wait in whole seconds: %s',
    async (retryAfter, expected) => {
      const { store } = telling({ begin: async () => ({ state: 'running', retryAfter }) })
      const { request } = await serving(store)
      expect((await request('POST', '/', keyed)).headers.get('Retry-After')).toBe(expected)
    },
  )

  describe('that says what makes no sense', () => {
    it.each<[string, (key: string, fingerprint: string) => unknown]>([
      ['nothing', () => undefined],
      ['another state', () => ({ state: 'odd' })],
      ['a fresh run that is none', () => ({ state: 'fresh' })],
      ['no outcome', () => ({ state: 'done', fingerprint: 'x' })],
    ])('in begin, %s, is 503, and the method does not run', async (_what, begin) => {
      let runs = 0
      const { store } = telling({ begin: begin as never })
      const { request, errors } = await serving(store, () => ({ n: ++runs }))
      expect((await request('POST', '/', keyed)).status).toBe(503)
      expect({ runs, causes: errors.map(({ cause }) => String(cause)) }).toEqual({
        runs: 0,
        causes: [expect.stringMatching(/^TypeError: idempotent: begin\(\) of the store returned /)],
      })
    })

    it('in finish is 503, since nobody knows whether the outcome was kept', async () => {
      const { store } = telling({ finish: async () => undefined as never })
      const { request, errors } = await serving(store)
      expect((await request('POST', '/', keyed)).status).toBe(503)
      expect(String(errors[0]?.cause)).toBe(
        'TypeError: idempotent: finish() of the store must return true or false, not undefined',
      )
    })
  })

  it('may keep bytes as the JSON that Node makes of them', async () => {
    const kept = JSON.parse(
      JSON.stringify({ status: 201, headers: [], body: Buffer.from('{"n":7}'), failed: false }),
    )
    const { store } = telling({
      begin: async (_key, fingerprint) => ({ state: 'done', fingerprint, outcome: kept }),
    })
    const { request } = await serving(store)
    expect((await request('POST', '/', keyed)).text).toBe('{"n":7}')
  })
})

describe('a result that cannot be encoded', () => {
  const wrong = () => ({ n: 'x' }) as never

  it('is lost, but its request was handled: it never runs again', async () => {
    let runs = 0
    const blueprint = new Blueprint('numbers').post(
      '/',
      operation(idempotent({ store: memoryStore() }), response(N)),
      () => {
        runs++
        return wrong()
      },
    )
    const { request } = await serveBlueprints(blueprint)
    const [first, second] = [await request('POST', '/', keyed), await request('POST', '/', keyed)]
    expect([first.status, second.status, JSON.parse(second.text), runs]).toEqual([
      500,
      409,
      {
        code: 409,
        status: 'Conflict',
        message:
          'The request was handled before. Its response is not kept, so it cannot be sent again.',
      },
      1,
    ])
  })

  it('is rolled back in a store with transactions, so that it may run again', async () => {
    const { store, calls } = telling()
    const { request } = await serving(store, wrong)
    expect([(await request('POST', '/', keyed)).status, calls]).toEqual([500, ['release t']])
  })
})

describe('memoryStore', () => {
  const outcome: Outcome = { status: 200, headers: [], body: 'text', failed: false }
  const done = async (store: Store, key: string, keepMs = 1000, body: Outcome['body'] = 'text') => {
    const begun = await store.begin(key, 'f', keepMs)
    if (begun.state === 'fresh') await store.finish(begun.run, { ...outcome, body })
    return begun.state
  }

  it('forgets after its time', async () => {
    const store = memoryStore()
    await done(store, 'a', 20)
    expect(await done(store, 'a', 20)).toBe('done')
    await wait(30)
    expect(await done(store, 'a')).toBe('fresh')
  })

  it('forgets the oldest finished key if it is full', async () => {
    const store = memoryStore({ maxEntries: 3 })
    for (const key of ['a', 'b', 'c', 'd']) await done(store, key)
    expect(await Promise.all(['b', 'c', 'd'].map(key => done(store, key)))).toEqual([
      'done',
      'done',
      'done',
    ])
    expect(await done(store, 'a')).toBe('fresh')
  })

  it('forgets the oldest if bodies have more than maxBytes together', async () => {
    const store = memoryStore({ maxBytes: 10 })
    for (const key of ['a', 'b', 'c']) await done(store, key, 1000, Buffer.from('four'))
    expect([await done(store, 'c'), await done(store, 'b'), await done(store, 'a')]).toEqual([
      'done',
      'done',
      'fresh',
    ])
  })

  it('never forgets a running key: if there are no others it refuses further ones', async () => {
    const store = memoryStore({ maxEntries: 2 })
    const runs = [await store.begin('a', 'f', 1000), await store.begin('b', 'f', 1000)]
    await expect(store.begin('c', 'f', 1000)).rejects.toThrow('raise maxEntries')
    expect((await store.begin('a', 'f', 1000)).state).toBe('running')
    const [first] = runs
    if (first?.state === 'fresh') await store.release(first.run)
    expect((await store.begin('c', 'f', 1000)).state).toBe('fresh')
  })

  it('is 503 for the client if it is full of running keys', async () => {
    let go: () => void = () => undefined
    const gate = new Promise<void>(resolve => {
      go = resolve
    })
    const store = memoryStore({ maxEntries: 1 })
    const slow = new Blueprint('slow').post('/', operation(idempotent({ store })), () => gate)
    const { request } = await serveBlueprints(slow)
    const first = request('POST', '/', keyed)
    let second = await request('POST', '/', { headers: { 'Idempotency-Key': 'other' } })
    while (second.status === 200)
      second = await request('POST', '/', { headers: { 'Idempotency-Key': 'other' } })
    go()
    expect([second.status, (await first).status]).toEqual([503, 200])
  })

  it('keeps nothing for a run that it does not know', async () => {
    const store = memoryStore()
    expect(await store.finish({ key: 'a', token: 'other', transaction: undefined }, outcome)).toBe(
      false,
    )
    expect(await done(store, 'a')).toBe('fresh')
  })

  it('lets a run that has ended change nothing', async () => {
    const store = memoryStore()
    const first = await store.begin('a', 'f', 100)
    if (first.state !== 'fresh') throw new Error(first.state)
    await store.finish(first.run, outcome)
    await store.release(first.run)
    expect((await store.begin('a', 'f', 1000)).state).toBe('done')
    await wait(110)
    const second = await store.begin('a', 'f', 1000)
    await store.release(first.run)
    expect([second.state, await store.finish(first.run, outcome)]).toEqual(['fresh', false])
    expect((await store.begin('a', 'f', 1000)).state).toBe('running')
  })

  it('takes room from the caller with the most, whose oldest outcome goes', async () => {
    const store = memoryStore({ maxEntries: 4 })
    const as = async (key: string, owner?: string) => {
      const begun = await store.begin(key, 'f', 1000, owner)
      if (begun.state === 'fresh') await store.finish(begun.run, outcome)
      return begun.state
    }
    await as('ann', 'ann')
    // anonymous callers are one
    for (const key of ['1', '2', '3', '4', '5']) await as(key)
    const states = []
    for (const key of ['3', '4', '5']) states.push(await as(key))
    states.push(await as('ann', 'ann'), await as('2'))
    expect(states).toEqual(['done', 'done', 'done', 'done', 'fresh'])
  })

  it('takes bytes from the caller with the most of them, and counts header fields', async () => {
    const store = memoryStore({ maxBytes: 40 })
    const as = async (key: string, owner: string, value: string) => {
      const begun = await store.begin(key, 'f', 1000, owner)
      const headers: Outcome['headers'] = [['X', value]]
      if (begun.state === 'fresh') await store.finish(begun.run, { ...outcome, headers, body: '' })
      return begun.state
    }
    for (const key of ['a', 'b', 'c']) await as(key, 'ann', '12')
    for (const key of ['x', 'y']) await as(key, 'eve', '0123456789012345678')
    const states = []
    for (const key of ['a', 'b', 'c', 'y']) states.push(await as(key, 'ann', ''))
    expect([...states, await as('x', 'eve', '')]).toEqual(['done', 'done', 'done', 'done', 'fresh'])
  })

  it('never takes a running key for an expired one of the same name', async () => {
    const store = memoryStore({ maxEntries: 2 })
    await done(store, 'a', 1)
    await wait(5)
    const running = await store.begin('a', 'f', 1000)
    await done(store, 'b')
    await done(store, 'c')
    expect([running.state, (await store.begin('a', 'f', 1000)).state]).toEqual(['fresh', 'running'])
  })

  it('never takes one behind a key that is kept longer, either', async () => {
    const store = memoryStore({ maxEntries: 3 })
    await done(store, 'longer')
    await done(store, 'a', 1)
    await wait(5)
    const running = await store.begin('a', 'f', 1000)
    for (const key of ['b', 'c', 'd']) await done(store, key)
    expect([running.state, (await store.begin('a', 'f', 1000)).state]).toEqual(['fresh', 'running'])
  })

  it('takes numbers from 1 on', () => {
    expect(() => memoryStore({ maxEntries: 0, maxBytes: Number.NaN })).toThrow(
      /maxEntries must be a whole number of at least 1, or Infinity, not 0; maxBytes must .* not NaN/,
    )
    expect(() => memoryStore({ maxEntry: 5 } as never)).toThrow('maxEntry')
  })
})

describe('a registration refuses', () => {
  const faultsOf = (blueprint: AnyBlueprint): readonly string[] => {
    try {
      new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(blueprint)
      return []
    } catch (error) {
      return (error as RegistrationError).faults
    }
  }
  const store = memoryStore()
  const view = () => null

  it.each(['get', 'query'] as const)('idempotent on %s, which changes nothing', method => {
    expect(
      faultsOf(new Blueprint('b')[method]('/', operation(idempotent({ store })), view)),
    ).toEqual([expect.stringContaining('changes nothing')])
  })

  it('keys whose callers cannot be told from each other', () => {
    const nameless = basic('nameless', { principal: () => ({}) })
    const named = apiKey('named', {
      in: 'header',
      name: 'X-Key',
      principal: () => 'x',
      identify: name => name,
    })
    const of = (scheme: typeof nameless | typeof named) =>
      faultsOf(
        new Blueprint('b').post(
          '/',
          operation(secure(scheme as typeof nameless), idempotent({ store })),
          view,
        ),
      )
    expect([of(nameless), of(named)]).toEqual([[expect.stringContaining('identify')], []])
  })

  it('options that it does not know or that cannot be', () => {
    const options = { store: {}, keep: 'soon', required: 'yes', maxSize: -1, ttl: 1 } as never
    expect(faultsOf(new Blueprint('b').post('/', operation(idempotent(options)), view))).toEqual(
      [
        'there is no option "ttl", the options are store, keep, required, maxSize',
        'store must be a store with begin, finish and release, such as memoryStore(), not an object',
        'keep must be milliseconds or a string such as "24h" or "30m", not "soon"',
        'required must be true or false, not "yes"',
        'maxSize must be a whole number of at least 0, or Infinity, not -1',
      ].map(text => expect.stringContaining(`: idempotent: ${text}`)),
    )
  })

  it.each([1, '1ms', '1.5h', '7d'] as const)('but not keep: %j', keep => {
    expect(
      faultsOf(new Blueprint('b').post('/', operation(idempotent({ store, keep })), view)),
    ).toEqual([])
  })
})

describe('the document', () => {
  it('has the key, what it is refused with, and the field of a repetition', () => {
    const all = new Blueprint('all').post(
      '/',
      operation(idempotent({ store: memoryStore(), required: true }), response(N)),
      () => ({
        n: 1,
      }),
    )
    const api = new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(all)
    const { post } = (
      api.spec.toJSON('3.1.0') as { paths: Record<string, { post: Record<string, never> }> }
    ).paths['/'] as never
    const { parameters, responses } = post as {
      parameters: object[]
      responses: Record<string, { headers?: Record<string, object> }>
    }
    expect(parameters).toEqual([
      {
        in: 'header',
        name: 'Idempotency-Key',
        required: true,
        description: expect.any(String),
        schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
      },
    ])
    expect(Object.keys(responses)).toEqual(['200', '400', '409', '422', '503', 'default'])
    expect(
      Object.entries(responses).map(([status, { headers = {} }]) => [
        status,
        Object.keys(headers).sort(),
      ]),
    ).toEqual([
      ['200', ['Idempotency-Replayed']],
      ['400', ['Idempotency-Replayed']],
      ['409', ['Idempotency-Replayed', 'Retry-After']],
      ['422', ['Idempotency-Replayed']],
      ['503', ['Idempotency-Replayed', 'Retry-After']],
      ['default', ['Idempotency-Replayed']],
    ])
  })
})
