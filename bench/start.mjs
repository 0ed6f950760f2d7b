// `npm run build && node bench/start.mjs [ROUNDS [EARLIER]]`: the CPU that it takes to import the
// package, to register 1,000 operations and to make their first document, each in a process of its
// own; with the folder of another build, in turns with it. Builds nothing.
import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cell, table } from './report.mjs'
import { isPinned } from './server-process.mjs'
import { summary } from './summary.mjs'

const ROUNDS = Number(process.argv[2] ?? 15)
const root = fileURLToPath(new URL('..', import.meta.url))
const builds = {
  now: resolve(root, 'dist'),
  ...(process.argv[3] && { earlier: resolve(process.argv[3]) }),
}
const BASE = "await import('koa'); await import('io-ts');"
const TOLD = '; const { user, system } = process.cpuUsage(); console.log((user + system) / 1000)'

// Node searches CommonJS modules for their exports. During the import of io-ts V8 begins to optimize
// that search, and the next CommonJS module pays for most of it.
const PLAIN = ['--no-opt']

const imports = { nothing: [], base: [], router: [], plainBase: [], plainRouter: [], plain: [] }
const figures = Object.fromEntries(
  Object.keys(builds).map(name => [
    name,
    { package: [], client: [], start: [], registration: [], document: [] },
  ]),
)
for (let round = 0; round < ROUNDS; round++) {
  imports.nothing.push(cpuOf(''))
  imports.base.push(cpuOf(BASE))
  imports.router.push(cpuOf(`${BASE} await import('@koa/router');`))
  imports.plainBase.push(cpuOf(BASE, PLAIN))
  imports.plainRouter.push(cpuOf(`${BASE} await import('@koa/router');`, PLAIN))
  imports.plain.push(cpuOf(`${BASE} await import('${builds.now}/index.js');`, PLAIN))
  for (const [name, folder] of Object.entries(builds)) {
    const build = figures[name]
    build.package.push(cpuOf(`${BASE} await import('${folder}/index.js');`))
    build.client.push(cpuOf(`await import('${folder}/client/index.js');`))
    const started = JSON.parse(
      run(['bench/servers/start.mjs'], { KOA_SMOREST: `${folder}/index.js` }),
    )
    for (const part of ['start', 'registration', 'document']) build[part].push(started[part])
  }
}

const shown = (values, digits = 0) => cell(summary(values), digits)
const over = (values, base) => shown(values.map((value, round) => value - base[round]))
const ratio = part =>
  figures.earlier ? shown(ratios(figures.now[part], figures.earlier[part]), 2) : ''
const rows = [
  [
    'import koa-smorest, on top of Koa and io-ts',
    over(figures.now.package, imports.base),
    '60',
    '',
  ],
  ['of that, @koa/router', over(imports.router, imports.base), '', ''],
  ['import koa-smorest with --no-opt', over(imports.plain, imports.plainBase), '', ''],
  ['of that, @koa/router', over(imports.plainRouter, imports.plainBase), '', ''],
  ['import koa-smorest/client, on top of Node', over(figures.now.client, imports.nothing), '5', ''],
  ['Node itself', shown(imports.nothing), '', ''],
  ['Koa and io-ts, on top of Node', over(imports.base, imports.nothing), '', ''],
  ['start with 1,000 operations, all of it', shown(figures.now.start), '500', ratio('start')],
  ['of that, registration', shown(figures.now.registration), '', ratio('registration')],
  ['first document of 1,000 operations', shown(figures.now.document), '100', ratio('document')],
]
console.log(
  `CPU in ms, median (quartiles; minimum) of ${ROUNDS} rounds\n\n${table(['', 'ms', 'at most', 'to the earlier build'], rows)}`,
)

function ratios(values, others) {
  return values.map((value, round) => value / others[round])
}

/** Of a process that does nothing but this. */
function cpuOf(code, flags = []) {
  return Number(run([...flags, '--input-type=module', '-e', code + TOLD]))
}

function run(flags, variables = {}) {
  const command = [...(isPinned ? ['taskset', '-c', '0'] : []), process.execPath, ...flags]
  const { status, stdout, stderr } = spawnSync(command[0], command.slice(1), {
    cwd: root,
    env: { ...process.env, NODE_ENV: 'production', ...variables },
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
  return stdout
}
