import { Blueprint, type Exchange, type Feature, operation } from 'koa-smorest'
import { expect, it, vi } from 'vitest'
import { serveBlueprints } from '../support/client.js'

it('a callback of onEnd that comes after the end runs at once', async () => {
  const seen: string[] = []
  const later = (exchange: Exchange) => {
    seen.push('end')
    exchange.onEnd(() => seen.push('later'))
  }
  const late: Feature = {
    on: () => [{ stage: 'begin', step: exchange => exchange.onEnd(() => later(exchange)) }],
  }
  const { request } = await serveBlueprints(
    new Blueprint('late').get('/late', operation(late), () => 1),
  )
  await request('GET', '/late')
  await vi.waitFor(() => expect(seen).toEqual(['end', 'later']))
})
