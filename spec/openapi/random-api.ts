// Random Apis, of which every document has to be valid and no two ways to write one may differ.
import fc from 'fast-check'
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  altResponse,
  Blueprint,
  cookies,
  describe as described,
  doc,
  email,
  etag,
  type Feature,
  files,
  form,
  headers,
  int,
  isoDate,
  json,
  list,
  maxLength,
  nullable,
  operation,
  optional,
  Page,
  paginate,
  pattern,
  query,
  RegistrationError,
  readOnly,
  response,
  type SpecOptions,
  struct,
  Upload,
  withDefault,
  writeOnly,
} from 'koa-smorest'
import { codecs, PLAIN_KEYS } from '../codec/arbitrary.js'

const Kind = t.keyof({ cat: null, dog: null }, 'Kind')
const Line = pattern(maxLength(t.string, 30), /^\P{Cc}+$/u)
const Named = struct(
  {
    id: readOnly(int),
    name: Line,
    kind: withDefault(Kind, 'cat'),
    born: described(nullable(isoDate), { example: '2026-01-02' }),
    mail: withDefault(nullable(email), null),
    secret: optional(writeOnly(t.string)),
  },
  'Named',
)
interface Tree {
  readonly value: string
  readonly children: Tree[]
}
const Tree: t.Type<Tree> = t.recursion('Tree1', () =>
  t.type({ value: t.string, children: t.array(Tree) }),
)
const Cat = struct({ type: t.literal('cat'), lives: int }, 'Cat')
const Dog = struct({ type: t.literal('dog'), name: readOnly(Line) }, 'Dog')

const bodies = fc.oneof(
  fc.constantFrom<t.Mixed>(
    Named,
    Tree,
    t.array(Named),
    t.union([Cat, Dog]),
    nullable(t.union([Cat, Dog])),
    t.tuple([Named, Line]),
  ),
  codecs({ depth: 2, keys: PLAIN_KEYS, access: true }),
)
const values = fc.constantFrom<t.Mixed>(
  ...[
    Line,
    Kind,
    email,
    list(int),
    optional(t.array(Kind)),
    withDefault(Kind, 'dog'),
    optional(isoDate),
  ],
  ...[
    optional(described(Kind, { description: 'Which', deprecated: true })),
    withDefault(nullable(t.string), null),
  ],
)
const fields = fc
  .dictionary(fc.constantFrom('a', 'b', 'X-C'), values, { maxKeys: 3, noNullPrototype: true })
  .map(props => struct(props))

/** A header field on every response, and a status with header fields of its own. */
const limited: Feature = {
  on: () => [
    {
      stage: 'limit',
      docs: schemas => ({
        every: {
          headers: { RateLimit: { description: 'What is left', schema: { type: 'string' } } },
        },
        responses: {
          429: schemas.errorResponse(429, {
            headers: { 'Retry-After': { schema: { type: 'integer' } } },
          }),
        },
      }),
    },
  ],
}

const unusual: Parameters<typeof doc>[0][] = [
  {
    deprecated: true,
    tags: ['other'],
    security: [{ mtls: [] }, { key: ['admin'], login: ['read'] }],
  },
  {
    security: [],
    'x-own': { schema: { type: ['a'] } },
    externalDocs: { url: 'https://example.com' },
  },
  {
    responses: { '4XX': { description: 'Wrong' }, 200: { summary: 'Fine', links: {} } },
    servers: [{ url: '/', name: 'here' }],
  },
  { parameters: [{ name: 'sid', in: 'cookie', schema: { type: 'string' } }] },
  {
    parameters: [
      {
        name: 'filter',
        in: 'query',
        content: { 'application/json': { schema: { type: ['object', 'null'] } } },
      },
    ],
  },
  {
    callbacks: {
      done: { '{$request.query.url}': { post: { responses: { 200: { description: 'OK' } } } } },
    },
  },
  {
    responses: {
      200: {
        content: {
          'application/jsonl': { itemSchema: { type: 'string' } },
          'text/csv': { $ref: '#/components/mediaTypes/Csv' },
        },
      },
    },
  },
]

const others: fc.Arbitrary<Feature> = fc.oneof(
  fields.map(codec => query(codec)),
  fields.map(codec => headers(codec)),
  fields.map(codec => cookies(codec)),
  fc.constantFrom<Feature>(
    etag(),
    paginate(),
    paginate(Page, { maxPage: 3 }),
    limited,
    altResponse(409),
    altResponse(404, { description: 'No' }),
    altResponse(202, { contentType: 'text/plain' }),
  ),
  bodies.map(codec => altResponse(418, codec)),
  fc.constantFrom(...unusual).map(doc),
)
const body: fc.Arbitrary<readonly Feature[]> = fc.oneof(
  bodies.map(codec => [json(codec)]),
  fields.map(codec => [form(codec)]),
  fields.map(codec => [
    form(codec),
    files(t.type({ picture: Upload, more: optional(t.array(Upload)) })),
  ]),
  fc.constant([files(struct({ picture: Upload }, 'Picture'), { unknown: 'raise' })]),
)
const WITH_BODY = ['POST', 'PUT', 'PATCH', 'QUERY']

export interface Operation {
  readonly method: string
  readonly path: string
  readonly features: readonly Feature[]
}

export const operations: fc.Arbitrary<Operation> = fc
  .constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PURGE', ...WITH_BODY)
  .chain(method =>
    fc.record({
      method: fc.constant(method),
      path: fc.constantFrom(
        '/',
        '/:id<int>',
        '/:id<int>/:name',
        '/:kind<any(a, b)>/x',
        '/files/:rest<path>',
      ),
      features: fc
        .tuple(
          fc.array(others, { maxLength: 3 }),
          WITH_BODY.includes(method) ? body : fc.constant([]),
          fc.option(
            bodies.map(codec =>
              response(codec, { headers: { 'X-A': { schema: { type: 'string' } } } }),
            ),
          ),
        )
        .map(([first, second, third]) => [...first, ...second, ...(third ? [third] : [])]),
    }),
  )

export const rootAttributes: fc.Arbitrary<SpecOptions> = fc.constantFrom<SpecOptions>(
  {},
  {
    servers: [{ url: 'https://example.com', name: 'live' }],
    security: [{ mtls: [] }],
    tags: [{ name: 'other', parent: 'pets', kind: 'nav' }],
  },
  {
    host: 'example.com',
    schemes: ['https'],
    webhooks: { created: { post: { responses: { 200: { description: 'OK' } } } } },
  },
  {
    $self: 'https://example.com/openapi.json',
    info: { summary: 'Short', license: { name: 'MIT', identifier: 'MIT' } },
  },
)

/** An Api with these operations; undefined where they cannot stand together. */
export function apiOf(declared: readonly Operation[], attributes: SpecOptions): Api | undefined {
  const api = new (class extends Api {
    override warn(): void {}
  })(
    new Koa(),
    { OPENAPI_VERSION: '3.2.0' },
    { components: { mediaTypes: { Csv: { schema: { type: 'string' } } } }, ...attributes },
  )
  api.spec.components.securityScheme('mtls', { type: 'mutualTLS' })
  api.spec.components.securityScheme('key', { type: 'apiKey', in: 'cookie', name: 'key' })
  api.spec.components.securityScheme('login', {
    type: 'oauth2',
    flows: {
      deviceAuthorization: {
        deviceAuthorizationUrl: 'https://a.example',
        tokenUrl: 'https://a.example',
        scopes: { read: 'Read' },
      },
    },
  })
  api.spec.components.schema('ByHand', {
    type: ['string', 'null'],
    pattern: '^\\p{L}+$',
    examples: ['a'],
  })
  const blueprint = new Blueprint('pets')
  declared.forEach(({ method, path, features }, index) => {
    blueprint.route(
      path,
      operation(...features) as never,
      (() => 1) as never,
      { methods: [method], endpoint: `operation${index}` } as never,
    )
  })
  try {
    return api.registerBlueprint(blueprint)
  } catch (error) {
    if (error instanceof RegistrationError) return undefined
    throw error
  }
}
