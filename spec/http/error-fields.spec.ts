import { describe, expect, it } from 'vitest'
import { isDroppedByError } from '../../src/http/errors/dropped-header-fields.js'

const FUTURE = new Date(Date.now() + 60_000).toUTCString()

describe('an error response', () => {
  it.each([
    ['Cache-Control', 'public, max-age=60'],
    ['Cache-Control', 'private'],
    ['cache-control', 'max-age=0'],
    ['Cache-Control', 'no-cache="Set-Cookie"'],
    ['CDN-Cache-Control', 'max-age=60'],
    ['Surrogate-Control', 'max-age=60'],
    ['Expires', FUTURE],
    ['X-Accel-Expires', '60'],
    ['Age', '1'],
    ['ETag', '"1"'],
    ['Content-Disposition', 'attachment'],
    ['Content-Location', '/pets/7'],
    ['Repr-Digest', 'sha-256=:x:'],
    ['Trailer', 'X-Late'],
  ])('drops %s: %s', (name, value) => {
    expect(isDroppedByError(name, value)).toBe(true)
  })

  it.each([
    ['Cache-Control', 'no-store'],
    ['Cache-Control', 'private, No-Cache'],
    ['CDN-Cache-Control', 'no-store'],
    ['Expires', '0'],
    ['Expires', new Date(0).toUTCString()],
    ['X-Accel-Expires', 'off'],
    ['Pragma', 'no-cache'],
    ['Vary', 'Origin'],
    ['Set-Cookie', ['a=1', 'b=2']],
    ['Content-Security-Policy', "default-src 'none'"],
    ['Access-Control-Allow-Origin', '*'],
    ['Retry-After', '7'],
  ])('keeps %s: %s', (name, value) => {
    expect(isDroppedByError(name, value)).toBe(false)
  })
})
