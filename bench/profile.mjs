// `node bench/profile.mjs [scenario] [peer]`: where a server spends its time, by function. Builds
// nothing: run `npm run build` first.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LoadClient } from './client.mjs'
import { PEERS } from './peers.mjs'
import { SCENARIOS, SETUPS } from './scenarios.mjs'
import { pinLoad, startServer } from './server-process.mjs'

const [, , name = 'item', key = 'koa-smorest'] = process.argv
const WARM_UP = 10_000
const REQUESTS = 40_000
const SHOWN = 40

const scenario = SCENARIOS.find(scenario => scenario.name === name)
const peer = PEERS.find(peer => peer.key === key)
if (!scenario || !peer)
  throw new Error(
    `scenarios: ${SCENARIOS.map(({ name }) => name).join(', ')}; peers: ${PEERS.map(({ key }) => key).join(', ')}`,
  )

pinLoad()
const folder = mkdtempSync(join(tmpdir(), 'bench-'))
const server = await startServer(peer, SETUPS[scenario.setup], [
  '--cpu-prof',
  `--cpu-prof-dir=${folder}`,
  '--cpu-prof-interval=200',
])
const client = new LoadClient(server.port)
const requests = await scenario.requests(server.port)
await client.send(requests, WARM_UP, scenario.status)
const began = Number(process.hrtime.bigint() / 1000n)
await client.send(requests, REQUESTS, scenario.status)
client.close()
await server.stop()
const profile = JSON.parse(readFileSync(join(folder, readdirSync(folder)[0]), 'utf8'))
rmSync(folder, { recursive: true })

const times = selfTimes(profile, began)
const total = [...times.values()].reduce((sum, time) => sum + time, 0)
for (const [place, time] of [...times]
  .sort(([, left], [, right]) => right - left)
  .slice(0, SHOWN)) {
  console.log(
    `${((100 * time) / total).toFixed(1).padStart(5)} %  ${(time / REQUESTS).toFixed(2).padStart(6)} us  ${place}`,
  )
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
