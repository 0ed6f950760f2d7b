import { contract } from 'koa-smorest/testing'
import { experiment, scale } from './experiment.js'
import { createTasks, plan } from './planted/tasks.js'

// An application with one fault at a time, of the kinds that developers make: `contract` finds it,
// and has nothing to say against the sound one, whatever the seed.

const SEEDS = Math.max(1, Math.round(5 / scale))

await experiment('E19', 'planted faults of meaning', async ({ figure }) => {
  const began = process.cpuUsage().user
  let alarms = 0
  let requests = 0
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { app, api, options } = createTasks()
    const report = await contract(app, api, { ...options, seed, runs: 100, complete: true })
    alarms += report.failures.length
    requests = report.requests
  }
  const cpu = (process.cpuUsage().user - began) / 1e6 / SEEDS
  const missed: string[] = []
  for (const fault of Object.keys(plan)) {
    const { app, api, options } = createTasks(fault)
    const { failures } = await contract(app, api, { ...options, runs: 40 })
    if (failures.length === 0) missed.push(fault)
  }
  const total = Object.keys(plan).length
  figure('falseAlarms', alarms, { exactly: 0 })
  figure('secondsOfCpu', cpu, { atMost: 30 })
  figure('requests', requests)
  figure('faults', total)
  figure('found', (total - missed.length) / total, { atLeast: 0.75 })
  figure('missed', missed.join('; '))
})
