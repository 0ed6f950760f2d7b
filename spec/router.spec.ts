import Router from '@koa/router'
import Koa from 'koa'
import { Api, Blueprint, operation } from 'koa-smorest'
import { describe, expect, it } from 'vitest'

const view = () => 'ok'
const apiOf = (...names: string[]) => {
  const api = new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' })
  for (const name of names) register(api, name)
  return api
}
const register = (api: Api, name: string) =>
  api.registerBlueprint(
    new Blueprint(name).get(`/${name}/:id<int>`, operation(), view, { endpoint: name }),
  )
const routes = ({ stack }: Router) =>
  stack.map(({ name, path, methods }) => ({ name, path, methods }))
const route = (name: string, path = `/${name}/:id`) => ({ name, path, methods: ['HEAD', 'GET'] })

describe('api.router', () => {
  it('lists the routes that were registered before it was read, and those that come after', () => {
    const api = apiOf('pets')
    expect(routes(api.router)).toContainEqual(route('pets'))
    register(api, 'toys')
    expect(routes(api.router).slice(-2)).toEqual([route('pets'), route('toys')])
  })

  it.each([
    ['prefix', (router: Router) => router.prefix('/v1')],
    ['param', (router: Router) => router.param('id', (_id, _ctx, next) => next())],
    ['get', (router: Router) => router.get('own', '/own', view)],
    ['use', (router: Router) => router.use(view)],
  ])('is changed by %s() as a router that had them from the beginning', (_, change) => {
    const [api, eager] = [apiOf('pets', 'toys'), new Router()]
    for (const { path, name } of [...apiOf('pets', 'toys').router.stack])
      eager.register(path, ['GET'], view as never, { name: name as string })
    change(api.router)
    change(eager)
    const shown = ({ stack }: Router) =>
      stack.map(({ name, path, regexp, stack }) => ({ name, path, regexp, steps: stack.length }))
    expect(shown(api.router)).toEqual(shown(eager))
  })

  it('may be given other routes, to which those that are registered later are added', () => {
    const api = apiOf('pets')
    api.router.stack = []
    register(api, 'toys')
    expect(routes(api.router)).toEqual([route('toys')])
  })
})
