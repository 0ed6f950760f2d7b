import { beforeAll, describe, expect, it } from 'vitest'
import { createServer } from '../reference/server.js'
import { type Client, serve } from '../support/client.js'
import { differencesFrom } from './compare.js'
import { type Exchange, readJson, type Variables } from './exchange.js'
import { toRequest } from './request.js'

const exchanges = readJson<readonly Exchange[]>('exchanges.visible.json')
/** The exchanges that this library answers otherwise, and why. */
const decided = new Map(Object.entries(readJson<Record<string, string>>('differences.json')))
const groups = [...new Set(exchanges.map(({ group }) => group))]

let request: Client
beforeAll(async () => {
  request = await serve(createServer())
})

describe('responses that were recorded from the original', () => {
  it('differ by decision only if the contract leaves it open', () => {
    const open = exchanges
      .filter(({ tier, advisory }) => advisory || tier === 'framework' || tier === 'schema')
      .map(({ id }) => id)
    expect([...decided.keys()].filter(id => !open.includes(id))).toEqual([])
  })

  describe.each(groups)('%s', group => {
    const ofGroup = exchanges.filter(exchange => exchange.group === group)
    const variables: Variables = new Map()
    beforeAll(async () => {
      expect(await request('POST', '/__reset')).toMatchObject({ status: 204 })
    })

    it.each(ofGroup.map(exchange => [`${exchange.id}: ${exchange.note}`, exchange] as const))(
      '%s',
      async (_name, exchange) => {
        const { method, path, ...sent } = toRequest(exchange.request, variables)
        const answer = await request(method, path, sent)
        const differences = differencesFrom(exchange, answer, variables)
        for (const [name, field] of Object.entries(exchange.capture ?? {}))
          variables.set(name, answer.headers.get(field) ?? '"missing"')
        if (decided.has(exchange.id))
          expect(differences, 'listed as different, but it no longer is').not.toEqual([])
        else expect(differences).toEqual([])
      },
    )
  })
})
