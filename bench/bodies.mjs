// `npm run build && node bench/bodies.mjs`: what long bodies cost, beside Fastify. Builds nothing.
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { InnerClient, LoadClient, requestBytes } from './client.mjs'
import { cell, table } from './report.mjs'
import { pinLoad, startServer } from './server-process.mjs'
import { ratio, summary } from './summary.mjs'

const USAGE = `npm run build && node bench/bodies.mjs [options]

  --rounds N      how often each is measured (10)
  --no-sockets    requests are made within the server's process, so that nothing of the kernel is measured`

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10' },
    'no-sockets': { type: 'boolean' },
    help: { type: 'boolean' },
  },
})
if (values.help) {
  console.log(USAGE)
  process.exit()
}

const PEERS = ['application', 'behind', 'fastify']

const row = id => ({
  id,
  name: `Row ${id}`,
  price: id / 4,
  inStock: id % 2 === 0,
  tags: ['friendly', 'house-trained'],
  size: { width: 12.5, height: 7 },
})
const rows = count => Array.from({ length: count }, (_, id) => row(id))
const refused = [...rows(999), { ...row(999), price: 'free' }]
const post = (path, body) => [requestBytes('POST', path, {}, body)]

/** What is sent, how often in a slice, and how much of Fastify's CPU it may take. */
const BODIES = [
  { title: '100 objects', path: '/rows', body: rows(100), count: 320, aims: [1.2, 1.25] },
  { title: '1,000 objects', path: '/rows', body: rows(1000), count: 64, aims: [1.1, 1.15] },
  { title: '10,000 objects', path: '/rows', body: rows(10_000), count: 8, aims: [1.15] },
  {
    title: 'a text of 1 MB',
    path: '/text',
    body: { text: 'a'.repeat(1e6) },
    count: 64,
    aims: [1.1],
  },
  {
    title: '1,000, the last one refused',
    path: '/rows',
    body: refused,
    count: 64,
    aims: [1.75],
    status: 422,
  },
]

pinLoad()
const servers = []
for (const peer of PEERS)
  servers.push(await startServer({ name: peer, file: 'bodies.mjs' }, { PEER: peer }))
const clients = servers.map(server =>
  values['no-sockets'] ? new InnerClient(server.ask) : new LoadClient(server.port),
)

async function cpu(index, { path, body, count, status = 200 }) {
  const before = (await servers[index].usage()).cpu
  await clients[index].send(post(path, body), count, status)
  await setTimeout(2)
  return ((await servers[index].usage()).cpu - before) / count
}

for (const body of BODIES)
  for (const index of servers.keys()) for (let part = 0; part < 10; part++) await cpu(index, body)

const found = new Map(BODIES.map(({ title }) => [title, PEERS.map(() => [])]))
for (let round = 0; round < Number(values.rounds); round++)
  for (const body of BODIES) {
    // each goes first in turn
    for (let turn = 0; turn < PEERS.length; turn++) {
      const index = (round + turn) % PEERS.length
      found.get(body.title)[index].push(await cpu(index, body))
    }
  }

const lines = BODIES.map(({ title, aims }) => {
  const [application, behind, fastify] = found.get(title)
  return [
    title,
    cell(summary(fastify), 0),
    cell(ratio(application, fastify), 2),
    String(aims[0]),
    cell(ratio(behind, fastify), 2),
    String(aims[1] ?? ''),
  ]
})
const head = ['POST of', 'Fastify, us', 'on Application', 'at most', 'behind middleware', 'at most']
console.log(
  `Server CPU, relative to Fastify, median (quartiles; minimum) of ${values.rounds} rounds\n\n${table(head, lines)}`,
)
for (const [index, client] of clients.entries()) {
  client.close()
  await servers[index].stop()
}
