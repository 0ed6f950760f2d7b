import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createApp } from '../../examples/pet-shop/app.js'
import { openDatabase, prepareDatabase } from '../../examples/pet-shop/database.js'
import { SECRETS } from '../credentials.js'
import { addFaults } from './faults.js'

// The pet shop as one process among several: the database of DATABASE_URL, any free port, and the
// timeouts (in ms) of an experiment.

const {
  DATABASE_URL = '',
  PORT = '0',
  HEADERS_TIMEOUT = '10000',
  REQUEST_TIMEOUT = '30000',
  ORDERS_PER_MINUTE = '1000000',
  WORKERS = '1',
} = process.env
const database = openDatabase(DATABASE_URL)
await prepareDatabase(database, () => undefined)
const app = createApp(database, {
  secrets: SECRETS,
  ordersPerMinute: Number(ORDERS_PER_MINUTE),
  workers: Number(WORKERS),
})
app.silent = true
addFaults(app)
const timeouts = {
  headersTimeout: Number(HEADERS_TIMEOUT),
  requestTimeout: Number(REQUEST_TIMEOUT),
  connectionsCheckingInterval: 500,
}
const answer = app.callback()
const server = createServer(timeouts, (request, response) => void answer(request, response))
server.listen(Number(PORT), '127.0.0.1', () =>
  process.send?.({ port: (server.address() as AddressInfo).port }),
)
