// A misspelt option would be ignored without a word: whatever takes options refuses those that it
// does not know.
import fc from 'fast-check'
import * as t from 'io-ts'
import Koa from 'koa'
import * as library from 'koa-smorest'
import { Api, Blueprint, type Feature, operation, RegistrationError } from 'koa-smorest'
import * as client from 'koa-smorest/client'
import { jwt } from 'koa-smorest/jwt'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { describe, expect, it } from 'vitest'

const Pet = t.strict({ id: library.int }, 'Pet')
const principal = () => undefined
const token = library.bearer('token', { principal })

/**
 * Every public function that takes options, with what else it needs; each is called with an option
 * more.
 */
const FEATURES: { readonly [name: string]: (more: object) => Feature } = {
  altResponse: more => library.altResponse(409, { description: 'Taken', ...more }),
  'altResponse with a codec': more => library.altResponse(202, Pet, more),
  'altResponse with a problem': more =>
    library.altResponse(library.problem('taken', { status: 409 }), more),
  argument: more => library.argument(Pet, { location: 'query', ...more }),
  bytes: more => library.bytes(more),
  cache: more => library.cache({ maxAge: 1, ...more }),
  cookies: more => library.cookies(Pet, more),
  deprecated: more => library.deprecated({ since: '2026-01-01', ...more }),
  doc: more => library.doc({ summary: 'Find pets', ...more }),
  events: more => library.events(Pet, more),
  etag: more => library.etag({ requireIfMatch: false, ...more }),
  files: more => library.files(t.strict({ scan: library.Upload }), more),
  form: more => library.form(Pet, more),
  headers: more => library.headers(Pet, more),
  idempotent: more => library.idempotent({ store: library.memoryStore(), ...more }),
  json: more => library.json(Pet, more),
  'json, limits': more => library.json(Pet, { limits: more }),
  keyset: more => library.keyset({ unique: 'id', ...more }),
  limit: more => library.limit('burst', new RateLimiterMemory({ points: 1, duration: 1 }), more),
  lines: more => library.lines(Pet, more),
  paginate: more => library.paginate(more),
  'paginate with a pager': more => library.paginate(library.Page, more),
  path: more => library.path(t.strict({}), more),
  query: more => library.query(Pet, more),
  response: more => library.response({ code: 200, ...more }),
  'response with a codec': more => library.response(Pet, more),
  secure: more => library.secure(token, more),
  text: more => library.text(more),
}

/** What these return is no part of an operation: they throw at once. */
const OTHERS: { readonly [name: string]: (more: object) => unknown } = {
  apiKey: more => library.apiKey('key', { in: 'header', name: 'X-Key', principal, ...more }),
  basic: more => library.basic('login', { principal, ...more }),
  bearer: more => library.bearer('token', { principal, ...more }),
  conditional: more => client.conditional(more),
  download: more => library.download(new Uint8Array(), more),
  describe: more => library.describe(t.string, more as library.Annotations),
  idempotency: more => client.idempotency(more),
  jwt: more =>
    jwt('login', {
      issuer: 'https://id.example',
      audience: 'shop',
      key: new Uint8Array(32),
      ...more,
    }),
  memoryStore: more => library.memoryStore(more),
  oauth2: more => library.oauth2('login', { flows: {}, token, ...more }),
  openIdConnect: more =>
    library.openIdConnect('login', { url: 'https://id.example', token, ...more }),
  webhook: more => library.webhook('changed', t.string, more),
  signed: more => library.signed('partner', { secret: 'c2VzYW1l', ...more }),
  partial: more => library.partial(Pet, more),
  problem: more => library.problem('taken', { status: 409, ...more }),
}

/** Public functions whose arguments have no options among them. */
const WITHOUT_OPTIONS = [
  ...[
    'exclusiveMaximum',
    'exclusiveMinimum',
    'maxItems',
    'maximum',
    'maxLength',
    'minItems',
    'minimum',
    'minLength',
    'multipleOf',
  ],
  ...[
    'pattern',
    'uniqueItems',
    'enumeration',
    'list',
    'nullable',
    'message',
    'omit',
    'pick',
    'refine',
    'remark',
    'struct',
    'maxSize',
  ],
  ...[
    'mediaTypes',
    'optional',
    'readOnly',
    'wireName',
    'withDefault',
    'writeOnly',
    'redirect',
    'reply',
    'operation',
    'checkEtag',
    // its spec has them: it needs a loader beside it
    'mergePatch',
    'event',
  ],
  ...[
    'setEtag',
    'body',
    'callback',
    'branches',
    'allOf',
    'anyOf',
    'safeEqual',
    'open',
    'abort',
    'ifMatch',
    'multipart',
    'pages',
  ],
]

/** What is wrong with an operation that has this feature. */
function faultsOf(feature: Feature): readonly string[] {
  const method = feature.kind === 'cache' || feature.streamsItems ? 'GET' : 'PUT'
  const list = feature.kind === 'pages' ? library.response(t.array(Pet)) : undefined
  const blueprint = new Blueprint('options')
  blueprint.route('/', operation(...(list ? [list] : []), feature) as never, () => null, {
    methods: [method],
  })
  try {
    new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(blueprint)
    return []
  } catch (error) {
    return error instanceof RegistrationError ? error.faults : [(error as Error).message]
  }
}

function messagesOf(call: () => unknown): readonly string[] {
  try {
    call()
    return []
  } catch (error) {
    return [(error as Error).message]
  }
}

/** Names that no function has an option of. */
const unknownName = fc.stringMatching(/^zz[a-zA-Z]{1,12}$/)

describe('an option that there is not', () => {
  it.each(Object.keys(FEATURES))(
    'is a fault of registration if %s is given it, whatever its name and value',
    name => {
      const feature = FEATURES[name] as (more: object) => Feature
      expect(faultsOf(feature({}))).toEqual([])
      fc.assert(
        fc.property(unknownName, fc.constantFrom(undefined, null, 1, {}), (option, value) => {
          expect(faultsOf(feature({ [option]: value }))).toEqual([
            expect.stringContaining(`there is no option "${option}"`),
          ])
        }),
        { numRuns: 5 },
      )
    },
  )

  it.each(Object.keys(OTHERS))('is a TypeError if %s is given it', name => {
    const make = OTHERS[name] as (more: object) => unknown
    expect(messagesOf(() => make({}))).toEqual([])
    fc.assert(
      fc.property(unknownName, option => {
        expect(messagesOf(() => make({ [option]: 1 }))).toEqual([
          expect.stringContaining(`there is no option "${option}"`),
        ])
      }),
      { numRuns: 5 },
    )
  })

  it('is a rejection if rawBody is given it', async () => {
    const call = (more: object) =>
      library.rawBody({ req: { headers: {} }, request: {} } as never, more)
    expect(await call({})).toEqual(Buffer.alloc(0))
    await expect(call({ limits: 1 })).rejects.toThrow(
      'rawBody(): there is no option "limits", did you mean "limit"?',
    )
  })

  it('cannot be forgotten: every public function is known to take options or to take none', () => {
    const functions = Object.entries({ ...library, ...client }).flatMap(([name, value]) =>
      isPlainFunction(value) ? [name] : [],
    )
    const known = [
      ...Object.keys(FEATURES),
      ...Object.keys(OTHERS),
      'rawBody',
      ...WITHOUT_OPTIONS,
    ].filter(name => /^\w+$/.test(name) && name !== 'jwt')
    expect(functions.sort()).toEqual(known.sort())
  })
})

function isPlainFunction(value: unknown): boolean {
  return typeof value === 'function' && !/^class\b/.test(Function.prototype.toString.call(value))
}
