// `npm run bench`: see docs/speed.md for what is measured and how.
import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { chart } from './chart.mjs'
import { measure, measureStarts, prepare, SLICE, warmUp } from './measure.mjs'
import { PEERS } from './peers.mjs'
import { machine, quantile, ratio, requestTable, startTable, summarize, versions } from './report.mjs'
import { SCENARIOS } from './scenarios.mjs'
import { pinLoad } from './server-process.mjs'

const USAGE = `npm run bench -- [options]

  --only NAMES    scenarios to measure, separated by commas: ${SCENARIOS.map(({ name }) => name).join(', ')}, start
  --peers NAMES   servers to measure: ${PEERS.map(stem).join(', ')}
  --rounds N      how often each is measured (20)
  --json FILE     writes all figures to a file`

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    peers: { type: 'string' },
    rounds: { type: 'string', default: '20' },
    json: { type: 'string' },
    help: { type: 'boolean' },
  },
})
const file = name => fileURLToPath(new URL(name, import.meta.url))
const say = text => console.error(text)

function stem({ file }) {
  return file.replace('.mjs', '')
}

/** The chosen ones of `all`; exits with the usage where a name is none of theirs. */
function chosen(option, all, nameOf) {
  const names = option?.split(',') ?? all.map(nameOf)
  const unknown = names.filter(name => !all.some(item => nameOf(item) === name))
  if (unknown.length === 0) return all.filter(item => names.includes(nameOf(item)))
  say(`unknown: ${unknown.join(', ')}\n\n${USAGE}`)
  process.exit(2)
}

if (options.help) {
  console.log(USAGE)
  process.exit()
}
const START = { name: 'start' }
const wanted = chosen(options.only, [...SCENARIOS, START], ({ name }) => name)
const peers = chosen(options.peers, PEERS, stem)
const scenarios = wanted.filter(scenario => scenario !== START)
const isWhole = !options.only && !options.peers

if (!existsSync(file('node_modules'))) {
  const { status } = spawnSync('npm', ['ci'], { cwd: file('.'), stdio: 'inherit' })
  if (status !== 0) process.exit(1)
}
pinLoad()
const result = { machine: machine(), versions: versions(), rounds: Number(options.rounds), requestsARound: SLICE }
for (const [name, value] of Object.entries(result.machine)) console.log(`${name}: ${[value].flat().join(' ')}`)
console.log(Object.entries(result.versions).map(versionedName => versionedName.join(' ')).join(', '))
console.log(`${result.rounds} rounds of ${SLICE} requests\n`)

if (wanted.includes(START)) {
  const medians = figures => Object.fromEntries(Object.entries(figures).map(([name, values]) => [name, quantile(values)]))
  result.start = Object.fromEntries([...(await measureStarts(peers, say))].map(([name, figures]) => [name, medians(figures)]))
}
result.memory = {}
if (scenarios.length > 0) {
  const servers = await prepare(peers, scenarios, say)
  say('warming up')
  await warmUp(servers)
  const cells = await measure(servers, scenarios, result.rounds, say)
  result.scenarios = summarize(cells, scenarios)
  for (const { peer, setup, usage, stop, client } of servers) {
    result.memory[peer.name] = { ...result.memory[peer.name], [setup]: (await usage()).memory / 1e6 }
    client.close()
    await stop()
  }
  console.log(`Server CPU per request, relative to Fastify\n\n${requestTable(result.scenarios, peer => peer.toFastify)}\n`)
  console.log(`The same, relative to Koa as its users write it\n\n${requestTable(result.scenarios, peer => peer.toUsualKoa)}\n`)
  console.log(`The same, in us\n\n${requestTable(result.scenarios, peer => peer.cpu, 1)}\n`)
  result.routesToItem = routesToItem(cells)
  if (result.routesToItem) console.log(`koa-smorest, an item among 1,000 routes relative to the same item alone: ${result.routesToItem.toFixed(2)}\n`)
}
if (result.start) console.log(`Start with 1,000 operations; memory after the load of the other tables\n\n${startTable(result.start, result.memory)}\n`)
result.loadAtTheEnd = machine().load
console.log(`load average: ${result.machine.load.join(' ')} at the beginning, ${result.loadAtTheEnd.join(' ')} at the end`)

if (options.json) writeFileSync(options.json, `${JSON.stringify(result, undefined, 2)}\n`)
if (isWhole) writeFileSync(file('../docs/speed.svg'), chart(result.scenarios, name => peers.some(peer => peer.name === name && peer.isOurs)))

function routesToItem(cells) {
  const ofOurs = name => cells.find(({ scenario, server }) => scenario.name === name && server.peer.isOurs)?.cpu
  const [item, routes] = [ofOurs('item'), ofOurs('routes')]
  return item && routes && ratio(routes, item).median
}
