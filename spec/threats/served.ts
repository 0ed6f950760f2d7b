import { serveBlueprints } from '../support/client.js'
import { BLUEPRINTS } from './application.js'

/** Serves the application of the threats behind a real server, as it runs in production. */
export async function serveThreats() {
  const served = await serveBlueprints(BLUEPRINTS, {
    OPENAPI_URL_PREFIX: '/docs',
    OPENAPI_SWAGGER_UI_PATH: '/',
    OPENAPI_REDOC_PATH: '/redoc',
    DEBUG: false,
    TESTING: false,
  })
  /** Posts a text as JSON. */
  const post = (path: string, body: string) =>
    served.request('POST', path, { headers: { 'Content-Type': 'application/json' }, body })
  return { ...served, post }
}
