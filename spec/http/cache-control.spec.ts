import { describe, expect, it } from 'vitest'
import { combineCacheControl, letsShare } from '../../src/http/cache-control.js'

describe('two values of Cache-Control', () => {
  it.each([
    ['max-age=60', 'max-age=5', 'max-age=60'],
    ['max-age=60', 'no-store', 'max-age=60, no-store'],
    ['max-age=60', 'No-Cache, PRIVATE', 'max-age=60, no-cache, private'],
    ['max-age=60', 'must-revalidate, no-transform', 'max-age=60, must-revalidate, no-transform'],
    ['max-age=60', 'public, immutable, s-maxage=9, x=1', 'max-age=60'],
    ['private, no-cache', 'no-cache', 'private, no-cache'],
    ['public, s-maxage=9, max-age=60', 'private', 'max-age=60, private'],
    ['private, max-age=60', 'public, s-maxage=9', 'private, max-age=60'],
    ['public, max-age=60', 'private="X-User", no-cache="Set-Cookie"', 'public, max-age=60'],
    ['private="X-User, X-Name", public', 'no-store', 'private="X-User, X-Name", public, no-store'],
    ['private="X-User", public', 'private', 'private'],
    ['', 'private', 'private'],
    ['max-age=60', '', 'max-age=60'],
    [' , max-age = 60,,', ',no-store', 'max-age = 60, no-store'],
    ['x="a\\"b, no-store', 'x="no-store", y="', 'x="a\\"b, no-store'],
  ])('%j and %j make %j', (first, second, combined) => {
    expect(combineCacheControl(first, second)).toBe(combined)
  })

  it('take time in proportion to their length', () => {
    const hostile = '"\\'.repeat(50_000)
    expect(combineCacheControl(hostile, 'private')).toContain('private')
  })
})

describe('a value of Cache-Control', () => {
  it.each([
    ['public', true],
    ['max-age=60', true],
    ['S-MaxAge=60', true],
    ['max-age=60, no-cache', false],
    ['private="X-User", max-age=60', true],
    ['private, max-age=60', false],
    ['no-store, max-age=60', false],
    ['no-cache', false],
    ['', false],
  ])('%j lets shared caches use the response without asking: %s', (value, isShared) => {
    expect(letsShare(value)).toBe(isShared)
  })
})
