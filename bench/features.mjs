// `npm run build && node bench/features.mjs`: what a feature costs, as the CPU time of the server with it to that without it.
import { setTimeout } from 'node:timers/promises'
import { LoadClient, requestBytes } from './client.mjs'
import { pinLoad, startServer } from './server-process.mjs'

const ROUNDS = Number(process.argv[2] ?? 10)
const SLICES = 4
const SLICE = 640
const WARM_UP = 6000

const pet = {
  name: 'Ada',
  kind: 'cat',
  age: 3,
  weight: 4.5,
  vaccinated: true,
  born: '2019-05-11',
  tags: ['friendly', 'house-trained'],
  owner: { name: 'Owner 1', phone: '+49 30 100001' },
}
const id = '00000000-0000-4000-8000-000000000010'
let keys = 0
/** A key for each request: a repetition would not run the method. */
const keyed = () =>
  Array.from({ length: SLICE }, () =>
    requestBytes('POST', '/pets/idempotent', { 'Idempotency-Key': `"00000000-0000-4000-8000-${String(++keys).padStart(12, '0')}"` }, pet),
  )
// the same field, so that the same bytes are read
const unkeyed = requestBytes('POST', '/pets/', { 'Idempotency-Key': '"00000000-0000-4000-8000-000000000000"' }, pet)

const PAIRS = [
  { name: 'POST, `idempotent` (memory)', atMost: 1.15, status: 201, without: () => [unkeyed], with: keyed },
  {
    name: 'a page of 100 of a query, `keyset` to `paginate`',
    atMost: 1,
    status: 200,
    without: () => [requestBytes('GET', '/pets/queried?page=6&page_size=100')],
    with: ({ queried }) => [requestBytes('GET', `/pets/queried-keyset${queried}`)],
  },
  {
    name: 'the same where rows and their number cost nothing',
    atMost: Number.POSITIVE_INFINITY,
    status: 200,
    without: () => [requestBytes('GET', '/pets/?page=6&page_size=100')],
    with: ({ keyset }) => [requestBytes('GET', `/pets/keyset${keyset}`)],
  },
  {
    name: 'item, `secure` with an API key',
    atMost: 1.05,
    status: 200,
    without: () => [requestBytes('GET', `/pets/open/${id}`, { 'X-Key': 'sesame-0123456789' })],
    with: () => [requestBytes('GET', `/pets/secured/${id}`, { 'X-Key': 'sesame-0123456789' })],
  },
]
const VARIANTS = { application: '`Application`', behind: 'Koa, behind a middleware' }

pinLoad()
console.log(`CPU of the server, us a request: median (quartiles) of ${ROUNDS} interleaved rounds of ${SLICES * SLICE} requests\n`)
console.log('| | | without | with | ratio | at most |\n|---|---|---|---|---|---|')
let isMissed = false
for (const [variant, title] of Object.entries(VARIANTS)) {
  const server = await startServer({ name: variant, file: 'features.mjs' }, { VARIANT: variant })
  const client = new LoadClient(server.port)
  const cursors = { keyset: await cursorOfPage6(server.port, 'keyset'), queried: await cursorOfPage6(server.port, 'queried-keyset') }
  const cpu = async (requests, status) => {
    const before = (await server.usage()).cpu
    await client.send(requests, SLICE, status)
    await setTimeout(2)
    return ((await server.usage()).cpu - before) / SLICE
  }
  for (const { status, without, with: withIt } of PAIRS)
    for (const make of [without, withIt]) for (let sent = 0; sent < WARM_UP; sent += SLICE) await client.send(make(cursors), SLICE, status)
  const rounds = PAIRS.map(() => [])
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, { status, without, with: withIt }] of PAIRS.entries()) {
      const sums = [0, 0]
      // each goes first as often as the other
      for (let slice = 0; slice < SLICES; slice++)
        for (const side of slice % 2 === 0 ? [0, 1] : [1, 0]) sums[side] += await cpu([without, withIt][side](cursors), status)
      rounds[index].push(sums.map(sum => sum / SLICES))
    }
  }
  for (const [index, { name, atMost }] of PAIRS.entries()) {
    const ratios = rounds[index].map(([without, withIt]) => withIt / without)
    const side = number => spread(rounds[index].map(pair => pair[number])).map(value => value.toFixed(1))
    const shown = ([median, low, high]) => `${median} (${low} to ${high})`
    const ratio = spread(ratios)
    isMissed ||= ratio[0] > atMost
    console.log(
      `| ${name} | ${title} | ${shown(side(0))} | ${shown(side(1))} | ${shown(ratio.map(value => value.toFixed(3)))} | ${Number.isFinite(atMost) ? atMost : ''} |`,
    )
  }
  client.close()
  await server.stop()
}
process.exit(isMissed ? 1 : 0)

async function cursorOfPage6(port, list) {
  let target = '?page_size=100'
  for (let page = 1; page < 6; page++) {
    const response = await fetch(`http://127.0.0.1:${port}/pets/${list}${target}`)
    await response.arrayBuffer()
    target = /<([^>]*)>; rel="next"/.exec(response.headers.get('Link'))[1]
  }
  return target
}

/** The median and the quartiles. */
function spread(values) {
  const sorted = [...values].sort((left, right) => left - right)
  const at = share => {
    const place = (sorted.length - 1) * share
    const low = sorted[Math.floor(place)]
    return low + (sorted[Math.ceil(place)] - low) * (place % 1)
  }
  return [at(0.5), at(0.25), at(0.75)]
}
