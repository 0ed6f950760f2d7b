import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatHttpDate, parseHttpDate } from '../../src/http/http-date.js'

describe('an HTTP-date, RFC 9110 section 5.6.7', () => {
  it.each([
    'Sun, 06 Nov 1994 08:49:37 GMT',
    'Sunday, 06-Nov-94 08:49:37 GMT',
    'Sun Nov  6 08:49:37 1994',
  ])('%s is read', text => {
    expect(parseHttpDate(text, new Date('2026-01-01'))?.toISOString()).toBe(
      '1994-11-06T08:49:37.000Z',
    )
  })

  it('with a year of two digits is never more than 50 years ahead', () => {
    const year = (text: string, now: string) =>
      parseHttpDate(`Sunday, 06-Nov-${text} 08:49:37 GMT`, new Date(now))?.getUTCFullYear()
    expect(year('76', '2026-06-01')).toBe(2076)
    expect(year('77', '2026-06-01')).toBe(1977)
    expect(year('26', '2026-06-01')).toBe(2026)
    expect(year('01', '2099-06-01')).toBe(2101)
  })

  it('may be a leap second', () => {
    expect(parseHttpDate('Sat, 31 Dec 2016 23:59:60 GMT')?.toISOString()).toBe(
      '2017-01-01T00:00:00.000Z',
    )
  })

  it.each([
    '',
    'Sun, 6 Nov 1994 08:49:37 GMT',
    'sun, 06 nov 1994 08:49:37 gmt',
    'Sun, 06 Nov 1994 08:49:37 UTC',
    'Sun, 06 Nov 1994 08:49:37 +0000',
    'Sun, 06 Nov 1994 08:49:37',
    'Sun, 06 Nov 94 08:49:37 GMT',
    'Tue, 30 Feb 2026 00:00:00 GMT',
    'Tue, 00 Mar 2026 00:00:00 GMT',
    'Tue, 03 Mar 2026 24:00:00 GMT',
    'Tue, 03 Mar 2026 00:00:61 GMT',
    ' Sun, 06 Nov 1994 08:49:37 GMT',
    '2026-03-10T10:00:00Z',
    '1',
  ])('%j is none', text => {
    expect(parseHttpDate(text)).toBeUndefined()
  })

  it('is read as it was written', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('0000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
        date => {
          expect(parseHttpDate(formatHttpDate(date))?.getTime()).toBe(
            Math.floor(date.getTime() / 1000) * 1000,
          )
        },
      ),
    )
  })
})
