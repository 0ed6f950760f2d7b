import { describe, expect, it } from 'vitest'
import { Agent } from '../../examples/agents/agent.js'
import { jobsApp } from '../../examples/agents/app.js'
import { served } from '../mcp/connected.js'

describe('examples/agents', () => {
  it('has tools that an agent calls with the rights of its user', async () => {
    const url = await served(
      jobsApp(
        new Map([
          ['ann-sesame', 'Ann'],
          ['bob-sesame', 'Bob'],
        ]),
      ),
    )
    const ann = await new Agent().connect(url, 'ann-sesame')
    const bob = await new Agent().connect(url, 'bob-sesame')
    const job = { id: '1', title: 'Paint', owner: 'Ann', version: 1 }
    expect({
      tools: await ann.tools(),
      added: await ann.call('addJob', { body: { title: 'Paint' } }),
      renamed: (await ann.rename('1', 'Varnish')).body,
      refused: await bob.rename('1', 'Burn'),
      listed: (await bob.call('listJobs')).body,
    }).toMatchObject({
      tools: [
        'listJobs: List all jobs',
        'addJob: Add a job',
        'readJob: Read a job',
        'renameJob: Rename a job',
      ],
      added: { status: 201, headers: { Location: '/jobs/1' }, body: job },
      renamed: { ...job, title: 'Varnish', version: 2 },
      refused: { status: 403, body: { message: "This job is Ann's." } },
      listed: [{ ...job, title: 'Varnish', version: 2 }],
    })
    await ann.close()
    await bob.close()
  })
})
