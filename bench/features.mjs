// `npm run build && node bench/features.mjs`: what each feature adds to the CPU of a request.
// Builds nothing.
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { InnerClient, LoadClient, requestBytes } from './client.mjs'
import { cell, table } from './report.mjs'
import { pinLoad, startServer } from './server-process.mjs'
import { ratio, summary } from './summary.mjs'

const USAGE = `npm run build && node bench/features.mjs [options]

  --rounds N      how often each is measured (10)
  --only NAMES    features to measure, separated by commas: secure,idempotent,keyset
  --apps NAMES    application: alone on \`Application\`; behind: on Koa, behind a middleware (both)
  --no-sockets    requests are made within the server's process, so that nothing of the kernel is measured`

const text = { type: 'string' }
const { values } = parseArgs({
  options: {
    rounds: { ...text, default: '10' },
    only: text,
    apps: text,
    'no-sockets': { type: 'boolean' },
    help: { type: 'boolean' },
  },
})
if (values.help) {
  console.log(USAGE)
  process.exit()
}

const SLICES = 4
const SLICE = 640
const WARM_UP = 6400

const PET = {
  name: 'Ada',
  kind: 'cat',
  age: 3,
  weight: 4.5,
  vaccinated: true,
  born: '2019-05-11',
  tags: ['friendly', 'house-trained'],
  owner: { name: 'Owner 1', phone: '+49 30 100001' },
}
let keys = 0
// all requests have the same fields, so that the same bytes are read; a key is new each time, as in
// life
const headers = () => ({
  'X-Key': 'sesame-0123456789',
  'Idempotency-Key': `"00000000-0000-4000-8000-${String(++keys).padStart(12, '0')}"`,
})
const get = target => [requestBytes('GET', target, headers())]

/** A request of one kind, to the operation with this feature. */
const REQUESTS = {
  item: { status: 200, of: feature => get(`/${feature}/00000000-0000-4000-8000-000000000010`) },
  POST: {
    status: 201,
    of: feature =>
      Array.from({ length: SLICE }, () => requestBytes('POST', `/${feature}/`, headers(), PET)),
  },
  'list of 10': { status: 200, of: feature => get(`/${feature}/`) },
  'page of 100': { status: 200, of: (feature, query) => get(`/${feature}/${query}`) },
}

const item = (aims = {}) => ({ item: aims.item })
const both = (aims = {}) => ({ item: aims.item, POST: aims.POST })
const post = (aims = {}) => ({ POST: aims.POST })
const page = aim => ({ 'page of 100': aim })

/**
 * Each feature as the server knows it, the requests it has a part in, with what it may cost in
 * each, and what it is compared with.
 */
const FEATURES = [
  { feature: 'secure', title: 'secure(apiKey)', requests: both({ item: 1.05 }) },
  { feature: 'limit', title: 'limit by address', requests: both() },
  { feature: 'limit-principal', title: 'secure(apiKey), limit by principal', requests: both() },
  { feature: 'deprecated', requests: both() },
  { feature: 'cache', requests: item() },
  { feature: 'etag', requests: both() },
  { feature: 'etag-load', title: 'etag({ load })', requests: item() },
  { feature: 'etag-tag', title: 'etag({ load, tag })', requests: item() },
  { feature: 'query', requests: both() },
  { feature: 'refine', requests: post() },
  { feature: 'message', requests: post() },
  { feature: 'idempotent', requests: post({ POST: 1.15 }) },
  { feature: 'paginate', requests: { 'list of 10': undefined } },
  { feature: 'keyset', requests: { 'list of 10': undefined } },
  {
    feature: 'keyset-query',
    to: 'paginate-query',
    title: 'keyset of a query, to paginate',
    requests: page(1),
  },
  {
    feature: 'keyset-free',
    to: 'paginate-free',
    title: 'the same, rows and count at no cost',
    requests: page(),
  },
]
const APPS = { application: 'alone on `Application`', behind: 'behind a middleware' }

const chosen = (names, all) =>
  names === undefined ? all : all.filter(name => names.split(',').includes(name))
const features = FEATURES.filter(({ feature }) => chosen(values.only, [feature]).length > 0)
const pairs = features.flatMap(({ feature, to = 'none', title = feature, requests }) =>
  Object.entries(requests).map(([name, atMost]) => ({
    feature,
    to,
    title,
    name,
    atMost,
    ...REQUESTS[name],
  })),
)

pinLoad()
let isMissed = false
for (const app of chosen(values.apps, Object.keys(APPS))) {
  const rows = []
  for (const { title, name, atMost, rounds } of await measure(app)) {
    const [without, withIt] = [0, 1].map(side => rounds.map(pair => pair[side]))
    const costs = ratio(withIt, without)
    isMissed ||= costs.median > atMost
    rows.push([
      title,
      name,
      cell(summary(without), 1),
      cell(summary(withIt), 1),
      cell(costs, 3),
      String(atMost ?? ''),
    ])
  }
  console.log(
    `${APPS[app]}: CPU of the server in us a request, median (quartiles; minimum) of ${values.rounds} rounds of ${SLICES * SLICE} requests\n`,
  )
  console.log(`${table(['feature', 'request', 'without', 'with', 'ratio', 'at most'], rows)}\n`)
}
process.exit(isMissed ? 1 : 0)

/** Each pair with its rounds: the CPU of a request without and with the feature. */
async function measure(app) {
  const server = await startServer({ name: app, file: 'features.mjs' }, { APP: app })
  const client = values['no-sockets'] ? new InnerClient(server.ask) : new LoadClient(server.port)
  const cpu = async ({ status }, requests) => {
    const before = (await server.usage()).cpu
    await client.send(requests, SLICE, status)
    await setTimeout(2)
    return ((await server.usage()).cpu - before) / SLICE
  }
  const all = []
  for (const pair of pairs) {
    const makers = []
    for (const feature of [pair.to, pair.feature]) {
      const query =
        pair.name === 'page of 100' ? await queryOfPage6(server.port, feature) : undefined
      makers.push(() => pair.of(feature, query))
    }
    all.push({ ...pair, makers, rounds: [] })
  }
  for (const { makers, status } of all)
    for (const make of makers)
      for (let sent = 0; sent < WARM_UP; sent += SLICE) await client.send(make(), SLICE, status)
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const pair of all) {
      const sums = [0, 0]
      // each goes first as often as the other
      for (let slice = 0; slice < SLICES; slice++)
        for (const side of slice % 2 === 0 ? [0, 1] : [1, 0])
          sums[side] += await cpu(pair, pair.makers[side]())
      pair.rounds.push(sums.map(sum => sum / SLICES))
    }
  }
  client.close()
  await server.stop()
  return all
}

/** By number, or by the cursor to which the links lead. */
async function queryOfPage6(port, feature) {
  if (feature.startsWith('paginate')) return '?page=6&page_size=100'
  let query = '?page_size=100'
  for (let page = 1; page < 6; page++) {
    const response = await fetch(`http://127.0.0.1:${port}/${feature}/${query}`)
    await response.arrayBuffer()
    query = /<([^>]*)>; rel="next"/.exec(response.headers.get('Link'))[1]
  }
  return query
}
