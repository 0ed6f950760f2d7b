import { setTimeout } from 'node:timers/promises'
import { InnerClient, LoadClient } from './client.mjs'
import { SCENARIOS, SETUPS } from './scenarios.mjs'
import { startServer } from './server-process.mjs'
import { verify } from './verify.mjs'

/** Requests that are sent together; a slice is as many of them as fill its time. */
const PART = 640
/**
 * Requests before them that are not counted: a server comes back from its pause with closed
 * connections and cold caches.
 */
const LEAD_IN = 640
const WARM_UP = 10_000
const STARTS = 3

/**
 * Starts all peers in each setup that the scenarios need and proves that they answer alike, before
 * anything is measured.
 */
export async function prepare(peers, scenarios, hasSockets, say) {
  const servers = []
  for (const setup of new Set(scenarios.map(scenario => scenario.setup))) {
    say(`starting and comparing: ${setup}`)
    const started = []
    for (const peer of peers) started.push({ ...(await startServer(peer, SETUPS[setup])), setup })
    await verify(started, setup)
    for (const server of started)
      servers.push({
        ...server,
        client: hasSockets ? new LoadClient(server.port) : new InnerClient(server.ask),
      })
  }
  return servers
}

/**
 * Gives all servers a past of equal length: everything, as code that has seen one kind of request
 * only is faster, then what is measured of them.
 */
export async function warmUp(servers, scenarios) {
  const all = SCENARIOS.filter(({ setup }) => setup === 'plain' || setup === 'single')
  for (const { client, port, setup } of servers) {
    const own = scenarios.filter(scenario => scenario.setup === setup)
    for (const list of [all, own]) {
      for (const scenario of list)
        await client.send(await scenario.requests(port), WARM_UP / list.length, scenario.status)
    }
  }
}

/**
 * Measures in rounds: each takes one slice of each scenario from each peer, all in shuffled order.
 * Gives for each scenario and peer the CPU time of the server in us a request, one number a round.
 */
export async function measure(servers, scenarios, { rounds, minutes, seconds }, say) {
  const end = Date.now() + minutes * 60_000
  const cells = []
  for (const scenario of scenarios) {
    for (const server of servers.filter(({ setup }) => setup === scenario.setup)) {
      cells.push({ scenario, server, requests: await scenario.requests(server.port), cpu: [] })
    }
  }
  for (let round = 1; round <= rounds && Date.now() < end; round++) {
    say(`round ${round} of ${rounds}`)
    for (const scenario of shuffled(scenarios)) {
      for (const cell of shuffled(cells.filter(cell => cell.scenario === scenario)))
        cell.cpu.push(await slice(cell, seconds))
    }
  }
  return cells
}

/** Shorter slices differ by a factor of three on a shared machine. */
async function slice({ server: { client, usage }, scenario, requests }, seconds) {
  await client.send(requests, LEAD_IN, scenario.status)
  await setTimeout(2)
  const before = await usage()
  const end = performance.now() + 1000 * seconds
  let sent = 0
  do {
    await client.send(requests, PART, scenario.status)
    sent += PART
  } while (performance.now() < end)
  await setTimeout(2)
  return ((await usage()).cpu - before.cpu) / sent
}

function shuffled(items) {
  return items
    .map(item => ({ item, key: Math.random() }))
    .sort((left, right) => left.key - right.key)
    .map(({ item }) => item)
}

/**
 * Starts each peer anew with 1,000 operations, some times in turn. Gives lists: `time` to the first
 * answer and `cpu` until then, in ms, `memory` then, in MB, and `document`, the CPU in ms of the
 * first request of the OpenAPI document where there is one.
 */
export async function measureStarts(peers, say) {
  const starts = new Map(
    peers.map(peer => [peer.name, { time: [], cpu: [], memory: [], document: [] }]),
  )
  for (let turn = 1; turn <= STARTS; turn++) {
    say(`start ${turn} of ${STARTS} with 1,000 operations`)
    for (const peer of shuffled(peers)) {
      const server = await startServer(peer, SETUPS.operations)
      const figures = starts.get(peer.name)
      figures.time.push(server.start.time)
      figures.cpu.push(server.start.cpu)
      figures.memory.push((await server.usage()).memory / 1e6)
      if (peer.document) figures.document.push(await documentCpu(server))
      await server.stop()
    }
  }
  return starts
}

async function documentCpu({ peer, port, usage }) {
  const before = await usage()
  const answer = await fetch(`http://127.0.0.1:${port}${peer.document}`)
  await answer.json()
  return ((await usage()).cpu - before.cpu) / 1000
}
