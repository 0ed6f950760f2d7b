import Koa from 'koa'
import { Api } from 'koa-smorest'
import { tasks } from './tasks.js'

export const app = new Koa()
export const api = new Api(app, {
  API_TITLE: 'my-api',
  API_VERSION: '0.1.0',
  OPENAPI_VERSION: '3.1.0',
  // the document at /docs/openapi.json, Swagger UI at /docs/
  OPENAPI_URL_PREFIX: '/docs',
  OPENAPI_SWAGGER_UI_PATH: '/',
  // errors as problem details, RFC 9457
  API_ERRORS: 'problem',
  // an operation without secure() or open() is a mistake
  API_REQUIRE_SECURITY: true,
}).registerBlueprint(tasks)
