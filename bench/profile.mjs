// `node bench/profile.mjs [scenario] [peer]`: where a server spends its time, by function;
// `node bench/profile.mjs [scenario] [peer] allocations`: where it allocates memory. Builds nothing:
// run `npm run build` first.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LoadClient } from './client.mjs'
import { PEERS } from './peers.mjs'
import { SCENARIOS, SETUPS } from './scenarios.mjs'
import { pinLoad, startServer } from './server-process.mjs'

const [, , name = 'item', key = 'koa-smorest', kind = 'time'] = process.argv
const WARM_UP = 10_000
const REQUESTS = 120_000
const SHOWN = 40

const scenario = SCENARIOS.find(scenario => scenario.name === name)
const peer = PEERS.find(peer => peer.key === key)
if (!scenario || !peer)
  throw new Error(
    `scenarios: ${SCENARIOS.map(({ name }) => name).join(', ')}; peers: ${PEERS.map(({ key }) => key).join(', ')}`,
  )

pinLoad()
const { total, places, unit } = await (kind === 'allocations' ? allocations() : times())
console.log(`        ${(total / REQUESTS).toFixed(2).padStart(9)} ${unit} a request`)
for (const [place, amount] of [...places]
  .sort(([, left], [, right]) => right - left)
  .slice(0, SHOWN)) {
  console.log(
    `${((100 * amount) / total).toFixed(1).padStart(5)} % ${(amount / REQUESTS).toFixed(2).padStart(9)} ${unit}  ${place}`,
  )
}

/** Sends the requests of the scenario, and tells `begin` when the server is warm. */
async function load(server, begin) {
  const client = new LoadClient(server.port)
  const requests = await scenario.requests(server.port)
  await client.send(requests, WARM_UP, scenario.status)
  await begin()
  await client.send(requests, REQUESTS, scenario.status)
  client.close()
}

async function times() {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  const server = await startServer(peer, SETUPS[scenario.setup], [
    '--cpu-prof',
    `--cpu-prof-dir=${folder}`,
    '--cpu-prof-interval=200',
  ])
  let began = 0
  await load(server, () => {
    began = Number(process.hrtime.bigint() / 1000n)
  })
  await server.stop()
  const profile = JSON.parse(readFileSync(join(folder, readdirSync(folder)[0]), 'utf8'))
  rmSync(folder, { recursive: true })
  return summed(selfTimes(profile, began), 'us')
}

async function allocations() {
  const server = await startServer(peer, SETUPS[scenario.setup])
  await load(server, () => server.ask('sample allocations'))
  const { head } = await server.ask('allocations')
  await server.stop()
  const places = new Map()
  const visit = ({ callFrame, selfSize, children }) => {
    const place = placeOf(callFrame)
    places.set(place, (places.get(place) ?? 0) + selfSize)
    for (const child of children) visit(child)
  }
  visit(head)
  return summed(places, 'bytes')
}

function summed(places, unit) {
  return { places, unit, total: [...places.values()].reduce((sum, amount) => sum + amount, 0) }
}

/** Self time by function in us, of the samples after a moment; idle time left out. */
function selfTimes({ nodes, samples, timeDeltas, startTime }, from) {
  const places = new Map(nodes.map(({ id, callFrame }) => [id, placeOf(callFrame)]))
  const times = new Map()
  let now = startTime
  samples.forEach((id, index) => {
    now += timeDeltas[index]
    const place = places.get(id)
    if (now > from && place !== '(idle)')
      times.set(place, (times.get(place) ?? 0) + timeDeltas[index])
  })
  return times
}

function placeOf({ functionName, url, lineNumber }) {
  if (!url) return functionName
  return `${functionName || '(anonymous)'}  ${url.replace(/^.*\/(?=dist\/|node_modules\/|servers\/)/, '')}:${lineNumber + 1}`
}
