// A guard that is missing, or that another one replaces unnoticed, is a fault: it would let in
// whom its author wanted to keep out.
import * as t from 'io-ts'
import Koa from 'koa'
import {
  type AnyBlueprint,
  Api,
  anyOf,
  Blueprint,
  bearer,
  type Context,
  etag,
  type Feature,
  MethodView,
  type Operation,
  open,
  operation,
  type RegistrationError,
  response,
  secure,
} from 'koa-smorest'
import { describe, expect, it } from 'vitest'

const missing = undefined as unknown as Operation
const token = bearer('token', { principal: () => undefined })
const text = response(t.string)

function faultsOf(blueprint: AnyBlueprint): readonly string[] {
  try {
    new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(blueprint)
    return []
  } catch (error) {
    return (error as RegistrationError).faults
  }
}

const faultsOfView = (view: new () => MethodView) => faultsOf(new Blueprint('b').route('/', view))

class Base extends MethodView {
  static override readonly shared: Operation = operation(secure(token))
  static get: Operation = operation(text)
  get(_ctx: Context) {
    return 'x'
  }
}

describe('a guard that is undefined is a fault', () => {
  it('as the shared of a Blueprint', () => {
    expect(faultsOf(new Blueprint('b', { shared: missing }))).toEqual([
      'Blueprint "b": shared must be the result of operation(…), not undefined',
    ])
  })

  it('as the static shared of a view, or of a class that it extends', () => {
    class Unguarded extends Base {
      static override readonly shared = missing
    }
    class Below extends Unguarded {}
    const fault = 'Unguarded: static shared must be the result of operation(…), not undefined'
    expect([faultsOfView(Unguarded), faultsOfView(Below)]).toEqual([[fault], [fault]])
  })

  it('as the allow of secure', () => {
    const guarded = new Blueprint('b').get(
      '/',
      operation(secure(token, { allow: undefined as never }), text),
      () => 'x',
      { endpoint: 'x' },
    )
    expect(faultsOf(guarded)).toEqual([
      'x, GET /: secure(): allow must be a function, not undefined',
    ])
  })

  it('but a view that says nothing has none', () => {
    class Plain extends MethodView {
      static get = operation(text)
      get(_ctx: Context) {
        return 'x'
      }
    }
    expect(faultsOfView(Plain)).toEqual([])
  })
})

it('scopes() of nothing is a fault', () => {
  const guarded = new Blueprint('b').get(
    '/',
    operation(secure(anyOf(token, token.scopes(...[]))), text),
    () => 'x',
    { endpoint: 'x' },
  )
  expect(faultsOf(guarded)).toEqual([
    'x, GET /: scopes() of the scheme "token" must have at least one scope, not none',
  ])
})

describe('two of secure and open in one descriptor are a fault', () => {
  const twice =
    'a descriptor must have one secure() or open(), not several: combine schemes with anyOf(…) or allOf(…)'
  it.each([
    ['secure and secure', [secure(token), secure(token, { optional: true })]],
    ['secure and open', [secure(token), open()]],
  ])('%s, of a method, a view or a Blueprint', (_title, guards) => {
    const two = operation(...guards, text)
    class Viewed extends Base {
      static override readonly shared = two
    }
    expect([
      faultsOf(new Blueprint('b').get('/', two, () => 'x', { endpoint: 'x' })),
      faultsOfView(Viewed),
      faultsOf(new Blueprint('b', { shared: two as never })),
    ]).toEqual([[`x, GET /: ${twice}`], [`Viewed: ${twice}`], [`Blueprint "b": ${twice}`]])
  })

  it('one in each of Blueprint, view and method is none', () => {
    class Viewed extends Base {
      static override get: Operation = operation(open(), text)
    }
    const blueprint = new Blueprint('b', { shared: operation(secure(token)) })
    expect(faultsOf(blueprint.route('/', Viewed as new () => MethodView))).toEqual([])
  })
})

describe('a subclass whose own shared has no guard', () => {
  it('is a fault if that of its base has one', () => {
    class Tagged extends Base {
      static override readonly shared: Operation = operation(etag())
    }
    expect(faultsOfView(Tagged)).toEqual([
      'Tagged: static shared replaces that of Base, which has secure(): repeat it, or add open()',
    ])
  })

  it('may say so with open(), and guard with another secure()', () => {
    class Opened extends Base {
      static override readonly shared: Operation = operation(etag(), open())
    }
    class Guarded extends Base {
      static override readonly shared: Operation = operation(secure(token))
    }
    class Inherits extends Base {}
    expect([Opened, Guarded, Inherits].map(faultsOfView)).toEqual([[], [], []])
    class Tagged extends Opened {
      static override readonly shared: Operation = operation(etag())
    }
    expect(faultsOfView(Tagged)).toEqual([])
    class Reopened extends Tagged {
      static override readonly shared: Operation = operation(secure(token))
    }
    class Dropped extends Reopened {
      static override readonly shared: Operation = operation(etag())
    }
    expect(faultsOfView(Dropped)).toEqual([
      'Dropped: static shared replaces that of Reopened, which has secure(): repeat it, or add open()',
    ])
  })
})

it('a feature of the application without a kind is kept beside others, and is not a second guard', () => {
  const own = (): Feature => ({ secured: true, on: () => [] })
  expect(faultsOf(new Blueprint('b').get('/', operation(own(), own(), text), () => 'x'))).toEqual(
    [],
  )
})
