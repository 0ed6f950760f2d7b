import { availableParallelism } from 'node:os'
import type Koa from 'koa'
import { contract } from '../src/testing/index.js'
import { attack, type Found } from './attack.js'
import { STAFF_LINE } from './credentials.js'
import { createDatabase } from './database.js'
import { experiment, scale } from './experiment.js'
import { startServer } from './server-process.js'
import { FAULTS } from './servers/planted-faults.js'
import { createShop } from './servers/planted-shop.js'

// The black-box attack finds nothing in the pet shop, with five seeds, as one of the staff and as
// nobody; and it finds each of two dozen faults that are planted into a small shop, in which it
// finds nothing without them. So does a contract test, but for the one that only bytes on a socket
// show. By hand, with more requests: node prove/attack.mjs URL URL/docs/openapi.json --strict

const SEEDS = [1, 2, 3, 4, 5]
const REQUESTS_A_SEED = Math.round(1000 / scale)

await experiment('E11', 'attack', async scope => {
  const { url } = await createDatabase(scope)
  const shop = await startServer(scope, 'servers/shop.ts', { DATABASE_URL: url })
  const runs: Found[] = []
  for (const seed of SEEDS)
    runs.push(
      await attack(shop.url, [
        `--seed=${seed}`,
        `--max=${REQUESTS_A_SEED}`,
        ...(seed % 2 ? [`--header=${STAFF_LINE}`] : []),
      ]),
    )
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
  scope.figure('requests judged', sum(runs.map(({ passed, failed }) => passed + failed)))
  scope.figure('failed', sum(runs.map(({ failed }) => failed)), { exactly: 0 })
  for (const { failed, report } of runs) if (failed > 0) console.error(report)

  const planted = await startServer(scope, 'servers/planted.ts')
  const sound = await attack(`${planted.url}/sound`, ['--max=1500'])
  if (sound.failed > 0) console.error(sound.report)
  scope.figure('failed without a fault', sound.failed, { exactly: 0 })
  const missed: string[] = []
  const left = [...FAULTS.entries()]
  const worker = async () => {
    for (let next = left.pop(); next; next = left.pop()) {
      const [index, { name, classes }] = next
      const { failed } = await attack(`${planted.url}/${index}`, [
        `--only=${classes}`,
        '--max=250',
        '--seconds=12',
      ])
      if (failed === 0) missed.push(name)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, worker))
  scope.figure('faults planted', FAULTS.length, { atLeast: 19 })
  scope.figure('faults found', FAULTS.length - missed.length, { exactly: FAULTS.length })
  scope.figure('faults not found', missed.join(', '))

  const failuresOf = async (fault?: Koa.Middleware) => {
    const { app, api, reset } = createShop(fault)
    app.silent = true
    return (await contract(app, api, { reset, runs: 20 })).failures
  }
  scope.figure('contract: failures without a fault', (await failuresOf()).length, { exactly: 0 })
  const visible = FAULTS.filter(({ classes }) => classes !== 'crlf')
  const unseen: string[] = []
  for (const { name, fault } of visible)
    if ((await failuresOf(fault)).length === 0) unseen.push(name)
  scope.figure('contract: faults found', visible.length - unseen.length, {
    exactly: visible.length,
  })
  scope.figure('contract: faults not found', unseen.join(', '))
})
