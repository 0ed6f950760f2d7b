import Koa from 'koa'
import { upstream } from './koa-upstream.mjs'
import { blueprintOf, library } from './pets.mjs'
import { hasUpstream, KINDS, port, resources, store } from './shop.mjs'

const { Api, Application } = library
const { VARIANT = '' } = process.env
const app = VARIANT.endsWith('application') ? new Application() : new Koa()
// any middleware of the application's own, so that answers go through Koa
if (VARIANT.startsWith('behind')) app.use((_ctx, next) => next())
if (hasUpstream) for (const middleware of upstream) app.use(middleware)
const api = new Api(app, { OPENAPI_VERSION: '3.1.0', OPENAPI_URL_PREFIX: '/' })
for (const resource of resources) api.registerBlueprint(blueprintOf(resource, KINDS, store))
app.listen(port, '127.0.0.1')
