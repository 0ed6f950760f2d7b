import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  argument,
  Blueprint,
  doc,
  type Feature,
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

const view = () => null
/** The operationIds of all operations, by method and path. */
const idsOf = (of: Api): unknown => {
  const paths = of.spec.toJSON().paths as Record<string, Record<string, { operationId: string }>>
  return Object.fromEntries(
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, { operationId }]) =>
        operationId ? [[`${method} ${path}`, operationId]] : [],
      ),
    ),
  )
}

describe('a default operationId', () => {
  it('that is taken gets the name of the Blueprint in front; what was registered first keeps its own', () => {
    class Item extends MethodView {
      static get = operation()
      get() {}
    }
    const one = api()
      .registerBlueprint(new Blueprint('shelves').route('/shelf', Item))
      .registerBlueprint(
        new Blueprint('shop carts')
          .route('/cart', Item)
          .get('/view', operation(), view)
          .post('/view', operation(), view),
      )
    expect(idsOf(one)).toEqual({
      'get /shelf': 'Item_get',
      'get /cart': 'shop_carts_Item_get',
      'get /view': 'view_get',
      'post /view': 'view_post',
    })
  })

  it('is made of the path if that is taken too, so one Blueprint can stand under any number of prefixes', () => {
    const pings = new Blueprint('pings').get('/ping', operation(), view)
    const one = api()
    for (const urlPrefix of ['/v1', '/v2', '/v3', '/v4'])
      one.registerBlueprint(pings, { urlPrefix })
    expect(idsOf(one)).toEqual({
      'get /v1/ping': 'view_get',
      'get /v2/ping': 'pings_view_get',
      'get /v3/ping': 'v3_ping_get',
      'get /v4/ping': 'v4_ping_get',
    })
    expect(one.spec.toJSON().tags).toEqual([{ name: 'pings' }])
  })
})

describe('an operationId by hand', () => {
  const named = (name: string, operationId: string) =>
    new Blueprint(name).get(`/${name}`, operation(doc({ operationId })), view)

  it('that is taken is a fault, within a Blueprint and across', () => {
    const one = api().registerBlueprint(new Blueprint('one').get('/a', operation(), view))
    expect(() => one.registerBlueprint(named('two', 'view_get'))).toThrow(
      /GET \/two: its operationId view_get is that of view \(GET \/a\)/,
    )
    expect(
      faultsOf(named('twice', 'same').get('/b', operation(doc({ operationId: 'same' })), view)),
    ).toEqual([
      expect.stringMatching(
        /GET \/b: its operationId same is that of view \(GET \/twice\): give one of them another endpoint/,
      ),
    ])
  })

  it('that a plugin gives is looked at as well', () => {
    const extraPlugins = [{ path: () => ({ operationId: 'plugged' }) }]
    const one = new Api(
      new Koa(),
      { OPENAPI_VERSION: '3.1.0' },
      { extraPlugins },
    ).registerBlueprint(new Blueprint('one').get('/a', operation(), view))
    expect(idsOf(one)).toEqual({ 'get /a': 'plugged' })
    expect(() => one.registerBlueprint(new Blueprint('two').get('/b', operation(), view))).toThrow(
      /its operationId plugged is that of view \(GET \/a\)/,
    )
  })

  it('does not matter if the operation is hidden', () => {
    expect(
      faultsOf(
        named('hidden', 'same').get(
          '/b',
          operation(doc({ operationId: 'same', hidden: true })),
          view,
        ),
      ),
    ).toEqual([])
  })
})

describe('a path and method', () => {
  it('that is taken is one fault, and nothing is mounted', () => {
    const one = api().registerBlueprint(new Blueprint('one').get('/:id<int>', operation(), () => 1))
    const two = new Blueprint('two')
      .get('/fresh', operation(), () => 1)
      .get('/:other<int>', operation(), () => 1)
    expect(() => one.registerBlueprint(two)).toThrow(
      expect.objectContaining({
        faults: [
          'other, GET /{other}: this path and method is already registered by id (GET /{id})',
        ],
      }),
    )
    expect(Object.keys(one.spec.toJSON().paths as object)).toEqual(['/{id}'])
  })

  it('that is given twice to one view is one fault', () => {
    expect(
      faultsOf(new Blueprint('twice').get('/a', operation(), view).get('/a', operation(), view)),
    ).toEqual(['view, GET /a: this path and method is registered twice'])
  })

  it('may not differ from another in nothing but the names of parameters, which is one path to OpenAPI', () => {
    const twins = (hidden: boolean) =>
      new Blueprint('twins')
        .get('/pets/:id<int>', operation(), view)
        .post('/pets/:name', operation(doc({ hidden })), view)
    expect(faultsOf(twins(false))).toEqual([
      'view, POST /pets/{name}: /pets/{id} and /pets/{name} are one path to OpenAPI: call their parameters the same, or hide one with doc({ hidden: true })',
    ])
    expect(faultsOf(twins(true))).toEqual([])
    const one = api().registerBlueprint(
      new Blueprint('one').get('/pets/:id<int>', operation(), view),
    )
    expect(() =>
      one.registerBlueprint(new Blueprint('two').put('/pets/:petId', operation(), view)),
    ).toThrow(/are one path to OpenAPI/)
    expect(
      faultsOf(
        new Blueprint('apart')
          .get('/pets/:id', operation(), view)
          .get('/pets/:petId/toys', operation(), view),
      ),
    ).toEqual([])
  })
})

describe('a Blueprint that is registered twice', () => {
  it('under one prefix is one fault that says so', () => {
    class Pets extends MethodView {
      static get = operation()
      get() {}
      static post = operation()
      post() {}
    }
    const pets = new Blueprint('pets', { urlPrefix: '/pets' }).route('/', Pets)
    const one = api().registerBlueprint(pets)
    expect(() => one.registerBlueprint(pets)).toThrow(
      expect.objectContaining({
        faults: [
          'Blueprint "pets" is registered already, under /pets: give registerBlueprint(…, { urlPrefix }) another prefix, or leave it out',
        ],
      }),
    )
  })

  it('inside itself is a fault', () => {
    const outer = new Blueprint('outer')
    outer.registerBlueprint(new Blueprint('inner').registerBlueprint(outer))
    expect(faultsOf(outer)).toEqual(['Blueprint "outer" is nested in itself'])
  })
})

describe('an option that there is not', () => {
  const given = (options: object) => options as never

  it('is a fault: of route(), of a Blueprint, of registerBlueprint(), each with what was meant', () => {
    const wrong = new Blueprint('wrong', given({ urlPrefx: '/a' }))
      .route('/a', Needy, given({ create: () => new Needy('db'), tag: ['x'] }))
      .get('/b', operation(), view, given({ methods: ['POST'] }))
      .route('/c', operation(), view, given({ methods: ['GET'], whatever: 1 }))
      .registerBlueprint(new Blueprint('child'), given({ urlprefix: '/c' }))
    expect(() => api().registerBlueprint(wrong, given({ nam: 'x' }))).toThrow(
      expect.objectContaining({
        faults: [
          'Blueprint "wrong": there is no option "urlPrefx", did you mean "urlPrefix"?',
          'registerBlueprint() of "wrong": there is no option "nam", did you mean "name"?',
          `route('/a'): there is no option "tag", did you mean "tags"?`,
          `route('/b'): there is no option "methods", the options are endpoint, parameters, tags`,
          `route('/c'): there is no option "whatever", the options are endpoint, parameters, tags`,
          'registerBlueprint() of "child": there is no option "urlprefix", did you mean "urlPrefix"?',
        ],
      }),
    )
  })
})

describe('a parameter that is documented by hand', () => {
  const parameter = { name: 'petID', in: 'path', description: 'Misspelt' } as const

  it('has to be one of the path', () => {
    expect(
      faultsOf(
        new Blueprint('pets').get('/:petId', operation(), view, { parameters: [parameter] }),
      ),
    ).toEqual([`route('/:petId'): it has no path parameter "petID", which parameters documents`])
    expect(() =>
      api().registerBlueprint(new Blueprint('pets').get('/:petId', operation(), view), {
        parameters: [parameter],
      }),
    ).toThrow(
      'registerBlueprint() of "pets": none of its rules has the path parameter "petID" that parameters documents',
    )
  })
})

it('registerField after a registration throws: documents may have been made of the codec', () => {
  const one = api().registerBlueprint(
    new Blueprint('one').get('/', operation(response(A)), () => ({ a: '' })),
  )
  expect(() => one.registerField(opaque, 'string', 'opaque')).toThrow(
    /registerField\(Opaque, …\) comes after registerBlueprint/,
  )
})

describe('a Blueprint', () => {
  it('is refused with all its faults at once, each with class, method and path', () => {
    const wrong = new Blueprint('wrong')
    wrong.declarations.push({ rule: '/undescribed', view: Undescribed, options: {} })
    wrong.declarations.push({ rule: '/methodless', view: Methodless, options: {} })
    wrong.declarations.push({ rule: '/needy', view: Needy, options: {} })
    wrong.post('/bodies', operation(json(A), form(A)), () => null)
    wrong.get('/:a', operation(query(A, { asKwargs: true })), () => null)
    wrong.get('/converter/:id<nope>', operation(), () => null)
    wrong.get('/opaque', operation(response(t.array(t.strict({ inner: opaque })))), () => [])
    wrong.post(
      '/union',
      operation(json(t.union([A, t.strict({ a: t.string, b: t.string })]), { unknown: 'exclude' })),
      () => null,
    )
    wrong.get('/empty', operation(response(A, { code: 204 })), () => ({ a: '' }))
    const faults = faultsOf(wrong)
    const expected = [
      /Undescribed: get\(\) has no descriptor, add: static get = operation/,
      /Methodless: it has no method/,
      /Methodless: static get describes a method that is not there/,
      /Needy: its constructor takes something/,
      /POST \/bodies: json and form cannot be combined/,
      /GET \/\{a\}: "a" is both a parameter of the path and a field of query/,
      /no converter "nope"/,
      /GET \/opaque.*inner.*describe/s,
      /POST \/union: json: .*lose/s,
      /GET \/empty: a response of status 204 has no body/,
    ]
    for (const pattern of expected) expect(faults).toContainEqual(expect.stringMatching(pattern))
    expect(faults).toHaveLength(expected.length)
  })

  it('is not registered at all if one view is faulty', () => {
    const half = new Blueprint('half')
      .get('/right', operation(), () => 1)
      .get('/wrong', operation(json(A), json(A)), () => 1)
    const one = api()
    expect(() => one.registerBlueprint(half)).toThrow(RegistrationError)
    expect(one.spec.toJSON().paths).toEqual({})
  })

  it('may take a form and files in one body', () => {
    const both = new Blueprint('both').post(
      '/',
      operation(form(A), files(struct({ file: Upload }))),
      () => null,
    )
    expect(faultsOf(both)).toEqual([])
  })

  it('takes a view whose constructor needs something with create', () => {
    expect(
      faultsOf(new Blueprint('needy').route('/', Needy, { create: () => new Needy('db') })),
    ).toEqual([])
  })

  it('warns of a location that does not exist, and starts', () => {
    const warnings: string[] = []
    class Quiet extends Api {
      override warn(text: string) {
        warnings.push(text)
      }
    }
    const bogus = new Blueprint('bogus').get(
      '/',
      operation(argument(A, { location: 'body' as never })),
      () => null,
    )
    new Quiet(new Koa(), { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(bogus)
    expect(warnings).toEqual([expect.stringContaining('no location "body"')])
  })
})

describe('a feature of the application that is broken', () => {
  const register = (feature: Feature) =>
    api().registerBlueprint(new Blueprint('broken').get('/broken', operation(feature), view))

  it('is told with the operation that it is about and with its own error, if it throws', () => {
    const cause = new TypeError('no')
    const on = () => {
      throw cause
    }
    expect(() => register({ kind: 'mine', on })).toThrow(
      expect.objectContaining({
        message: 'view (GET /broken): on() of the feature "mine" failed: no',
        cause,
      }),
    )
  })

  it('is a fault if it returns no parts', () => {
    expect(() => register({ on: () => undefined as never })).toThrow(
      'on() of a feature must return a list of parts, not undefined',
    )
  })
})
