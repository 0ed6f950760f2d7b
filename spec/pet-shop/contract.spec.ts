import { contract } from 'koa-smorest/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Sound } from '../support/sound.js'
import { soundShop } from './sound.js'

let shop: Sound

beforeAll(async () => {
  shop = await soundShop()
})
afterAll(() => shop?.end?.())

it('the pet shop does what its document says, and no more', { timeout: 240_000 }, async () => {
  const { app, api, options } = shop
  const report = await contract(app, api, { ...options, runs: 20 })
  expect(report.failures).toEqual([])
  expect(report.coverage.operations).toBe(1)
  expect(report.coverage.missing.filter(({ reason }) => reason === undefined)).toEqual([])
})
