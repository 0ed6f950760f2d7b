// `npm run bench`: docs/speed.md says what is measured and how.
import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { chart } from './chart.mjs'
import { machine, versions } from './machine.mjs'
import { measure, measureStarts, prepare, warmUp } from './measure.mjs'
import { readOptions } from './options.mjs'
import { reportOf } from './report.mjs'
import { pinLoad } from './server-process.mjs'
import { summarize, summarizeStarts } from './summary.mjs'

const file = name => fileURLToPath(new URL(name, import.meta.url))
const say = text => console.error(text)

const options = readOptions()
if (!existsSync(file('node_modules'))) {
  const { status } = spawnSync('npm', ['ci'], { cwd: file('.'), stdio: 'inherit' })
  if (status !== 0) process.exit(1)
}
pinLoad()

const { rounds, seconds } = options
const result = { machine: machine(), versions: versions(), rounds, seconds }
if (options.hasStart) result.starts = summarizeStarts(await measureStarts(options.peers, say))
if (options.scenarios.length > 0) Object.assign(result, await measureRequests(options))
result.loadAtTheEnd = machine().load

console.log(reportOf(result))
if (options.json) writeFileSync(options.json, `${JSON.stringify(result, undefined, 2)}\n`)
if (options.isWhole) writeFileSync(file('../docs/speed.svg'), chart(result.scenarios))

async function measureRequests({ peers, scenarios, hasSockets, ...slices }) {
  const servers = await prepare(peers, scenarios, hasSockets, say)
  say('warming up')
  await warmUp(servers, scenarios)
  const cells = await measure(servers, scenarios, slices, say)
  const memory = {}
  for (const { peer, setup, usage, stop, client } of servers) {
    if (setup === 'plain') memory[peer.name] = (await usage()).memory / 1e6
    client.close()
    await stop()
  }
  return { ...summarize(cells, scenarios), memory, rounds: cells[0].cpu.length }
}
