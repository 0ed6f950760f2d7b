// Applications of random operations; the requests to them are in requests.ts.
import fc from 'fast-check'
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  Application,
  altResponse,
  apiKey,
  Blueprint,
  cache,
  cookies,
  deprecated,
  etag,
  type Feature,
  files,
  form,
  headers,
  idempotent,
  int,
  json,
  limit,
  list,
  maxLength,
  memoryStore,
  operation,
  optional,
  paginate,
  query,
  RegistrationError,
  response,
  secure,
  struct,
  Upload,
  wireName,
  withDefault,
} from 'koa-smorest'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { codecs, PLAIN_KEYS } from '../../codec/arbitrary.js'
import { behaviours, type Drawn } from './behaviours.js'
import { Taken } from './endings.js'
import type { Shot } from './transports.js'

const Thing = struct({ name: t.string }, 'Thing')

/** Features are made anew for each application, since some have a state. */
type Maker = readonly [name: string, make: () => Feature]

const key = apiKey('key', {
  in: 'header',
  name: 'X-Key',
  principal: text => (text === 'sesame' ? 'ann' : undefined),
  identify: name => name,
})

const COMMON: readonly Maker[] = [
  ['secure', () => secure(key)],
  ['secure, optional', () => secure(key, { optional: true })],
  [
    'limit',
    () => limit('few', new RateLimiterMemory({ points: 3, duration: 600 }), { per: 'client' }),
  ],
  ['deprecated', () => deprecated({ since: '2026-01-01', sunset: '2999-01-01', link: '/docs' })],
  ['gone', () => deprecated({ since: '2025-01-01', sunset: '2025-02-01', after: 'gone' })],
  ['cache', () => cache({ maxAge: 5, private: true })],
  ['etag', () => etag()],
  ['etag without If-Match', () => etag({ requireIfMatch: false })],
  ['etag of a loader', () => etag({ load: () => ({ name: 'Rex' }), requireIfMatch: false })],
  ['etag of nothing', () => etag({ load: async () => undefined })],
  ['idempotent', () => idempotent({ store: memoryStore() })],
  ['pages', () => paginate()],
  ['problem', () => altResponse(Taken)],
  ['202', () => altResponse(202)],
  ['404', () => altResponse(404)],
  [
    'query',
    () =>
      query(
        struct({
          n: optional(int),
          l: optional(list(t.string)),
          w: wireName('x-w', withDefault(t.string, 'w')),
        }),
      ),
  ],
  ['headers', () => headers(struct({ 'X-N': optional(int) }))],
  ['cookies', () => cookies(struct({ sid: optional(maxLength(t.string, 5)) }))],
]

const RESPONSES: readonly Maker[] = [
  ['response of a thing', () => response(Thing)],
  ['response of things', () => response(t.array(Thing))],
  ['response of anything', () => response()],
  [
    '201',
    () => response(Thing, { code: 201, headers: { 'X-One': { schema: { type: 'string' } } } }),
  ],
  ['204', () => response({ code: 204 })],
  ['303', () => response({ code: 303 })],
  ['text', () => response(t.string, { contentType: 'text/csv' })],
  ['bytes', () => response({ contentType: 'image/gif' })],
  ['vendor', () => response(Thing, { contentType: 'application/vnd.a+json' })],
]

const FORM: Maker = ['form', () => form(struct({ a: optional(t.string), n: optional(int) }))]
const FILES: Maker = ['files', () => files(struct({ f: optional(Upload) }))]

export interface DrawnOperation {
  readonly method: string
  readonly path: string
  readonly features: readonly Maker[]
  readonly codec: t.Mixed | undefined
  readonly behaviour: Drawn
}

const METHODS = ['GET', 'GET', 'POST', 'POST', 'PUT', 'PATCH', 'DELETE', 'QUERY'] as const
const PATHS = ['/a', '/a/', '/b/:id<int>', '/b/:name', '/b/:id<int>/x', '/c/:rest<path>'] as const

export const operations: fc.Arbitrary<DrawnOperation> = fc
  .constantFrom(...METHODS)
  .chain(method => {
    const body: fc.Arbitrary<{ features: readonly Maker[]; codec: t.Mixed | undefined }> =
      method === 'GET' || method === 'DELETE'
        ? fc.constant({ features: [], codec: undefined })
        : fc.oneof(
            codecs({ depth: 2, keys: PLAIN_KEYS, access: true }).map(codec => ({
              codec,
              features: [[`json ${codec.name}`, () => json(codec)]] as readonly Maker[],
            })),
            fc
              .constantFrom<readonly Maker[]>([FORM], [FILES], [FORM, FILES], [])
              .map(features => ({ features, codec: undefined })),
          )
    return fc
      .record({
        path: fc.constantFrom(...PATHS),
        common: fc.uniqueArray(fc.constantFrom(...COMMON), { maxLength: 3 }),
        response: fc.option(fc.constantFrom(...RESPONSES)),
        body,
        behaviour: behaviours,
      })
      .map(({ path, common, response, body, behaviour }) => ({
        method,
        path,
        features: [...common, ...body.features, ...(response ? [response] : [])],
        codec: body.codec,
        behaviour,
      }))
  })

/** What else there is in an app. */
export type Surroundings = keyof typeof SURROUNDINGS

/** What they do to the Blueprint, and to the app behind its Api. */
const SURROUNDINGS = {
  nothing: () => undefined,
  'middleware that passes on': blueprint => void blueprint.use((_ctx, next) => next()),
  'middleware that waits': blueprint =>
    void blueprint.use(async (_ctx, next) => {
      await new Promise(setImmediate)
      await next()
    }),
  'middleware that sets fields': blueprint =>
    void blueprint.use(async (ctx, next) => {
      ctx.set({ 'X-Before': 'yes', 'Content-Language': 'de', ETag: '"before"' })
      ctx.status = 203
      await next()
      if (!ctx.headerSent) ctx.set('X-After', 'yes')
    }),
  'middleware that replaces the body': blueprint =>
    void blueprint.use(async (ctx, next) => {
      await next()
      if (typeof ctx.body === 'string') ctx.body = { replaced: ctx.body.length }
    }),
  'middleware that catches': blueprint =>
    void blueprint.use(async (ctx, next) => {
      try {
        await next()
      } catch {
        ctx.status = 502
        ctx.body = 'caught'
      }
    }),
  'middleware that throws afterwards': blueprint =>
    void blueprint.use(async (_ctx, next) => {
      await next()
      throw new Error('afterwards')
    }),
  'a second Api': (_blueprint, app) => {
    const other = new Blueprint('other', { urlPrefix: '/other' }).get(
      '/a',
      operation(response(Thing)),
      () => ({ name: 'other' }),
    )
    new Api(app, { OPENAPI_VERSION: '3.1.0' })
      .registerBlueprint(other)
      .registerBlueprint(
        new Blueprint('also').post(
          '/a',
          operation(json(Thing), response(Thing)),
          (_ctx, thing) => thing,
        ),
      )
  },
  'middleware behind the Api': (_blueprint, app) =>
    void app.use((ctx, next) => {
      if (!ctx.path.endsWith('x')) return next()
      ctx.body = 'behind'
    }),
} satisfies Record<string, (blueprint: Blueprint, app: Koa) => void>

export const surroundings: fc.Arbitrary<Surroundings> = fc.oneof(
  fc.constant<Surroundings>('nothing'),
  fc.constantFrom(...(Object.keys(SURROUNDINGS) as Surroundings[])),
)

export interface Plan {
  [fc.toStringMethod]?: () => string
  readonly operations: readonly DrawnOperation[]
  readonly errors: 'plain' | 'problem' | 'negotiated'
  readonly surroundings: Surroundings
  readonly shots: readonly Shot[]
}

/** What an app of a plan is made of. */
export interface Making {
  readonly app: 'Koa' | 'Application'
  readonly production: boolean
  readonly prepare?: (app: Koa) => void
}

/** The app; undefined where the operations cannot stand together. */
export function appOf(
  { operations, errors, surroundings }: Plan,
  { app: kind, production, prepare }: Making,
): Koa | undefined {
  const app = kind === 'Koa' ? new Koa() : new Application()
  app.silent = true
  prepare?.(app)
  const warnings = class extends Api {
    override warn(): void {}
  }
  const settings = {
    OPENAPI_VERSION: '3.1.0',
    OPENAPI_URL_PREFIX: '/docs',
    API_ERRORS: errors,
    DEBUG: !production,
    TESTING: false,
  }
  const api = new warnings(app, settings)
  const blueprint = new Blueprint('all')
  operations.forEach(({ method, path, features, behaviour }, index) => {
    blueprint.route(
      path,
      operation(...(features.map(([, make]) => make()) as [])) as never,
      ((ctx: never, ...given: unknown[]) => behaviour.run(ctx, given)) as never,
      { methods: [method], endpoint: `operation${index}` } as never,
    )
  })
  try {
    SURROUNDINGS[surroundings](blueprint, app)
    api.registerBlueprint(blueprint)
    return app
  } catch (error) {
    if (error instanceof RegistrationError) return undefined
    throw error
  }
}
