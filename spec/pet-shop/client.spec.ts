import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { checkFolder } from '../support/compile.js'
import { STAFF } from './credentials.js'
import { type ServedShop, serveShop } from './served-shop.js'

/**
 * What someone writes who has only the document: each line is checked against the generated types,
 * and then runs.
 */
const CLIENT = `
import createClient from 'openapi-fetch'
import type { paths } from './schema.js'

export async function lifeOfAPet(baseUrl: string, headers: Record<string, string>): Promise<readonly unknown[]> {
  const { GET, POST, PATCH, DELETE } = createClient<paths, 'application/json' | 'application/problem+json'>({ baseUrl, headers })

  const added = await POST('/pets/', { body: { name: 'Rex', kind: 'dog', birthDate: '2026-08-09', price: '499.95' } })
  const petId: number = added.data?.id ?? 0
  const params = { path: { petId } }
  const first = added.response.headers.get('ETag') ?? (await GET('/pets/{petId}', { params })).response.headers.get('ETag') ?? ''

  // what is sent always has its defaults, so that nothing is undefined
  const sent: { breed: string | null; price: string; status: 'available' | 'reserved' | 'sold'; tags: string[] } | undefined = added.data

  const refused = await POST('/pets/', { body: { name: '', kind: 'dog', birthDate: '2026-08-09', price: '1' } })
  const messages = (field: string): readonly string[] => {
    // errors are plain here; with Accept: application/problem+json they would be a list
    const errors = refused.error && 'code' in refused.error ? refused.error.errors : undefined
    const json = errors?.json
    const ofField = json && !Array.isArray(json) ? json[field] : undefined
    return Array.isArray(ofField) ? ofField : []
  }

  const list = await GET('/pets/', { params: { query: { kind: 'dog', bornAfter: '2026-08-01', sort: '-birthDate' } } })
  const listed: boolean = list.data?.some(({ id, tags }) => id === petId && tags.length === 0) ?? false

  const read = await GET('/pets/{petId}', { params })
  const status: 'available' | 'reserved' | 'sold' | undefined = read.data?.status

  const change = (version: string, price: string) =>
    PATCH('/pets/{petId}', { params: { ...params, header: { 'If-Match': version } }, body: { price } })
  const changed = await change(first, '449.95')
  const stale = await change(first, '399.95')
  const refusal: string | undefined = stale.error && 'code' in stale.error ? stale.error.status : stale.error?.title

  const version = changed.response.headers.get('ETag') ?? ''
  const removed = await DELETE('/pets/{petId}', { params: { ...params, header: { 'If-Match': version } } })
  const gone = await GET('/pets/{petId}', { params })
  return [added.response.status, sent?.tags, messages('name'), listed, status, changed.data?.price, stale.response.status, refusal, removed.response.status, gone.response.status]
}
`

const MISTAKES = {
  'a field that is missing': CLIENT.replace("kind: 'dog', birthDate", 'birthDate'),
  'a field that only the shop sets': CLIENT.replace("name: 'Rex'", "name: 'Rex', version: 2"),
  'a value that is none of those allowed': CLIENT.replace("sort: '-birthDate'", "sort: 'age'"),
  'a change without If-Match': CLIENT.replace("header: { 'If-Match': version } }, body", '}, body'),
}

let folder: string
let shop: ServedShop

beforeAll(async () => {
  // Below the project, so that a client finds the packages that it imports.
  const cache = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url))
  await mkdir(cache, { recursive: true })
  folder = await mkdtemp(join(cache, 'pet-shop-client-'))
  shop = await serveShop()
  await writeFile(
    join(folder, 'openapi.yaml'),
    stringify(await (await fetch(new URL('/docs/openapi.json', shop.url))).json()),
  )
  await generate(join(folder, 'schema.ts'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
})

afterAll(async () => {
  await shop?.close()
  await rm(folder, { recursive: true, force: true })
})

/** Writes the types with the command that the manual gives, of its file `openapi.yaml`. */
async function generate(path: string): Promise<void> {
  const manual = await readFile(new URL('../../docs/openapi.md', import.meta.url), 'utf8')
  const [, command = ''] = /^npx (openapi-typescript openapi\.yaml .*)$/m.exec(manual) ?? []
  const [program = '', ...options] = command.replace('-o api.ts', `-o ${path}`).split(' ')
  await promisify(execFile)(
    fileURLToPath(new URL(`../../node_modules/.bin/${program}`, import.meta.url)),
    options,
    { cwd: folder },
  )
}

/** Compiles clients, each under its name, into the folder; gives what is wrong with each. */
async function compile(
  clients: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const files = Object.entries(clients).map(([name, text]) => ({
    name,
    text,
    path: `${name.replaceAll(' ', '-')}.ts`,
  }))
  for (const { path, text } of files) await writeFile(join(folder, path), text)
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2022',
    strict: true,
    skipLibCheck: true,
    types: [],
  }
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: files.map(({ path }) => path) }),
  )
  const faults = await checkFolder(folder)
  return new Map(
    files.map(({ name, path }) => [name, (faults.get(path) ?? []).map(({ message }) => message)]),
  )
}

describe("P6: a client that is generated from the shop's document", () => {
  it('compiles, and lives the life of a pet', { timeout: 60_000 }, async () => {
    const faults = await compile({ client: CLIENT, ...MISTAKES })
    expect(faults.get('client')).toEqual([])
    const { lifeOfAPet } = await import(pathToFileURL(join(folder, 'client.js')).href)
    expect(await lifeOfAPet(shop.url, STAFF)).toEqual([
      201,
      [],
      ['Must be at least 1 character long.'],
      true,
      'available',
      '449.95',
      412,
      'Precondition Failed',
      204,
      404,
    ])
    for (const name of Object.keys(MISTAKES)) expect(faults.get(name), name).toHaveLength(1)
  })
})
