import * as t from 'io-ts'
import Koa from 'koa'
import { Api, Blueprint, json, describe as named, operation, readOnly, struct } from 'koa-smorest'
import { describe, expect, it } from 'vitest'

const apiOf = () => {
  const api = new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' })
  api.warn = () => undefined
  return api
}
const schemasOf = (api: Api, version?: string) => {
  const { components, definitions } = api.spec.toJSON(version) as {
    components?: { schemas: Record<string, unknown> }
    definitions?: Record<string, unknown>
  }
  return Object.keys(components?.schemas ?? definitions ?? {})
}

const Part = struct({ size: t.number }, 'Part')
const Whole = struct({ part: Part }, 'Whole')

describe('spec.define', () => {
  it('adds the component of a codec, and those in it, to all versions', () => {
    const api = apiOf()
    expect(schemasOf(api)).toEqual([])
    expect(api.spec.define(Whole)).toEqual({ $ref: '#/components/schemas/Whole' })
    for (const version of ['3.2.0', '3.1.0', '3.0.3', '2.0'])
      expect(schemasOf(api, version).sort()).toEqual(['Part', 'Whole'])
  })

  it('adds nothing that is there', () => {
    const api = apiOf()
    const [first, second] = [api.spec.define(Part), api.spec.define(Part)]
    expect([second, schemasOf(api)]).toEqual([first, ['Part']])
  })

  it('adds what a response holds, beside what a request holds', () => {
    const Pet = struct({ id: readOnly(t.number), name: t.string }, 'Pet')
    const api = apiOf()
    const pets = new Blueprint('pets').post('/', operation(json(Pet)), () => undefined)
    api.registerBlueprint(pets)
    api.spec.define(Pet)
    expect(schemasOf(api)).toEqual(expect.arrayContaining(['Pet', 'PetInput']))
  })

  it.each<[string, unknown, string]>([
    [
      'a codec without a name',
      struct({ a: t.string }),
      'define(codec): the codec must have a name of its own',
    ],
    ['a list', t.array(Part), 'define(codec): the codec must have a name of its own'],
    ['no codec', 'Part', 'define() takes a codec, such as t.string, not "Part"'],
    [
      'another codec of the same name',
      named(Whole, { name: 'Part' }),
      'two codecs that differ are called Part',
    ],
  ])('refuses %s', (_title, codec, message) => {
    const api = apiOf()
    api.spec.define(Part)
    expect(() => api.spec.define(codec as t.Mixed)).toThrow(message)
  })
})
