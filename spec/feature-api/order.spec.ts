import * as t from 'io-ts'
import {
  Blueprint,
  etag,
  type Feature,
  operation,
  RegistrationError,
  response,
  STAGES,
  struct,
} from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { serveBlueprints } from '../support/client.js'

const Pet = struct({ name: t.string }, 'Pet')
const get = () => ({ name: 'Rex', age: 7 })

/** Shouts, in the stage in which a representation is replaced. */
const shouted: Feature<Record<never, never>> = {
  on: () => [
    {
      stage: 'represent',
      step(exchange) {
        exchange.represent(`${exchange.text?.toUpperCase()}!`, 'text/plain; charset=utf-8')
      },
      docs: () => ({ responses: { 200: { description: 'OK', content: { 'text/plain': {} } } } }),
    },
  ],
}
/** Counts the characters of the text that `response` writes. */
const counted: Feature<Record<never, never>> = {
  on: () => [
    {
      stage: 'encode',
      step(exchange) {
        exchange.headers.push(['X-Characters', String(exchange.text?.length)])
      },
    },
  ],
}

describe('the order of features', () => {
  it.each([
    ['before response', operation(shouted, counted, response(Pet), etag()), {}],
    ['after it', operation(etag(), response(Pet), counted, shouted), {}],
    ['around it', operation(response(Pet), etag()), { shared: operation(shouted, counted) }],
  ])(
    'never matters: a representation is replaced, and tagged, when listed %s',
    async (_, own, options) => {
      const pets = new Blueprint('pets', options)
      pets.get('/pet', own as never, get)
      const { request } = await serveBlueprints(pets)
      const { status, headers, text } = await request('GET', '/pet')
      const tag = headers.get('ETag') as string
      expect({
        status,
        text,
        type: headers.get('Content-Type'),
        length: headers.get('Content-Length'),
        characters: headers.get('X-Characters'),
      }).toEqual({
        status: 200,
        text: '{"NAME":"REX"}!',
        type: 'text/plain; charset=utf-8',
        length: '15',
        characters: '14',
      })
      const again = await request('GET', '/pet', { headers: { 'If-None-Match': tag } })
      const plain = new Blueprint('plain')
      plain.get('/pet', operation(response(Pet), etag()), get)
      const original = await (await serveBlueprints(plain)).request('GET', '/pet')
      expect([again.status, tag === original.headers.get('ETag')]).toEqual([304, false])
    },
  )

  it('never matters for an operation without response, which sends JSON', async () => {
    const pets = new Blueprint('pets')
    pets.get('/pet', operation(counted), get)
    const { request } = await serveBlueprints(pets)
    const { text, headers } = await request('GET', '/pet')
    expect([text, headers.get('X-Characters')]).toEqual(['{"name":"Rex","age":7}', '22'])
  })

  it('is that of the stages', async () => {
    const seen: string[] = []
    const stages = STAGES.filter(stage => stage !== 'method')
    const watch: Feature<Record<never, never>> = {
      on: () => [...stages].reverse().map(stage => ({ stage, step: () => void seen.push(stage) })),
    }
    const pets = new Blueprint('pets')
    pets.get('/pet', operation(watch, response(Pet)), () => {
      seen.push('method')
      return get()
    })
    await (await serveBlueprints(pets)).request('GET', '/pet')
    expect(seen).toEqual([
      'begin',
      'access',
      'limit',
      'negotiate',
      'required',
      'arguments',
      'replay',
      'load',
      'prepare',
      'method',
      'page',
      'encode',
      'represent',
      'tag',
      'keep',
    ])
  })

  it('has no other stage', async () => {
    const pets = new Blueprint('pets')
    const misspelt = { on: () => [{ stage: 'represents', step: () => undefined }] } as never
    pets.get('/pet', operation(misspelt), get)
    const refused = await serveBlueprints(pets).catch(error => error)
    expect(refused).toBeInstanceOf(RegistrationError)
    expect(refused.faults[0]).toContain(
      'a part of the stage "represents", but the stages are begin',
    )
  })
})

describe('exchange.represent', () => {
  it('replaces bytes that a feature has kept', async () => {
    const kept: Feature<Record<never, never>> = {
      on: () => [
        {
          stage: 'represent',
          step(exchange) {
            exchange.bytes = Buffer.from(exchange.text as string)
            exchange.represent('{"name":"Ann"}', 'application/json')
          },
        },
      ],
    }
    const pets = new Blueprint('pets')
    pets.get('/pet', operation(kept, response(Pet)), get)
    const { request } = await serveBlueprints(pets, { DEBUG: false, TESTING: false })
    expect((await request('GET', '/pet')).text).toBe('{"name":"Ann"}')
  })

  it('is a TypeError for a raw response, which has no text to replace', async () => {
    const raw: Feature<Record<never, never>> = {
      on: () => [{ stage: 'represent', raw: true, step: x => x.represent('', 'text/plain') }],
    }
    const pets = new Blueprint('pets')
    pets.get('/pet', operation(raw, response()), () => Buffer.from('x'))
    const { request, errors } = await serveBlueprints(pets)
    expect((await request('GET', '/pet')).status).toBe(500)
    expect(errors.map(String)).toEqual([
      'TypeError: exchange.represent() replaces the text of a value, and this response is raw: its body was given to Koa',
    ])
  })
})
