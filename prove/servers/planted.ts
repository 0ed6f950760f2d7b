import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { mount } from '../../spec/reference/mount.js'
import { FAULTS } from './planted-faults.js'
import { createShop } from './planted-shop.js'

// The small shop, sound below /sound, and below /0, /1 and so on with one fault each.

const server = new Koa()
server.silent = true
for (const [index, { fault }] of FAULTS.entries())
  server.use(mount(`/${index}`, createShop(fault).app))
server.use(mount('/sound', createShop().app))
const listener = server.listen(0, '127.0.0.1', () =>
  process.send?.({ port: (listener.address() as AddressInfo).port }),
)
