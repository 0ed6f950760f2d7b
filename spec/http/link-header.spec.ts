import { describe, expect, it } from 'vitest'
import { withoutParameter } from '../../src/http/link-header.js'

describe('a query without some of its parameters', () => {
  it.each([
    ['', ''],
    ['page=2', ''],
    ['page', ''],
    ['a=1&page=2&b', 'a=1&b'],
    ['&a=1&&b=2&', 'a=1&b=2'],
    ['pages=1&page=2', 'pages=1'],
    ['a=%20x&page=2', 'a=+x'],
    ['page%5Bn%5D=1&a=1', 'page%5Bn%5D=1&a=1'],
  ])('keeps the others as they were sent: %s', (query, rest) => {
    expect(withoutParameter(query, 'page')).toBe(rest)
  })

  it('knows escaped names', () => {
    expect(withoutParameter('page%5Bn%5D=1&page[n]=2&a=1', 'page[n]')).toBe('a=1')
  })
})
