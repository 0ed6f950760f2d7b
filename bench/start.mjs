// `npm run build && node bench/start.mjs [ROUNDS]`: the CPU that it takes to import the package, to register 1,000 operations and to
// make their first document, each in a process of its own. Builds nothing.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { cell, table } from './report.mjs'
import { isPinned } from './server-process.mjs'
import { summary } from './summary.mjs'

const ROUNDS = Number(process.argv[2] ?? 15)
const root = fileURLToPath(new URL('..', import.meta.url))
const BASE = "await import('koa'); await import('io-ts');"
const IMPORTS = {
  'Koa and io-ts': BASE,
  'and @koa/router': `${BASE} await import('@koa/router');`,
  'and koa-smorest': `${BASE} await import('./dist/index.js');`,
  'koa-smorest/client alone': "await import('./dist/client/index.js');",
  nothing: '',
}
const TOLD = '; const { user, system } = process.cpuUsage(); console.log((user + system) / 1000)'

const imports = Object.fromEntries(Object.keys(IMPORTS).map(name => [name, []]))
const starts = { start: [], registration: [], document: [] }
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, code] of Object.entries(IMPORTS)) imports[name].push(Number(run(['--input-type=module', '-e', code + TOLD])))
  const figures = JSON.parse(run(['bench/servers/start.mjs']))
  for (const name of Object.keys(starts)) starts[name].push(figures[name])
}

const shown = values => cell(summary(values), 0)
const over = (name, base) => shown(imports[name].map((value, round) => value - imports[base][round]))
const rows = [
  ['import koa-smorest, on top of Koa and io-ts', over('and koa-smorest', 'Koa and io-ts'), '60'],
  ['of that, @koa/router', over('and @koa/router', 'Koa and io-ts'), ''],
  ['import koa-smorest/client, on top of Node', over('koa-smorest/client alone', 'nothing'), '5'],
  ['Node itself', shown(imports.nothing), ''],
  ['Koa and io-ts, on top of Node', over('Koa and io-ts', 'nothing'), ''],
  ['start with 1,000 operations, all of it', shown(starts.start), '500'],
  ['of that, registration', shown(starts.registration), ''],
  ['first document of 1,000 operations', shown(starts.document), '100'],
]
console.log(`CPU in ms, median (quartiles) of ${ROUNDS} rounds\n\n${table(['', 'ms', 'at most'], rows)}`)

function run(flags) {
  const command = [...(isPinned ? ['taskset', '-c', '0'] : []), process.execPath, ...flags]
  const { status, stdout, stderr } = spawnSync(command[0], command.slice(1), {
    cwd: root,
    env: { ...process.env, NODE_ENV: 'production' },
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
  return stdout
}
