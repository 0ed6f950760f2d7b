import { contract } from 'koa-smorest/testing'
import { examples } from '../spec/examples/sound.js'
import { soundShop } from '../spec/pet-shop/sound.js'
import { soundReference } from '../spec/reference/sound.js'
import { experiment, scale } from './experiment.js'
import { applications } from './planted/applications.js'

// Applications with one fault at a time, of the kinds that developers make: `contract` finds it,
// and has nothing to say against the sound ones, the pet shop and the other examples among them,
// whatever the seed.

const SEEDS = Math.max(1, Math.round(20 / scale))

await experiment('E19', 'planted faults of meaning', async ({ figure }) => {
  let [alarms, requests, seconds, faults, found, refusals] = [0, 0, 0, 0, 0, 0]
  for (const [name, { create, faults: planted }] of Object.entries(applications)) {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { app, api, options } = create()
      const report = await contract(app, api, { ...options, seed, runs: 20, complete: true })
      alarms += report.failures.length
    }
    const began = process.cpuUsage().user
    const { app, api, options } = create()
    const report = await contract(app, api, { ...options, runs: 100 })
    requests = Math.max(requests, report.requests)
    seconds = Math.max(seconds, (process.cpuUsage().user - began) / 1e6)
    const missed: string[] = []
    for (const fault of planted) {
      const faulty = create(fault)
      const { failures } = await contract(faulty.app, faulty.api, {
        ...faulty.options,
        runs: 40,
        complete: true,
      })
      // a refusal that never comes shows in the coverage alone
      if (failures.length === 0) missed.push(fault)
      else if (failures.every(({ check }) => check === 'coverage')) refusals++
    }
    faults += planted.length
    found += planted.length - missed.length
    figure(`missed in ${name}`, missed.join('; '))
  }
  let [soundRuns, soundRequests] = [0, 0]
  for (const create of [soundReference, soundShop, ...Object.values(examples)])
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { app, api, options, end } = await create(seed)
      app.silent = true
      const report = await contract(app, api, { ...options, seed, runs: 20 })
      await end?.()
      alarms += report.failures.length
      soundRuns++
      soundRequests += report.requests
    }
  figure('runsOfSoundOnes', soundRuns)
  figure('requestsToSoundOnes', soundRequests)
  figure('falseAlarms', alarms, { exactly: 0 })
  figure('secondsOfCpu', seconds, { atMost: 30 })
  figure('requests', requests)
  figure('faults', faults)
  figure('found', found / faults, { atLeast: 0.75 })
  figure('foundByCoverageAlone', refusals)
})
