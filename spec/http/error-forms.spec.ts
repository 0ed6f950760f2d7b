import { describe, expect, it } from 'vitest'
import { errorForms, prefersProblem } from '../../src/http/errors/error-forms.js'

describe('a client is sent problem details', () => {
  it.each([
    'application/problem+json',
    'Application/Problem+JSON',
    'application/problem+json, application/json;q=0.9',
    'application/json;q=0.5, application/problem+json;q=0.6',
    'application/problem+json, */*',
    'application/problem+json;q=0.5, */*;q=0.1',
    'text/html, application/problem+json;profile="a,b";q=0.9, application/*;q=0.8',
    'application/problem+json, application/json;q=0',
  ])('where it prefers them by name: %s', accept => {
    expect(prefersProblem(accept)).toBe(true)
  })

  it.each([
    undefined,
    '',
    '*/*',
    'application/*',
    'application/json',
    'application/json, application/problem+json',
    'application/problem+json;q=0.5, application/json',
    'application/problem+json;q=0',
    'application/problem+json;q=0.5, */*',
    'application/problem+json;q=2',
    'application/problem+xml',
    'x-application/problem+json',
    'text/plain;a="application/problem+json"',
  ])('and in no other case: %s', accept => {
    expect(prefersProblem(accept)).toBe(false)
  })
})

it('API_ERRORS names a form, or is one', () => {
  const own = { mediaType: 'application/vnd.own+json', schema: {}, text: () => '{}' }
  expect(errorForms(own).choose(undefined)).toEqual({
    form: own,
    contentType: 'application/vnd.own+json',
  })
  for (const wrong of ['Problem', 7, null, {}, { ...own, text: '' }])
    expect(() => errorForms(wrong as never)).toThrow(
      /^API_ERRORS must be 'plain', 'problem', 'negotiated' or an ErrorForm/,
    )
})
