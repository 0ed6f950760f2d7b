import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { startEmbeddedPostgres } from '../examples/pet-shop/embedded-postgres.js'
import { findInstallation } from '../examples/pet-shop/postgres-installation.js'
import type { Scope } from './experiment.js'

/**
 * A database of the experiment's own, on the server of `DATABASE_URL`, or else on an embedded one.
 */
export interface ProveDatabase {
  readonly url: string
  /**
   * Kills the server as a power cut would and starts it again. Only an embedded server can be
   * treated so: `undefined` for others.
   */
  readonly restart: (() => Promise<void>) | undefined
}

const FOLDER = join(tmpdir(), 'koa-smorest-prove')

/** Makes an empty database, which goes with the experiment. */
export async function createDatabase(scope: Scope): Promise<ProveDatabase> {
  const { DATABASE_URL } = process.env
  const server = DATABASE_URL ? undefined : await startEmbeddedPostgres(FOLDER)
  if (server) scope.onEnd(() => server.stop())
  const home = server?.url ?? DATABASE_URL ?? ''
  const name = `prove_${process.pid}`
  await statement(home, `CREATE DATABASE ${name}`)
  scope.onEnd(() => statement(home, `DROP DATABASE ${name} WITH (FORCE)`))
  const url = new URL(home)
  url.pathname = `/${name}`
  return { url: url.href, restart: server && restart }
}

async function statement(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(text)
  await client.end()
}

async function restart(): Promise<void> {
  const { pg_ctl, home, user } = await findInstallation(FOLDER)
  const args = [
    'restart',
    '-D',
    join(home, 'cluster'),
    '-m',
    'immediate',
    '-l',
    join(home, 'postgres.log'),
  ]
  await promisify(execFile)(pg_ctl, args, user)
}
