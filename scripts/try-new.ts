/**
 * Makes projects with `koa-smorest new` of a tarball, as its users do, and runs what their README
 * names: `tsx scripts/try-new.ts FOLDER TARBALL`. FOLDER has the tarball installed. Exits with 1 if
 * something fails, and prints what did.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startEmbeddedPostgres } from '../examples/pet-shop/embedded-postgres.js'

const installed = resolve(process.argv[2] ?? '.')
const tarball = resolve(process.argv[3] ?? '')
const PORT = '3917'

function run(folder: string, command: string, env: NodeJS.ProcessEnv = {}): void {
  const { status, stdout, stderr } = spawnSync(command, {
    cwd: folder,
    shell: true,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  })
  if (status === 0) return
  console.error(`${command} in ${folder} exited with ${status}\n${stdout}\n${stderr}`)
  process.exit(1)
}

/** Makes and tries a project; `env` is its environment. */
async function tryProject(database: string, env: NodeJS.ProcessEnv): Promise<void> {
  run(installed, `npx koa-smorest new made-${database} --database ${database}`)
  const folder = join(installed, `made-${database}`)
  const manifest = join(folder, 'package.json')
  const { dependencies, ...rest } = JSON.parse(readFileSync(manifest, 'utf8'))
  // the version is not published yet
  const tried = { ...dependencies, 'koa-smorest': `file:${tarball}` }
  writeFileSync(manifest, JSON.stringify({ ...rest, dependencies: tried }, null, 2))
  run(folder, 'npm install && git init --quiet && git add .')
  run(folder, 'npm test && npm run check && git diff --exit-code', env)
  await tryServer(folder, ['--import', 'tsx', 'src/main.ts'], env)
  // the Dockerfile's instructions
  run(folder, 'npm run build && npm prune --omit=dev')
  await tryServer(folder, ['dist/main.js'], { ...env, NODE_ENV: 'production' })
}

/** Starts the server, asks for what it serves, and stops it. */
async function tryServer(
  folder: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const server = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, ...env, PORT },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const exited = once(server, 'exit')
  const get = (path: string) => fetch(`http://127.0.0.1:${PORT}${path}`).catch(() => undefined)
  for (let tries = 0; !(await get('/health/ready'))?.ok; tries++) {
    if (tries > 100 || server.exitCode !== null) throw new Error(`${args} is not ready`)
    await sleep(100)
  }
  const statuses = ['/tasks', '/docs/openapi.json', '/docs/', '/health/live', '/nothing']
  const found = await Promise.all(statuses.map(async path => (await get(path))?.status))
  server.kill('SIGTERM')
  const [code] = await exited
  if (`${found},${code}` !== '200,200,200,200,404,0')
    throw new Error(`${args} in ${folder} responds with ${found}, and exits with ${code}`)
}

await tryProject('none', {})
const data = mkdtempSync(join(tmpdir(), 'try-new-'))
const postgres = await startEmbeddedPostgres(data)
try {
  await tryProject('postgres', { DATABASE_URL: postgres.url })
} finally {
  await postgres.stop()
  rmSync(data, { recursive: true, force: true })
}
