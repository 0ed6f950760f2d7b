import { contract } from 'koa-smorest/testing'
import { expect, it } from 'vitest'
import { examples } from './sound.js'

it.each(Object.entries(examples))(
  '%s does what its document says',
  {
    timeout: 60_000,
  },
  async (_name, create) => {
    const { app, api, options, end } = await create(1)
    app.silent = true
    const { failures } = await contract(app, api, { ...options, runs: 10 })
    await end?.()
    expect(failures).toEqual([])
  },
)
