import { BY_HAND, FASTIFY, USUAL_KOA } from './peers.mjs'

/** The value that this share of the values is below. */
function quantile(values, share) {
  const sorted = [...values].sort((left, right) => left - right)
  const place = (sorted.length - 1) * share
  const [below, above] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]]
  return below + (above - below) * (place - Math.floor(place))
}

/** The median, the quartiles and the minimum. */
export const summary = values => ({
  minimum: quantile(values, 0),
  median: quantile(values, 0.5),
  quartiles: [quantile(values, 0.25), quantile(values, 0.75)],
})

/** Of the ratios within the rounds: what disturbs a round disturbs both. */
export const ratio = (values, base) =>
  base && summary(values.map((value, round) => value / base[round]))

const difference = (values, base) =>
  base && summary(values.map((value, round) => value - base[round]))

/**
 * All that was measured of requests: for each scenario and peer the CPU in us and its ratios to
 * Fastify and to the usual Koa, and for each peer how an item among 1,000 routes compares with the
 * same item alone.
 */
export function summarize(cells, scenarios) {
  const cpuOf = (scenario, peer) =>
    cells.find(cell => cell.scenario.name === scenario && cell.server.peer.name === peer)?.cpu
  const peers = [...new Set(cells.map(({ server }) => server.peer.name))]
  const figures = (scenario, peer) => {
    const cpu = cpuOf(scenario, peer)
    const earlier = cpuOf(scenario, `${peer}, earlier`)
    return {
      cpu: summary(cpu),
      ...(earlier && { toEarlier: ratio(cpu, earlier) }),
      toFastify: ratio(cpu, cpuOf(scenario, FASTIFY)),
      toUsualKoa: ratio(cpu, cpuOf(scenario, USUAL_KOA)),
      overNode: difference(cpu, cpuOf(scenario, BY_HAND)),
    }
  }
  return {
    scenarios: scenarios.map(({ name, title }) => ({
      name,
      title,
      peers: Object.fromEntries(peers.map(peer => [peer, figures(name, peer)])),
    })),
    ...(cpuOf('item', peers[0]) &&
      cpuOf('routes', peers[0]) && {
        routesToItem: Object.fromEntries(
          peers.map(peer => [peer, ratio(cpuOf('routes', peer), cpuOf('item', peer)).median]),
        ),
      }),
  }
}

/** The medians of all starts. */
export function summarizeStarts(starts) {
  const medians = figures =>
    Object.fromEntries(
      Object.entries(figures).map(([name, values]) => [name, quantile(values, 0.5)]),
    )
  return Object.fromEntries([...starts].map(([peer, figures]) => [peer, medians(figures)]))
}
