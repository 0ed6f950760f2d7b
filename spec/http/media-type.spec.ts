import { describe, expect, it } from 'vitest'
import { isJson, isUtf8Type, parseMediaType } from '../../src/http/media-type.js'
import { millisecondsFor } from './timing.js'

const read = (text: string) => {
  const mediaType = parseMediaType(text)
  return mediaType && [mediaType.essence, Object.fromEntries(mediaType.parameters)]
}
const is = (test: typeof isJson, text: string) => test(parseMediaType(text) ?? expect.unreachable(text))

describe('a media type, RFC 9110 section 8.3.1', () => {
  it('has a type and a subtype in lower case, and parameters', () => {
    expect(read('Text/HTML')).toEqual(['text/html', {}])
    expect(read('a/b;X=Y \t; ; q="a \\"b\\"; c" ;')).toEqual(['a/b', { x: 'Y', q: 'a "b"; c' }])
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

  it('is JSON as application/json and with +json', () => {
    expect(
      ['application/json', 'APPLICATION/JSON', 'application/problem+json', 'image/x+json'].map(text => is(isJson, text)),
    ).not.toContain(false)
    expect(['text/json', 'application/jsonx', 'application/x-json', 'application/json+xml'].map(text => is(isJson, text))).not.toContain(
      true,
    )
  })

  it('is UTF-8 where it says so or says nothing', () => {
    expect(['a/b', 'a/b;charset=UTF-8', 'a/b;CHARSET="utf-8"'].map(text => is(isUtf8Type, text))).not.toContain(false)
    expect(['a/b;charset=utf-16', 'a/b;charset=""', 'a/b;charset=utf-8x'].map(text => is(isUtf8Type, text))).not.toContain(true)
  })
})
