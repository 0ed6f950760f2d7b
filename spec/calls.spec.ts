// What programs without types, and imports that are not ready yet, hand over: each call says what
// it takes.
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  Blueprint,
  etag,
  json,
  MethodView,
  operation,
  query,
  response,
  struct,
} from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { serveBlueprints } from './support/client.js'

class Pets extends MethodView {
  static get = operation(response(t.string))
  get() {
    return 'Rex'
  }
}

// biome-ignore lint/suspicious/noExplicitAny: calls that the compiler refuses
type Untyped = any

const api = () => new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' })

describe('a call that the compiler would refuse says what it takes', () => {
  it.each<[string, () => unknown, string]>([
    [
      'new Api()',
      () => new (Api as Untyped)(),
      'new Api(app, settings) takes a Koa application first',
    ],
    [
      'a Blueprint without a name',
      () => new (Blueprint as Untyped)(),
      "new Blueprint('pets', …) takes a name, not undefined",
    ],
    [
      'a feature that is not called',
      () => operation(etag as Untyped),
      'number 1 is the function etag: call it, etag(…)',
    ],
    [
      'a feature that is undefined',
      () => operation('Pets', undefined as Untyped),
      'operation() takes features and texts; number 2 is undefined',
    ],
    [
      'an argument without a codec',
      () => (query as Untyped)(),
      'query() takes a codec, such as struct({ … }), not undefined. Do two modules import each other?',
    ],
    [
      'a field without a codec',
      () => struct({ name: t.string, owner: undefined as Untyped }),
      'struct: the codec of owner is undefined',
    ],
    [
      'a field without a codec under a name',
      () => struct({ owner: undefined as Untyped }, 'Pet'),
      'Do two modules import each other? t.recursion refers to what comes later',
    ],
    [
      'a body without a codec',
      () => (json as Untyped)({}),
      'json() takes a codec, such as struct({ … }), not an object',
    ],
    [
      'a verb without a rule',
      () => (new Blueprint('pets') as Untyped).get(operation()),
      'get() takes a rule such as "/pets" first, not an object',
    ],
    [
      'a verb without operation()',
      () => (new Blueprint('pets') as Untyped).post('/', response(t.string), () => ''),
      'post("/", …) takes what operation(…) returns second, not an object',
    ],
    [
      'a verb without a function',
      () => (new Blueprint('pets') as Untyped).get('/', operation(response(t.string))),
      'get("/", …) takes a function behind operation(…), not undefined',
    ],
    [
      'an instance of a view',
      () => (new Blueprint('pets') as Untyped).route('/', new Pets()),
      'route("/", …) takes a class of methods or what operation(…) returns second, not an instance of Pets',
    ],
    [
      'a class of Blueprints',
      () =>
        new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(Blueprint as Untyped),
      "registerBlueprint() takes a Blueprint, such as new Blueprint('pets'), not Blueprint",
    ],
    [
      'a nested undefined',
      () => new Blueprint('pets').registerBlueprint(undefined as Untyped),
      "registerBlueprint() takes a Blueprint, such as new Blueprint('pets'), not undefined",
    ],
    [
      'settings that are null',
      () => new Api(new Koa(), null as Untyped),
      'settings must be an object, not null',
    ],
    [
      'a converter that is undefined',
      () => (api().registerConverter as Untyped)('hex'),
      'registerConverter("hex", …) takes a converter, { parse: text => … }, or a function that makes one, not undefined',
    ],
    [
      'a converter without parse',
      () => api().registerConverter('hex', {} as Untyped),
      'registerConverter("hex", …) takes a converter',
    ],
    [
      'a converter under a name that no rule can contain',
      () => api().registerConverter('hex-code', { parse: text => text }),
      'registerConverter() takes a name of letters, digits and _ first, not "hex-code"',
    ],
    [
      'a field without a codec',
      () => (api().registerField as Untyped)(undefined, 'string'),
      'registerField() takes a codec',
    ],
    [
      'a field of a type that JSON Schema has not',
      () => api().registerField(t.string, 'date' as Untyped),
      'takes one of string, number, integer, boolean, array, object, null or another codec second, not "date"',
    ],
    [
      'a field whose format is a number',
      () => api().registerField(t.string, 'string', 7 as Untyped),
      'registerField(codec, type, format): the format must be a string or null, not 7',
    ],
    [
      'spec options that are a text',
      () => new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' }, 'x' as Untyped),
      'new Api(app, settings, options): options must be an object, not "x"',
    ],
    [
      'plugins that are no list',
      () => new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' }, { extraPlugins: {} as Untyped }),
      'extraPlugins must be a list, not an object',
    ],
    [
      'middleware that is none',
      () => new Blueprint('pets').use(undefined as Untyped),
      'use() takes middleware, not undefined',
    ],
  ])('%s', (_case, call, message) => {
    expect(call).toThrow(TypeError)
    expect(call).toThrow(message)
  })
})

it('what makes a converter that has no parse is named with the rule', () => {
  const made = api().registerConverter('hex', (() => undefined) as Untyped)
  expect(() =>
    made.registerBlueprint(new Blueprint('pets').get('/:id<hex>' as '/', operation(), () => 1)),
  ).toThrow(
    'Rule "/:id<hex>": what makes the converter "hex" must return { parse: text => … }, not undefined',
  )
})

it('the path of a view is asked for by a name', () => {
  expect(() => api().url(7 as Untyped)).toThrow(new RangeError('There is no view 7'))
})

describe('what a registration would ignore is a fault', () => {
  const shared = response(t.string)
  class Listed extends MethodView {
    static override readonly shared = [shared] as Untyped
    static get = operation()
    get() {}
  }
  const pets = (options?: Untyped) => new Blueprint('pets', options).route('/', Pets)
  it.each<[string, Blueprint, Untyped, string]>([
    [
      'features of a Blueprint without operation()',
      pets({ shared: [shared] }),
      {},
      'Blueprint "pets": shared must be the result of operation(…), not [an object]',
    ],
    [
      'a feature of a Blueprint',
      pets({ shared }),
      {},
      'Blueprint "pets": shared must be the result of operation(…), not an object',
    ],
    [
      'features of a view without operation()',
      new Blueprint('pets').route('/', Listed),
      {},
      'Listed: static shared must be the result of operation(…), not a list',
    ],
    [
      'a prefix that is not a text',
      pets({ urlPrefix: 7 }),
      {},
      'Blueprint "pets": urlPrefix must be a string such as "/pets", not 7',
    ],
    [
      'options of a registration that are none',
      pets(),
      null,
      'registerBlueprint() of "pets": the options must be an object, not null',
    ],
    [
      'a prefix in place of options',
      pets(),
      '/v1',
      'registerBlueprint() of "pets": the options must be an object, not "/v1"',
    ],
    [
      'methods that are no list',
      new Blueprint('pets').route('/', operation(), () => 1, { methods: 'GET' as Untyped }),
      {},
      "get: methods is a list of at least one, ['GET', 'POST']",
    ],
  ])('%s', (_case, blueprint, options, fault) => {
    const faults = [fault.replace(/^get: /, '')]
    expect(() =>
      new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(blueprint, options),
    ).toThrow(expect.objectContaining({ faults: [expect.stringContaining(faults[0] as string)] }))
  })
})

describe('what would end a request in silence is an error', () => {
  it.each<[string, Untyped]>([
    ['true', true],
    ['a text', 'no'],
    ['a promise of an object', Promise.resolve({ code: 400 })],
  ])('a step that returns %s', async (_case, returned) => {
    const odd = { on: () => [{ stage: 'access' as const, step: () => returned }] }
    const { request, errors } = await serveBlueprints(
      new Blueprint('pets').get('/', operation(odd), () => 1),
    )
    expect((await request('GET', '/')).status).toBe(500)
    expect(errors).toMatchObject([
      {
        message: expect.stringMatching(
          /^root_get: a step of the stage access must return a Refusal, a CompleteResponse or nothing, not .+$/,
        ),
      },
    ])
  })

  it.each([[undefined], [7], [Promise.resolve('{}')]])(
    'an ErrorForm whose text is %s',
    async text => {
      const form = {
        mediaType: 'application/json',
        name: 'Odd',
        schema: { type: 'object' as const },
        text: () => text as never,
      }
      const { request, errors } = await serveBlueprints(
        new Blueprint('pets').get('/', operation(), () => 1),
        { API_ERRORS: form },
      )
      const { status, body } = await request('GET', '/nowhere')
      expect({ status, body }).toEqual({ status: 404, body: { code: 404, status: 'Not Found' } })
      expect(errors).toMatchObject([
        {
          message: expect.stringContaining(
            'text() of the ErrorForm "Odd" must return a string, not ',
          ),
        },
      ])
    },
  )
})

describe('a result that is not there', () => {
  it.each([
    ['nothing returned', () => undefined, 'expected a Pet, and there is nothing (undefined)'],
    [
      'a field that is missing',
      () => ({ id: 1 }),
      'at name: expected a string, and there is nothing (undefined)',
    ],
    [
      'a field that is a promise',
      () => ({ id: 1, name: Promise.resolve('Rex') }),
      'at name: expected a string, and there is a promise: await it',
    ],
    ['a field of another type', () => ({ id: 1, name: 7 }), 'at name: expected a string'],
  ])('is told apart in the error: %s', async (_case, method, message) => {
    const Pet = t.strict({ id: t.number, name: t.string }, 'Pet')
    const { request, errors } = await serveBlueprints(
      new Blueprint('pets').get('/', operation(response(Pet)), method as never),
    )
    expect((await request('GET', '/')).status).toBe(500)
    expect(errors).toMatchObject([
      {
        name: 'EncodeError',
        message: expect.stringMatching(new RegExp(`${message.replace(/[()]/g, '\\$&')}$`)),
      },
    ])
  })
})

describe('pages without a prefix', () => {
  it('are warned of: nothing is served', () => {
    const warnings: string[] = []
    class Warned extends Api {
      override warn(text: string) {
        warnings.push(text)
      }
    }
    new Warned(new Koa(), {
      OPENAPI_VERSION: '3.1.0',
      OPENAPI_SWAGGER_UI_PATH: '/',
      OPENAPI_REDOC_PATH: null,
    })
    expect(warnings).toEqual([
      "OPENAPI_SWAGGER_UI_PATH has no effect without OPENAPI_URL_PREFIX, which serves the document and its pages: set it, such as to '/'",
    ])
  })
})
