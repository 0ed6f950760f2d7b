import type { AddressInfo } from 'node:net'
import { createApp } from '../../examples/pet-shop/app.js'
import { openDatabase, prepareDatabase } from '../../examples/pet-shop/database.js'

// The pet shop as one process among several: the database of DATABASE_URL, any free port.

const database = openDatabase(process.env.DATABASE_URL ?? '')
await prepareDatabase(database, () => undefined)
const app = createApp(database)
app.silent = true
const server = app.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () =>
  process.send?.({ port: (server.address() as AddressInfo).port }),
)
