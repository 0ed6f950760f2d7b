import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { Api } from 'koa-smorest'
import { notes } from './notes.js'

// An application as docs/deploying.md has it bundled: it prints its port.
const app = new Koa()
const api = new Api(app, {
  OPENAPI_VERSION: '3.1.0',
  OPENAPI_URL_PREFIX: '/docs',
  OPENAPI_SWAGGER_UI_PATH: '/',
  OPENAPI_REDOC_PATH: '/redoc',
  OPENAPI_ASSETS_FOLDER: process.env.ASSETS_FOLDER ?? null,
})
api.registerBlueprint(notes)
const server = app.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
