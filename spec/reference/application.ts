import Koa from 'koa'
import { type AnyBlueprint, Api, type Settings } from 'koa-smorest'
import { argsBlueprint } from './args.js'
import { ColorCode } from './codecs.js'
import { convertBlueprint, hexConverter } from './convert.js'
import { docsCutBlueprint, docsOnlyBlueprint, docsWholeBlueprint } from './docs-only.js'
import { errorsBlueprint } from './errors.js'
import { etagsBlueprint, etagsHeadersBlueprint } from './etags.js'
import { methodsBlueprint } from './methods.js'
import { namedPagesBlueprint, namelessPagesBlueprint, pagesBlueprint } from './pages.js'
import { petsBlueprint } from './pets.js'
import { responsesBlueprint, wrappedBlueprint } from './responses.js'

/** All Blueprints, in the order of the document. */
export const BLUEPRINTS: readonly AnyBlueprint[] = [
  petsBlueprint,
  argsBlueprint,
  responsesBlueprint,
  wrappedBlueprint,
  pagesBlueprint,
  namedPagesBlueprint,
  namelessPagesBlueprint,
  etagsBlueprint,
  etagsHeadersBlueprint,
  errorsBlueprint,
  convertBlueprint,
  methodsBlueprint,
  docsOnlyBlueprint,
  docsCutBlueprint,
  docsWholeBlueprint,
]

const SETTINGS: Settings = {
  API_TITLE: 'Reference API',
  OPENAPI_VERSION: '3.0.3',
  OPENAPI_URL_PREFIX: 'docs',
  OPENAPI_REDOC_PATH: 'redoc',
  OPENAPI_REDOC_VERSION: 'next',
  OPENAPI_SWAGGER_UI_PATH: '/swagger',
  OPENAPI_SWAGGER_UI_VERSION: '3.24.2',
  DEBUG: false,
  TESTING: false,
}

/** Some views fail on purpose: what there is to warn of is known. */
class ReferenceApi<const Given extends Settings> extends Api<Given> {
  override warn(): void {}
}

/** The whole application with its routes in its type, for comparing what a client is told. */
export function createTypedReference() {
  const api = prepared(
    new ReferenceApi(new Koa(), { API_TITLE: 'Reference API', OPENAPI_VERSION: '3.1.0' }),
  )
  return api
    .registerBlueprint(petsBlueprint)
    .registerBlueprint(argsBlueprint)
    .registerBlueprint(responsesBlueprint)
    .registerBlueprint(wrappedBlueprint)
    .registerBlueprint(pagesBlueprint)
    .registerBlueprint(namedPagesBlueprint)
    .registerBlueprint(namelessPagesBlueprint)
    .registerBlueprint(etagsBlueprint)
    .registerBlueprint(etagsHeadersBlueprint)
    .registerBlueprint(errorsBlueprint)
    .registerBlueprint(convertBlueprint)
    .registerBlueprint(methodsBlueprint)
    .registerBlueprint(docsOnlyBlueprint)
    .registerBlueprint(docsCutBlueprint)
    .registerBlueprint(docsWholeBlueprint)
}

function prepared<A extends Api>(api: A): A {
  api.registerConverter('hex', hexConverter)
  api.registerField(ColorCode, 'string', 'color-code')
  return api
}

/** One copy of the application, with settings of its own. */
export function createApplication(settings: Settings = {}, blueprints = BLUEPRINTS): Koa {
  return createReference(settings, blueprints).app
}

/** The same with its Api. */
export function createReference(
  settings: Settings = {},
  blueprints = BLUEPRINTS,
): { readonly app: Koa; readonly api: Api } {
  const app = new Koa()
  const api: Api = prepared(new ReferenceApi(app, { ...SETTINGS, ...settings }))
  for (const blueprint of blueprints) api.registerBlueprint(blueprint)
  return { app, api }
}
