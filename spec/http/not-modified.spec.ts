import { describe, expect, it } from 'vitest'
import { droppedByNotModified, repeatedByNotModified } from '../../src/http/not-modified.js'

describe('the header fields of a 304, RFC 9110 section 15.4.5', () => {
  it('are those of the success that guide a cache, whatever their case', () => {
    const fields = [
      ['ETag', '"1"'],
      ['cache-control', 'no-cache'],
      ['Vary', 'Accept'],
      ['X-Pagination', '{}'],
      ['Last-Modified', 'Fri, 02 Jan 2026 03:04:05 GMT'],
    ] as const
    expect(repeatedByNotModified(fields).map(([name]) => name)).toEqual([
      'ETag',
      'cache-control',
      'Vary',
    ])
  })

  it('have the date of the last change if there is no entity tag', () => {
    const date = ['Last-Modified', 'Fri, 02 Jan 2026 03:04:05 GMT'] as const
    expect(repeatedByNotModified([date, ['Link', '<a>; rel="next"'] as const])).toEqual([date])
  })

  it('keep what others have set, but for what describes content', () => {
    const names = [
      'Content-Type',
      'Set-Cookie',
      'Content-Encoding',
      'Access-Control-Allow-Origin',
      'Last-Modified',
    ]
    expect(droppedByNotModified(names)).toEqual(['content-type', 'content-encoding'])
    expect(droppedByNotModified([...names, 'ETag'])).toEqual([
      'content-type',
      'content-encoding',
      'last-modified',
    ])
  })
})
