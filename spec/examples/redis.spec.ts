import { fetchOf } from 'koa-smorest/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { paymentsApp } from '../../examples/redis/app.js'
import { hasRedis, startRedis } from '../support/redis-server.js'

describe.skipIf(!hasRedis)('payments over Redis (skipped without a redis-server)', () => {
  let redis: Awaited<ReturnType<typeof startRedis>>
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis.stop())

  it('are made once by any process, and not too often', async () => {
    const made: string[] = []
    const pay = async ({ id }: { id: string }) => void made.push(id)
    const newProcess = () => fetchOf(paymentsApp(redis.client, pay, 5))
    const [one, other] = [newProcess(), newProcess()]
    const call = async (send: typeof one, key: string) => {
      const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': key }
      const init = { method: 'POST', headers, body: '{"cents":995}' }
      const response = await send('http://api/payments', init)
      const { id } = (await response.json()) as { id?: string }
      return [response.status, id, response.headers.get('Idempotency-Replayed')]
    }
    const first = await call(one, '"a"')
    const again = await call(other, '"a"')
    const both = await Promise.all([call(one, '"b"'), call(other, '"b"')])
    expect(made).toHaveLength(2)
    expect(first).toEqual([201, made[0], null])
    expect(again).toEqual([201, made[0], 'true'])
    expect(both.map(([status]) => status).toSorted()).toEqual([201, expect.toBeOneOf([201, 409])])
    expect([(await call(one, '"c"'))[0], (await call(other, '"d"'))[0]]).toEqual([201, 429])
  })
})
