import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { Api } from 'koa-smorest'
import { BLUEPRINTS } from '../../spec/threats/application.js'

// One operation for each thing that somebody may try.

const app = new Koa()
app.silent = true
const api = new Api(app, { OPENAPI_VERSION: '3.1.0', OPENAPI_URL_PREFIX: '/docs' })
for (const blueprint of BLUEPRINTS) api.registerBlueprint(blueprint)
const server = app.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
