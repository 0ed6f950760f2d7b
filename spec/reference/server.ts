import Koa from 'koa'
import { createApplication } from './application.js'
import { SOUND_BLUEPRINTS } from './attack.js'
import { mount } from './mount.js'
import { items, pets } from './state.js'

const ALTERNATIVE_DOCUMENT = {
  OPENAPI_URL_PREFIX: '/alt/',
  OPENAPI_JSON_PATH: 'spec.json',
  OPENAPI_REDOC_PATH: null,
  OPENAPI_SWAGGER_UI_PATH: null,
  API_VERSION: 'v2',
  API_SPEC_OPTIONS: {
    info: { description: 'From options' },
    security: [{ basic: [] }],
    servers: [{ url: 'https://example.com' }],
  },
}

/**
 * All copies of the application, each below its prefix, and `POST /__reset`, which brings back the
 * initial state.
 */
export function createServer(): Koa {
  const server = new Koa()
  // views that fail on purpose would fill the log
  server.on('error', () => {})
  server.use((ctx, next) => {
    if (ctx.path !== '/__reset' || ctx.method !== 'POST') return next()
    pets.reset()
    items.reset()
    ctx.status = 204
  })
  server.use(mount('/__v/noetag', createApplication({ ETAG_DISABLED: true })))
  server.use(mount('/__v/testing', createApplication({ TESTING: true })))
  server.use(mount('/__v/oas2', createApplication({ OPENAPI_VERSION: '2.0', API_VERSION: '42' })))
  server.use(mount('/__v/oas31', createApplication({ OPENAPI_VERSION: '3.1.0' })))
  server.use(mount('/__v/nodocs', createApplication({ OPENAPI_URL_PREFIX: null })))
  server.use(mount('/__v/altdocs', createApplication(ALTERNATIVE_DOCUMENT)))
  server.use(mount('/__v/attack', createApplication({}, SOUND_BLUEPRINTS)))
  server.use(mount('', createApplication()))
  return server
}
