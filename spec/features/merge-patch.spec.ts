import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  Blueprint,
  type Context,
  etag,
  type Feature,
  idempotent,
  int,
  isoDateTime,
  json,
  maxItems,
  memoryStore,
  mergePatch,
  minLength,
  nullable,
  type Operation,
  type OutputOf,
  operation,
  optional,
  type PathsOf,
  type RegistrationError,
  readOnly,
  refine,
  response,
  struct,
  wireName,
  withDefault,
  writeOnly,
} from 'koa-smorest'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { serveBlueprints } from '../support/client.js'
import { serveEveryWay, WAYS } from '../support/every-way.js'

const Address = struct({ street: t.string, floor: optional(int) }, 'Address')
const Shape = t.union([
  struct({ kind: t.literal('circle'), radius: t.number }),
  struct({ kind: t.literal('text'), font: nullable(t.string) }),
  struct({ kind: t.literal('square'), side: t.number, turned: optional(t.boolean) }),
])
interface Node {
  name: string
  next?: Node
}
const Node: t.Type<Node> = t.recursion('Node', () =>
  struct({ name: t.string, next: optional(Node) }),
)
const Job = refine(
  struct(
    {
      id: readOnly(int),
      title: minLength(t.string, 1),
      due: wireName('due_at', optional(isoDateTime.asDate)),
      owner: nullable(t.string),
      note: optional(nullable(t.string)),
      state: withDefault(t.keyof({ open: null, done: null }), 'open'),
      secret: optional(writeOnly(t.string)),
      address: optional(Address),
      steps: withDefault(maxItems(t.array(struct({ id: readOnly(int), name: t.string })), 3), []),
      labels: withDefault(t.record(t.string, t.string), {}),
      shape: optional(Shape),
      tree: optional(Node),
      any: t.unknown,
      low: optional(int),
      high: optional(int),
    },
    'Job',
  ),
  ({ low = 0, high = 0 }) => (low > high ? { high: ['Must not be lower than low.'] } : undefined),
)
type Stored = OutputOf<typeof Job>

const stored: Stored = {
  id: 7,
  title: 'Paint',
  due: new Date('2027-01-01T00:00:00Z'),
  owner: 'Ann',
  note: 'blue',
  state: 'done',
  address: { street: 'Elm St', floor: 2 },
  steps: [{ id: 1, name: 'sand' }],
  labels: { a: '1', b: '2' },
  shape: { kind: 'circle', radius: 1 },
  tree: { name: 'root', next: { name: 'leaf' } },
  any: { deep: { x: 1, y: 2 } },
  low: 1,
  high: 5,
}
/** The stored job as a request would send it, decoded: without its read-only fields. */
const { id: _id, ...sent } = { ...stored, steps: [{ name: 'sand' }] }

const jobs = new Blueprint('jobs')
  .patch(
    '/jobs/:jobId',
    operation(etag({ load: () => stored, tag: () => 1, requireIfMatch: false }), mergePatch(Job)),
    (_ctx, job) => job,
  )
  .get('/jobs/:jobId', operation(response(Job)), () => stored)
  .patch(
    '/new',
    operation(
      etag({
        load: (): Stored | undefined => undefined,
        tag: () => 1,
        create: true,
        requireIfMatch: false,
      }),
      mergePatch(Job),
    ),
    (_ctx, job, { current }) => ({ job, isNew: current === undefined }),
  )
  .patch(
    '/wrong',
    operation(
      etag({ load: () => ({ ...stored, title: '' }), tag: () => 1, requireIfMatch: false }),
      mergePatch(Job),
    ),
    (_ctx, job) => job,
  )

const { request, errors, api } = await serveBlueprints(jobs)
const MERGE = 'application/merge-patch+json'

async function patch(change: unknown, path = '/jobs/7', type: string | undefined = MERGE) {
  const { status, body } = await request('PATCH', path, {
    ...(change !== undefined && { body: JSON.stringify(change) }),
    headers: type === undefined ? {} : { 'Content-Type': type },
  })
  return { status, body }
}
/** The argument as JSON shows it. */
const whole = (job: object) => ({ status: 200, body: JSON.parse(JSON.stringify(job)) })
const refused = (json: object) => ({
  status: 422,
  body: { code: 422, status: 'Unprocessable Entity', errors: { json } },
})
const without = (...names: readonly (keyof typeof sent)[]) =>
  Object.fromEntries(Object.entries(sent).filter(([name]) => !names.includes(name as never)))

describe('mergePatch', () => {
  it('gives the whole, decoded, under either of its media types', async () => {
    const expected = whole({ ...sent, title: 'Varnish' })
    expect(await patch({ title: 'Varnish' })).toEqual(expected)
    expect(await patch({ title: 'Varnish' }, '/jobs/7', 'application/json; charset=utf-8')).toEqual(
      expected,
    )
    expect(await patch({})).toEqual(whole(sent))
  })

  it('works by wire names', async () => {
    const due = '2028-01-01T00:00:00.000Z'
    expect(await patch({ due_at: due })).toEqual(whole({ ...sent, due: new Date(due) }))
    expect(await patch({ due: due })).toEqual(refused({ due: ['Unknown field.'] }))
  })

  it('removes an optional field by null, and sets a required nullable one to null', async () => {
    expect(await patch({ note: null, due_at: null, address: null, owner: null })).toEqual(
      whole({ ...without('note', 'due', 'address'), owner: null }),
    )
    // the default takes its place
    expect(await patch({ state: null, steps: null })).toEqual(
      whole({ ...sent, state: 'open', steps: [] }),
    )
  })

  it('takes null for no other field', async () => {
    expect(await patch({ title: null })).toEqual(refused({ title: ['May not be null.'] }))
    expect(await patch({ address: { street: null } })).toEqual(
      refused({ address: { street: ['May not be null.'] } }),
    )
  })

  it('merges objects at any depth, and replaces lists', async () => {
    expect(
      await patch({
        address: { floor: null },
        steps: [{ name: 'a' }, { name: 'b' }],
        labels: { a: null, c: '3' },
        tree: { next: { next: { name: 'new' } } },
        any: { deep: { x: null, z: [null] } },
      }),
    ).toEqual(
      whole({
        ...sent,
        address: { street: 'Elm St' },
        steps: [{ name: 'a' }, { name: 'b' }],
        labels: { b: '2', c: '3' },
        tree: { name: 'root', next: { name: 'leaf', next: { name: 'new' } } },
        any: { deep: { y: 2, z: [null] } },
      }),
    )
  })

  it('leads from one member of a union to another', async () => {
    const square = { kind: 'square', side: 2 }
    expect(await patch({ shape: { ...square, radius: null } })).toEqual(
      whole({ ...sent, shape: square }),
    )
    expect(await patch({ shape: square })).toEqual(
      refused({ shape: { radius: ['Unknown field.'] } }),
    )
  })

  it('removes a field by null unless the member that the union then has requires it', async () => {
    const text = { kind: 'text', font: null }
    expect(await patch({ shape: { ...text, radius: null } })).toEqual(
      whole({ ...sent, shape: text }),
    )
    expect(await patch({ shape: { font: null } })).toEqual(whole(sent))
  })

  it('refuses a read-only field even if it is equal, and an unknown one even if it is null', async () => {
    expect(await patch({ id: 7, more: null, steps: [{ id: 1, name: 'a' }] })).toEqual(
      refused({
        id: ['Read-only field.'],
        more: ['Unknown field.'],
        steps: { 0: { id: ['Read-only field.'] } },
      }),
    )
    expect(await patch({ id: null, address: { more: null } })).toEqual(
      refused({ id: ['Read-only field.'], address: { more: ['Unknown field.'] } }),
    )
  })

  it('refuses everything but an object', async () => {
    const wrong = refused({ _schema: ['Not an object.'] })
    for (const change of [[], 'a', 1, true]) expect(await patch(change)).toEqual(wrong)
    expect(await patch(undefined)).toEqual(wrong)
    expect(await patch(null)).toEqual(refused({ _schema: ['May not be null.'] }))
  })

  it('refuses a whole that does not decode, refinements included', async () => {
    expect(await patch({ low: 6 })).toEqual(refused({ high: ['Must not be lower than low.'] }))
    expect(await patch({ low: 6, high: 7 })).toEqual(whole({ ...sent, low: 6, high: 7 }))
    expect(await patch({ title: 'a' }, '/new')).toEqual(
      refused({ owner: ['Missing data for required field.'] }),
    )
  })

  it('is applied to an empty object if there is nothing yet', async () => {
    const job = { title: 'a', owner: null, state: 'open', steps: [], labels: {} }
    expect(await patch({ title: 'a', owner: null, note: null }, '/new')).toEqual(
      whole({ job, isNew: true }),
    )
  })

  it('gives what is write-only if it was sent', async () => {
    expect(await patch({ secret: 'xyz' })).toEqual(whole({ ...sent, secret: 'xyz' }))
  })

  it('responds with 500 if what was loaded does not fit the codec', async () => {
    expect((await patch({ title: 'a' }, '/wrong')).status).toBe(500)
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^wrong \(PATCH \/wrong\), current: The result does not fit its codec at title: /,
      ),
    ])
  })

  it('refuses other media types, and says which it takes there and on OPTIONS', async () => {
    const types = `${MERGE}, application/json`
    for (const type of ['application/json-patch+json', 'application/vnd.job+json', 'text/plain']) {
      const { status, headers, body } = await request('PATCH', '/jobs/7', {
        body: '{}',
        headers: { 'Content-Type': type },
      })
      expect([status, headers.get('Accept-Patch'), headers.get('Accept'), body.message]).toEqual([
        415,
        types,
        types,
        `The body must be ${MERGE} or application/json, not ${type}.`,
      ])
    }
    const { headers } = await request('OPTIONS', '/jobs/7')
    expect(headers.get('Accept-Patch')).toBe(types)
  })

  it('refuses what is not JSON with 400, and more than its limit with 413', async () => {
    const small = new Blueprint('small').patch(
      '/',
      operation(
        etag({ load: () => stored, tag: () => 1, requireIfMatch: false }),
        mergePatch(Job, { limits: { json: 9 } }),
      ),
      (_ctx, { title }) => title,
    )
    const { request } = await serveBlueprints(small)
    const statusOf = async (body: string) =>
      (await request('PATCH', '/', { body, headers: { 'Content-Type': MERGE } })).status
    expect([await statusOf('{'), await statusOf('{"title":"a"}'), await statusOf('{}')]).toEqual([
      400, 413, 200,
    ])
  })

  it.each(WAYS)('comes after conditions and before the method: %s', async way => {
    let calls = 0
    const versioned = () =>
      new Blueprint('versioned').patch(
        '/:id<int>',
        operation(
          mergePatch(Job),
          etag({
            load: (_ctx, { id }: { id: number }) => (id === 7 ? stored : undefined),
            tag: () => 1,
          }),
          response(Job),
        ),
        (_ctx, job) => {
          calls++
          return { ...stored, ...job, steps: [] }
        },
      )
    const clients = await serveEveryWay({ blueprint: versioned })
    const send = async (path: string, body: string, headers: object = { 'If-Match': '"1"' }) =>
      (await clients[way]('PATCH', path, { body, headers: { 'Content-Type': MERGE, ...headers } }))
        .status
    expect([
      await send('/7', '{"title":1}', {}),
      await send('/7', '{"title":1}'),
      await send('/8', '{"low":9}'),
      await send('/7', '{"low":9}', { 'If-Match': '"2"' }),
      await send('/7', '{"low":9}'),
      calls,
      await send('/7', '{"low":2}'),
      calls,
    ]).toEqual([428, 422, 404, 412, 422, 0, 200, 1])
  })

  it('is the patch, not the whole, that makes two requests under one key different', async () => {
    let count = 0
    const store = memoryStore()
    const blueprint = new Blueprint('keys').patch(
      '/',
      operation(
        idempotent({ store, required: true }),
        etag({ load: () => ({ ...stored, low: count }), tag: () => count, requireIfMatch: false }),
        mergePatch(Job),
      ),
      () => ++count,
    )
    const { request } = await serveBlueprints(blueprint)
    const send = async (title: string) => {
      const headers = { 'Content-Type': MERGE, 'Idempotency-Key': '"k"' }
      const { status, body } = await request('PATCH', '/', {
        body: JSON.stringify({ title }),
        headers,
      })
      return status === 200 ? body : status
    }
    expect([await send('a'), await send('a'), await send('b'), count]).toEqual([1, 1, 422, 1])
  })
})

describe('the document of mergePatch', () => {
  it('has no read-only fields, and null if a field may be removed or is nullable', () => {
    const { paths, components } = api.spec.toJSON() as never as {
      paths: Record<string, { patch: { requestBody: unknown } }>
      components: { schemas: Record<string, unknown> }
    }
    const schema = { $ref: '#/components/schemas/JobPatch' }
    expect(paths['/jobs/{jobId}']?.patch.requestBody).toEqual({
      required: true,
      content: { [MERGE]: { schema }, 'application/json': { schema } },
    })
    const { JobPatch, AddressPatch, NodePatch } = components.schemas
    const patchOf = (name: string) => ({
      anyOf: [{ type: 'object', $ref: `#/components/schemas/${name}Patch` }, { type: 'null' }],
    })
    const integer = expect.objectContaining({ type: ['integer', 'null'] })
    expect({ JobPatch, AddressPatch, NodePatch }).toEqual({
      JobPatch: {
        type: 'object',
        properties: {
          title: { type: 'string', minLength: 1 },
          due_at: { type: ['string', 'null'], format: 'date-time' },
          owner: { type: ['string', 'null'] },
          note: { type: ['string', 'null'] },
          state: { type: ['string', 'null'], enum: ['open', 'done', null] },
          secret: { type: ['string', 'null'], writeOnly: true },
          address: patchOf('Address'),
          steps: {
            type: ['array', 'null'],
            maxItems: 3,
            items: {
              type: 'object',
              properties: { name: { type: 'string' } },
              required: ['name'],
              additionalProperties: false,
            },
          },
          labels: {
            type: ['object', 'null'],
            additionalProperties: { type: ['string', 'null'] },
          },
          shape: {
            type: ['object', 'null'],
            properties: {
              kind: { type: 'string', enum: ['circle', 'text', 'square'] },
              radius: { type: ['number', 'null'] },
              font: { type: ['string', 'null'] },
              side: { type: ['number', 'null'] },
              turned: { type: ['boolean', 'null'] },
            },
            additionalProperties: false,
          },
          tree: patchOf('Node'),
          any: {},
          low: integer,
          high: integer,
        },
        additionalProperties: false,
      },
      AddressPatch: {
        type: 'object',
        properties: { street: { type: 'string' }, floor: integer },
        additionalProperties: false,
      },
      NodePatch: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          next: patchOf('Node'),
        },
        additionalProperties: false,
      },
    })
  })

  it('calls a whole union after its codec, also one that contains itself', () => {
    type Json = string | null | Json[] | { [name: string]: Json }
    type Sizes = { [name: string]: Sizes | number }
    const Json: t.Type<Json> = t.recursion('Json', self =>
      t.union([t.string, t.null, t.array(self), t.record(t.string, self)]),
    )
    const Place = t.union([Address, t.string], 'Place')
    const Sizes: t.Type<Sizes> = t.recursion('Sizes', self =>
      t.record(t.string, t.union([self, t.number])),
    )
    const load = etag({ load: () => ({}) as never, tag: () => 1 })
    const patched = mergePatch(struct({ data: Json, place: Place, sizes: Sizes }))
    const { spec } = new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(
      new Blueprint('views').patch('/', operation(load, patched), () => null),
    )
    const { components } = spec.toJSON() as never as {
      components: { schemas: Record<string, unknown> }
    }
    const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
    const { JsonPatch, PlacePatch } = components.schemas
    expect({ JsonPatch, PlacePatch }).toEqual({
      JsonPatch: {
        anyOf: [
          { type: 'string' },
          { type: 'array', items: ref('Json') },
          {
            type: 'object',
            additionalProperties: { anyOf: [ref('JsonPatch'), { type: 'null' }] },
          },
          { type: 'null' },
        ],
      },
      PlacePatch: { anyOf: [expect.objectContaining(ref('AddressPatch')), { type: 'string' }] },
    })
  })

  it.each(['2.0', '3.0.3', '3.1.0', '3.2.0'] as const)('is valid in OpenAPI %s', async version => {
    const { request } = await serveBlueprints(jobs, { OPENAPI_VERSION: version } as never)
    expect((await request('PATCH', '/jobs/7', { json: { low: 2 } })).status).toBe(200)
  })
})

describe('the types of mergePatch', () => {
  it('let a client send a part, and null if a field may be removed', () => {
    type Body = PathsOf<typeof jobs>['/jobs/{jobId}']['patch']['requestBody']['content']
    expectTypeOf<keyof Body>().toEqualTypeOf<typeof MERGE | 'application/json'>()
    expectTypeOf<Body[typeof MERGE]>().toEqualTypeOf<Body['application/json']>()
    type Patch = Body['application/json']
    expectTypeOf<Patch['title']>().toEqualTypeOf<string | undefined>()
    expectTypeOf<Patch['owner']>().toEqualTypeOf<string | null | undefined>()
    expectTypeOf<Patch['due_at']>().toEqualTypeOf<string | null | undefined>()
    expectTypeOf<Patch['state']>().toEqualTypeOf<'open' | 'done' | null | undefined>()
    expectTypeOf<Patch['address']>().toEqualTypeOf<
      { street?: string; floor?: number | null } | null | undefined
    >()
    expectTypeOf<Patch['steps']>().toEqualTypeOf<{ name: string }[] | null | undefined>()
    expectTypeOf<Patch['labels']>().toEqualTypeOf<
      { [x: string]: string | null | undefined } | null | undefined
    >()
    expectTypeOf<'id' extends keyof Patch ? true : false>().toEqualTypeOf<false>()
  })

  it('need a current that the codec encodes', () => {
    const views = new Blueprint('types')
    views.patch(
      '/',
      operation(mergePatch(Job)),
      // @ts-expect-error nothing gives current
      (_ctx: Context) => undefined,
    )
    views.patch(
      '/',
      operation(etag({ load: () => ({ name: 'x' }), tag: () => 1 }), mergePatch(Job)),
      // @ts-expect-error another current
      (_ctx: Context) => undefined,
    )
  })
})

function faultsOf(
  described: Operation<readonly Feature[]>,
  method: 'patch' | 'put' = 'patch',
): readonly string[] {
  try {
    const blueprint = new Blueprint('faults')
    blueprint[method]('/', described as never, (() => undefined) as never)
    new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(blueprint)
    return []
  } catch (error) {
    return (error as RegistrationError).faults.map(fault => fault.replace(/^[^:]*: /, ''))
  }
}

describe('mergePatch is a fault', () => {
  const load = etag({ load: () => ({}) as never, tag: () => 1 })

  it('without current', () => {
    expect(faultsOf(operation(mergePatch(Address)) as never)).toEqual([
      'mergePatch needs `current`: add etag({ load })',
    ])
  })

  it('if a field can only come in and has to be there, or has a default', () => {
    const Login = struct({
      password: writeOnly(t.string),
      pin: writeOnly(withDefault(t.string, '')),
      hint: writeOnly(optional(t.string)),
    })
    const lost = (name: string) =>
      `mergePatch: "${name}" is write-only, so \`current\` does not show it and a patch would lose it: make it optional`
    expect(
      faultsOf(operation(load, mergePatch(struct({ login: Login, logins: t.array(Login) })))),
    ).toEqual(['login.password', 'login.pin'].map(lost))
  })

  it('with a codec of anything but an object', () => {
    expect(faultsOf(operation(load, mergePatch(t.array(int))))).toEqual([
      'mergePatch: the codec must be one of an object, and Array<int> is not',
    ])
    expect(() => mergePatch({} as never)).toThrow(
      new TypeError('mergePatch() takes a codec, such as struct({ … }), not an object'),
    )
  })

  it('beside another argument that reads the body', () => {
    expect(faultsOf(operation(load, mergePatch(Address), json(Address)))).toEqual([
      'the operation has two arguments that read the body: give it one body(…)',
    ])
  })

  it('under another method', () => {
    expect(faultsOf(operation(load, mergePatch(Address)), 'put')).toEqual([
      'mergePatch is for PATCH, not for PUT: use json(…)',
    ])
  })
})
