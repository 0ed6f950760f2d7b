import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { requestBytes } from '../spec/support/wire.js'
import { Connection } from './connection.js'
import { createDatabase } from './database.js'
import { experiment } from './experiment.js'

// The pet shop, as it is started by hand with two workers, is told to stop while 200 requests wait
// for a table that is locked for a second, and 50 connections are idle. Every request is answered,
// nobody new gets in, and the process ends with 0.

const REQUESTS = 200
const IDLE = 50
const MAIN = fileURLToPath(new URL('../examples/pet-shop/main.ts', import.meta.url))

await experiment('E5', 'drain', async scope => {
  const { url } = await createDatabase(scope)
  const port = await freePort()
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    DATABASE_URL: url,
    PORT: String(port),
    WORKERS: '2',
    LOG: 'warn',
  }
  const shop = spawn(process.execPath, ['--import', 'tsx', MAIN], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  scope.onEnd(() => shop.kill('SIGKILL'))
  while (!(await isListening(port))) await sleep(100)

  const open = (count: number) =>
    Promise.all(Array.from({ length: count }, () => Connection.open(port)))
  const request = requestBytes('GET', '/pets/1')
  const [connections, idle] = [await open(REQUESTS), await open(IDLE)]
  scope.onEnd(() => {
    for (const connection of [...connections, ...idle]) connection.close()
  })
  for (const connection of idle) await connection.send(request)
  const unlock = await lockPets(url)
  const answers = connections.map(connection => connection.send(request).catch(() => undefined))
  await sleep(500)
  const stopped = performance.now()
  const exit = once(shop, 'exit')
  shop.kill('SIGTERM')
  await sleep(500)
  const isOpen = await isListening(port)
  await unlock()
  const whole = (await Promise.all(answers)).filter(
    answer => answer?.status === 200 && JSON.parse(answer.body.toString()).id === 1,
  )
  const [code] = await exit

  scope.figure('whole answers', whole.length, { exactly: REQUESTS })
  scope.figure('new connections', isOpen ? 1 : 0, { exactly: 0 })
  scope.figure('exit code', code, { exactly: 0 })
  scope.figure('seconds until the end', (performance.now() - stopped) / 1000, { atMost: 3 })
})

/** Locks the pets, so that whoever reads one waits; gives what unlocks them. */
async function lockPets(url: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('BEGIN')
  await client.query('LOCK TABLE pets IN ACCESS EXCLUSIVE MODE')
  return async () => {
    await client.query('COMMIT')
    await client.end()
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  return new Promise<boolean>(resolve => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  }).finally(() => socket.destroy())
}
