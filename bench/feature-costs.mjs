// `node bench/feature-costs.mjs [--rounds N] [--minutes N]`: what each feature adds to the CPU of a request. Builds nothing: run `npm run build` first.
import { parseArgs } from 'node:util'
import { InnerClient, requestBytes } from './client.mjs'
import { measure } from './measure.mjs'
import { pinLoad, startServer } from './server-process.mjs'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '16' }, minutes: { type: 'string', default: '15' } } })

const WARM_UP = 10_000
const BASE = 'none'
/** Each feature, and of which requests it has a part. */
const FEATURES = {
  [BASE]: ['item', 'post', 'list'],
  'secure(apiKey)': ['item', 'post'],
  'limit by address': ['item', 'post'],
  'limit by principal': ['item', 'post'],
  deprecated: ['item', 'post'],
  cache: ['item'],
  etag: ['item', 'post'],
  'etag({ load })': ['item'],
  'etag({ load, tag })': ['item'],
  query: ['item', 'post'],
  refine: ['post'],
  message: ['post'],
  idempotent: ['post'],
  "API_ERRORS: 'negotiated'": ['item', 'post'],
  paginate: ['list'],
  keyset: ['list'],
}

const HEADERS = { 'X-Key': 'k' }
const PET = { name: 'Rex', age: 3, tags: ['friendly', 'house-trained'], owner: { name: 'Kim', phone: '+49 30 1234567' } }
const SCENARIOS = [
  { name: 'item', status: 200, requests: async () => [requestBytes('GET', '/pets/00000000-0000-4000-8000-00000000002a', HEADERS)] },
  { name: 'post', status: 201, requests: async () => [requestBytes('POST', '/pets/', { ...HEADERS, 'Idempotency-Key': '"new"' }, PET)] },
  { name: 'list', status: 200, requests: async () => [requestBytes('GET', '/pets/', HEADERS)] },
].map(scenario => ({ ...scenario, setup: 'plain' }))

pinLoad()
const servers = []
for (const name of Object.keys(FEATURES)) {
  const server = await startServer({ name, file: 'feature-costs.mjs', environment: { FEATURE: name } })
  servers.push({ ...server, setup: 'plain', client: new InnerClient(server.ask) })
}

const cells = []
for (const scenario of SCENARIOS) {
  const own = servers.filter(({ peer }) => FEATURES[peer.name].includes(scenario.name))
  for (const { client } of own) await client.send(await scenario.requests(), WARM_UP, scenario.status)
  cells.push(
    ...(await measure(
      own,
      [scenario],
      { rounds: Number(values.rounds), minutes: Number(values.minutes) / SCENARIOS.length },
      () => undefined,
    )),
  )
}
for (const { stop } of servers) await stop()

const cpuOf = (scenario, feature) => cells.find(cell => cell.scenario.name === scenario && cell.server.peer.name === feature)?.cpu
const rows = Object.keys(FEATURES).map(feature => {
  const columns = SCENARIOS.map(({ name }) => {
    const [cpu, base] = [cpuOf(name, feature), cpuOf(name, BASE)]
    return cpu ? quartiles(cpu.map((value, round) => value / base[round])) : ''
  })
  return `| ${feature} | ${columns.join(' | ')} |`
})
console.log(
  `${cells[0].cpu.length} rounds, relative to the operation without features; without: ${SCENARIOS.map(({ name }) => `${name} ${middle(cpuOf(name, BASE)).toFixed(1)} us`).join(', ')}`,
)
console.log(['| | item | POST | list of 10 |', '|---|---:|---:|---:|', ...rows].join('\n'))

function middle(values, share = 0.5) {
  const sorted = [...values].sort((left, right) => left - right)
  return sorted[Math.round((sorted.length - 1) * share)]
}

function quartiles(ratios) {
  return `${middle(ratios).toFixed(2)} (${middle(ratios, 0.25).toFixed(2)}–${middle(ratios, 0.75).toFixed(2)})`
}
