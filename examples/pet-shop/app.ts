import Koa from 'koa'
import { Api } from 'koa-smorest'
import type { Database } from './database.js'
import { ownerBlueprint } from './owner-views.js'
import { Owners } from './owners.js'
import { petBlueprint } from './pet-views.js'
import { Pets } from './pets.js'

const DESCRIPTION = `A shop for pets, the example of koa-smorest.

Every pet and every owner has a version, which is its entity tag. Whoever changes one names the version that they have seen, in \`If-Match\`:
without it the answer is 428, and 412 where someone else was faster. Nobody's change is lost.`

/** The pet shop on a database: `/pets/`, `/owners/` and the documentation below `/docs`. */
export function createApp(database: Database): Koa {
  const app = new Koa()
  const api = new Api(app, {
    API_TITLE: 'Pet shop',
    API_VERSION: '1.0.0',
    API_SPEC_OPTIONS: { info: { description: DESCRIPTION } },
    OPENAPI_VERSION: '3.1.0',
    OPENAPI_URL_PREFIX: '/docs',
    OPENAPI_SWAGGER_UI_PATH: '/',
    OPENAPI_REDOC_PATH: '/redoc',
  })
  const [pets, owners] = [new Pets(database), new Owners(database)]
  api.registerBlueprint(petBlueprint(pets))
  api.registerBlueprint(ownerBlueprint(owners, pets))
  return app
}
