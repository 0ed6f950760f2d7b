import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  Application,
  Blueprint,
  type Feature,
  operation,
  query,
  response,
  struct,
} from 'koa-smorest'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { listen, serveBlueprints } from '../support/client.js'

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5)
}

/** Serves GET /x, and a client that leaves once the method has begun. */
async function leave(app: Koa, method: (signal: AbortSignal) => unknown) {
  const errors: Error[] = []
  const failures: unknown[] = []
  app.on('error', error => errors.push(error))
  class Watched extends Api {
    override handleHttpException(...given: Parameters<Api['handleHttpException']>) {
      failures.push(given[0].code)
      super.handleHttpException(...given)
    }
  }
  let isBegun = false
  let outcome: unknown
  const all = new Blueprint('all')
  all.get('/x', operation(response()), async (_ctx, { signal }) => {
    isBegun = true
    try {
      return await method(signal)
    } catch (thrown) {
      outcome = thrown
      throw thrown
    } finally {
      outcome ??= signal.aborted
    }
  })
  new Watched(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(all)
  const port = await listen(app)
  const request = httpRequest({ port, host: '127.0.0.1', path: '/x', agent: false }).end()
  request.on('error', () => undefined)
  await until(() => isBegun)
  request.destroy()
  await until(() => outcome !== undefined)
  await sleep(20)
  return { outcome, errors, failures }
}

describe.each([
  ['a Koa', () => new Koa()],
  ['an Application', () => new Application()],
])('the signal, on %s', (_, make) => {
  it('aborts when the client has gone; its reason is not logged', async () => {
    const { outcome, errors, failures } = await leave(
      make(),
      signal =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    )
    expect([(outcome as Error).name, errors, failures]).toEqual(['AbortError', [], []])
  })

  it('aborts what is given to it; that AbortError is not logged', async () => {
    const { outcome, errors } = await leave(make(), signal => sleep(10_000, null, { signal }))
    expect([(outcome as Error).name, errors]).toEqual(['AbortError', []])
  })

  it('does not hide other errors', async () => {
    const { errors } = await leave(make(), async signal => {
      await once(signal, 'abort')
      throw new Error('planned')
    })
    expect(errors.map(String)).toEqual(['Error: planned'])
  })

  it('is aborted at once if it is first read after the client has gone', async () => {
    const app = make()
    let isAborted: boolean | undefined
    let isBegun = false
    const all = new Blueprint('all')
    all.get('/x', operation(response()), async (ctx, named) => {
      isBegun = true
      await once(ctx.res, 'close')
      isAborted = named.signal.aborted
      return null
    })
    new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(all)
    const port = await listen(app)
    const request = httpRequest({ port, host: '127.0.0.1', path: '/x', agent: false }).end()
    request.on('error', () => undefined)
    await until(() => isBegun)
    request.destroy()
    await until(() => isAborted !== undefined)
    expect(isAborted).toBe(true)
  })
})

describe('the signal', () => {
  it('does not abort after a complete response', async () => {
    let signal: AbortSignal | undefined
    const all = new Blueprint('all')
    all.get('/x', operation(response()), (_ctx, named) => {
      signal = named.signal
      return null
    })
    const { port } = await serveBlueprints(all)
    await fetch(`http://127.0.0.1:${port}/x`, { headers: { Connection: 'close' } })
    await sleep(30)
    expect(signal?.aborted).toBe(false)
  })

  it('is one for the method and for features', async () => {
    let isSame: boolean | undefined
    const seen: AbortSignal[] = []
    const watches: Feature<Record<never, never>> = {
      on: () => [{ stage: 'begin', step: exchange => void seen.push(exchange.signal) }],
    }
    const all = new Blueprint('all')
    all.get('/x', operation(watches, response()), (_ctx, { signal }) => {
      isSame = seen[0] === signal
      return null
    })
    await (await serveBlueprints(all)).request('GET', '/x')
    expect(isSame).toBe(true)
  })

  it('is not given if a parameter, an argument or a feature has its name', async () => {
    const named: Feature<{ named: { signal: string } }> = {
      on: () => [
        { stage: 'access', step: ({ named }) => void Object.assign(named, { signal: 'feature' }) },
      ],
    }
    const spread = query(struct({ signal: t.string }), { asKwargs: true })
    const all = new Blueprint('all')
    all.get('/path/:signal', operation(response()), (_ctx, { signal }) => {
      expectTypeOf(signal).toEqualTypeOf<string>()
      return signal
    })
    all.get('/feature', operation(named, response()), (_ctx, { signal, ...others }) => {
      expectTypeOf(signal).toEqualTypeOf<string>()
      return [signal, others]
    })
    all.get('/query', operation(spread, response()), (_ctx, { signal }) => {
      expectTypeOf(signal).toEqualTypeOf<string>()
      return signal
    })
    const { request } = await serveBlueprints(all)
    expect((await request('GET', '/path/p')).body).toBe('p')
    expect((await request('GET', '/feature')).body).toEqual(['feature', {}])
    expect((await request('GET', '/query?signal=q')).body).toBe('q')
  })
})

describe('exchange.onEnd', () => {
  it('runs callbacks once, the last one first, after operation and response', async () => {
    const seen: string[] = []
    const errors: unknown[] = []
    const watches: Feature<Record<never, never>> = {
      on: () => [
        {
          stage: 'access',
          step(exchange) {
            exchange.ctx.res.once('finish', () => seen.push('finish'))
            exchange.onEnd(() => seen.push('first'))
            exchange.onEnd(() => {
              throw new Error('thrown')
            })
            exchange.onEnd(async () => {
              throw new Error('rejected')
            })
            exchange.onEnd(() => seen.push('last'))
          },
        },
      ],
    }
    const all = new Blueprint('all')
    all.get('/x', operation(watches, response()), async () => {
      await sleep(10)
      seen.push('method')
      return null
    })
    const served = await serveBlueprints(all)
    await served.request('GET', '/x')
    await until(() => seen.includes('first'))
    await sleep(10)
    errors.push(...served.errors.map(String))
    expect({ seen, errors }).toEqual({
      seen: ['method', 'finish', 'last', 'first'],
      errors: ['Error: thrown', 'Error: rejected'],
    })
  })

  it('waits for a method that goes on without its client', async () => {
    const seen: string[] = []
    const app = new Koa()
    const watches: Feature<Record<never, never>> = {
      on: () => [{ stage: 'access', step: x => x.onEnd(() => seen.push('end')) }],
    }
    const all = new Blueprint('all')
    all.get('/x', operation(watches, response()), async ctx => {
      seen.push('begun')
      await once(ctx.res, 'close')
      await sleep(20)
      seen.push('method')
      return null
    })
    new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(all)
    const port = await listen(app)
    const request = httpRequest({ port, host: '127.0.0.1', path: '/x', agent: false }).end()
    request.on('error', () => undefined)
    await until(() => seen.length > 0)
    request.destroy()
    await until(() => seen.includes('end'))
    expect(seen).toEqual(['begun', 'method', 'end'])
  })

  it('runs after a refusal and after a failure', async () => {
    const seen: string[] = []
    const watches: Feature<Record<never, never>> = {
      on: () => [{ stage: 'begin', step: x => x.onEnd(() => seen.push(x.ctx.path)) }],
    }
    const all = new Blueprint('all', { shared: operation(watches) })
    all.get('/refused', operation(query(struct({ q: t.string })), response()), () => null)
    all.get('/failed', operation(response()), () => {
      throw new Error('planned')
    })
    const { request } = await serveBlueprints(all)
    await request('GET', '/refused')
    await request('GET', '/failed')
    await until(() => seen.length === 2)
    expect(seen).toEqual(['/refused', '/failed'])
  })
})
