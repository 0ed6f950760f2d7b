import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  Blueprint,
  etag,
  type Feature,
  MethodView,
  operation,
  query,
  response,
  struct,
} from 'koa-smorest'
import { describe, expect, it } from 'vitest'

const Pet = struct({ name: t.string }, 'Pet')
const loaded = etag({ load: () => ({ name: 'Rex' }), tag: () => 1 })

/** Needs the loaded pet. */
const renamed: Feature<{ needs: { current: { name: string } } }, 'renamed'> = {
  kind: 'renamed',
  needs: ['current'],
  on: () => [],
}
const needing = (name: string): Feature<Record<never, never>> => ({ needs: [name], on: () => [] })

function faultsOf(shared: Feature[], own: Feature[]): readonly string[] {
  const pets = new Blueprint('pets', { shared: operation(...shared) })
  pets.get('/:petId', operation(...own, response(Pet)), (() => undefined) as never)
  try {
    new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(pets)
    return []
  } catch (error) {
    return (error as { faults: readonly string[] }).faults
  }
}

describe('what a feature needs', () => {
  it.each([
    ['listed before it', [], [loaded, renamed]],
    ['listed after it', [], [renamed, loaded]],
    ['shared', [loaded], [renamed]],
    ['shared, while the other is the own', [renamed], [loaded]],
  ])('is given by another one, %s', (_, shared, own) => {
    expect(faultsOf(shared, own)).toEqual([])
  })

  it('is a parameter of the path, a field of an argument, or the signal', () => {
    const spread = query(struct({ q: t.string }), { asKwargs: true })
    expect(faultsOf([], [needing('petId'), needing('signal'), spread, needing('q')])).toEqual([])
  })

  it.each([
    ['`etag` without a loader', [etag()]],
    ['a dropped feature', [loaded, etag()]],
    ['nothing', []],
  ])('is a fault if %s gives it', (_, own) => {
    expect(faultsOf([], [renamed, ...own])).toEqual([
      '_petId, GET /{petId}: renamed needs `current`: add etag({ load })'.replace('_', ''),
    ])
  })

  it('names no remedy that it does not know', () => {
    expect(faultsOf([], [needing('tenant')])).toEqual([
      'petId, GET /{petId}: a feature needs `tenant`: add a feature that gives it, or a parameter of the path',
    ])
  })

  it('is checked by the compiler, for classes and for function views', () => {
    const pets = new Blueprint('pets')
    class Right extends MethodView {
      static get = operation(renamed, loaded, response(Pet))
      get() {
        return { name: 'Rex' }
      }
    }
    pets.route('/right', Right)
    pets.get('/right', operation(renamed, loaded, response(Pet)), () => ({ name: 'Rex' }))
    class Wrong extends MethodView {
      static get = operation(renamed, response(Pet))
      get() {
        return { name: 'Rex' }
      }
    }
    // @ts-expect-error: "get() has features that need": { current: { name: string } }
    pets.route('/wrong', Wrong)
    // @ts-expect-error: "its features need": { current: { name: string } }
    pets.get('/wrong', operation(renamed, response(Pet)), () => ({ name: 'Rex' }))
    const other = etag({ load: () => ({ age: 7 }), tag: () => 1 })
    // @ts-expect-error: current is { age: number }
    pets.route('/wrong', operation(renamed, other, response(Pet)), () => ({ name: 'Rex' }))
    expect(pets.declarations).toHaveLength(5)
  })
})
