import type { AddressInfo } from 'node:net'
import { createThreatsApp } from '../threats-app.js'

const server = createThreatsApp().listen(0, '127.0.0.1', () =>
  process.send?.({ port: (server.address() as AddressInfo).port }),
)
