import { createDatabase } from './database.js'
import { experiment, scale } from './experiment.js'
import { type Outcome, type Shot, sendLoad } from './load.js'
import { randomNumbers } from './random.js'
import { startServer } from './server-process.js'
import { READS, REFUSALS } from './shop-shots.js'

// A mix of 30 kinds of requests to the pet shop, four of ten refused, each with the status and the body that it has to have. Half the
// time is over, half of it to come: the process has not grown by more than a tenth.

const CONNECTIONS = 50
const SECONDS = 45 / scale
const WARM_UP = 3000
const SEED = Number(process.env.PROVE_SEED ?? 1)

await experiment('E1', 'mixed load', async scope => {
  const { url } = await createDatabase(scope)
  const server = await startServer(scope, 'servers/shop.ts', { DATABASE_URL: url })
  const random = randomNumbers(SEED)
  const any = (shots: readonly Shot[]) => shots[Math.floor(random() * shots.length)]
  const mix = () => any(random() < 0.4 ? REFUSALS : READS)
  const loadFor = (seconds: number) => {
    const end = performance.now() + seconds * 1000
    return sendLoad(server.port, CONNECTIONS, () => (performance.now() < end ? mix() : undefined))
  }
  let left = WARM_UP
  await sendLoad(server.port, CONNECTIONS, () => (left-- > 0 ? mix() : undefined))
  const halves: Outcome[] = []
  const sizes: number[] = []
  for (const _half of [1, 2]) {
    halves.push(await loadFor(SECONDS / 2))
    sizes.push((await server.measure()).rss)
  }
  const [first = 0, second = 0] = sizes
  const wrong = halves.flatMap(half => [...half.wrong])
  const requests = halves.reduce((sum, { answered }) => sum + answered, 0)
  scope.figure('seed', SEED)
  scope.figure('requests', requests, { atLeast: 300_000 / scale })
  scope.figure('requests a second', requests / SECONDS)
  scope.figure('kinds', new Set([...READS, ...REFUSALS]).size, { exactly: 30 })
  scope.figure(
    'wrong answers',
    wrong.reduce((sum, [, count]) => sum + count, 0),
    { exactly: 0 },
  )
  scope.figure('what was wrong', wrong.slice(0, 3).join('; '))
  scope.figure('growth in percent', ((second - first) / first) * 100, { atMost: 10 })
})
