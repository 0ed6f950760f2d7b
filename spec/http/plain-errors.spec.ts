import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plainErrors } from '../../src/http/errors/error-forms.js'
import type { Errors, FailureDetails } from '../../src/http/failure.js'

const errorText = (code: number, details: FailureDetails = {}) =>
  plainErrors.text({ code, ...details })
const bodyOf = (...given: Parameters<typeof errorText>) => JSON.parse(errorText(...given))
const textWith = (errors: unknown) => errorText(422, { errors: errors as Errors })
const bodyWith = (errors: unknown) => JSON.parse(textWith(errors))

/** The schema that the document has, for what it says of `plain`. */
const schemas = {
  components: { schemas: { Error: plainErrors.schema, ...plainErrors.components } },
}
const fits = new Ajv2020({ strict: false, ownProperties: true }).compile({
  ...schemas,
  $ref: '#/components/schemas/Error',
})

describe('an error body', () => {
  it('has the code and its phrase, and what was given, even if it is empty', () => {
    expect(bodyOf(404)).toEqual({ code: 404, status: 'Not Found' })
    expect(bodyOf(422, { message: '', errors: {} })).toEqual({
      code: 422,
      status: 'Unprocessable Entity',
      message: '',
      errors: {},
    })
    expect(bodyOf(499)).toEqual({ code: 499, status: 'Unknown' })
  })

  it('has errors as they are if they are what they should be', () => {
    const errors = { json: { tags: { 1: ['Not a valid string.'] }, __proto__: ['x'] } }
    expect(JSON.stringify(bodyWith(errors).errors)).toBe(JSON.stringify(errors))
    expect(JSON.stringify(bodyWith(JSON.parse('{"__proto__":["Unknown field."]}')).errors)).toBe(
      '{"__proto__":["Unknown field."]}',
    )
  })

  it('T51: is JSON whatever the errors hold', () => {
    const cycle: Record<string, unknown> = { a: ['x'] }
    cycle.self = cycle
    for (const errors of [
      cycle,
      10n,
      { a: 10n },
      Symbol('a'),
      () => 1,
      new Map([[1, 2]]),
      { toJSON: () => 1n },
      Number.NaN,
    ]) {
      expect(bodyWith(errors)).toMatchObject({ code: 422 })
    }
  })

  it('T51: is bounded', () => {
    let shared: unknown = ['x'.repeat(100)]
    for (let depth = 0; depth < 30; depth++) shared = { a: shared, b: shared }
    for (const errors of [
      'x'.repeat(10_000_000),
      { a: ['x'.repeat(10_000_000)] },
      Array(1_000_000).fill('x'),
      shared,
    ]) {
      expect(textWith(errors).length).toBeLessThan(200_000)
    }
    expect(errorText(409, { message: 'x'.repeat(1e7) }).length).toBeLessThan(200_000)
  })

  it('has lists of texts, whatever stands in their place, and no message that is none', () => {
    const errors = {
      text: 'wrong',
      number: 1,
      big: 10n,
      flag: false,
      none: null,
      nothing: undefined,
      list: ['a', 1, null, true],
    }
    expect(bodyWith(errors).errors).toEqual({
      text: ['wrong'],
      number: ['1'],
      big: ['10'],
      flag: ['false'],
      list: ['a', '1', 'true'],
    })
    expect(bodyWith({ pets: [{ name: ['wrong'] }, 'odd', undefined, []] }).errors).toEqual({
      pets: { 0: { name: ['wrong'] }, 1: ['odd'], 3: [] },
    })
  })

  it('has messages of no place under _schema', () => {
    expect(bodyWith(['wrong']).errors).toEqual({ _schema: ['wrong'] })
    expect(bodyWith('wrong').errors).toEqual({ _schema: ['wrong'] })
    expect(bodyWith(Symbol('none'))).not.toHaveProperty('errors')
  })

  it('is JSON that fits its schema, for anything', () => {
    fc.assert(
      fc.property(
        fc.anything({
          withBigInt: true,
          withNullPrototype: true,
          withMap: true,
          withSparseArray: true,
        }),
        errors => {
          const body = bodyWith(errors)
          expect(body).toMatchObject({ code: 422 })
          expect({ errors, fits: fits(body) }).toEqual({ errors, fits: true })
        },
      ),
    )
  })
})
