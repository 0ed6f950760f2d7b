// Features are written apart and meet in an application. Any of them together, on any level, have
// to respond as documented.
import fc from 'fast-check'
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  Application,
  abort,
  altResponse,
  apiKey,
  Blueprint,
  cache,
  deprecated,
  etag,
  type Feature,
  int,
  json,
  keyset,
  limit,
  maxLength,
  open,
  operation,
  Page,
  paginate,
  problem,
  query,
  readOnly,
  response,
  secure,
  struct,
} from 'koa-smorest'
import { contract } from 'koa-smorest/testing'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { describe, expect, it } from 'vitest'
import { cases, PATIENCE, seed } from './seed.js'

const Thing = struct({ id: readOnly(int), name: maxLength(t.string, 9) }, 'Thing')
const Taken = problem('taken', { status: 409, title: 'Taken', data: t.strict({ by: t.string }) })
const Reason = query(t.partial({ reason: maxLength(t.string, 9) }))

/** What the features of one operation are, drawn for each level. */
interface Drawn {
  readonly secured: 'no' | 'yes' | 'optional' | 'open'
  readonly limits: readonly ('client' | 'principal')[]
  readonly deprecated: boolean
  readonly cached: boolean
  readonly tagged: boolean
  readonly list: 'pages' | 'keyset' | 'whole'
  readonly problem: boolean
  readonly filtered: boolean
  readonly errors: 'plain' | 'problem' | 'negotiated'
  readonly application: 'Koa' | 'Application' | 'behind middleware' | 'middleware of the Blueprint'
  /** In which order they stand, and which of them the Blueprint has. */
  readonly order: readonly number[]
  readonly shared: number
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  secured: fc.constantFrom('no', 'yes', 'optional', 'open'),
  limits: fc.uniqueArray(fc.constantFrom('client', 'principal')),
  deprecated: fc.boolean(),
  cached: fc.boolean(),
  tagged: fc.boolean(),
  list: fc.constantFrom('pages', 'keyset', 'whole'),
  problem: fc.boolean(),
  filtered: fc.boolean(),
  errors: fc.constantFrom('plain', 'problem', 'negotiated'),
  application: fc.constantFrom(
    'Koa',
    'Application',
    'behind middleware',
    'middleware of the Blueprint',
  ),
  order: fc.array(fc.double({ noNaN: true }), { minLength: 12, maxLength: 12 }),
  shared: fc.nat(4),
})

const isSecured = ({ secured }: Drawn) => secured === 'yes' || secured === 'optional'

/**
 * The features that any operation may have, in the drawn order, and how many of them belong to the
 * Blueprint.
 */
function commonOf(features: Drawn, isSafe: boolean): readonly Feature[] {
  const key = apiKey('key', {
    in: 'header',
    name: 'X-Key',
    principal: text => (text === 'sesame' ? 'ann' : undefined),
    identify: name => name,
  })
  const limiter = () => new RateLimiterMemory({ points: 1_000_000, duration: 60 })
  return [
    ...(features.secured === 'yes'
      ? [secure(key)]
      : features.secured === 'optional'
        ? [secure(key, { optional: true })]
        : []),
    ...(features.secured === 'open' ? [open()] : []),
    ...features.limits
      .filter(per => per === 'client' || isSecured(features))
      .map(per => limit(per, limiter(), { per })),
    ...(features.deprecated
      ? [deprecated({ since: '2026-01-01', sunset: '2999-01-01', link: '/docs', after: 'gone' })]
      : []),
    ...(features.cached && isSafe ? [cache({ maxAge: 5, private: true })] : []),
    ...(features.problem ? [altResponse(Taken)] : []),
    ...(features.filtered ? [Reason] : []),
  ] as readonly Feature[]
}

function inOrder(features: readonly Feature[], order: readonly number[]): readonly Feature[] {
  return features
    .map((feature, index) => ({ feature, rank: order[index] ?? 0 }))
    .sort((left, right) => left.rank - right.rank)
    .map(({ feature }) => feature)
}

/** An application of these features: a list, and the things in it. */
function applicationOf(features: Drawn) {
  let things: { id: number; name: string }[] = []
  const reset = () => {
    things = [1, 2, 3, 4, 5].map(id => ({ id, name: `thing ${id}` }))
  }
  const find = (id: number) => things.find(thing => thing.id === id)
  const shared = inOrder(commonOf(features, false), features.order)
  const [above, below] = [shared.slice(0, features.shared), shared.slice(features.shared)]
  const own = (isSafe: boolean, ...more: readonly Feature[]) =>
    operation(
      ...(inOrder(
        [
          ...(isSafe
            ? commonOf(
                {
                  ...features,
                  secured: 'no',
                  limits: [],
                  problem: false,
                  filtered: false,
                  deprecated: false,
                },
                true,
              )
            : []),
          ...below,
          ...more,
        ],
        features.order,
      ) as []),
    )
  const tag = features.tagged ? [etag({ load: (_ctx, { id }: { id: number }) => find(id) })] : []
  const pages =
    features.list === 'pages'
      ? [paginate(Page)]
      : features.list === 'keyset'
        ? [keyset({ unique: 'id' })]
        : []
  const named = (given: readonly unknown[]) =>
    given.at(-1) as { id: number; [name: string]: unknown }
  const all = new Blueprint('all', { urlPrefix: '/things', shared: operation(...(above as [])) })
    .get('/', own(true, ...pages, response(t.array(Thing))), () => things as never)
    .post('/', own(false, json(Thing), response(Thing, { code: 201 })), ((...given: unknown[]) => {
      const body = given.find(
        value => typeof value === 'object' && value !== null && 'name' in value,
      ) as { name: string }
      if (features.problem && body.name === 'taken') abort(Taken, { by: 'me' })
      things = [...things, { id: things.length + 1, name: body.name }]
      return things.at(-1)
    }) as never)
    .get(
      '/:id<int>',
      own(true, ...tag, response(Thing)),
      ((...given: unknown[]) => find(named(given).id) ?? abort(404)) as never,
    )
  if (features.application === 'middleware of the Blueprint') all.use((_ctx, next) => next())
  const app = features.application === 'Application' ? new Application() : new Koa()
  app.silent = true
  const errors: unknown[] = []
  app.on('error', error => errors.push(error))
  if (features.application === 'behind middleware') app.use((_ctx, next) => next())
  const api = new Api(app, {
    OPENAPI_VERSION: '3.1.0',
    API_TITLE: 'Things',
    API_VERSION: '1',
    API_ERRORS: features.errors,
    DEBUG: true,
  })
  api.registerBlueprint(all)
  reset()
  return { app, api, reset, errors }
}

describe(`features together (seed ${seed})`, () => {
  it('respond as their document says, whichever they are, in any order and on any level', {
    timeout: PATIENCE,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(drawn, async features => {
        const { app, api, reset, errors } = applicationOf(features)
        const { failures, coverage } = await contract(app, api, {
          as: { key: 'sesame' },
          runs: 8,
          reset,
          seed,
        })
        expect(failures).toEqual([])
        expect(errors).toEqual([])
        expect(coverage.operations).toBe(1)
      }),
      { seed, numRuns: cases(6) },
    )
  })
})
