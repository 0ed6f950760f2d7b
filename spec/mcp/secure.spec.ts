import inject from 'light-my-request'
import { describe, expect, it } from 'vitest'
import { asSecureAs } from '../../src/mcp/call.js'

describe('a call', () => {
  it.each([
    ['encrypted', { encrypted: true }, true],
    ['plain', {}, undefined],
  ])('is as secure as the connection of its caller: %s', async (_what, socket, expected) => {
    let seen: unknown
    const listener = asSecureAs({ req: { socket } } as never, (req, res) => {
      seen = (req.socket as { encrypted?: boolean }).encrypted
      res.end()
    })
    await inject(listener as Parameters<typeof inject>[0], { url: '/' })
    expect(seen).toBe(expected)
  })
})
