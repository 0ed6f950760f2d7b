import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { hasRedis, startRedis } from '../spec/support/redis-server.js'
import { createDatabase } from './database.js'
import { experiment, type Scope, scale } from './experiment.js'
import { contradicted, type Seen, sendRepeatedly } from './repeated-orders.js'
import { type ServerProcess, startServer } from './server-process.js'

// 2,000 orders, each sent three times at random to four processes of the pet shop, which kill
// themselves now and then, before an order is committed or before the response is sent; the
// database is killed once. Every order is there once, and all its responses are one. The memory
// store does it in one process; without the feature the same requests make duplicates. With a
// redis-server, four processes do it over Redis; if one is killed, what it had just placed may be
// placed again, once for each of the 24 clients at most.

const ORDERS = 2000 / scale
const PROCESSES = 4
/**
 * Of a thousand orders, so many end in the death of their process: half of them before the commit,
 * half after it.
 */
const DEATHS = Math.min(12 * scale, 100)
const SEED = Number(process.env.PROVE_SEED ?? 1)

await experiment('E14', 'orders that are placed once', async scope => {
  await ordersOfTheShop(scope)
  await ordersInMemory(scope)
  if (hasRedis) await ordersInRedis(scope)
})

async function ordersOfTheShop(scope: Scope): Promise<void> {
  const { url, restart } = await createDatabase(scope)
  if (!restart)
    throw new Error('only an embedded database can be killed: run E14 without DATABASE_URL')
  const crew = await startCrew(scope, url)
  const seen = await ordersAtTheShop(crew.urls, url, restart).finally(crew.stop)
  const after = new pg.Client({ connectionString: url })
  await after.connect()
  const counts = await after.query(
    "SELECT count(*)::int AS orders, count(DISTINCT owner_id)::int AS owners, count(DISTINCT pet_id)::int AS pets FROM orders JOIN owners o ON o.id = owner_id WHERE o.name = 'o'",
  )
  const reserved = await after.query(
    "SELECT count(*)::int AS pets FROM pets p JOIN owners o ON o.id = p.owner_id WHERE o.name = 'o' AND p.status = 'reserved'",
  )
  await after.end()
  report(scope, 'shop', seen)
  scope.figure('shop: orders in the database', counts.rows[0].orders, { exactly: ORDERS })
  scope.figure('shop: of as many owners', counts.rows[0].owners, { exactly: ORDERS })
  scope.figure('shop: for as many pets', counts.rows[0].pets, { exactly: ORDERS })
  scope.figure('shop: pets that were reserved', reserved.rows[0].pets, { exactly: ORDERS })
  scope.figure('shop: processes that died', crew.deaths(), { atLeast: scale > 1 ? 1 : 5 })
  scope.figure('shop: processes that ended otherwise', crew.others(), { exactly: 0 })
}

/** Sends orders to the processes of the shop, and kills its database once. */
async function ordersAtTheShop(
  urls: () => readonly string[],
  url: string,
  restart: () => Promise<void>,
): Promise<Seen> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  await client.query(`
    INSERT INTO owners (name, email, city) SELECT 'o', 'o' || n || '@example.com', 'Cork' FROM generate_series(1, ${ORDERS}) n;
    INSERT INTO pets (name, kind, birth_date, price, status, tags)
    SELECT 'Nemo', 'fish', '2026-01-01', 9.95, 'available', '{}' FROM generate_series(1, ${4 * ORDERS});`)
  const { rows } = await client.query("SELECT min(id)::int AS first FROM owners WHERE name = 'o'")
  await client.end()

  const sending = sendRepeatedly(
    urls,
    ORDERS,
    number => ({ kind: 'fish', ownerId: rows[0].first + number }),
    SEED,
  )
  await sleep(8000 / scale)
  await restart()
  return sending
}

async function ordersInMemory(scope: Scope): Promise<void> {
  for (const [name, path] of [
    ['memory', '/once'],
    ['control', '/often'],
  ] as const) {
    const server = await startServer(scope, 'servers/counting.ts')
    const seen = await sendRepeatedly(
      () => [server.url + path],
      ORDERS,
      number => ({ number }),
      SEED,
    )
    const counts = (await (await fetch(`${server.url}/counts`)).json()) as number[]
    await server.stop()
    const duplicates = counts.filter(count => count > 1).length
    scope.figure(`${name}: orders`, counts.length, { exactly: ORDERS })
    if (name === 'memory') {
      report(scope, name, seen)
      scope.figure('memory: duplicates', duplicates, { exactly: 0 })
    } else scope.figure('control: duplicates', duplicates, { atLeast: 1 })
  }
}

/** Redis has no part in what a method writes: an order may be placed again if its process died. */
async function ordersInRedis(scope: Scope): Promise<void> {
  const redis = await startRedis()
  scope.onEnd(() => redis.stop())
  const env = { REDIS_PORT: String(redis.port) }
  const start = () => startServer(scope, 'servers/payments.ts', env)
  const servers = await Promise.all(Array.from({ length: PROCESSES }, start))
  const urls = () => servers.map(({ url }) => `${url}/once`)
  for (const name of ['redis', 'redis, a process killed'] as const) {
    await redis.client.flushall()
    const sending = sendRepeatedly(urls, ORDERS, number => ({ number }), SEED)
    if (name !== 'redis') {
      await sleep(1000 / scale)
      await servers[0]?.end('SIGKILL')
      servers[0] = await start()
    }
    const seen = await sending
    const counts = (await (await fetch(`${servers[0]?.url}/counts`)).json()) as number[]
    report(scope, name, seen)
    scope.figure(`${name}: orders`, counts.length, { exactly: ORDERS })
    const twice = counts.filter(count => count > 1).length
    if (name !== 'redis')
      scope.figure(`${name}: connections cut`, seen.statuses.cut ?? 0, { atLeast: 1 })
    scope.figure(`${name}: duplicates`, twice, name === 'redis' ? { exactly: 0 } : { atMost: 24 })
  }
  for (const server of servers) await server.stop()
}

function report(scope: Scope, name: string, seen: Seen): void {
  const {
    201: placed = 0,
    409: running = 0,
    503: unavailable = 0,
    cut = 0,
    ...others
  } = seen.statuses
  scope.figure(`${name}: responses 201`, placed, { exactly: 3 * ORDERS })
  scope.figure(`${name}: of them replayed`, seen.replayed, { atLeast: 2 * ORDERS })
  scope.figure(`${name}: clients with two answers, or none`, contradicted(seen), { exactly: 0 })
  scope.figure(`${name}: still running (409)`, running)
  scope.figure(`${name}: unavailable (503)`, unavailable)
  scope.figure(`${name}: without a response`, cut)
  scope.figure(
    `${name}: other statuses`,
    JSON.stringify(others) === '{}' ? 0 : JSON.stringify(others),
    { exactly: 0 },
  )
}

/** Processes of the shop, each of which is started again when it dies. */
async function startCrew(scope: Scope, database: string) {
  let [deaths, others, isStopped] = [0, 0, false]
  const servers: ServerProcess[] = []
  const start = async (index: number) => {
    const server = await startServer(scope, 'servers/dying-shop.ts', {
      DATABASE_URL: database,
      DEATHS: String(DEATHS),
    })
    servers[index] = server
    server.process.once('exit', (_code, signal) => {
      if (isStopped) return
      if (signal === 'SIGKILL') deaths++
      else others++
      start(index).catch(() => {
        // the end of the experiment kills a process that is about to start
        if (!isStopped) others++
      })
    })
  }
  const stop = () => {
    isStopped = true
  }
  await Promise.all(Array.from({ length: PROCESSES }, (_, index) => start(index))).catch(error => {
    stop()
    throw error
  })
  return {
    urls: () => servers.map(({ url }) => `${url}/orders/`),
    deaths: () => deaths,
    others: () => others,
    stop,
  }
}
