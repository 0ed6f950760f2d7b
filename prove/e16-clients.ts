import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { options } from '../scripts/bundle.js'
import { rivals, type Tally } from '../spec/client/rivals.js'
import { rivalsInBrowser } from '../spec/client/rivals-in-browser.js'
import { weakeningProxy } from '../spec/client/weakening-proxy.js'
import { hasBrowser, launchBrowser } from '../spec/pet-shop/browser.js'
import { hasNginx, startNginx } from '../spec/pet-shop/nginx.js'
import { STAFF } from './credentials.js'
import { createDatabase } from './database.js'
import { experiment, type Scope, scale } from './experiment.js'
import { startServer } from './server-process.js'

// Two clients change the same 50 pets of the pet shop 500 times, in Node and in Chromium, behind
// nginx with `gzip on`, or a proxy that does to entity tags what that does. Nothing may be lost,
// and no 412 be a false one. And what the client costs to import.

const PETS = 50
const CHANGES = Math.ceil(500 / scale)

await experiment('E16', 'clients', async scope => {
  const { url: database } = await createDatabase(scope)
  const { url: shop } = await startServer(scope, 'servers/shop.ts', { DATABASE_URL: database })
  const url = await compressingProxy(scope, shop)
  const task = { way: 'petShop', changes: CHANGES, pets: PETS } as const
  const options = { baseUrl: url, headers: STAFF }
  await judge(scope, 'Node', url, () => rivals(options, { ...task, seed: 1 }))
  if (hasBrowser) {
    const browser = await launchBrowser()
    scope.onEnd(() => browser.close())
    await judge(scope, 'Chromium', url, () =>
      rivalsInBrowser(browser, options, { ...task, seed: 2 }, `${url}/pets/1`),
    )
  }
  scope.figure('ms to import it', await importTime(scope), { atMost: 5 })
})

async function compressingProxy(scope: Scope, shop: string): Promise<string> {
  scope.figure('proxy', hasNginx ? 'nginx' : 'our own, as nginx is not installed')
  if (!hasNginx) {
    const { url, close } = await weakeningProxy(shop)
    scope.onEnd(close)
    return url
  }
  const folder = await mkdtemp(join(tmpdir(), 'koa-smorest-prove-'))
  const on = 'gzip on; gzip_types application/json; gzip_min_length 1; gzip_proxied any;'
  const { url, stop } = await startNginx(folder, shop, site => site.replace('gzip off;', on))
  scope.onEnd(async () => {
    stop()
    await rm(folder, { recursive: true, force: true })
  })
  return url
}

async function judge(
  scope: Scope,
  place: string,
  url: string,
  change: () => Promise<Tally>,
): Promise<void> {
  const before = await totalAt(url)
  const tally = await change()
  scope.figure(`${place}: acknowledged`, tally.acknowledged, { exactly: CHANGES })
  scope.figure(`${place}: lost`, tally.acknowledged - ((await totalAt(url)) - before), {
    exactly: 0,
  })
  scope.figure(`${place}: refused with 412`, tally.stale, { atLeast: 1 })
  scope.figure(`${place}: falsely`, tally.falselyStale, { exactly: 0 })
  scope.figure(`${place}: weak tags`, tally.weakTags, { atLeast: CHANGES })
  scope.figure(`${place}: read from memory`, tally.fromMemory, { atLeast: 1 })
}

/** The prices of the pets, in whole euros: each change adds one. */
async function totalAt(url: string): Promise<number> {
  let total = 0
  for (let id = 1; id <= PETS; id++) {
    const pet = (await (await fetch(`${url}/pets/${id}`)).json()) as { price: string }
    total += Math.floor(Number(pet.price))
  }
  return total
}

/**
 * After an empty module, which starts the loader; the best of ten, each in a process of its own.
 */
async function importTime(scope: Scope): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'koa-smorest-prove-'))
  scope.onEnd(() => rm(folder, { recursive: true, force: true }))
  // one file, as in the package
  await build({
    ...options,
    entryPoints: ['src/client/index.ts'],
    outbase: 'src/client',
    outdir: folder,
  })
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder, 'empty.js'), '')
  const [empty, client] = ['empty.js', 'index.js'].map(
    file => pathToFileURL(join(folder, file)).href,
  )
  const program = `await import('${empty}'); const began = performance.now(); await import('${client}'); console.log(performance.now() - began)`
  const times: number[] = []
  for (let count = 0; count < 10; count++)
    times.push(
      Number(
        (await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]))
          .stdout,
      ),
    )
  return Math.min(...times)
}
