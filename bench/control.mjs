// Loaded into every server before its own code: tells its usage where the system has no /proc,
// answers requests that come without a socket, and ends with the bench.
import { Session } from 'node:inspector/promises'
import { answer } from './connections.mjs'

/** Of the heap; V8 adds up what has been collected too. */
const profiler = new Session()
const SAMPLING = {
  samplingInterval: 4096,
  includeObjectsCollectedByMajorGC: true,
  includeObjectsCollectedByMinorGC: true,
}

process.on('message', async message => {
  if (message === 'stop') process.exit()
  if (message === 'sample allocations') {
    profiler.connect()
    await profiler.post('HeapProfiler.startSampling', SAMPLING)
    return process.send('sampling')
  }
  if (message === 'allocations')
    return process.send((await profiler.post('HeapProfiler.stopSampling')).profile)
  if (message.requests)
    await answer(message.requests.map(Buffer.from), message.count, message.status)
  const { user, system } = process.cpuUsage()
  process.send({ cpu: user + system, memory: process.memoryUsage.rss() })
})
process.on('disconnect', () => process.exit())
