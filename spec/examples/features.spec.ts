import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { root } from '../architecture/source.js'
import { transcriptFaults } from '../readme/transcript.js'

const folder = join(root, 'examples/features')
const names = readdirSync(folder).filter(name => name.endsWith('.ts'))
const servers: Server[] = []

afterAll(() => {
  vi.unstubAllEnvs()
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
})

describe('examples/features', () => {
  it.each(names)('%s responds as its first comment shows', async name => {
    vi.stubEnv('PORT', '0')
    const { server } = (await import(join(folder, name))) as { server: Server }
    servers.push(server)
    if (!server.listening) await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const [comment = ''] = readFileSync(join(folder, name), 'utf8').split(/^import /m, 1)
    const text = comment.replaceAll(/^\/\/ ?/gm, '').replaceAll(':3000', `:${port}`)
    const transcript = { page: name, language: 'console', line: 1, text }
    expect(text).toContain(`$ curl`)
    expect(await transcriptFaults(transcript, port)).toEqual([])
  })

  it('are short enough for a screen', () => {
    const lengths = names.map(name => readFileSync(join(folder, name), 'utf8').split('\n').length)
    expect(Math.max(...lengths)).toBeLessThanOrEqual(80)
  })

  it('are all listed in examples/README.md', () => {
    const page = readFileSync(join(root, 'examples/README.md'), 'utf8')
    expect(names.filter(name => !page.includes(`(features/${name})`))).toEqual([])
  })
})
