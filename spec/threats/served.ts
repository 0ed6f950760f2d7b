import { serveBlueprints } from '../support/client.js'
import { BLUEPRINTS } from './application.js'

/** The application of the threats behind a real server, as it runs in production. */
export const { request, port, api, errors } = await serveBlueprints(BLUEPRINTS, {
  OPENAPI_URL_PREFIX: '/docs',
  OPENAPI_SWAGGER_UI_PATH: '/',
  OPENAPI_REDOC_PATH: '/redoc',
  DEBUG: false,
  TESTING: false,
})

/** Posts a text as JSON. */
export const post = (path: string, body: string) => request('POST', path, { headers: { 'Content-Type': 'application/json' }, body })
