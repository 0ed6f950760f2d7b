import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { entityTagOf, matchesStrongly, matchesWeakly, parseEntityTag, parseEntityTags } from '../../src/http/entity-tag.js'
import { millisecondsFor } from './timing.js'

describe('an entity tag', () => {
  it('is a quoted text, weak with W/ before it', () => {
    expect(parseEntityTag('"a,b"')).toEqual({ weak: false, opaque: 'a,b' })
    expect(parseEntityTag('W/""')).toEqual({ weak: true, opaque: '' })
    expect(parseEntityTag('"\u00ff"')).toEqual({ weak: false, opaque: '\u00ff' })
  })

  it.each(['a', '"a', 'a"', 'w/"a"', 'W/ "a"', ' "a"', '"a" ', '"a b"', '"a"b"', '"\u0100"', '"a"\n', '*', ''])('%j is none', text => {
    expect(parseEntityTag(text)).toBeUndefined()
  })

  it('compares strongly and weakly as the table of RFC 9110, 8.8.3.2', () => {
    const [one, weakOne, weakTwo] = ['"1"', 'W/"1"', 'W/"2"'].map(text => parseEntityTag(text) ?? expect.unreachable())
    if (!one || !weakOne || !weakTwo) return
    expect([matchesStrongly(weakOne, weakOne), matchesStrongly(weakOne, one), matchesStrongly(one, one)]).toEqual([false, false, true])
    expect([matchesWeakly(weakOne, weakOne), matchesWeakly(weakOne, weakTwo), matchesWeakly(weakOne, one)]).toEqual([true, false, true])
  })
})

describe('a list of entity tags', () => {
  it('has commas between its members, and empty elements that do not count', () => {
    expect(parseEntityTags(' , "a,b" ,\t W/"c",,')).toEqual([
      { weak: false, opaque: 'a,b' },
      { weak: true, opaque: 'c' },
    ])
    expect(parseEntityTags('')).toEqual([])
  })

  it('is * only alone', () => {
    expect(parseEntityTags(' * ')).toBe('*')
    for (const text of ['**', '*, "a"', '"a", *', '*,']) expect(parseEntityTags(text)).toBeUndefined()
  })

  it.each(['a', '"a" "b"', '"a""b"', '"a", b', '"a', '"a\nb"', '"a";', "'a'"])('%j is malformed', text => {
    expect(parseEntityTags(text)).toBeUndefined()
  })

  it('reads what was written, whatever the tags', () => {
    const opaque = fc.string({ unit: fc.constantFrom(...'!#,*W/\u00e9az09 '.replace(' ', '')) })
    fc.assert(
      fc.property(fc.array(fc.record({ weak: fc.boolean(), opaque }), { minLength: 1 }), tags => {
        expect(parseEntityTags(tags.map(tag => `${tag.weak ? 'W/' : ''}"${tag.opaque}"`).join(','))).toEqual(tags)
      }),
    )
  })

  it.each(['"a",', ',', '"', ' ', 'W/', '"a" '])('T74: takes linear time for 64 kB of %j', part => {
    const text = part.repeat(65_536 / part.length)
    expect(millisecondsFor(() => parseEntityTags(text))).toBeLessThan(20)
  })
})

describe('the tag of a text', () => {
  it('is strong, and has 22 base64url characters', () => {
    expect(entityTagOf('')).toBe('"47DEQpj8HBSa-_TImW-5JC"')
    expect(entityTagOf('{"a":1}')).toMatch(/^"[\w-]{22}"$/)
    expect(entityTagOf('a')).not.toBe(entityTagOf('b'))
  })

  it('is the same in another process', () => {
    const script = `import { hash } from 'node:crypto'; process.stdout.write(hash('sha256', 'ü☃', 'base64url').slice(0, 22))`
    const other = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8', env: { TZ: 'Asia/Tokyo' } })
    expect(entityTagOf('ü☃')).toBe(`"${other}"`)
  })

  it('T30: tells lone surrogates from each other and from U+FFFD', () => {
    expect(new Set(['\ud800', '\udfff', '\ufffd', '\\ud800'].map(entityTagOf)).size).toBe(4)
  })
})
