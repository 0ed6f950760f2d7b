// Every kind of credentials that OpenAPI 3.0 knows.
import Koa from 'koa'
import {
  Api,
  abort,
  apiKey,
  Blueprint,
  basic,
  bearer,
  oauth2,
  openIdConnect,
  operation,
  response,
  type Scheme,
  safeEqual,
  secure,
} from 'koa-smorest'

/** Everybody has one secret: it is the key, the password and the token, which may write things. */
export function security(secret: string) {
  const principal = (given: string) => safeEqual(given, secret) && { scopes: ['write:things'] }
  const inQuery = apiKey('apiKey_query', { in: 'query', name: 'apiKey', principal })
  const inHeader = apiKey('apiKey_header', { in: 'header', name: 'X-API-KEY', principal })
  const inCookie = apiKey('apiKey_cookie', { in: 'cookie', name: 'api_key', principal })
  const password = basic('basic', { principal: (_user, given) => principal(given) })
  const token = bearer('bearer', { principal })
  const jwt = bearer('bearer_jwt', { principal, format: 'JWT' })

  const flowsOf = (host: string) => {
    const scopes = { 'write:things': 'Add things to your account' }
    const authorizationUrl = `http://${host}/oauth/dialog`
    const tokenUrl = `http://${host}/oauth/token`
    return {
      authorizationCode: { authorizationUrl, tokenUrl, scopes },
      clientCredentials: { tokenUrl, scopes },
      implicit: { authorizationUrl, scopes },
      password: { tokenUrl, scopes },
    }
  }
  const oauth = (name: string, flows: Partial<ReturnType<typeof flowsOf>>) =>
    oauth2(name, { flows, token }).scopes('write:things')
  const by = flowsOf('alt.example.com')
  const url = 'https://example.com/.well-known/openid-configuration'

  const done = response({ content: false })
  const requiring = <Refusals extends number>(scheme: Scheme<object, Refusals>) =>
    operation(secure(scheme), done)
  const nothing = () => undefined
  const anything = new Blueprint('anything')
    .get('/anything/apiKey', requiring(inQuery), nothing)
    .post('/anything/apiKey', requiring(inCookie), nothing)
    .put('/anything/apiKey', requiring(inHeader), nothing)
    .post('/anything/basic', requiring(password), nothing)
    .post('/anything/bearer', requiring(token), nothing)
    .put('/anything/bearer', requiring(jwt), nothing)
    .post('/anything/oauth2', requiring(oauth('oauth2', flowsOf('example.com'))), nothing)
    .get(
      '/anything/oauth2',
      requiring(oauth('oauth2_authorizationCode', { authorizationCode: by.authorizationCode })),
      nothing,
    )
    .put(
      '/anything/oauth2',
      requiring(oauth('oauth2_clientCredentials', { clientCredentials: by.clientCredentials })),
      nothing,
    )
    .patch(
      '/anything/oauth2',
      requiring(oauth('oauth2_implicit', { implicit: by.implicit })),
      nothing,
    )
    .delete(
      '/anything/oauth2',
      requiring(oauth('oauth2_password', { password: by.password })),
      nothing,
    )
    .post(
      '/anything/openIdConnect',
      requiring(openIdConnect('openIdConnect', { url, token })),
      nothing,
    )
    .post('/anything/no-auth', operation(done), nothing)
    .get('/anything/optional-auth', operation(secure(inQuery, { optional: true }), done), nothing)
    .post('/status/401', requiring(inHeader), () => abort(401))
  return new Api(new Koa(), {
    OPENAPI_VERSION: '3.0.3',
    OPENAPI_URL_PREFIX: '/',
  }).registerBlueprint(anything)
}
