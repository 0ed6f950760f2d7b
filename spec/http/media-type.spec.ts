import { describe, expect, it } from 'vitest'
import { isJson, isUtf8Type, parseMediaType, sentAs } from '../../src/http/media-type.js'
import { millisecondsFor } from './timing.js'

const read = (text: string) => {
  const mediaType = parseMediaType(text)
  return (
    mediaType && {
      essence: mediaType.essence,
      parameters: Object.fromEntries(mediaType.parameters),
    }
  )
}
const is = (test: typeof isJson, text: string) =>
  test(parseMediaType(text) ?? expect.unreachable(text))

describe('a media type, RFC 9110 section 8.3.1', () => {
  it('has a type and a subtype in lower case, and parameters', () => {
    expect(read('Text/HTML')).toEqual({ essence: 'text/html', parameters: {} })
    expect(read('a/b;X=Y \t; ; q="a \\"b\\"; c" ;')).toEqual({
      essence: 'a/b',
      parameters: { x: 'Y', q: 'a "b"; c' },
    })
  })

  it.each([
    '',
    '/',
    'a',
    'a/',
    '/b',
    ' a/b',
    'a/b c',
    'a/b\tc',
    'a/b/c',
    'a/b,c/d',
    'a/b; c',
    'a/b; c =d',
    'a/b; c="d',
    'a/b; c=d e',
    'a/b; c=1; C=2',
    'a/\u00fc',
    'a/b ',
  ])('%j is malformed', text => {
    expect(parseMediaType(text)).toBeUndefined()
  })

  it('T26: is read in linear time', () => {
    for (const part of [';', ' ;', ';a="\\', '\t', ';a=b ', '"']) {
      expect(
        millisecondsFor(() => parseMediaType(`a/b${part.repeat(16_000)}`)),
        part,
      ).toBeLessThan(20)
    }
  })

  it.each([
    ['application/json', true],
    ['APPLICATION/JSON', true],
    ['application/problem+json', true],
    ['image/x+json', true],
    ['text/json', false],
    ['application/jsonx', false],
    ['application/x-json', false],
    ['application/json+xml', false],
    ['application/xml+jsonx', false],
  ])('is JSON if it is application/json or ends in +json: %s is %s', (text, expected) => {
    expect(is(isJson, text)).toBe(expected)
  })

  it.each([
    ['a/b', true],
    ['a/b;charset=UTF-8', true],
    ['a/b;CHARSET="utf-8"', true],
    ['a/b;charset=utf-16', false],
    ['a/b;charset=""', false],
    ['a/b;charset=utf-8x', false],
  ])('is UTF-8 if its charset is UTF-8 or missing: %s is %s', (text, expected) => {
    expect(is(isUtf8Type, text)).toBe(expected)
  })

  it.each([
    ['text/csv', 'text/csv; charset=utf-8'],
    ['application/json', 'application/json; charset=utf-8'],
    ['text/csv; charset=iso-8859-1', 'text/csv; charset=iso-8859-1'],
    ['application/problem+json', 'application/problem+json'],
    ['image/png', 'image/png'],
  ])('has a charset when it is sent, if it is text and names none: %s is %s', (type, sent) => {
    expect(sentAs(type)).toBe(sent)
  })
})
