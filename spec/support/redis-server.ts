import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { Redis } from 'ioredis'

/** Whether `redis-server` is installed; CI has none. */
export const hasRedis = spawnSync('redis-server', ['--version']).status === 0

/** Starts a server that keeps nothing on disk, and waits until it answers. */
export async function startRedis() {
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  listener.close()
  const args = ['--port', String(port), '--save', '', '--bind', '127.0.0.1']
  const server = spawn('redis-server', args, { stdio: 'ignore' })
  const client = new Redis({ port, host: '127.0.0.1', retryStrategy: () => 50 })
  client.on('error', () => undefined)
  await client.ping()
  return {
    port,
    client,
    async stop() {
      client.disconnect()
      const exit = once(server, 'exit')
      server.kill('SIGKILL')
      await exit
    },
  }
}
