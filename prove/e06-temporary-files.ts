import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { requestBytes } from '../spec/support/wire.js'
import { Connection } from './connection.js'
import { STAFF_LINE } from './credentials.js'
import { createDatabase } from './database.js'
import { experiment, scale } from './experiment.js'
import { randomNumbers } from './random.js'
import { type ServerProcess, startServer } from './server-process.js'

// 6,000 uploads to the pet shop that end in six ways: stored, refused by the codec, failing in the
// method, given up by the client somewhere, to no operation, too many files. A second later no file
// is left, and no more are open than before.

const EACH = 1000 / scale
const WIDTH = 20

const part = (name: string, size: number) =>
  `--X\r\nContent-Disposition: form-data; name="${name}"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n${'a'.repeat(size)}\r\n`
const upload = (method: string, path: string, ...parts: string[]) =>
  requestBytes(
    method,
    path,
    ['Content-Type: multipart/form-data; boundary=X', STAFF_LINE],
    `${parts.join('')}--X--\r\n`,
  )

const GOOD = upload('PUT', '/pets/1/picture', part('picture', 20_000))
const KINDS = {
  stored: { bytes: GOOD, status: 204 },
  'refused by the codec': {
    bytes: upload('PUT', '/pets/1/picture', part('another', 20_000)),
    status: 422,
  },
  'failing in the method': {
    bytes: upload('POST', '/faults/upload', part('picture', 20_000)),
    status: 500,
  },
  'to no operation': { bytes: upload('PUT', '/nothing', part('picture', 20_000)), status: 404 },
  'with too many files': {
    bytes: upload('PUT', '/pets/1/picture', ...Array<string>(11).fill(part('picture', 2000))),
    status: 413,
  },
}

await experiment('E6', 'temporary files', async scope => {
  const { url } = await createDatabase(scope)
  const folder = mkdtempSync(join(tmpdir(), 'prove-uploads-'))
  scope.onEnd(() => rmSync(folder, { recursive: true }))
  const server = await startServer(scope, 'servers/shop.ts', { DATABASE_URL: url, TMPDIR: folder })
  await run(server, 40)
  await sleep(1000)
  const before = await server.measure()
  const right = await run(server, EACH)
  await sleep(1000)
  const after = await server.measure()
  for (const [kind, count] of Object.entries(right)) scope.figure(kind, count, { exactly: EACH })
  // tsx, which runs the server, has a folder there too
  const left = readdirSync(folder).filter(name => !name.startsWith('tsx-'))
  scope.figure('files left', left.length, { exactly: 0 })
  // a connection of the pool may have been opened since
  scope.figure('files open above the start', after.openFiles - before.openFiles, { atMost: 2 })
})

/** Sends so many of each kind, mixed; gives how many were answered as they should be. */
async function run(server: ServerProcess, each: number): Promise<Record<string, number>> {
  const right: Record<string, number> = { 'given up': 0 }
  const random = randomNumbers(6)
  const jobs = Array.from({ length: each }, () => [
    ...Object.entries(KINDS).map(([kind, { bytes, status }]) => async (connection: Connection) => {
      const answer = await connection.send(bytes)
      right[kind] = (right[kind] ?? 0) + (answer.status === status ? 1 : 0)
    }),
    async () => {
      await giveUp(server.port, GOOD.subarray(0, Math.floor(random() * GOOD.length)))
      right['given up'] = (right['given up'] ?? 0) + 1
    },
  ]).flat()
  const worker = async () => {
    let connection = await Connection.open(server.port)
    for (let job = jobs.pop(); job; job = jobs.pop()) {
      connection = await connection.again()
      await job(connection)
    }
    connection.close()
  }
  await Promise.all(Array.from({ length: WIDTH }, worker))
  return right
}

/** Sends the beginning of a request and goes away. */
async function giveUp(port: number, bytes: Buffer): Promise<void> {
  await new Promise<void>(resolve => {
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(bytes, () => setTimeout(() => socket.resetAndDestroy(), 2)),
    )
    socket.on('error', () => undefined).on('close', () => resolve())
  })
}
