// When known keys serve, and when a request waits for new ones.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { RemoteKeys } from '../../../src/jwt/remote-keys.js'

const MINUTE = 60_000
const settled = () => new Promise(resolve => setImmediate(resolve))

describe('keys of an identity provider', () => {
  /** How the provider responds to the next requests. */
  let respond: () => Promise<Response>
  let served = 0

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
    served = 0
    respond = async () => Response.json(++served)
    vi.stubGlobal('fetch', () => respond())
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })

  const hang = () => new Promise<Response>(() => undefined)
  const fail = async () => Promise.reject(new Error('down'))
  const keysOf = () =>
    new RemoteKeys(new URL('http://127.0.0.1/'), json => json, { cacheMaxAge: MINUTE })

  it('serve at once while they are refreshed behind the request', async () => {
    const keys = keysOf()
    expect(await keys.current()).toBe(1)
    vi.advanceTimersByTime(MINUTE + 1)
    expect(await keys.current()).toBe(1)
    await settled()
    expect(await keys.current()).toBe(2)
  })

  it('serve at once from a provider that never answers', async () => {
    const keys = keysOf()
    await keys.current()
    respond = hang
    vi.advanceTimersByTime(MINUTE + 1)
    expect(await keys.current()).toBe(1)
  })

  it('are waited for if the known ones are older than twice their age: they may be withdrawn', async () => {
    const keys = keysOf()
    await keys.current()
    vi.advanceTimersByTime(2 * MINUTE + 1)
    expect(await keys.current()).toBe(2)
  })

  it('are waited for no longer than a second', async () => {
    const keys = keysOf()
    await keys.current()
    respond = hang
    vi.advanceTimersByTime(2 * MINUTE + 1)
    const waiting = vi.fn()
    const current = keys.current().then(waiting)
    await vi.advanceTimersByTimeAsync(999)
    expect(waiting).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    await current
    expect(waiting).toHaveBeenCalledWith(1)
  })

  it('are not waited for once a fetch has failed, until one succeeds', async () => {
    const keys = keysOf()
    await keys.current()
    respond = fail
    vi.advanceTimersByTime(MINUTE + 1)
    expect(await keys.current()).toBe(1)
    await settled()
    respond = hang
    vi.advanceTimersByTime(2 * MINUTE)
    expect(await keys.current()).toBe(1)
  })

  it('are waited for again after a success: it clears the failure before it', async () => {
    const keys = keysOf()
    respond = fail
    await expect(keys.current()).rejects.toThrow('cannot be fetched')
    vi.advanceTimersByTime(5_001)
    respond = async () => Response.json(++served)
    expect(await keys.current()).toBe(1)
    vi.advanceTimersByTime(2 * MINUTE + 1)
    expect(await keys.current()).toBe(2)
  })

  it('do not serve for ever in an outage', async () => {
    const keys = keysOf()
    await keys.current()
    respond = fail
    vi.advanceTimersByTime(MINUTE + 86_400_000)
    await expect(keys.current()).rejects.toThrow('cannot be fetched')
  })
})
