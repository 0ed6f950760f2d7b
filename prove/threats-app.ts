import * as t from 'io-ts'
import Koa from 'koa'
import { Api, Blueprint, json, operation } from 'koa-smorest'
import { BLUEPRINTS, Shapes } from '../spec/threats/application.js'

/** One operation for each thing that somebody may try; and some that only read, so that no time is spent on their responses. */
export function createThreatsApp(): Koa {
  const app = new Koa()
  app.silent = true
  const api = new Api(app, { OPENAPI_VERSION: '3.1.0', OPENAPI_URL_PREFIX: '/docs' })
  const readers = new Blueprint('readers', { urlPrefix: '/read' })
    .post('/anything', operation(json(t.unknown)), () => null)
    .post('/record', operation(json(t.UnknownRecord)), () => null)
    .post('/shapes', operation(json(Shapes)), () => null)
  for (const blueprint of [...BLUEPRINTS, readers]) api.registerBlueprint(blueprint)
  return app
}
