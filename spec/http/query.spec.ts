import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseCookies, parsePairs, parseQuery } from '../../src/http/query.js'
import { millisecondsFor } from './timing.js'

describe('a query', () => {
  it('is texts by name, a list if a name comes again', () => {
    expect({ ...parseQuery('a=1&b=&c&a=2&a=3&&d=x=y') }).toEqual({
      a: ['1', '2', '3'],
      b: '',
      c: '',
      d: 'x=y',
    })
    expect({ ...parseQuery('') }).toEqual({})
  })

  it('has plain names, and + for a blank', () => {
    expect({ ...parseQuery('a[b]=1&a.b=2&q=a+b%2Bc%20%E2%98%83') }).toEqual({
      'a[b]': '1',
      'a.b': '2',
      q: 'a b+c ☃',
    })
  })

  it('T04: may have any name', () => {
    const fields = parseQuery('__proto__=1&constructor=2&__proto__=3')
    expect(Object.entries(fields ?? {})).toEqual([
      ['__proto__', ['1', '3']],
      ['constructor', '2'],
    ])
    expect(Object.getPrototypeOf(fields)).toBeNull()
  })

  it.each(['a=%', 'a=%zz', '%ff=1', 'a=%c0%af', 'a=%ed%a0%80', 'a=\u00e9'])(
    'T28: %s is malformed',
    search => {
      expect(parseQuery(search)).toBeUndefined()
    },
  )

  it('is read as URLSearchParams does, if it is valid', () => {
    const text = fc.string({
      unit: fc.constantFrom(...'ab=&+.[]?_'.split(''), '%20', '%26', '%C3%A9'),
    })
    fc.assert(
      fc.property(text, search => {
        const expected = new URLSearchParams(`?${search}`)
        const fields = parsePairs(search) ?? {}
        for (const name of expected.keys())
          expect([fields[name]].flat()).toEqual(expected.getAll(name))
        expect(Object.keys(fields).length).toBe(new Set(expected.keys()).size)
      }),
    )
  })

  it.each(['a&', '=&', 'a=', '%', '&', '+'])('T26: takes linear time for 64 kB of %j', part => {
    const text = part.repeat(65_536 / part.length)
    expect(millisecondsFor(() => parsePairs(text))).toBeLessThan(40)
  })
})

describe('cookies', () => {
  it('are texts by name', () => {
    expect({ ...parseCookies('session=abc; visits=3;a="b c"; a=2;x=%C3%A9=') }).toEqual({
      session: 'abc',
      visits: '3',
      a: ['b c', '2'],
      x: 'é=',
    })
    expect({ ...parseCookies(undefined) }).toEqual({})
  })

  it('that are not well formed are left out or left as they are, never refused', () => {
    expect({ ...parseCookies(' ; =1; alone; a=%zz; "=1') }).toEqual({ a: '%zz', '"': '1' })
    expect(Object.entries(parseCookies('__proto__=1'))).toEqual([['__proto__', '1']])
  })

  it('T26: take linear time', () => {
    for (const part of ['a=;', ';', '"', ' '])
      expect(millisecondsFor(() => parseCookies(part.repeat(20_000)))).toBeLessThan(40)
  })
})
