import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../../examples/pet-shop/app.js'
import { type Database, openDatabase, prepareDatabase } from '../../examples/pet-shop/database.js'
import { startEmbeddedPostgres } from '../../examples/pet-shop/embedded-postgres.js'
import { secrets } from './credentials.js'

/** The pet shop, freshly opened, served by this process. */
export interface ServedShop {
  readonly url: string
  readonly database: Database
  close(): Promise<void>
}

/** Opens a shop with a database of its own, in a folder that is removed when it closes. */
export async function serveShop(): Promise<ServedShop> {
  const folder = await mkdtemp(join(tmpdir(), 'pet-shop-spec-'))
  const postgres = await startEmbeddedPostgres(folder)
  const database = openDatabase(postgres.url)
  await prepareDatabase(database, () => undefined)
  const server = createApp(database, { secrets, givesTokens: true }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    database,
    close: async () => {
      server.close()
      await database.end()
      await postgres.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
