import { type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { STAFF } from './credentials.js'
import { createDatabase } from './database.js'
import { experiment } from './experiment.js'
import type { Life, Shop } from './generators/lives/life.js'
import { startServer } from './server-process.js'

// Five generators make clients from the document that the pet shop serves. Each client compiles
// under `strict`, with a program that uses it (generators/lives), and lives the life of a pet:
// added, listed, read, changed, refused, given a picture, removed.

const FOLDER = fileURLToPath(new URL('generators', import.meta.url))
const GENERATED = join(FOLDER, 'generated')
const DOCUMENT = './generated/openapi.json'

/** The command of each, in its folder; that of openapi-typescript has the options of the manual. */
const GENERATORS: Readonly<Record<string, () => Promise<readonly string[]>>> = {
  'openapi-typescript': async () => [
    'openapi-typescript',
    DOCUMENT,
    '-o',
    './generated/openapi-typescript/schema.ts',
    ...(await manualOptions()),
  ],
  'hey-api': async () => [
    'openapi-ts',
    '-i',
    DOCUMENT,
    '-o',
    './generated/hey-api',
    '-c',
    '@hey-api/client-fetch',
    '--no-log-file',
  ],
  orval: async () => [
    'orval',
    '--input',
    DOCUMENT,
    '--output',
    './generated/orval/client.ts',
    '--client',
    'fetch',
  ],
  kubb: async () => ['kubb', 'generate', '--config', 'kubb.config.mjs'],
  'swagger-typescript-api': async () => [
    ...['swagger-typescript-api', 'generate', '-p', DOCUMENT],
    ...['-o', './generated/swagger-typescript-api', '-n', 'client.ts'],
  ],
}

/** Their clients parse every body as JSON, so no picture can be read with them. */
const WITHOUT_BYTES = ['orval', 'kubb']

/** What every client has to report, besides the messages and the bytes. */
const EXPECTED = {
  added: 201,
  price: '499.95',
  tags: [],
  listed: true,
  status: 'available',
  changed: '449.95',
  stale: 412,
  refusal: 'Precondition Failed',
  pictured: 204,
  removed: 204,
  gone: 404,
} satisfies Partial<Life>

await experiment('E13', 'generated clients', async scope => {
  if (!existsSync(join(FOLDER, 'node_modules'))) await run('npm', ['ci', '--ignore-scripts'])
  const { url: database } = await createDatabase(scope)
  const { url } = await startServer(scope, 'servers/shop.ts', { DATABASE_URL: database })
  await rm(GENERATED, { recursive: true, force: true })
  await mkdir(GENERATED, { recursive: true })
  await writeFile(join(FOLDER, DOCUMENT), await (await fetch(`${url}/docs/openapi.json`)).text())
  for (const command of Object.values(GENERATORS)) {
    const [program = '', ...args] = await command()
    await run(join(FOLDER, 'node_modules/.bin', program), args)
  }
  scope.figure(
    'errors of the compiler',
    (await run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', '.'], [0, 2])).length,
    {
      exactly: 0,
    },
  )

  const picture = await readFile(
    fileURLToPath(new URL('../examples/pet-shop/seed-pictures/dog.png', import.meta.url)),
  )
  const shop: Shop = {
    baseUrl: url,
    headers: STAFF,
    picture: new Blob([new Uint8Array(picture)], { type: 'image/png' }),
  }
  for (const name of Object.keys(GENERATORS)) {
    const { live } = (await import(pathToFileURL(join(GENERATED, `js/lives/${name}.js`)).href)) as {
      live(shop: Shop): Promise<Life>
    }
    const life = await live(shop)
    const { wrong, bytes, ...rest } = life
    const isRight = JSON.stringify(sorted(rest)) === JSON.stringify(sorted(EXPECTED))
    const isWhole =
      wrong.length === 1 &&
      (bytes === picture.length || (WITHOUT_BYTES.includes(name) && bytes === undefined))
    scope.figure(name, isRight && isWhole ? 'lived' : `reported ${JSON.stringify(life)}`)
    scope.figure(`${name}, differences`, isRight && isWhole ? 0 : 1, { exactly: 0 })
  }
})

function sorted(object: object): [string, unknown][] {
  return Object.entries(object).sort(([left], [right]) => (left < right ? -1 : 1))
}

/** The options of the manual's own line. */
async function manualOptions(): Promise<readonly string[]> {
  const page = await readFile(fileURLToPath(new URL('../docs/openapi.md', import.meta.url)), 'utf8')
  const [line] = page.match(/^npx openapi-typescript .*$/m) ?? []
  if (line === undefined) throw new Error('docs/openapi.md has no line with npx openapi-typescript')
  return line.split(' ').filter(word => word.startsWith('--'))
}

/** Runs a program in the folder of the generators; returns the lines of its output. */
async function run(
  program: string,
  args: readonly string[],
  codes: readonly number[] = [0],
): Promise<readonly string[]> {
  const options: SpawnOptions = {
    cwd: FOLDER,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, SCARF_ANALYTICS: 'false' },
  }
  const child = spawn(program, args, options)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', text => {
      output += text
    })
  }
  const [code] = await once(child, 'close')
  if (!codes.includes(code)) throw new Error(`${program} ended with ${code}:\n${output}`)
  if (code !== 0) console.error(output)
  return code === 0 ? [] : output.split('\n').filter(line => line.includes('error TS'))
}
