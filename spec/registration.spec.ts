import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  argument,
  Blueprint,
  doc,
  files,
  form,
  json,
  MethodView,
  operation,
  query,
  RegistrationError,
  response,
  struct,
  Upload,
} from 'koa-smorest'
import { describe, expect, it } from 'vitest'

const api = () => new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' })
const faultsOf = (blueprint: Blueprint): readonly string[] => {
  try {
    api().registerBlueprint(blueprint)
    return []
  } catch (error) {
    return (error as RegistrationError).faults
  }
}
const A = t.strict({ a: t.string })
const opaque = new t.Type<string>('Opaque', t.string.is, t.string.validate, t.identity)

class Undescribed extends MethodView {
  get() {}
}
class Methodless extends MethodView {
  static get = operation()
}
class Needy extends MethodView {
  constructor(readonly database: string) {
    super()
  }
  static get = operation()
  get() {
    return this.database
  }
}

describe('an operationId', () => {
  it('that is taken is a fault, within a Blueprint and across', () => {
    const view = () => null
    const twice = new Blueprint('twice').get('/a', operation(), view).get('/b', operation(), view)
    expect(faultsOf(twice)).toEqual([expect.stringMatching(/GET \/b: its operationId view_get is that of view \(GET \/a\)/)])
    const one = api().registerBlueprint(new Blueprint('one').get('/a', operation(), view))
    expect(() => one.registerBlueprint(new Blueprint('two').get('/b', operation(), view))).toThrow(
      /operationId view_get is that of view \(GET \/a\)/,
    )
  })

  it('is told apart by endpoint, or by hand', () => {
    const view = () => null
    const apart = new Blueprint('apart').get('/a', operation(), view).get('/b', operation(), view, { endpoint: 'other' })
    expect(faultsOf(apart.get('/c', operation(doc({ operationId: 'third' })), view))).toEqual([])
  })
})

describe('a path and method', () => {
  it('that is taken is a fault, and nothing is mounted', () => {
    const one = api().registerBlueprint(new Blueprint('one').get('/:id<int>', operation(), () => 1))
    const two = new Blueprint('two').get('/fresh', operation(), () => 1).get('/:other<int>', operation(), () => 1, { endpoint: 'two' })
    expect(() => one.registerBlueprint(two)).toThrow(/GET \/\{other\}: this path and method is that of id \(GET \/\{id\}\)/)
    expect(Object.keys(one.spec.toJSON().paths as object)).toEqual(['/{id}'])
  })
})

describe('a Blueprint', () => {
  it('is refused with all its faults at once, each with class, method and path', () => {
    const wrong = new Blueprint('wrong')
    wrong.declarations.push({ rule: '/undescribed', view: Undescribed, options: {} })
    wrong.declarations.push({ rule: '/methodless', view: Methodless, options: {} })
    wrong.declarations.push({ rule: '/needy', view: Needy, options: {} })
    wrong.post('/bodies', operation(json(A), form(A)), () => null)
    wrong.get('/:a', operation(query(A)), () => null)
    wrong.get('/converter/:id<nope>', operation(), () => null)
    wrong.get('/opaque', operation(response(t.array(t.strict({ inner: opaque })))), () => [])
    wrong.post('/union', operation(json(t.union([A, t.strict({ a: t.string, b: t.string })]), { unknown: 'exclude' })), () => null)
    wrong.get('/empty', operation(response(A, { code: 204 })), () => ({ a: '' }))
    const faults = faultsOf(wrong)
    const expected = [
      /Undescribed: get\(\) has no descriptor, add: static get = operation/,
      /Methodless: it has no method/,
      /Methodless: static get describes a method that is not there/,
      /Needy: its constructor takes something/,
      /POST \/bodies: json and form are bodies that cannot be one/,
      /GET \/\{a\}: "a" is both a parameter of the path and a field of query/,
      /no converter "nope"/,
      /GET \/opaque.*inner.*describe/s,
      /POST \/union: json: .*lose/s,
      /GET \/empty: an answer of status 204 has no body/,
    ]
    for (const pattern of expected) expect(faults).toContainEqual(expect.stringMatching(pattern))
    expect(faults).toHaveLength(expected.length)
  })

  it('is not registered at all where one view is faulty', () => {
    const half = new Blueprint('half').get('/right', operation(), () => 1).get('/wrong', operation(json(A), json(A)), () => 1)
    const one = api()
    expect(() => one.registerBlueprint(half)).toThrow(RegistrationError)
    expect(one.spec.toJSON().paths).toEqual({})
  })

  it('may take a form and files in one body', () => {
    const both = new Blueprint('both').post('/', operation(form(A), files(struct({ file: Upload }))), () => null)
    expect(faultsOf(both)).toEqual([])
  })

  it('takes a view whose constructor needs something with create', () => {
    expect(faultsOf(new Blueprint('needy').route('/', Needy, { create: () => new Needy('db') }))).toEqual([])
  })

  it('warns of a location that does not exist, and starts', () => {
    const warnings: string[] = []
    class Quiet extends Api {
      override warn(text: string) {
        warnings.push(text)
      }
    }
    const bogus = new Blueprint('bogus').get('/', operation(argument(A, { location: 'body' as never })), () => null)
    new Quiet(new Koa(), { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(bogus)
    expect(warnings).toEqual([expect.stringContaining('no location "body"')])
  })
})
