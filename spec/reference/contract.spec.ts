import { contract } from 'koa-smorest/testing'
import { expect, it } from 'vitest'
import { soundReference } from './sound.js'

it('the reference application does what its document says, and no more', {
  timeout: 120_000,
}, async () => {
  const { app, api, options } = soundReference()
  const report = await contract(app, api, { ...options, runs: 20 })
  expect(report.failures).toEqual([])
  expect(report.coverage.missing.filter(({ reason }) => reason === undefined)).toEqual([])
  expect(report.coverage.responses).toBeGreaterThan(0.95)
})
