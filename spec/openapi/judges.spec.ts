import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import '@hyperjump/json-schema/openapi-3-0'
import '@hyperjump/json-schema/openapi-3-2'
import { registerSchema, validate } from '@hyperjump/json-schema/openapi-3-1'
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  Blueprint,
  callback,
  type Document,
  int,
  json,
  operation,
  response,
  struct,
  webhook,
} from 'koa-smorest'
import { postgresStore } from 'koa-smorest/postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccess, randomSecrets } from '../../examples/pet-shop/access.js'
import { orderLimiter } from '../../examples/pet-shop/limits.js'
import { orderBlueprint } from '../../examples/pet-shop/order-views.js'
import { orderPlaced } from '../../examples/pet-shop/outbox.js'
import { ownerBlueprint } from '../../examples/pet-shop/owner-views.js'
import { petBlueprint } from '../../examples/pet-shop/pet-views.js'
import { subscriptionBlueprint } from '../../examples/pet-shop/subscription-views.js'
import { tokenBlueprint } from '../../examples/pet-shop/token-views.js'
import { createApplication } from '../reference/application.js'
import { serve } from '../support/client.js'

/**
 * What the linters recommend and we do not do, each with the reason. None of it is about being
 * valid.
 */
const OPINIONS: Readonly<Record<string, string>> = {
  'no-illogical-composition-keywords':
    'a stream of one event is described as one of several is: a second one adds a member',
  'no-empty-servers':
    'where an API is served is known to who deploys it, and said with API_SPEC_OPTIONS',
  'oas3-api-servers': 'the same',
  'oas2-api-host': 'the same',
  'oas2-api-schemes': 'the same',
  'info-contact': 'the application says it with API_SPEC_OPTIONS, if there is somebody',
  'info-license': 'the application says it with API_SPEC_OPTIONS, if there is one',
  'info-description': 'the same; the reference application has none',
  'no-path-trailing-slash':
    'rules are documented as they are written, and the original has its slashes',
  'path-keys-no-trailing-slash': 'the same',
  'operation-summary': 'the application writes summaries; the reference application has few',
  'operation-description': 'a summary says enough if the method and the path say the rest',
  'operation-operationId': 'a webhook has its name instead',
  'operation-4xx-response': 'operations that refuse nothing have "default", the error body',
  'operation-tag-defined':
    'a tag given by hand in the reference application; the order of tags is contractual',
  'tag-description':
    'the application describes its Blueprints; the reference application describes few',
  'oas3-operation-security-defined':
    'since OpenAPI 3.1 every scheme may have roles, which are defined nowhere in the document',
  'security-defined': 'who may call is the application’s to say',
}

/**
 * A document with a fault for each judge: a response without its description, and an example that
 * is none.
 */
const PLANTED = 'planted.json'
const WRONG = {
  openapi: '3.1.0',
  info: { title: 'Wrong', version: '1' },
  paths: {
    '/a': {
      get: {
        responses: {
          200: { content: { 'application/json': { schema: { type: 'integer' }, example: 'one' } } },
        },
      },
    },
  },
}

const Job = struct({ id: int }, 'Job')
const changed = webhook('changed', Job, { summary: 'A job has changed' })
const subscriptions = new Blueprint('subscriptions', { description: 'Who is told' }).post(
  '/subscriptions',
  operation(
    'Subscribe',
    json(struct({ url: t.string }, 'Subscription')),
    callback('onChange', '{$request.body#/url}', changed),
    response(Job, { code: 201 }),
  ),
  () => ({ id: 1 }),
)

const folder = mkdtempSync(join(tmpdir(), 'koa-smorest-judges-'))
const VERSIONS = ['3.2.0', '3.1.0', '3.0.3', '2.0'] as const
const documents: {
  readonly name: string
  readonly version: (typeof VERSIONS)[number]
  readonly document: Document
}[] = []

beforeAll(async () => {
  const settings = {
    API_TITLE: 'Pet shop',
    OPENAPI_VERSION: '3.1.0',
    API_ERRORS: 'negotiated',
    API_SPEC_OPTIONS: { info: { description: 'A shop for pets' } },
  } as const
  const shop = new Api(new Koa(), settings)
  shop.warn = () => undefined
  // nothing is loaded from a database to describe its operations
  const access = createAccess(randomSecrets())
  shop
    .registerBlueprint(petBlueprint({} as never, access))
    .registerBlueprint(ownerBlueprint({} as never, {} as never, access))
  shop.registerBlueprint(tokenBlueprint(access))
  const limiter = orderLimiter({} as never, { ordersPerMinute: 60, workers: 1 })
  shop.registerBlueprint(orderBlueprint({} as never, postgresStore({} as never), limiter, access))
  shop.registerBlueprint(subscriptionBlueprint({} as never, access)).registerWebhook(orderPlaced)
  const hooks = new Api(new Koa(), settings)
  hooks.warn = () => undefined
  hooks
    .registerBlueprint(subscriptions)
    .registerWebhook(changed)
    .registerWebhook(webhook('ended', Job))
  for (const version of VERSIONS) {
    documents.push({ name: `hooks-${version}.json`, version, document: hooks.spec.toJSON(version) })
    documents.push({ name: `shop-${version}.json`, version, document: shop.spec.toJSON(version) })
    const request = await serve(createApplication({ OPENAPI_VERSION: version }))
    documents.push({
      name: `reference-${version}.json`,
      version,
      document: (await request('GET', '/docs/openapi.json')).body,
    })
  }
  for (const { name, document } of documents)
    writeFileSync(join(folder, name), JSON.stringify(document))
  writeFileSync(join(folder, PLANTED), JSON.stringify(WRONG))
})

afterAll(() => rmSync(folder, { recursive: true }))

const FILES = () => [...documents.map(({ name }) => name), PLANTED]

/** Something that a linter says. */
interface Remark {
  readonly rule: string
  readonly isError: boolean
  readonly document: string
  readonly text: string
}

const require = createRequire(import.meta.url)

/** Runs a command of a package; a linter that finds something ends with 1. */
async function run(name: string, program: string, args: readonly string[]): Promise<string> {
  const manifest = require.resolve(`${name}/package.json`)
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { bin: Record<string, string> }
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  return await new Promise((resolve, reject) => {
    const file = join(dirname(manifest), bin[program] ?? '')
    execFile(
      process.execPath,
      [file, ...args],
      { cwd: folder, env, maxBuffer: 64 << 20 },
      (error, stdout, stderr) =>
        error && error.code !== 1
          ? reject(new Error(`${program} failed:\n${stderr}`))
          : resolve(stdout),
    )
  })
}

async function redocly(): Promise<Remark[]> {
  const options = ['--extends=recommended', '--format=json', '--max-problems=10000']
  const output = await run('@redocly/cli', 'redocly', ['lint', ...options, ...FILES()])
  // one report after the other, each indented as JSON.stringify does
  const reports = JSON.parse(`[${output.replaceAll(/^\}\s*\{$/gm, '},{')}]`) as {
    problems: readonly RedoclyProblem[]
  }[]
  return reports.flatMap(({ problems }) =>
    problems.map(({ ruleId, message, location: [place] }) => ({
      rule: ruleId,
      isError: ['struct', 'spec'].includes(ruleId),
      document: basename(place?.source.ref ?? ''),
      text: `${ruleId} ${place?.pointer}: ${message}`,
    })),
  )
}

interface RedoclyProblem {
  readonly ruleId: string
  readonly message: string
  readonly location: readonly {
    readonly source: { readonly ref: string }
    readonly pointer: string
  }[]
}

async function spectral(): Promise<Remark[]> {
  writeFileSync(join(folder, 'ruleset.yaml'), 'extends: ["spectral:oas"]\n')
  const output = await run('@stoplight/spectral-cli', 'spectral', [
    'lint',
    '-r',
    'ruleset.yaml',
    '-f',
    'json',
    '-q',
    ...FILES(),
  ])
  const remarks = JSON.parse(output) as {
    code: string
    severity: number
    message: string
    source: string
    path: string[]
  }[]
  return remarks.map(({ code, severity, message, source, path }) => ({
    rule: code,
    isError: severity === 0,
    document: basename(source),
    text: `${code} ${path.join('/')}: ${message}`,
  }))
}

describe('the documents of the pet shop, of the reference application and of webhooks', {
  timeout: 120_000,
}, () => {
  const heard = new Set<string>()

  /** What a linter says of our documents that is not one of the opinions. */
  function unexpected(remarks: readonly Remark[]): string[] {
    const ours = remarks.filter(({ document }) => document !== PLANTED)
    for (const { rule } of ours) heard.add(rule)
    return ours
      .filter(({ rule, isError }) => isError || !(rule in OPINIONS))
      .map(({ document, text }) => `${document} ${text}`)
  }

  it('are valid to Redocly, which dislikes them only for reasons that we know', async () => {
    const remarks = await redocly()
    expect(
      remarks
        .filter(({ document, isError }) => isError && document === PLANTED)
        .map(({ rule }) => rule),
    ).toEqual(['struct'])
    expect(unexpected(remarks)).toEqual([])
  })

  it('are valid to Spectral, which dislikes them only for reasons that we know', async () => {
    const remarks = await spectral()
    expect(
      remarks
        .filter(({ document, isError }) => isError && document === PLANTED)
        .map(({ rule }) => rule),
    ).toEqual(expect.arrayContaining(['oas3-schema', 'oas3-valid-media-example']))
    expect(unexpected(remarks)).toEqual([])
  })

  it('are disliked for no fewer reasons', () => {
    expect(Object.keys(OPINIONS).filter(rule => !heard.has(rule))).toEqual([])
  })

  it('would not be valid with a planted fault', async () => {
    expect(
      (await validate('https://spec.openapis.org/oas/3.1/schema-base', WRONG as never)).valid,
    ).toBe(false)
  })

  it.each([
    ['3.2.0', 'https://spec.openapis.org/oas/3.2/schema-base'],
    ['3.1.0', 'https://spec.openapis.org/oas/3.1/schema-base'],
    ['3.0.3', 'https://spec.openapis.org/oas/3.0/schema'],
  ] as const)(
    'are valid to the schema of OpenAPI %s, and their schemas to JSON Schema',
    async (version, schema) => {
      for (const { name, document } of documents.filter(found => found.version === version)) {
        const output = await validate(schema, document as never, 'BASIC')
        expect({ name, ...output }).toEqual({ name, valid: true })
      }
    },
  )

  it('have examples that a validator of JSON Schema 2020-12 accepts', async () => {
    let count = 0
    for (const { name, document } of documents.filter(({ version }) => version === '3.1.0')) {
      const id = `https://documents.example/${name}`
      registerSchema(document as never, id, 'https://spec.openapis.org/oas/3.1/schema-base')
      for (const { pointer, example } of examplesIn(document)) {
        count++
        const { valid } = await validate(`${id}#${pointer}`, example as never)
        expect({ name, pointer, example, valid }).toEqual({ name, pointer, example, valid: true })
      }
    }
    expect(count).toBeGreaterThan(10)
  })
})

/** The examples of a document, each with the pointer of the schema that it is one of. */
function examplesIn(value: unknown, pointer = ''): { pointer: string; example: unknown }[] {
  if (typeof value !== 'object' || value === null) return []
  const { schema, example, examples, type } = value as Record<string, unknown>
  const named =
    typeof examples === 'object' && examples !== null && !Array.isArray(examples)
      ? Object.values(examples)
      : []
  const beside = [
    ...(example === undefined ? [] : [example]),
    ...named.flatMap(one => (one as { value?: unknown }).value ?? []),
  ]
  const own =
    schema === undefined ? [] : beside.map(one => ({ pointer: `${pointer}/schema`, example: one }))
  const inside =
    type !== undefined && Array.isArray(examples)
      ? examples.map(one => ({ pointer, example: one }))
      : []
  const below = Object.entries(value).filter(([key]) => key !== 'example' && key !== 'examples')
  return [
    ...own,
    ...inside,
    ...below.flatMap(([key, child]) => examplesIn(child, `${pointer}/${escaped(key)}`)),
  ]
}

function escaped(key: string): string {
  return encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))
}
