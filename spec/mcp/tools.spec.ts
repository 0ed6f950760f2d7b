import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  altResponse,
  apiKey,
  Blueprint,
  bearer,
  body,
  bytes,
  doc,
  events,
  files,
  form,
  idempotent,
  json,
  lines,
  memoryStore,
  operation,
  query,
  RegistrationError,
  response,
  secure,
  Upload,
} from 'koa-smorest'
import { type McpOptions, mcp } from 'koa-smorest/mcp'
import { describe, expect, it } from 'vitest'
import { connected, served } from './connected.js'

const Job = t.type({ id: t.string, title: t.string }, 'Job')
interface Tree {
  readonly name: string
  readonly children: readonly Tree[]
}
const Tree: t.Type<Tree> = t.recursion('Tree', () =>
  t.type({ name: t.string, children: t.readonlyArray(Tree) }),
)
const login = bearer('login', {
  principal: (token: string) => (token === 'ann-sesame' ? { name: 'ann' } : null),
  identify: ({ name }: { name: string }) => name,
})

/** An Api with these functions under these paths, each a GET or POST as its name says. */
function apiOf(routes: Readonly<Record<string, ReturnType<typeof operation>>>) {
  const app = new Koa()
  const api = new Api(app, { OPENAPI_VERSION: '3.1.0' })
  const warnings: string[] = []
  api.warn = text => warnings.push(text)
  const blueprint = new Blueprint('jobs')
  for (const [name, descriptor] of Object.entries(routes)) {
    const [method = '', rule = ''] = name.split(' ')
    const view = method.toLowerCase() as 'get'
    blueprint[view](rule as '/', descriptor as never, (() => undefined) as never)
  }
  api.registerBlueprint(blueprint)
  return { app, api, warnings }
}

/** The tools that a client of the protocol sees. */
async function toolsOf(
  { app, api }: Pick<ReturnType<typeof apiOf>, 'app' | 'api'>,
  tools: McpOptions['tools'] = () => true,
) {
  mcp(api, { path: '/mcp', tools })
  const { client } = await connected(await served(app))
  return (await client.listTools()).tools
}

/** The faults of making these operations tools. */
function faultsOf(
  routes: Readonly<Record<string, ReturnType<typeof operation>>>,
  tools: unknown = () => true,
): readonly string[] {
  try {
    mcp(apiOf(routes).api, { path: '/mcp', tools: tools as McpOptions['tools'] })
  } catch (error) {
    expect(error).toBeInstanceOf(RegistrationError)
    expect((error as Error).message).toContain('mcp() at /mcp cannot be registered:\n  - ')
    return (error as RegistrationError).faults
  }
  return []
}

describe('the tools of an Api', () => {
  it('are the operations that are chosen, by what is said of them', async () => {
    const asked: unknown[] = []
    const made = apiOf({
      'GET /jobs/:jobId': operation(
        'Read a job\n\nAs it is now.',
        doc({ operationId: 'readJob', tags: ['agents'] }),
        response(Job),
      ),
      'POST /jobs': operation(doc({ operationId: 'addJob', deprecated: true }), json(Job)),
    })
    const tools = await toolsOf(made, operation => {
      asked.push(operation)
      return operation.tags.includes('agents')
    })
    expect(asked).toEqual([
      {
        operationId: 'readJob',
        method: 'GET',
        path: '/jobs/{jobId}',
        tags: ['agents'],
        summary: 'Read a job',
        deprecated: false,
      },
      {
        operationId: 'addJob',
        method: 'POST',
        path: '/jobs',
        tags: ['jobs'],
        deprecated: true,
      },
    ])
    expect(tools).toEqual([
      {
        name: 'readJob',
        title: 'Read a job',
        description: 'As it is now.',
        inputSchema: {
          type: 'object',
          properties: { jobId: { type: 'string', minLength: 1 } },
          required: ['jobId'],
          additionalProperties: false,
        },
        outputSchema: {
          type: 'object',
          properties: {
            status: { type: 'integer', description: 'The status of the HTTP response' },
            headers: { type: 'object', properties: {} },
            body: { $ref: '#/$defs/Job' },
          },
          required: ['status', 'headers', 'body'],
          $defs: {
            Job: {
              type: 'object',
              properties: { id: { type: 'string' }, title: { type: 'string' } },
              required: ['id', 'title'],
              additionalProperties: false,
            },
          },
        },
        annotations: { readOnlyHint: true, idempotentHint: true },
      },
    ])
  })

  it('have the names, texts and hints that they are given', async () => {
    const given = {
      name: 'add',
      title: 'Add',
      description: 'Adds a job.',
      annotations: { destructiveHint: false, openWorldHint: true },
    }
    const [tool] = await toolsOf(
      apiOf({ 'POST /jobs': operation('Create\n\nA job.', json(Job)) }),
      () => given,
    )
    expect(tool).toMatchObject({
      ...given,
      annotations: {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: false,
        openWorldHint: true,
      },
    })
  })

  it('refer to nothing outside of themselves, however deep', async () => {
    const circle = t.type({ kind: t.literal('circle'), next: Tree }, 'Circle')
    const square = t.type({ kind: t.literal('square') }, 'Square')
    const tools = await toolsOf(
      apiOf({
        'POST /shapes': operation(json(t.union([circle, square], 'Shape')), response(Tree)),
      }),
    )
    const text = JSON.stringify(tools)
    expect(text).not.toContain('#/components/')
    expect(text).not.toContain('discriminator')
    const [{ inputSchema, outputSchema }] = tools as unknown as [
      Record<'inputSchema' | 'outputSchema', { $defs: object }>,
    ]
    expect([Object.keys(inputSchema.$defs).sort(), Object.keys(outputSchema.$defs)]).toEqual([
      ['Circle', 'Shape', 'Square', 'Tree'],
      ['Tree'],
    ])
  })

  it('say what they do to data, by method, required key and status', async () => {
    const key = idempotent({ store: memoryStore(), required: true })
    const tools = await toolsOf(
      apiOf({
        'GET /a': operation(),
        'PUT /b': operation(),
        'DELETE /c': operation(),
        'PATCH /d': operation(),
        'POST /e': operation(),
        'POST /f': operation(response(Job, { code: 201 })),
        'POST /g': operation(key, secure(login)),
        'POST /h': operation(idempotent({ store: memoryStore() }), secure(login)),
      }),
      ({ path }) => ({ name: path.slice(1) }),
    )
    const hints = ({ annotations }: (typeof tools)[number]) => [
      annotations?.readOnlyHint,
      annotations?.destructiveHint,
      annotations?.idempotentHint,
    ]
    expect(Object.fromEntries(tools.map(tool => [tool.name, hints(tool)]))).toEqual({
      a: [true, undefined, true],
      b: [false, true, true],
      c: [false, true, true],
      d: [false, true, false],
      e: [false, true, false],
      f: [false, false, false],
      g: [false, true, true],
      h: [false, true, false],
    })
  })

  it('do not take what each call has from its caller, nor a condition that has no result', async () => {
    const key = apiKey('key', { in: 'header', name: 'X-Key', principal: () => 'ann' })
    const names = ['Accept', 'Authorization', 'Content-Type', 'Cookie', 'Host', 'If-None-Match']
    const documented = [...names, 'X-Forwarded-For', 'X-Key', 'X-Trace'].map(name => ({
      in: 'header' as const,
      name,
    }))
    const [tool] = await toolsOf(
      apiOf({
        'GET /a': operation(secure(key, { optional: true }), doc({ parameters: documented })),
      }),
    )
    expect(Object.keys(tool?.inputSchema.properties ?? {})).toEqual(['X-Trace'])
  })

  it('are read through the references of the document', async () => {
    const made = apiOf({
      'GET /a': operation(
        doc({
          parameters: [{ $ref: '#/components/parameters/Depth' }],
          responses: { 200: { $ref: '#/components/responses/Done' } },
        }),
      ),
    })
    made.api.spec.components
      .parameter('Depth', { in: 'query', name: 'depth', description: 'How deep', schema: {} })
      .response('Done', {
        description: 'Done',
        headers: { 'X-Left': { $ref: '#/components/headers/Left' } },
        content: { 'application/json': { schema: { const: 'done' } } },
      })
      .header('Left', { description: 'How many are left', schema: {} })
    const [tool] = await toolsOf(made)
    expect([tool?.inputSchema.properties, tool?.outputSchema?.properties]).toEqual([
      { depth: { description: 'How deep' } },
      {
        status: { type: 'integer', description: 'The status of the HTTP response' },
        headers: {
          type: 'object',
          properties: { 'X-Left': { type: 'string', description: 'How many are left' } },
        },
        body: { const: 'done' },
      },
    ])
  })

  it('may have a result without a body', async () => {
    const tools = await toolsOf(
      apiOf({
        'DELETE /a': operation(response({ code: 204 })),
        'PUT /b': operation(response(Job), altResponse(201, { content: false })),
      }),
    )
    expect(
      tools.map(({ outputSchema }) => [
        outputSchema?.required,
        Object.keys(outputSchema?.properties ?? {}),
      ]),
    ).toEqual([
      [
        ['status', 'headers'],
        ['status', 'headers'],
      ],
      [
        ['status', 'headers'],
        ['status', 'headers', 'body'],
      ],
    ])
  })

  it('are not part of the document, and leave the document as it was', async () => {
    const { app, api } = apiOf({ 'POST /jobs': operation(json(Job), response(Job)) })
    const before = api.spec.toJSON()
    mcp(api, { path: '/mcp', tools: () => true })
    expect(api.spec.toJSON()).toEqual(before)
    expect(app.middleware).toHaveLength(2)
  })

  it('that are none are a warning', () => {
    const { api, warnings } = apiOf({ 'GET /jobs': operation() })
    mcp(api, { path: '/mcp', tools: () => false })
    expect(warnings).toEqual([
      'mcp() at /mcp has no tools: tools() has chosen none of 1 operations. Call mcp() after registerBlueprint()',
    ])
  })
})

describe('a fault of mcp()', () => {
  it('is an operation that reads or returns something else than JSON', () => {
    expect(
      faultsOf({
        'POST /a': operation(bytes()),
        'POST /b': operation(form(Job)),
        'POST /c': operation(files(t.type({ picture: Upload }))),
        'GET /d': operation(response({ contentType: 'image/png' })),
        'GET /e': operation(events(Job)),
        'GET /f': operation(lines(Job)),
      }),
    ).toEqual([
      'POST /a: a tool sends JSON, and this operation reads application/octet-stream',
      'POST /b: a tool sends JSON, and this operation reads application/x-www-form-urlencoded',
      'POST /c: a tool sends JSON, and this operation reads multipart/form-data',
      'GET /d: a tool returns JSON, and the response 200 is image/png',
      'GET /e: a tool returns JSON, and the response 200 is text/event-stream',
      'GET /f: a tool returns JSON, and the response 200 is application/jsonl',
    ])
  })

  it('is not an operation that can also be sent JSON', () => {
    expect(faultsOf({ 'POST /a': operation(body(form(Job), json(Job))) })).toEqual([])
  })

  it('is a name that two tools have, or that no tool can have', () => {
    const routes = { 'GET /a': operation(), 'GET /b/:x': operation() }
    const long = 'x'.repeat(65)
    expect([
      faultsOf(routes, () => ({ name: 'read' })),
      faultsOf(routes, ({ path }: { path: string }) => ({ name: path })),
      faultsOf(routes, ({ path }: { path: string }) => path === '/a' && { name: long }),
      faultsOf(routes, ({ path }: { path: string }) => path === '/a' && { name: '' }),
      faultsOf(routes, ({ path }: { path: string }) => path === '/a' && { name: long.slice(1) }),
    ]).toEqual([
      [
        'GET /a and GET /b/{x} would both be called "read": let tools() return another name for one of them',
      ],
      ['GET /a', 'GET /b/{x}'].map(
        name =>
          `${name}: "${name.slice(4)}" cannot be the name of a tool, which has 1 to 64 letters, digits, _ and -: let tools() return another name`,
      ),
      [
        `GET /a: "${long}" cannot be the name of a tool, which has 1 to 64 letters, digits, _ and -: let tools() return another name`,
      ],
      [
        'GET /a: "" cannot be the name of a tool, which has 1 to 64 letters, digits, _ and -: let tools() return another name',
      ],
      [],
    ])
  })

  it('is an argument whose name another has', () => {
    expect(
      faultsOf({
        'POST /a/:id': operation(query(t.type({ id: t.string, body: t.string })), json(Job)),
      }),
    ).toEqual([
      'POST /a/{id}: two arguments of the tool would be called "id"',
      'POST /a/{id}: two arguments of the tool would be called "body"',
    ])
  })

  it('is a reference that leads to nothing', () => {
    const dangling = doc({
      parameters: [{ in: 'query', name: 'q', schema: { $ref: '#/components/schemas/Gone' } }],
    })
    expect(faultsOf({ 'GET /a': operation(dangling) })).toEqual([
      'GET /a: the reference #/components/schemas/Gone leads to nothing',
    ])
  })

  it('is a choice that is not understood', () => {
    const routes = { 'GET /a': operation() }
    expect([
      faultsOf(routes, () => 'yes'),
      faultsOf(routes, async () => true),
      faultsOf(routes, () => ({ names: 'x' })),
      faultsOf(routes, () => ({ annotations: { readOnly: true } })),
    ]).toEqual([
      [
        'GET /a: tools() must return true, false or { name, title, description, annotations }, not "yes"',
      ],
      [
        'GET /a: tools() must return true, false or { name, title, description, annotations }, not an object',
      ],
      ['GET /a: tools(): there is no option "names", did you mean "name"?'],
      [
        'GET /a: tools(): there is no option "readOnly", the options are title, readOnlyHint, destructiveHint, idempotentHint, openWorldHint',
      ],
    ])
  })

  it('is a path that an operation has', () => {
    expect(() =>
      mcp(apiOf({ 'POST /mcp': operation() }).api, { path: '/mcp', tools: () => true }),
    ).toThrow('already registered by')
  })

  it.each([
    [undefined, 'undefined'],
    [{}, 'an object'],
    [new Koa(), 'an object'],
  ])('is something else than an Api: %#', (api, shown) => {
    expect(() => mcp(api as never, { path: '/mcp', tools: () => true })).toThrow(
      new TypeError(`mcp(): its first argument must be an Api, not ${shown}`),
    )
  })

  it.each([undefined, {}])('is missing: %j', options => {
    expect(() => mcp(apiOf({}).api, options as never)).toThrow(
      new TypeError(
        'mcp(): path must be a path without parameters, such as "/mcp", not undefined; tools must be a function, not undefined',
      ),
    )
  })

  it('is an option that it does not have', () => {
    const { api } = apiOf({})
    expect(() => mcp(api, { path: 'mcp', tools: true } as never)).toThrow(
      new TypeError(
        'mcp(): path must be a path without parameters, such as "/mcp", not "mcp"; tools must be a function, not true',
      ),
    )
  })
})
