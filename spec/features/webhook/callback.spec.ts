import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  Blueprint,
  body,
  callback,
  doc,
  type Feature,
  form,
  int,
  json,
  operation,
  optional,
  query,
  type RegistrationError,
  readOnly,
  response,
  struct,
  webhook,
  wireName,
} from 'koa-smorest'
import { describe, expect, it } from 'vitest'

const JobEvent = struct({ id: int }, 'JobEvent')
const jobChanged = webhook('job.changed', JobEvent)

const Tree: t.Type<object, unknown> = t.recursion('Tree', () => t.partial({ next: Tree }))
const Subscription = struct(
  {
    id: readOnly(int),
    url: wireName('call_back', t.string),
    to: t.array(struct({ 'a/b': optional(t.string) })),
    either: t.union([struct({ one: t.string }), struct({ two: int })]),
    both: t.intersection([t.type({ left: int }), t.type({ right: int })]),
    any: t.unknown,
    map: t.record(t.string, struct({ x: int })),
    tree: Tree,
  },
  'Subscription',
)

function apiOf(...features: Feature[]) {
  const jobs = new Blueprint('jobs').post(
    '/jobs/:jobId<int>',
    operation(...(features as [Feature])) as never,
    () => undefined,
    { endpoint: 'Jobs' },
  )
  return new Api(new Koa(), { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(jobs)
}

function faultsOf(...features: Feature[]): readonly string[] {
  try {
    apiOf(...features)
    return []
  } catch (error) {
    return (error as RegistrationError).faults.map(fault =>
      fault.replace('Jobs, POST /jobs/{jobId}: ', ''),
    )
  }
}

const subscribing = (expression: string) =>
  faultsOf(
    json(Subscription),
    query(t.partial({ hook: t.string })),
    response(Subscription, { code: 201 }),
    callback('onChange', expression, jobChanged),
  )

describe('callback', () => {
  it('documents what a call subscribes to, in all versions that know callbacks', () => {
    const api = apiOf(
      json(Subscription),
      response({ code: 201 }),
      callback('onChange', '{$request.body#/call_back}', jobChanged),
      callback('onEnd', '{$request.body#/call_back}/end', webhook('end', t.string)),
    )
    const schema = (version: string) => {
      const { paths } = api.spec.toJSON(version) as never as {
        paths: Record<string, { post: { callbacks?: Record<string, object> } }>
      }
      return paths['/jobs/{jobId}']?.post.callbacks
    }
    const described = (expression: string, schema: object) => ({
      [expression]: {
        post: expect.objectContaining({
          requestBody: { required: true, content: { 'application/json': { schema } } },
        }),
      },
    })
    const expected = {
      onChange: described('{$request.body#/call_back}', { $ref: '#/components/schemas/JobEvent' }),
      onEnd: described('{$request.body#/call_back}/end', { type: 'string' }),
    }
    api.warn = () => undefined
    expect(['3.2.0', '3.1.0', '3.0.3', '2.0'].map(schema)).toEqual([
      expected,
      expected,
      expected,
      undefined,
    ])
  })

  it.each([
    '{$request.body#/call_back}',
    '{$request.body}',
    '{$request.body#/to/0/a~1b}',
    '{$request.body#/either/one}',
    '{$request.body#/either/two}',
    '{$request.body#/both/left}',
    '{$request.body#/both/right}',
    '{$request.body#/any/thing}',
    '{$request.body#/map/some/x}',
    '{$request.body#/tree/next/next}',
    '{$request.query.hook}',
    '{$request.path.jobId}',
    '{$request.header.X-Hook}',
    '{$response.body#/id}',
    '{$url}',
    'https://hooks.example/{$request.path.jobId}?by={$method}',
    'https://hooks.example/',
  ])('accepts %s, which leads to something', expression => {
    expect(subscribing(expression)).toEqual([])
  })

  it.each([
    ['{$request.body#/url}', 'the request has no field /url in its body'],
    ['{$request.body#/id}', 'the request has no field /id in its body'],
    ['{$request.body#/call_back/x}', 'the request has no field /call_back/x in its body'],
    ['{$request.body#/to/a~1b}', 'the request has no field /to/a~1b in its body'],
    ['{$request.body#/to/0/b}', 'the request has no field /to/0/b in its body'],
    ['{$request.body#/either/three}', 'the request has no field /either/three in its body'],
    ['{$request.body#/both/middle}', 'the request has no field /both/middle in its body'],
    ['{$request.body#/map/some/y}', 'the request has no field /map/some/y in its body'],
    ['{$request.body#/tree/next/last}', 'the request has no field /tree/next/last in its body'],
    ['{$request.query.url}', 'the operation has no query parameter "url"'],
    ['{$request.path.id}', 'the operation has no path parameter "id"'],
    ['{$response.body#/url}', 'the response has no field /url in its body'],
    [
      '{request.body#/call_back}',
      'an expression must be like $request.body#/url, $request.query.url, $request.path.id, $request.header.X-Url, $url or $method',
    ],
    ['$request.query.url', 'the operation has no query parameter "url"'],
    ['{$request.body#/call_back', 'an expression in braces must end with }'],
  ])('refuses %s, which leads to nothing', (expression, fault) => {
    expect(subscribing(expression)).toEqual([`callback "onChange": ${expression}: ${fault}`])
    const before = `https://api.example/${expression}`
    expect(subscribing(before)).toHaveLength(expression.startsWith('{') ? 1 : 0)
  })

  it('looks into every body that may be sent, and refuses an expression if there is none', () => {
    const hook = callback('onChange', '{$request.body#/url}', jobChanged)
    const A = struct({ url: t.string })
    const B = struct({ other: t.string })
    const fault =
      'callback "onChange": {$request.body#/url}: the request has no field /url in its body'
    expect([
      faultsOf(body(json(B), form(A)), hook),
      faultsOf(body(json(B), form(B)), hook),
      faultsOf(hook),
    ]).toEqual([[], [fault], [fault]])
  })

  it('looks at callbacks that doc describes', () => {
    const callbacks = { onChange: { '{$request.body#/url}': { post: { responses: {} } } } }
    expect(faultsOf(json(Subscription), doc({ callbacks }))).toEqual([
      'callback "onChange": {$request.body#/url}: the request has no field /url in its body',
    ])
  })

  it.each<[string, readonly unknown[], string]>([
    [
      'no webhook',
      ['onChange', '{$url}', JobEvent],
      'callback("onChange"): the third argument must be the result of webhook(…), not an object',
    ],
    [
      'an empty name',
      ['', '{$url}', jobChanged],
      'callback: its name and expression must be strings that are not empty, not "" and "{$url}"',
    ],
    [
      'an empty expression',
      ['onChange', '', jobChanged],
      'callback: its name and expression must be strings that are not empty, not "onChange" and ""',
    ],
  ])('refuses %s', (_title, given, fault) => {
    expect(faultsOf((callback as (...given: unknown[]) => never)(...given))).toEqual([fault])
  })

  it('reports the faults of a codec', () => {
    const twins = webhook('twins', struct({ a: wireName('x', int), b: wireName('x', int) }))
    expect(faultsOf(callback('onChange', '{$url}', twins))).toEqual([
      expect.stringMatching(/^callback\("onChange"\): .* both called "x" on the wire/),
      expect.stringMatching(/^callback\("onChange"\): .* both called "x" on the wire/),
    ])
  })
})
