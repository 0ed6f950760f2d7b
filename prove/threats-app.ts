import * as t from 'io-ts'
import Koa from 'koa'
import { Api, Blueprint, json, operation } from 'koa-smorest'
import { BLUEPRINTS, Shapes } from '../spec/threats/application.js'

const [First, Second, ...Others] = Array.from({ length: 10 }, (_, index) =>
  t.strict({ [`f${index}`]: t.number }),
)
/** Codecs whose decoding takes longest. */
const Costly = {
  lists: t.array(t.array(t.array(t.array(t.number)))),
  empty: t.array(t.strict({})),
  union: t.array(t.union([First as t.Mixed, Second as t.Mixed, ...Others])),
  around: t.union([
    t.array(t.strict({ a: t.string })),
    t.array(t.strict({ a: t.number, b: t.string })),
    t.array(t.strict({ a: t.number })),
  ]),
  dictionary: t.record(t.string, t.number),
  tree: t.recursion(
    'Fork',
    (self: t.Mixed): t.Mixed =>
      t.union([t.strict({ l: self, r: self }), t.strict({ l: self }), t.strict({ a: t.number })]),
  ),
}

/**
 * One operation for each thing that somebody may try; and some that only read, so that no time is
 * spent on their responses.
 */
export function createThreatsApp(): Koa {
  const app = new Koa()
  app.silent = true
  const api = new Api(app, { OPENAPI_VERSION: '3.1.0', OPENAPI_URL_PREFIX: '/docs' })
  const readers = new Blueprint('readers', { urlPrefix: '/read' })
    .post('/anything', operation(json(t.unknown)), () => null)
    .post('/record', operation(json(t.UnknownRecord)), () => null)
    .post('/shapes', operation(json(Shapes)), () => null)
  for (const [name, codec] of Object.entries(Costly))
    readers.post(`/${name}`, operation(json(codec)), () => null)
  for (const blueprint of [...BLUEPRINTS, readers]) api.registerBlueprint(blueprint)
  return app
}
