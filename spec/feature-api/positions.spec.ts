import * as t from 'io-ts'
import {
  Blueprint,
  type Exchange,
  type Feature,
  json,
  operation,
  path,
  query,
  type Route,
  response,
  struct,
} from 'koa-smorest'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { serveBlueprints } from '../support/client.js'

const Q = struct({ q: t.string })
const Body = struct({ name: t.string })

/** Gives an argument after all arguments are read. */
const late: Feature<{ arguments: readonly ['late'] }> = {
  on(route) {
    const argument = route.argument()
    return [{ stage: 'prepare', step: exchange => argument.set(exchange, 'late') }]
  },
}
const json201 = { json: { name: 'Rex' } }

describe('a positional argument', () => {
  it('has the place that its type has, whatever the stage that gives it', async () => {
    const all = new Blueprint('all')
    all.post(
      '/:id',
      operation(late, query(Q), json(Body), response()),
      (_ctx, first, second, third, { id }) => {
        expectTypeOf([first, second, third]).toEqualTypeOf<
          ('late' | { q: string } | { name: string })[]
        >()
        return [first, second, third, id]
      },
    )
    const { request } = await serveBlueprints(all)
    const { body } = await request('POST', '/7?q=x', json201)
    expect(body).toEqual(['late', { q: 'x' }, { name: 'Rex' }, '7'])
  })

  it('comes first if a Blueprint shares its feature', async () => {
    const all = new Blueprint('all', { shared: operation(late) })
    all.get('/:id', operation(path(struct({ id: t.string })), response()), (_ctx, ...given) =>
      given.slice(0, 2),
    )
    const { request } = await serveBlueprints(all)
    expect((await request('GET', '/7')).body).toEqual(['late', { id: '7' }])
  })

  it('that nobody sets is undefined, and keeps its place', async () => {
    const never: Feature<{ arguments: readonly [undefined] }> = {
      on(route) {
        route.argument()
        return []
      },
    }
    const all = new Blueprint('all')
    all.get('/:id', operation(query(Q), never, response()), (_ctx, first, second, { id }) => [
      first,
      second === undefined,
      id,
    ])
    const { request } = await serveBlueprints(all)
    expect((await request('GET', '/7?q=x')).body).toEqual([{ q: 'x' }, true, '7'])
  })

  it('is asked for in on(), and nowhere else', async () => {
    let bound: Route | undefined
    const keeps: Feature<Record<never, never>> = {
      on(route) {
        bound = route
        return []
      },
    }
    const all = new Blueprint('all')
    all.get('/x', operation(keeps, response()), () => null)
    await serveBlueprints(all)
    expect(() => bound?.argument()).toThrow(
      new Error('x (GET /x): route.argument() must be called in on(), where positions are given'),
    )
  })

  it('cannot be pushed: exchange.arguments are for reading', async () => {
    const seen: unknown[] = []
    const pushes: Feature<Record<never, never>> = {
      on: () => [
        {
          stage: 'prepare',
          step(exchange: Exchange) {
            seen.push(exchange.arguments)
            ;(exchange.arguments as unknown[]).push('more')
          },
        },
      ],
    }
    const all = new Blueprint('all')
    all.get('/x', operation(query(Q), pushes, response()), () => null)
    const { request, errors } = await serveBlueprints(all)
    expect((await request('GET', '/x?q=x')).status).toBe(500)
    expect(seen).toEqual([[{ q: 'x' }]])
    expect(errors.map(({ name }) => name)).toEqual(['TypeError'])
  })
})
