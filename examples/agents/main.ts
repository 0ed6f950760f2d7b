// Serves the jobs, and lets an agent of Ann's work on them: `npx tsx examples/agents/main.ts`.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { Agent } from './agent.js'
import { jobsApp } from './app.js'

const token = randomUUID()
const server = jobsApp(new Map([[token, 'Ann']])).listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo

const agent = await new Agent().connect(new URL(`http://127.0.0.1:${port}/mcp`), token)
console.log(await agent.tools())
console.log(await agent.call('addJob', { body: { title: 'Paint the fence' } }))
console.log(await agent.rename('1', 'Paint the gate'))
console.log(await agent.call('readJob', { jobId: '2' }))
await agent.close()
server.close()
