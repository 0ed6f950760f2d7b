import * as t from 'io-ts'
import Koa from 'koa'
import {
  type AnyBlueprint,
  Api,
  apiKey,
  argument,
  Blueprint,
  bytes,
  cookies,
  doc,
  etag,
  type Feature,
  files,
  form,
  headers,
  int,
  json,
  list,
  MethodView,
  type Operation,
  operation,
  optional,
  Page,
  paginate,
  path,
  query,
  type Reader,
  type RegistrationError,
  readOnly,
  refine,
  response,
  secure,
  struct,
  Upload,
  wireName,
} from 'koa-smorest'
import { describe, expect, it } from 'vitest'

/** What is wrong with an operation, without the place. */
function faultsOf(
  described: Operation<readonly Feature[]>,
  rule = '/',
  blueprint = new Blueprint('faults'),
): string[] {
  blueprint.route(rule, described as Operation<readonly []>, () => null, { methods: ['PUT'] })
  return faultsOfBlueprint(blueprint).map(fault => fault.replace(/^.*?PUT \S+: /, ''))
}

function faultsOfBlueprint(blueprint: AnyBlueprint): readonly string[] {
  try {
    new Api(new Koa(), { OPENAPI_VERSION: '3.1.0', DEBUG: false }).registerBlueprint(blueprint)
    return []
  } catch (error) {
    return (error as RegistrationError).faults
  }
}

const A = t.strict({ a: t.string }, 'A')
const Owner = t.strict({ name: t.string }, 'Owner')

describe('a descriptor under a name that nothing reads', () => {
  class Misspelt extends MethodView {
    static sharde = operation(etag())
    static get = operation()
    get() {
      return 1
    }
  }
  const faultsOfView = (view: typeof MethodView) =>
    faultsOfBlueprint(new Blueprint('faults').route('/', view as typeof Misspelt))

  it('is a fault, which names it', () => {
    expect(faultsOfView(Misspelt)).toEqual([
      'Misspelt: static sharde is a descriptor that no method has: call it shared, or as its method is called; what other classes use belongs outside',
    ])
  })

  it('is one in a class that the view extends, too', () => {
    class Inheriting extends Misspelt {}
    expect(faultsOfView(Inheriting)).toEqual([
      expect.stringContaining('static sharde is a descriptor that no method has'),
    ])
  })

  it('is none if descriptors of methods are made of it', () => {
    class Composed extends MethodView {
      static common = operation(etag())
      static get = operation(...Composed.common.features)
      get() {
        return 1
      }
    }
    class Replaced extends Composed {
      static override get = operation(etag()) as never
    }
    expect([...faultsOfView(Composed), ...faultsOfView(Replaced)]).toEqual([])
  })
})

it('a part of a stage that there is not is a fault: its step would never run', () => {
  const misspelt = { on: () => [{ stage: 'acess', step: () => undefined }] } as unknown as Feature<
    Record<never, never>
  >
  expect(faultsOf(operation(misspelt))).toEqual([
    expect.stringMatching(
      /^a feature has a part of the stage "acess", but the stages are begin, access, /,
    ),
  ])
})

it('a part with another name for its step is a fault: it would do nothing', () => {
  const misspelt = { on: () => [{ stage: 'access', run: () => undefined }] } as unknown as Feature<
    Record<never, never>
  >
  expect(faultsOf(operation(misspelt))).toEqual([
    'a feature has a part of the stage "access" with "run" and no step: a part has stage, step, raw, encodes, docs',
  ])
})

describe('a limit', () => {
  it.each([Number.NaN, -1, 1.5, '10', null, Number.NEGATIVE_INFINITY, 2 ** 53])(
    'of %j is a fault',
    value => {
      const limits = { json: value } as never
      expect(faultsOf(operation(json(A, { limits })))).toEqual([
        expect.stringMatching(
          /^json, limits: json must be a whole number of at least 0, or Infinity, not /,
        ),
      ])
      expect(faultsOf(operation(paginate({ maxPageSize: value as never })))).toEqual([
        expect.stringMatching(
          /^paginate: maxPageSize must be a whole number of at least 1, or Infinity, not /,
        ),
      ])
    },
  )

  it.each(['json', 'form', 'fields', 'file', 'files', 'total', 'depth'])(
    'is checked whatever it limits: %s',
    name => {
      expect(faultsOf(operation(form(A, { limits: { [name]: Number.NaN } })))).toHaveLength(1)
    },
  )

  it.each([undefined, Number.POSITIVE_INFINITY, 0])(
    'may be %j: the default, none, and nothing at all',
    value => {
      expect(faultsOf(operation(json(A, { limits: { json: value } as never })))).toEqual([])
    },
  )

  it('of the number and size of pages is a fault if a request without parameters would be beyond it', () => {
    expect(faultsOf(operation(paginate({ pageSize: 20, maxPageSize: 10 })))).toEqual([
      'paginate: pageSize must be at most maxPageSize, 10, not 20',
    ])
    expect(faultsOf(operation(paginate({ page: 2, maxPage: 1 })))).toEqual([
      'paginate: page must be at most maxPage, 1, not 2',
    ])
    expect(faultsOf(operation(paginate({ page: Number.POSITIVE_INFINITY })))).toEqual([
      'paginate: page must be a whole number of at least 0, not Infinity',
    ])
  })

  it('of a Blueprint is checked where it is used', () => {
    class Wrong extends Blueprint {
      static override DEFAULT_PAGINATION_PARAMETERS = {
        page: 1,
        pageSize: Number.NaN,
        maxPageSize: 100,
        page_size: 3,
      }
    }
    expect(faultsOf(operation(paginate()), '/', new Wrong('wrong') as never)).toEqual([
      expect.stringContaining(
        'DEFAULT_PAGINATION_PARAMETERS: there is no option "page_size", did you mean "pageSize"?',
      ),
      'DEFAULT_PAGINATION_PARAMETERS: pageSize must be a whole number of at least 1, not NaN',
    ])
  })
})

describe('an option', () => {
  it('that is not known is a fault, with the one that was meant', () => {
    const misspelt: [Feature, string][] = [
      [json(A, { limts: {} } as never), 'json: there is no option "limts", did you mean "limits"?'],
      [
        json(A, { limits: { jsn: 1 } as never }),
        'json, limits: there is no option "jsn", did you mean "json"?',
      ],
      [
        paginate({ page_size: 5 } as never),
        'paginate: there is no option "page_size", did you mean "pageSize"?',
      ],
      [
        etag({ load: () => A, tags: () => 1 } as never),
        'etag: there is no option "tags", did you mean "tag"?',
      ],
      [doc({ sumary: '' } as never), 'doc: there is no option "sumary", did you mean "summary"?'],
    ]
    for (const [feature, fault] of misspelt)
      expect(faultsOf(operation(feature, response(A)))).toContain(fault)
  })

  it('of etag that needs a loader is a fault without one', () => {
    expect(faultsOf(operation(etag({ tag: () => 1 } as never)))).toEqual([
      'etag: "tag" is about the loaded value: add load, etag({ load, tag })',
    ])
  })

  it('of doc for a path parameter is a fault if the rule has none of that name', () => {
    const documented = operation(doc({ parameters: [{ name: 'petid', in: 'path' }] }))
    expect(faultsOf(documented, '/:petId')).toEqual([
      'doc: the rule has no path parameter "petid", did you mean "petId"?',
    ])
    expect(
      faultsOf(operation(doc({ parameters: [{ name: 'petId', in: 'path' }] })), '/:petId'),
    ).toEqual([])
  })

  it('of doc for a media type of the body is a fault if an argument reads the body, but not that', () => {
    const documented = (type: string) => doc({ requestBody: { content: { [type]: {} } } })
    const unread = (type: string) => [
      `doc: no argument reads a body of ${type}, so each would be a 415: read it with body(…), bytes or text`,
    ]
    const faults = (feature: Feature, type: string) =>
      faultsOf(operation(feature, documented(type)))
    const multipart = 'multipart/form-data'
    expect({
      xml: faults(json(A), 'application/xml'),
      form: faults(json(A), multipart),
      json: faults(form(A), 'application/json'),
      image: faults(bytes({ contentType: 'image/*' }), 'text/plain'),
    }).toEqual({
      xml: unread('application/xml'),
      form: unread(multipart),
      json: unread('application/json'),
      image: unread('text/plain'),
    })
    expect([
      ...faults(json(A), 'application/json; charset=utf-8'),
      ...faults(json(A, { contentType: 'text/job' }), 'application/vnd.job+json'),
      ...faults(form(A), multipart),
      ...faults(bytes({ contentType: 'image/*' }), 'image/png'),
      ...faults(query(A), 'application/xml'),
      ...faultsOfBlueprint(
        new (class extends Blueprint {
          static override ARGUMENTS_PARSER = { ...Blueprint.ARGUMENTS_PARSER, json: () => ({}) }
        })('own').post('/', operation(json(A), documented('application/xml')), () => null),
      ),
    ]).toEqual([])
  })

  it('of doc may be any extension', () => {
    expect(faultsOf(operation(doc({ 'x-code-samples': [] })))).toEqual([])
  })

  it.each([200, 399, 600, Number.NaN, 422.5])(
    'errorStatusCode is not an error with %j',
    errorStatusCode => {
      expect(faultsOf(operation(query(A, { errorStatusCode })))).toContain(
        `query: errorStatusCode must be the status of an error, 400 to 599, not ${errorStatusCode}`,
      )
    },
  )
})

describe('asKwargs', () => {
  const asKwargs = true

  it('is a fault under the name of a path parameter, whatever the form of the codec', () => {
    const codecs: t.Mixed[] = [
      t.strict({ a: t.string }),
      t.brand(
        t.strict({ a: t.string }),
        (_value): _value is t.Branded<{ a: string }, { readonly Brand: symbol }> => true,
        'Brand' as never,
      ),
      t.union([t.strict({ b: t.string }), t.strict({ a: t.string })]),
      t.intersection([t.strict({ b: t.string }), t.partial({ a: t.string })]),
      struct({ a: wireName('wire', t.string) }),
    ]
    for (const codec of codecs) {
      expect(faultsOf(operation(query(codec, { asKwargs })), '/:a')).toContain(
        '"a" is both a parameter of the path and a field of query: give one of them another name, or leave asKwargs out',
      )
    }
    expect(faultsOf(operation(path(A, { asKwargs })), '/:a')).toHaveLength(1)
  })

  it('is none under a name on the wire alone, or for a field that no request has', () => {
    expect(
      faultsOf(operation(query(struct({ other: wireName('a', t.string) }), { asKwargs })), '/:a'),
    ).toEqual([])
    expect(
      faultsOf(operation(json(struct({ a: readOnly(int), b: int }), { asKwargs })), '/:a'),
    ).toEqual([])
  })

  it('is a fault if two arguments have a field of one name', () => {
    expect(faultsOf(operation(query(A, { asKwargs }), json(A, { asKwargs })))).toEqual([
      '"a" is a field of both query and json with asKwargs: give one another name',
    ])
    expect(faultsOf(operation(query(A), json(A, { asKwargs })))).toEqual([])
  })

  it('is a fault for a field that is called like what another feature gives', () => {
    const user = apiKey('key', { in: 'header', name: 'X-Key', principal: () => ({}) })
    const field = query(struct({ principal: t.string }), { asKwargs })
    const fault =
      '"principal" is both a field of query and a value that another feature gives to the method: give the field another name'
    expect(faultsOf(operation(secure(user), field))).toEqual([fault])
    expect(faultsOf(operation(field, secure(user)))).toEqual([fault])
  })

  it('is a fault for what is not an object', () => {
    expect(faultsOf(operation(json(t.array(A), { asKwargs })))).toEqual([
      'json: asKwargs spreads the fields of an object, which Array<A> is not',
    ])
  })
})

describe('a field', () => {
  it.each([json, query, headers, cookies, form])(
    'may have the name of a path parameter if it is positional',
    location => {
      expect(faultsOf(operation(location(A)), '/:a')).toEqual([])
    },
  )

  const nested: [string, t.Mixed][] = [
    ['an object', Owner],
    ['a list of objects', t.array(Owner)],
    ['a record', t.record(t.string, t.string)],
    ['an object or nothing', t.union([Owner, t.undefined])],
    ['a refined object', t.refinement(Owner, () => true)],
    ['an object with a rule', refine(Owner, () => undefined)],
  ]
  it.each(nested)('of a text location cannot be %s', (_what, codec) => {
    for (const [location, feature] of [
      ['query', query],
      ['headers', headers],
      ['cookies', cookies],
      ['form', form],
    ] as const) {
      expect(faultsOf(operation(feature(t.type({ owner: codec }))))).toContain(
        `${location}: "owner" is an object, which has no form here: declare its fields one by one, or take it from a JSON body${['query', 'form'].includes(location) ? ", or give the option style: 'deepObject'" : ''}${location === 'form' ? ", or contentType: 'multipart/form-data', where an object is a part of JSON" : ''}`,
      )
    }
  })

  it('of a text location may be whatever has a text', () => {
    const codec = struct({
      a: t.union([t.string, Owner]),
      b: list(int),
      c: t.array(t.array(t.string)),
      d: optional(t.unknown),
      e: readOnly(Owner),
    })
    for (const location of [query, form]) expect(faultsOf(operation(location(codec)))).toEqual([])
  })

  it('of a location with a reader of one is what that reader makes of it', () => {
    const nesting: Reader = () => ({ owner: { name: 'Kim' } })
    class Nesting extends Blueprint {
      static override ARGUMENTS_PARSER = { ...Blueprint.ARGUMENTS_PARSER, query: nesting }
    }
    expect(
      faultsOf(operation(query(t.type({ owner: Owner }))), '/', new Nesting('nesting') as never),
    ).toEqual([])
  })

  it('is no file because it is a list of itself', () => {
    type Nested = number | Nested[]
    const Nested: t.Type<Nested> = t.recursion('Nested', self => t.union([int, t.array(self)]))
    expect(faultsOf(operation(json(t.type({ nested: Nested }))))).toEqual([])
    expect(faultsOf(operation(files(t.type({ nested: Nested }))))).toEqual([
      'files: "nested" is not a file: declare it in form(…) beside files(…)',
    ])
  })

  it('is a file in files, and in files only', () => {
    expect(faultsOf(operation(files(t.type({ title: t.string, scans: t.array(Upload) }))))).toEqual(
      ['files: "title" is not a file: declare it in form(…) beside files(…)'],
    )
    expect(faultsOf(operation(form(t.type({ scan: optional(Upload) }))))).toEqual([
      'form: "scan" is a file: take it with files(…)',
    ])
    expect(faultsOf(operation(json(t.type({ scan: optional(Upload) }))))).toEqual([
      'json: "scan" is a file, which JSON cannot hold: take it with files(…)',
    ])
  })

  it.each([
    t.record(t.string, t.string),
    t.intersection([A, t.record(t.string, t.string)]),
    t.UnknownRecord,
  ])('of headers has to have a name', codec => {
    expect(faultsOf(operation(headers(codec)))).toEqual([
      expect.stringMatching(/^headers: fields are read by their names/),
    ])
  })

  it('of path that every request needs has to be in the rule', () => {
    expect(faultsOf(operation(path(t.strict({ b: t.string }))), '/:a')).toEqual([
      'path: the rule has no parameter "b"; it has a',
    ])
    expect(faultsOf(operation(path(t.partial({ b: t.string }))), '/:a')).toEqual([])
  })

  it('of a form is a field of an object', () => {
    expect(faultsOf(operation(form(t.array(t.string))))).toEqual([
      'form: the codec Array<string> is not an object by whose fields the body is read',
    ])
  })
})

describe('a parameter', () => {
  const text = query(t.strict({ page: t.string }))

  it('that two features describe differently is a fault', () => {
    const fault = (name: string, location: string) =>
      `two features read "${name}" in the ${location}, and describe it differently: let one of them read it, or give it another name`
    expect(faultsOf(operation(text, paginate()))).toEqual([fault('page', 'query')])
    expect(
      faultsOf(operation(text, argument(t.strict({ page: int }), { location: 'querystring' }))),
    ).toEqual([fault('page', 'query')])
    expect(
      faultsOf(
        operation(headers(t.strict({ 'X-A': t.string })), headers(t.strict({ 'x-a': int }))),
      ),
    ).toEqual([fault('x-a', 'header')])
    expect(
      faultsOf(operation(headers(t.strict({ 'if-match': t.string })), etag(), response(A))),
    ).toEqual([fault('if-match', 'header')])
  })

  it('that two features describe alike is one parameter', () => {
    expect(faultsOf(operation(text, query(t.strict({ page: t.string, b: int }))))).toEqual([])
  })
})

describe('paginate with a pager', () => {
  it('is a fault over a response that is not a list', () => {
    expect(faultsOf(operation(paginate(Page), response(A)))).toEqual([
      'paginate(Page) makes a list of what the method returns, but response(A) is not a list: write response(t.array(…)), add items and wrap, or page in the method, with paginate()',
    ])
  })

  it.each([t.array(A), t.readonlyArray(A), t.union([t.null, t.array(A)]), t.unknown])(
    'is fine over what may be one',
    codec => {
      expect(faultsOf(operation(paginate(Page), response(codec)))).toEqual([])
    },
  )

  it('says nothing of a method that pages by itself', () => {
    expect(faultsOf(operation(paginate(), response(A)))).toEqual([])
  })
})
