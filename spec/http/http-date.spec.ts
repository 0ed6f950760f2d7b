import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseHttpDate } from '../../src/http/http-date.js'

describe('an HTTP-date, RFC 9110 section 5.6.7', () => {
  it.each([
    'Sun, 06 Nov 1994 08:49:37 GMT',
    'Sunday, 06-Nov-94 08:49:37 GMT',
    'Sun Nov  6 08:49:37 1994',
  ])('%s is read', text => {
    expect(parseHttpDate(text)?.toISOString()).toBe('1994-11-06T08:49:37.000Z')
  })

  it.each([
    '',
    'Sun, 6 Nov 1994 08:49:37 GMT',
    'sun, 06 nov 1994 08:49:37 gmt',
    'Sun, 06 Nov 1994 08:49:37 UTC',
    'Sun, 06 Nov 1994 08:49:37 +0000',
    'Sun, 06 Nov 1994 08:49:37',
    'Sun, 06 Nov 94 08:49:37 GMT',
    'Tue, 00 Mar 2026 00:00:00 GMT',
    'Tue, 32 Mar 2026 00:00:00 GMT',
    'Xyz, 03 Xyz 2026 00:00:00 GMT',
    ' Sun, 06 Nov 1994 08:49:37 GMT',
    '2026-03-10T10:00:00Z',
    '1',
  ])('%j is none', text => {
    expect(parseHttpDate(text)).toBeUndefined()
  })

  it('is read as it was written', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('0100-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
        date => {
          expect(parseHttpDate(date.toUTCString())?.getTime()).toBe(
            Math.floor(date.getTime() / 1000) * 1000,
          )
        },
      ),
    )
  })
})
