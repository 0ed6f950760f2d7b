import Router from '@koa/router'
import fc from 'fast-check'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { PathParameters, Template } from '../../src/feature-api/wire/template.js'
import { builtInConverters } from '../../src/http/routing/converter.js'
import { Matcher } from '../../src/http/routing/matcher.js'
import { type ParametersOf, parseRule, RuleError, ruleToPath } from '../../src/http/routing/rule.js'

const convert = (type: string, text: string) =>
  parseRule(`/:value<${type}>`).parameters[0]?.converter.parse(text)
const schemaOf = (type: string) => parseRule(`/:value<${type}>`).parameters[0]?.converter.schema
const refusal = (rule: string) => {
  try {
    parseRule(rule)
  } catch (error) {
    expect(error).toBeInstanceOf(RuleError)
    return (error as Error).message
  }
  throw new Error(`${rule} was accepted`)
}

describe('a rule', () => {
  it('becomes a template for the document and a path for the router', () => {
    const rule = parseRule('/pets/:petId< int( min = 5 ) >/toys/:rest<path>')
    expect(rule.template).toBe('/pets/{petId}/toys/{rest}')
    expect(rule.routerPath).toBe('/pets/:petId/toys/*rest')
    expect(
      rule.segments.map(segment =>
        typeof segment === 'object' && 'type' in segment ? segment.type : segment,
      ),
    ).toEqual(['pets', 'int(min=5)', 'toys', 'path'])
  })

  it('keeps a slash at its end in both texts, and may be the root alone', () => {
    expect(parseRule('/pets/')).toMatchObject({
      segments: ['pets'],
      template: '/pets/',
      routerPath: '/pets/',
    })
    expect(parseRule('/')).toMatchObject({ segments: [], template: '/', routerPath: '/' })
  })

  it.each(['/a+b!', '/café', '/pets.json', '/jobs:search', '/v:id', "/~a@b,c;d=e&f$g'"])(
    '%s stands for itself at the router too',
    text => {
      const router = new Router().get(parseRule(text).routerPath, () => {})
      expect(router.match(encodeURI(text), 'GET').route).toBe(true)
    },
  )

  it.each([
    ['pets', 'must start with a slash'],
    ['/a//b', 'two slashes'],
    ['/{id}', 'write ":id" for "{id}"'],
    ['/<int:id>', 'write ":id<int>" for "<int:id>"'],
    ['/:id(\\d+)', 'name a converter instead'],
    ['/:id?', 'name a converter instead'],
    ['/:a-:b', 'write ":a<string>-:b<string>" for ":a-:b"'],
    ['/:sid.json', 'write ":sid<string>.json" for ":sid.json"'],
    ['/:a<int>:b<int>', 'text must separate the parameters'],
    ['/a:rest<path>', 'it must be a whole segment, as in ":rest<path>"'],
    ['/a:b<itn>', 'there is no converter "itn"'],
    ['/a%2Fb:b<int>', 'without percent-encoding'],
    ['/:a<int>-:a<int>', 'two parameters are called "a"'],
    ['/a%20b', 'without percent-encoding'],
    ['/a*', 'cannot be a segment'],
    ['/..', 'cannot be a segment'],
    ['/a?b=1', 'cannot be a segment'],
    ['/:id/:id', 'two parameters are called "id"'],
    ['/:__proto__', 'cannot be called'],
    ['/:rest<path>/more', 'so it must be the last'],
    ['/:id<itn>', 'there is no converter "itn", there are string, int, float, uuid, any, path'],
    ['/:id<>', 'there is no converter ""'],
    ['/:id<int(mim=1)>', 'there is no option "mim", the options are signed, min, max'],
    ['/:id<int(5)>', 'is not an option'],
    ['/:id<int(min=x)>', '"x" is not a value for the option "min"'],
    ['/:id<int(min=1,min=2)>', 'given twice'],
    ['/:id<int(min=2,max=1)>', 'min is above max'],
    ['/:id<string(length=2,maxlength=1)>', 'no string is that short'],
    ['/:id<any>', 'name the values'],
    ['/:id<any(a,b=1)>', 'name the values'],
    ['/:id<any(a,,b)>', 'is not an option'],
    ['/:id<uuid(version=4)>', 'there is no option "version"'],
    ['/:rest<path(depth=2)>', 'there is no option "depth"'],
    ['/:id<int(toString=1)>', 'there is no option "toString"'],
  ])('%s is refused: %s', (rule, text) => {
    expect(refusal(rule)).toContain(`Rule "${rule}": `)
    expect(refusal(rule)).toContain(text)
  })

  it('is read or refused with a RuleError, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'/:<>(),=a1_%{}*? é') }), text => {
        try {
          parseRule(`/${text}`)
        } catch (error) {
          expect(error).toBeInstanceOf(RuleError)
        }
      }),
    )
  })

  it('takes converters of the application', () => {
    const hex = {
      parse: (text: string) => (/^[0-9a-f]+$/.test(text) ? Number.parseInt(text, 16) : undefined),
    }
    const rule = parseRule('/:value<hex>', new Map([...builtInConverters, ['hex', () => hex]]))
    expect(rule.parameters[0]?.converter.parse('ff')).toBe(255)
  })
})

describe('converters', () => {
  it.each([
    ['string', 'a b', 'a b'],
    ['string(length=2)', 'ab', 'ab'],
    ['string(length=2)', '🐱🐶', '🐱🐶'],
    ['string(minlength=2,maxlength=4)', 'abcd', 'abcd'],
    ['int', '42', 42],
    ['int', '007', 7],
    ['int(signed=true)', '-3', -3],
    ['int(signed=true)', '-0', 0],
    ['int(min=5,max=10)', '5', 5],
    ['float', '4.50', 4.5],
    ['float(signed=true,min=-1.5)', '-1.5', -1.5],
    ['uuid', '5D1A2C8E-0A4C-4B7F-9C39-0F6F7AD0B0AA', '5d1a2c8e-0a4c-4b7f-9c39-0f6f7ad0b0aa'],
    ['any(red, dark blue)', 'dark blue', 'dark blue'],
    ['path', 'a/b/', 'a/b/'],
  ])('%s takes %j', (type, text, value) => {
    expect(Object.is(convert(type, text), value)).toBe(true)
  })

  it.each([
    ['string(length=2)', 'abc'],
    ['string(minlength=2,maxlength=4)', 'a'],
    ['int', '-1'],
    ['int', '4.2'],
    ['int', '1e3'],
    ['int', ' 1'],
    ['int', '٣'],
    ['int', '9007199254740993'],
    ['int(min=5,max=10)', '11'],
    ['float', '4'],
    ['float', '-1.0'],
    ['float', `${'9'.repeat(400)}.0`],
    ['uuid', '{5d1a2c8e-0a4c-4b7f-9c39-0f6f7ad0b0aa}'],
    ['uuid', '5d1a2c8e0a4c4b7f9c390f6f7ad0b0aa'],
    ['any(red, green)', 'pink'],
  ])('%s refuses %j', (type, text) => {
    expect(convert(type, text)).toBeUndefined()
  })

  it('document what they take', () => {
    expect(schemaOf('string')).toEqual({ type: 'string', minLength: 1 })
    expect(schemaOf('string(length=2)')).toEqual({ type: 'string', minLength: 2, maxLength: 2 })
    expect(schemaOf('int')).toEqual({
      type: 'integer',
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
    })
    expect(schemaOf('int(signed=true)')).toEqual({
      type: 'integer',
      minimum: Number.MIN_SAFE_INTEGER,
      maximum: Number.MAX_SAFE_INTEGER,
    })
    expect(schemaOf('float(min=1,max=2)')).toEqual({ type: 'number', minimum: 1, maximum: 2 })
    expect(schemaOf('uuid')).toEqual({ type: 'string', format: 'uuid' })
    expect(schemaOf('any(red,green)')).toEqual({ type: 'string', enum: ['red', 'green'] })
  })
})

describe('ruleToPath', () => {
  it('builds the path that the rule matches', () => {
    const rule = parseRule('/pets/:name/:weight<float>/:rest<path>')
    expect(ruleToPath(rule, { name: 'a/b ü', weight: 4, rest: 'x/y z' })).toBe(
      '/pets/a%2Fb%20%C3%BC/4.0/x/y%20z',
    )
  })

  it('is matched by its rule, with the same values, or refused', () => {
    const rule = parseRule('/pets/:name/:weight<float(signed=true)>/:id<int>/:rest<path>')
    const matcher = new Matcher<string>()
    matcher.add(rule, 'GET', 'it')
    const text = fc.oneof(
      fc.string({ unit: fc.constantFrom('a', 'é', '/', '.', '%', ' ', '🐱', '?') }),
      fc.constantFrom('.', '..', 'a/..', 'a/', ''),
    )
    const numbers = fc.oneof(fc.double(), fc.nat())
    fc.assert(
      fc.property(text, numbers, numbers, text, (name, weight, id, rest) => {
        const values = { name, weight: weight + 0, id: id + 0, rest }
        let path: string
        try {
          path = ruleToPath(rule, values)
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError)
          return
        }
        expect(new URL(path, 'http://x').pathname).toBe(path)
        const found = matcher.match(path, 'GET')
        expect(found).toMatchObject({ kind: 'match', parameters: { name, id: values.id, rest } })
      }),
      { numRuns: 1000 },
    )
  })

  it('refuses values that the rule would not match', () => {
    expect(() => ruleToPath(parseRule('/:id<int>'), { id: -1 })).toThrow(
      'Rule "/:id<int>" cannot have id: -1',
    )
    expect(() => ruleToPath(parseRule('/:id'), {})).toThrow(RangeError)
    expect(() => ruleToPath(parseRule('/:id'), { id: '' })).toThrow(RangeError)
  })
})

describe('ParametersOf', () => {
  it('knows the value types of a literal rule', () => {
    expectTypeOf<keyof ParametersOf<'/a/b'>>().toBeNever()
    expectTypeOf<ParametersOf<'/:id<int(min=5)>/toys/:toyId'>>().toEqualTypeOf<{
      id: number
      toyId: string
    }>()
    expectTypeOf<ParametersOf<'/:color<any(red, green)>/:rest<path>'>>().toEqualTypeOf<{
      color: 'red' | 'green'
      rest: string
    }>()
  })

  it('knows nothing of a rule made at run time', () => {
    expectTypeOf<ParametersOf<string>>().toEqualTypeOf<{ [name: string]: unknown }>()
  })
})

describe('a segment of text and parameters', () => {
  it('is written as OpenAPI and the router do', () => {
    const rule = parseRule('/v:a/compare/:base<string>...:head<int>:x')
    expect({ template: rule.template, routerPath: rule.routerPath }).toEqual({
      template: '/v:a/compare/{base}...{head}:x',
      routerPath: '/v\\:a/compare/:"base"...:"head"\\:x',
    })
    expect(rule.parameters.map(({ name, type }) => [name, type])).toEqual([
      ['base', 'string'],
      ['head', 'int'],
    ])
    const router = new Router().get(rule.routerPath, () => {})
    expect(router.match('/v:a/compare/1...2:x', 'GET').route).toBe(true)
    const products = new Router().get(parseRule('/Products(:id<int>)').routerPath, () => {})
    expect(products.match('/Products(5)', 'GET').route).toBe(true)
  })

  it('makes the path that it reads', () => {
    const compare = parseRule('/:base<string>...:head<string>')
    expect(ruleToPath(compare, { base: 'a/b', head: 'é.' })).toBe('/a%2Fb...%C3%A9.')
    expect(ruleToPath(parseRule('/:id<int>.json'), { id: 5 })).toBe('/5.json')
    expect(ruleToPath(parseRule('/Products(:id<int>)'), { id: 5 })).toBe('/Products(5)')
  })

  it.each<[string, Record<string, unknown>]>([
    ['/:base<string>...:head<string>', { base: 'a...b', head: 'c' }],
    ['/:base<string>...:head<string>', { base: 'a', head: '' }],
    ['/:base<string>...:head<string>', { base: 'a' }],
    ['/:id<int>.json', { id: 'x' }],
    ['/.:a<string>', { a: '.' }],
  ])('refuses values that would be read back differently: %s %j', (rule, values) => {
    expect(() => ruleToPath(parseRule(rule), values)).toThrow(RangeError)
  })

  it('gives its values to the compiler', () => {
    expectTypeOf<ParametersOf<'/:sid<string>.json'>>().toEqualTypeOf<{ sid: string }>()
    expectTypeOf<ParametersOf<'/compare/:base<int>...:head<string>/x'>>().toEqualTypeOf<{
      base: number
      head: string
    }>()
    expectTypeOf<ParametersOf<'/files/:name<string>:archive'>>().toEqualTypeOf<{ name: string }>()
    expectTypeOf<ParametersOf<'/a:b:id<int>'>>().toEqualTypeOf<{ id: number }>()
    expectTypeOf<keyof ParametersOf<'/jobs:search'>>().toBeNever()
    expectTypeOf<Template<'/a/:sid<string>.json'>>().toEqualTypeOf<'/a/{sid}.json'>()
    expectTypeOf<Template<'/:a<int>...:b<int>:x/:c'>>().toEqualTypeOf<'/{a}...{b}:x/{c}'>()
    expectTypeOf<Template<'/a:b:id<int>'>>().toEqualTypeOf<'/a:b{id}'>()
    expectTypeOf<Template<'/jobs:search'>>().toEqualTypeOf<'/jobs:search'>()
    expectTypeOf<PathParameters<'', '/:a<int>...:b<string>:x'>>().toEqualTypeOf<{
      a: number
      b: string
    }>()
  })
})
