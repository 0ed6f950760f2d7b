import { createDatabase } from './database.js'
import { experiment, scale } from './experiment.js'
import { sendLoad } from './load.js'
import { startServer } from './server-process.js'
import { REFUSALS } from './shop-shots.js'

// 200,000 requests that are all refused, in eighteen ways: the heap is no more than 5 MB larger
// than after the first 20,000.

const CONNECTIONS = 50
const REQUESTS = 200_000 / scale
const MB = 1024 * 1024

await experiment('E12', 'heap under refusals', async scope => {
  const { url } = await createDatabase(scope)
  const server = await startServer(scope, 'servers/shop.ts', { DATABASE_URL: url })
  let sent = 0
  const sendUpTo = (count: number) =>
    sendLoad(server.port, CONNECTIONS, () =>
      sent < count ? REFUSALS[sent++ % REFUSALS.length] : undefined,
    )
  const early = await sendUpTo(REQUESTS / 10)
  const { heap: before } = await server.measure()
  const late = await sendUpTo(REQUESTS)
  const { heap: after, unhandledRejections, warnings } = await server.measure()
  const wrong = [...early.wrong, ...late.wrong]
  scope.figure('requests', early.answered + late.answered, { atLeast: REQUESTS })
  scope.figure(
    'wrong answers',
    wrong.reduce((sum, [, count]) => sum + count, 0),
    { exactly: 0 },
  )
  scope.figure('what was wrong', wrong.slice(0, 3).join('; '))
  scope.figure('heap before in MB', before / MB)
  scope.figure('heap after in MB', after / MB, { atMost: before / MB + 5 })
  scope.figure('unhandled rejections', unhandledRejections, { exactly: 0 })
  scope.figure('warnings', warnings, { exactly: 0 })
})
