import * as t from 'io-ts'
import Koa from 'koa'
import { Api, Blueprint, type Feature, json, operation, response, struct } from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { serve, serveBlueprints } from '../support/client.js'

const Pet = struct({ name: t.string })
const advertising = (field: string, ...values: string[]): Feature<Record<never, never>> => ({
  on(route) {
    for (const value of values) route.advertise(field, value)
    return []
  },
})

describe('the response to OPTIONS', () => {
  it('has what the features of all methods of the path advertise, each value once', async () => {
    const pets = new Blueprint('pets')
    const none = () => null
    pets.get('/pets/:id', operation(advertising('X-Units', 'mm', 'in')), none)
    pets.put('/pets/:id', operation(advertising('X-Units', 'in', 'ft')), none)
    pets.delete('/pets/:id', operation(advertising('X-More', 'yes')), none)
    pets.get('/pets', operation(advertising('X-Other', 'yes')), none)
    const { request } = await serveBlueprints(pets)
    const { status, headers } = await request('OPTIONS', '/pets/7')
    expect([status, headers.get('Allow'), headers.get('X-Units'), headers.get('X-More')]).toEqual([
      200,
      'OPTIONS, HEAD, GET, PUT, DELETE',
      'mm, in, ft',
      'yes',
    ])
    expect(headers.get('X-Other')).toBeNull()
  })

  it('knows a field by its name in any case', async () => {
    const pets = new Blueprint('pets')
    pets.get('/pet', operation(advertising('X-Units', 'mm')), () => null)
    pets.put('/pet', operation(advertising('x-units', 'in')), () => null)
    const { request } = await serveBlueprints(pets)
    expect((await request('OPTIONS', '/pet')).headers.get('X-Units')).toBe('mm, in')
  })

  it('has Accept-Patch for a JSON body under PATCH (RFC 5789, section 3.1)', async () => {
    const pets = new Blueprint('pets')
    const echo = (_ctx: unknown, pet: { name: string }) => pet
    pets.patch('/pet', operation(json(Pet), response(Pet)), echo)
    pets.put('/pet', operation(json(Pet), response(Pet)), echo)
    pets.post('/pet', operation(json(Pet, { contentType: 'application/x+json' })), echo)
    const { request } = await serveBlueprints(pets)
    const { headers } = await request('OPTIONS', '/pet')
    expect(headers.get('Accept-Patch')).toBe('application/json')
    const refused = await request('PUT', '/other')
    expect([refused.status, refused.headers.get('Accept-Patch')]).toEqual([404, null])
    const wrong = await request('DELETE', '/pet')
    expect([wrong.status, wrong.headers.get('Accept-Patch')]).toEqual([405, null])
  })

  it('has what the Apis of one app advertise', async () => {
    const app = new Koa()
    for (const unit of ['mm', 'in']) {
      const pets = new Blueprint('pets')
      pets.route('/pets', operation(advertising('X-Units', unit)), () => null, {
        methods: [unit === 'mm' ? 'GET' : 'PUT'],
      })
      new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(pets)
    }
    const { headers } = await (await serve(app))('OPTIONS', '/pets')
    expect(headers.get('X-Units')).toBe('mm, in')
  })
})
