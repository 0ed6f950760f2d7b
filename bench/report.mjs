import { existsSync, readFileSync } from 'node:fs'
import { cpus, loadavg, release, totalmem } from 'node:os'
import { FASTIFY, PEERS, USUAL_KOA } from './peers.mjs'
import { isPinned } from './server-process.mjs'

/** The value that half of the values are below; undefined for none. */
export function quantile(values, share = 0.5) {
  const sorted = [...values].sort((left, right) => left - right)
  const place = (sorted.length - 1) * share
  const [below, above] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]]
  return below + (above - below) * (place - Math.floor(place))
}

/** The machine that this runs on, and how busy it is. */
export function machine() {
  const [{ model }] = cpus()
  return {
    processor: `${cpus().length} x ${model.trim()}`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    system: `${process.platform} ${release()}`,
    node: process.version,
    cores: isPinned ? 'server and load each on its own' : 'shared by server and load',
    load: loadavg().map(load => Number(load.toFixed(2))),
  }
}

/** Name and version of each package of the peers. */
export function versions() {
  const names = [...new Set(PEERS.flatMap(peer => peer.packages))].sort()
  return Object.fromEntries(names.map(name => [name, versionOf(name)]))
}

function versionOf(name) {
  const places = [`./node_modules/${name}/package.json`, `../node_modules/${name}/package.json`].map(place => new URL(place, import.meta.url))
  return JSON.parse(readFileSync(places.find(existsSync), 'utf8')).version
}

/** All that was measured of requests: for each scenario and peer medians and quartiles of CPU, and of ratios within a round. */
export function summarize(cells, scenarios) {
  return scenarios.map(scenario => {
    const own = cells.filter(cell => cell.scenario === scenario)
    const base = name => own.find(({ server }) => server.peer.name === name)?.cpu
    const peers = own.map(({ server: { peer }, cpu }) => [
      peer.name,
      { cpu: summary(cpu), toFastify: ratio(cpu, base(FASTIFY)), toUsualKoa: ratio(cpu, base(USUAL_KOA)) },
    ])
    return { name: scenario.name, title: scenario.title, peers: Object.fromEntries(peers) }
  })
}

const summary = values => ({ median: quantile(values), quartiles: [quantile(values, 0.25), quantile(values, 0.75)] })

/** Of the rounds' ratios: what disturbs a round disturbs both. */
export function ratio(values, base) {
  return base && summary(values.map((value, round) => value / base[round]))
}

const figure = (value, digits = 2) => (value === undefined || Number.isNaN(value) ? '' : value.toFixed(digits))

/** A table of requests: a row for each peer, a column for each scenario. */
export function requestTable(summaries, pick, digits) {
  const names = Object.keys(summaries[0].peers)
  return table(
    ['', ...summaries.map(({ title }) => title)],
    names.map(name => [name, ...summaries.map(({ peers }) => figure(pick(peers[name])?.median, digits))]),
  )
}

/** The table of what 1,000 operations cost at the start, and of memory after the load of one resource. */
export function startTable(starts, memory) {
  const rows = Object.entries(starts).map(([name, start]) => [
    name,
    ...[start.time, start.cpu, start.document, start.memory, memory[name]?.plain].map(value => figure(value, 0)),
  ])
  return table(['', 'first answer, ms', 'CPU until then, ms', 'document, CPU ms', 'memory then, MB', 'memory after load, MB'], rows)
}

/** A table in Markdown, whose columns line up in a terminal too. */
function table(head, rows) {
  const widths = head.map((title, column) => Math.max(title.length, 3, ...rows.map(row => row[column].length)))
  const line = cells => `| ${cells.map((cell, column) => (column ? cell.padStart(widths[column]) : cell.padEnd(widths[column]))).join(' | ')} |`
  return [line(head), line(widths.map((width, column) => (column ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width)))), ...rows.map(line)].join('\n')
}
