import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { problemDetails } from '../../src/http/errors/error-forms.js'
import type { Errors, Failure } from '../../src/http/failure.js'
import { problemFault } from '../support/problem-schema.js'

const form = problemDetails('/problems/')
const bodyOf = (failure: Failure) => JSON.parse(form.text(failure))
const errorsOf = (errors: unknown) => bodyOf({ code: 422, errors: errors as Errors }).errors

describe('problem details', () => {
  it('of a status alone are about:blank, with the phrase of the status', () => {
    expect(bodyOf({ code: 404 })).toEqual({ type: 'about:blank', title: 'Not Found', status: 404 })
    expect(bodyOf({ code: 499 })).toEqual({ type: 'about:blank', title: 'Unknown', status: 499 })
  })

  it('have what was given of detail and instance, and nothing of cause and data', () => {
    expect(
      bodyOf({
        code: 409,
        message: 'Taken.',
        instance: '/orders/7',
        cause: new Error('secret'),
        data: { secret: 1 },
      }),
    ).toEqual({
      type: 'about:blank',
      title: 'Conflict',
      status: 409,
      detail: 'Taken.',
      instance: '/orders/7',
    })
  })

  it('of a declared problem have its type, title and members', () => {
    const problem = {
      name: 'out-of-stock',
      status: 409,
      title: 'Out of stock',
      members: { left: 3, __proto__: null },
    }
    expect(form.text({ code: 409, message: 'Sorry.', problem })).toBe(
      '{"type":"/problems/out-of-stock","title":"Out of stock","status":409,"detail":"Sorry.","left":3}',
    )
    const quota = 'https://iana.org/assignments/http-problem-types#quota-exceeded'
    expect(bodyOf({ code: 429, problem: { ...problem, name: quota, members: {} } })).toEqual({
      type: quota,
      title: 'Out of stock',
      status: 429,
    })
  })

  it('point to what is wrong with a request', () => {
    const errors = {
      json: {
        name: ['Too long.', 'Not lower case.'],
        tags: { 1: ['Not a string.'] },
        'a/b~c é': ['No.'],
        _schema: ['Together too much.'],
      },
      form: ['Malformed.'],
      files: { photo: ['Too large.'] },
      query: {
        page: ['Not a whole number.'],
        ids: { 2: ['Not a UUID.'] },
        filter: { created: { gte: ['Not a date.'], ids: { 0: ['Not a UUID.'] } } },
        rows: { 10: { sku: ['Missing.'] } },
        _schema: ['Both or none.'],
      },
      path: { petId: ['No pet.'] },
      headers: { 'X-Token': ['Missing.'] },
      cookies: { session: ['Unknown.'] },
    }
    expect(errorsOf(errors)).toEqual([
      { detail: 'Too long.', in: 'body', pointer: '#/name' },
      { detail: 'Not lower case.', in: 'body', pointer: '#/name' },
      { detail: 'Not a string.', in: 'body', pointer: '#/tags/1' },
      { detail: 'No.', in: 'body', pointer: '#/a~1b~0c%20%C3%A9' },
      { detail: 'Together too much.', in: 'body', pointer: '#' },
      { detail: 'Malformed.', in: 'body', pointer: '#' },
      { detail: 'Too large.', in: 'body', pointer: '#/photo' },
      { detail: 'Not a whole number.', in: 'query', parameter: 'page' },
      { detail: 'Not a UUID.', in: 'query', parameter: 'ids' },
      { detail: 'Not a date.', in: 'query', parameter: 'filter[created][gte]' },
      { detail: 'Not a UUID.', in: 'query', parameter: 'filter[created][ids]' },
      { detail: 'Missing.', in: 'query', parameter: 'rows[10][sku]' },
      { detail: 'Both or none.', in: 'query' },
      { detail: 'No pet.', in: 'path', parameter: 'petId' },
      { detail: 'Missing.', in: 'header', parameter: 'X-Token' },
      { detail: 'Unknown.', in: 'cookie', parameter: 'session' },
    ])
  })

  it('have errors of other places as pointers, and a bare list as it is', () => {
    expect(errorsOf({ field: ['wrong'], constructor: { inner: ['wrong'] } })).toEqual([
      { detail: 'wrong', pointer: '#/field' },
      { detail: 'wrong', pointer: '#/constructor/inner' },
    ])
    expect(errorsOf(['wrong'])).toEqual([{ detail: 'wrong' }])
    expect(errorsOf({ json: { pets: [{ name: ['wrong'] }], tag: null, size: 1 } })).toEqual([
      { detail: 'wrong', in: 'body', pointer: '#/pets/0/name' },
      { detail: '1', in: 'body', pointer: '#/size' },
    ])
    expect(errorsOf({})).toEqual([])
  })

  it('have no functions and symbols, as JSON has none', () => {
    expect(
      errorsOf({ json: { check: () => 'secret', kind: Symbol('secret'), n: ['No.'] } }),
    ).toEqual([{ detail: 'No.', in: 'body', pointer: '#/n' }])
  })

  it('are what RFC 9457 says, and bounded, whatever the failure holds (T51)', () => {
    const anything = fc.anything({ withBigInt: true, withNullPrototype: true, withMap: true })
    fc.assert(
      fc.property(anything, fc.string({ unit: 'binary' }), (errors, message) => {
        const body = bodyOf({ code: 422, message, errors: { json: errors } as Errors })
        expect(problemFault(body)).toBeUndefined()
        expect(problemFault(bodyOf({ code: 422, errors: errors as Errors }))).toBeUndefined()
      }),
    )
    let shared: unknown = ['x'.repeat(100)]
    for (let depth = 0; depth < 30; depth++) shared = { ['k'.repeat(50)]: shared, b: shared }
    for (const errors of ['x'.repeat(10_000_000), Array(1_000_000).fill('x'), shared])
      expect(form.text({ code: 422, errors: errors as Errors }).length).toBeLessThan(3_000_000)
    expect(form.text({ code: 409, message: 'x'.repeat(1e7) }).length).toBeLessThan(200_000)
  })
})
