import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type EntityTag,
  entityTagOf,
  matchesStrongly,
  matchesWeakly,
  parseEntityTag,
  parseEntityTags,
} from '../../src/http/entity-tag.js'
import { millisecondsFor } from './timing.js'

describe('an entity tag', () => {
  it('is a quoted text, weak with W/ before it', () => {
    expect(parseEntityTag('"a,b"')).toEqual({ weak: false, opaque: 'a,b' })
    expect(parseEntityTag('W/""')).toEqual({ weak: true, opaque: '' })
    expect(parseEntityTag('"\u00ff"')).toEqual({ weak: false, opaque: '\u00ff' })
  })

  it.each([
    'a',
    '"a',
    'a"',
    'w/"a"',
    'W/ "a"',
    ' "a"',
    '"a" ',
    '"a b"',
    '"a"b"',
    '"\u0100"',
    '"a"\n',
    '*',
    '',
  ])('%j is malformed', text => {
    expect(parseEntityTag(text)).toBeUndefined()
  })

  it('is compared strongly and weakly as in the table of RFC 9110, section 8.8.3.2', () => {
    const one: EntityTag = { weak: false, opaque: '1' }
    const weakOne: EntityTag = { weak: true, opaque: '1' }
    const weakTwo: EntityTag = { weak: true, opaque: '2' }
    const compare = (left: EntityTag, right: EntityTag) => ({
      strong: matchesStrongly(left, right),
      weak: matchesWeakly(left, right),
    })
    expect(compare(weakOne, weakOne)).toEqual({ strong: false, weak: true })
    expect(compare(weakOne, weakTwo)).toEqual({ strong: false, weak: false })
    expect(compare(weakOne, one)).toEqual({ strong: false, weak: true })
    expect(compare(one, one)).toEqual({ strong: true, weak: true })
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

  it('is * only if nothing else is in it', () => {
    expect(parseEntityTags(' * ')).toBe('*')
    for (const text of ['**', '*, "a"', '"a", *', '*,'])
      expect(parseEntityTags(text)).toBeUndefined()
  })

  it.each(['a', '"a" "b"', '"a""b"', '"a", b', '"a', '"a\nb"', '"a";', "'a'"])(
    '%j is malformed',
    text => {
      expect(parseEntityTags(text)).toBeUndefined()
    },
  )

  it('reads what was written, whatever the tags', () => {
    const opaque = fc.string({ unit: fc.constantFrom(...'!#,*W/\u00e9az09 '.replace(' ', '')) })
    fc.assert(
      fc.property(fc.array(fc.record({ weak: fc.boolean(), opaque }), { minLength: 1 }), tags => {
        expect(
          parseEntityTags(tags.map(tag => `${tag.weak ? 'W/' : ''}"${tag.opaque}"`).join(',')),
        ).toEqual(tags)
      }),
    )
  })

  it.each(['"a",', ',', '"', ' ', 'W/', '"a" '])('T74: takes linear time for 64 kB of %j', part => {
    const text = part.repeat(65_536 / part.length)
    expect(millisecondsFor(() => parseEntityTags(text))).toBeLessThan(20)
  })
})

describe('the entity tag of a text', () => {
  it('is strong, and has 22 base64url characters', () => {
    expect(entityTagOf('')).toBe('"47DEQpj8HBSa-_TImW-5JC"')
    expect(entityTagOf('{"a":1}')).toMatch(/^"[\w-]{22}"$/)
    expect(entityTagOf('a')).not.toBe(entityTagOf('b'))
  })

  it('is the first 22 characters of the SHA-256 of its UTF-8, so the same in every process', () => {
    expect(entityTagOf('ü☃')).toBe(
      `"${createHash('sha256').update('ü☃', 'utf8').digest('base64url').slice(0, 22)}"`,
    )
  })

  it('T30: tells lone surrogates from each other and from U+FFFD', () => {
    expect(new Set(['\ud800', '\udfff', '\ufffd', '\\ud800'].map(entityTagOf)).size).toBe(4)
  })
})
