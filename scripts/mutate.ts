/**
 * Draws small faults in the sources, and prints those that no spec notices: `npx tsx
 * scripts/mutate.ts --seed 1 --count 40 src/http`. A copy of the tree (`--copy`; used again if it is
 * there and the sources are the same) has every fault behind a switch. The specs run in it once, to
 * record which faults they reach; then copies of these specs run, each with one fault on.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import ts from 'typescript'
import { faults, instrument } from './faults.js'

const { values, positionals: folders } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string' }, count: { type: 'string' }, copy: { type: 'string' } },
})
const { seed = '1', count = '40', copy = `/tmp/mutants-${process.pid}` } = values
const SPECS = /^spec\/((client|conf|feature|http|mcp|openapi|respond|threats).*|[^/]*)\.spec\.ts$/
const SLOW = /(agree|author|bundle|coverage|judges|lean|property|regular|rivals|transp|types)[^/]*$/
const SETUP = `;{ const [hits, start, path] = [new Set(), Date.now(), expect.getState().testPath]
  const on = /\\.m(\\d+)\\.spec/.exec(path)?.[1]
  globalThis.__mutant = on ? id => id === +on : id => { hits.add(id); return false }
  const fails = task => task.result?.state === 'fail' || task.tasks?.some(fails)
  const write = done => process.getBuiltinModule('fs').appendFileSync('record',
    JSON.stringify({ path, took: Date.now() - start, hits: on ? [] : [...hits], done }) + '\\n')
  write(false)
  afterAll(({}, file) => fails(file) || write(true)) }`
type Run = { path: string; took: number; hits: number[]; done: boolean }

/** Runs specs in the copy; returns what they have recorded. */
function run(specs: readonly string[], seconds = 120): Run[] {
  fs.writeFileSync(join(copy, 'record'), '')
  const flags = `--maxWorkers=1 --testTimeout=${seconds * 30} --project=test --project=production`
  const vitest = [process.execPath, 'node_modules/vitest/vitest.mjs', 'run', ...flags.split(' ')]
  const command = ['-s', 'KILL', `${seconds}`, 'nice', ...vitest, ...specs]
  spawnSync('timeout', command, { cwd: copy, stdio: 'ignore' })
  const lines = fs.readFileSync(join(copy, 'record'), 'utf8').trim().split('\n')
  return lines.map(line => JSON.parse(line) as Run)
}

const [isNew, reach] = [!fs.existsSync(copy), join(copy, 'reach')]
const git = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' })
const files = git.split('\n').filter(fs.existsSync)
for (const file of files) {
  if (isNew) fs.cpSync(file, join(copy, file))
  if (!/^src\/(client|feature-api|features|http|mount|respond)\//.test(file)) continue
  const text = fs.readFileSync(file, 'utf8')
  const written = instrument(file, ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true))
  if (isNew) fs.writeFileSync(join(copy, file), written)
}
if (isNew) {
  fs.symlinkSync(resolve('node_modules'), join(copy, 'node_modules'))
  fs.appendFileSync(join(copy, 'spec/support/watch-leaks.ts'), SETUP)
  const config = fs.readFileSync('vitest.config.ts', 'utf8')
  fs.writeFileSync(join(copy, 'vitest.config.ts'), config.replaceAll(".spec.ts'", "*.spec.ts'"))
  const specs = files.filter(file => SPECS.test(file) && !SLOW.test(file))
  const passed = run(specs, 3000).flatMap(each => (each.done ? [[each.path, each] as const] : []))
  fs.writeFileSync(reach, JSON.stringify([...new Map(passed).values()]))
}
const reached = JSON.parse(fs.readFileSync(reach, 'utf8')) as Run[]

/** Returns the specs that reach a fault: those named after its file, then the most about it. */
function specsFor(id: number): string[] {
  const file = faults[id]?.file ?? ''
  const names = [basename(file, '.ts'), basename(dirname(file))]
  const rank = ({ path, hits }: Run) =>
    hits.filter(hit => faults[hit]?.file === file).length / hits.length +
    names.filter(name => path.includes(name)).length
  const found = reached.filter(({ hits }) => hits.includes(id))
  return found.sort((a, b) => rank(b) - rank(a)).map(({ path }) => path)
}

const order = (id: number) => createHash('md5').update(`${seed}:${id}`).digest('hex')
for (const folder of folders) {
  const ids = [...faults.keys()].filter(id => faults[id]?.file.startsWith(`${folder}/`))
  let left = ids.sort((a, b) => (order(a) < order(b) ? -1 : 1)).slice(0, Number(count))
  for (const from of [0, 3]) {
    const copies = left.flatMap(id => {
      const specs = specsFor(id).slice(from, 3 + 3 * from)
      return specs.map(path => ({ id, path, as: path.replace('.spec', `.m${id}.spec`) }))
    })
    const runs: Run[] = []
    for (const { path, as } of copies) fs.copyFileSync(path, as)
    const isNext = ({ as }: { as: string }) => !runs.some(({ path }) => path === as)
    // a spec that hangs ends its run, and is not started again
    for (let next = copies; next.length > 0; next = copies.filter(isNext))
      runs.push(...run(next.slice(0, 60).map(({ as }) => as)))
    for (const { as } of copies) fs.rmSync(as)
    left = left.filter(id => {
      const own = runs.filter(({ path }) => path.includes(`.m${id}.`))
      return own.length === 2 * own.filter(({ done }) => done).length
    })
  }
  for (const id of left) console.log(id, faults[id]?.text)
  console.log(`${folder}: ${left.length} of ${count} survive, of ${ids.length} faults`)
}
