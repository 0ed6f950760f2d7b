import { createDatabase } from './database.js'
import { experiment, scale } from './experiment.js'
import { type Outcome, type Shot, sendLoad } from './load.js'
import { randomNumbers } from './random.js'
import { startServer } from './server-process.js'
import { READS, REFUSALS } from './shop-shots.js'

// 300,000 requests of 34 kinds to the pet shop, four of ten refused, each with the status and the
// body that it has to have. The process is no more than a tenth larger after all of them than after
// half.

const CONNECTIONS = 50
const REQUESTS = 300_000 / scale
const WARM_UP = 3000
const SEED = Number(process.env.PROVE_SEED ?? 1)

await experiment('E1', 'mixed load', async scope => {
  const { url } = await createDatabase(scope)
  const server = await startServer(scope, 'servers/shop.ts', { DATABASE_URL: url })
  const random = randomNumbers(SEED)
  const any = (shots: readonly Shot[]) => shots[Math.floor(random() * shots.length)]
  const mix = () => any(random() < 0.4 ? REFUSALS : READS)
  const load = (count: number) => {
    let left = count
    return sendLoad(server.port, CONNECTIONS, () => (left-- > 0 ? mix() : undefined))
  }
  await load(WARM_UP)
  const began = performance.now()
  const halves: Outcome[] = []
  const sizes: number[] = []
  for (const _half of [1, 2]) {
    halves.push(await load(REQUESTS / 2))
    sizes.push((await server.measure()).rss)
  }
  const seconds = (performance.now() - began) / 1000
  const [first = 0, second = 0] = sizes
  const wrong = halves.flatMap(half => [...half.wrong])
  const requests = halves.reduce((sum, { answered }) => sum + answered, 0)
  scope.figure('seed', SEED)
  scope.figure('requests', requests, { atLeast: REQUESTS })
  scope.figure('requests a second', requests / seconds)
  scope.figure('kinds', new Set([...READS, ...REFUSALS]).size, { exactly: 34 })
  scope.figure(
    'wrong answers',
    wrong.reduce((sum, [, count]) => sum + count, 0),
    { exactly: 0 },
  )
  scope.figure('what was wrong', wrong.slice(0, 3).join('; '))
  scope.figure('growth in percent', ((second - first) / first) * 100, { atMost: 10 })
})
