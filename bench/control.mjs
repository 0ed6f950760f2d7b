// Loaded into every server before its own code: tells its usage where the system has no /proc,
// answers requests that come without a socket, and ends with the bench.
import { answer } from './connections.mjs'

process.on('message', async message => {
  if (message === 'stop') process.exit()
  if (message.requests)
    await answer(message.requests.map(Buffer.from), message.count, message.status)
  const { user, system } = process.cpuUsage()
  process.send({ cpu: user + system, memory: process.memoryUsage.rss() })
})
process.on('disconnect', () => process.exit())
