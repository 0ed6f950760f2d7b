import { escaped, htmlPage, pageHeaders } from './page-html.js'
import { type PageSource, redocSource, swaggerSource } from './page-sources.js'

/** The settings of the documentation routes (specification, sections 4.7 and 9). */
export interface PageSettings {
  readonly OPENAPI_URL_PREFIX?: string | null
  readonly OPENAPI_JSON_PATH?: string
  readonly OPENAPI_REDOC_PATH?: string | null
  readonly OPENAPI_REDOC_URL?: string | null
  readonly OPENAPI_REDOC_VERSION?: string | null
  readonly OPENAPI_SWAGGER_UI_PATH?: string | null
  readonly OPENAPI_SWAGGER_UI_URL?: string | null
  readonly OPENAPI_SWAGGER_UI_VERSION?: string | null
  readonly OPENAPI_SWAGGER_UI_SUPPORTED_SUBMIT_METHODS?: readonly string[]
}

/** One file of the documentation: its path below the application's root, and either its text or where its file is. */
export interface Page {
  readonly path: string
  readonly contentType: string
  readonly headers: { readonly [name: string]: string }
  readonly body?: string
  readonly file?: URL
}

/** All pages, and what should be said at start. */
export interface Pages {
  readonly pages: readonly Page[]
  readonly warnings: readonly string[]
}

/** What the pages show. */
export interface PageContent {
  readonly title: string
  /** The servers of the document, which "Try it out" may speak to beside the page's own. */
  readonly servers?: readonly { readonly url: string }[]
  /** The version of the document that is served: `3.1.0`. */
  readonly version: string
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']
const HTML = 'text/html; charset=utf-8'
// without the charset a browser reads the bundle as windows-1252 and fails on it
const SCRIPT = 'text/javascript; charset=utf-8'
const ASSET_HEADERS = { 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'public, max-age=86400' }

/** The path of the JSON document, or null where nothing is served. Throws a TypeError where a setting is no path. */
export function documentPath({ OPENAPI_URL_PREFIX, OPENAPI_JSON_PATH = 'openapi.json' }: PageSettings): string | null {
  return OPENAPI_URL_PREFIX == null ? null : pathBelow(OPENAPI_URL_PREFIX, 'OPENAPI_JSON_PATH', OPENAPI_JSON_PATH)
}

/** The query with which the document is served in 3.1, whatever its version: ReDoc 2 reads that one best. */
export const REDOC_QUERY = 'openapi=3.1'

/**
 * Swagger UI and ReDoc, as far as the settings ask for them, with the files that they need. URLs in them are relative, so that they
 * are right under any mount; a page must therefore be served under its own path only, with its slash or without. Nothing is
 * inline but ReDoc's styles.
 */
export function documentationPages(settings: PageSettings, content: PageContent): Pages {
  const { OPENAPI_URL_PREFIX: prefix, OPENAPI_SWAGGER_UI_PATH: swagger, OPENAPI_REDOC_PATH: redoc } = settings
  if (prefix == null) return { pages: [], warnings: [] }
  const swaggerUI = swagger == null ? undefined : swaggerSource(settings.OPENAPI_SWAGGER_UI_URL, settings.OPENAPI_SWAGGER_UI_VERSION)
  const reDoc = redoc == null ? undefined : redocSource(settings.OPENAPI_REDOC_URL, settings.OPENAPI_REDOC_VERSION)
  return {
    pages: [
      ...(swaggerUI ? swaggerPages(settings, pathBelow(prefix, 'OPENAPI_SWAGGER_UI_PATH', swagger ?? ''), swaggerUI, content) : []),
      ...(reDoc ? redocPages(settings, pathBelow(prefix, 'OPENAPI_REDOC_PATH', redoc ?? ''), reDoc, content) : []),
    ],
    warnings: [swaggerUI, reDoc].flatMap(source => source?.warning ?? []),
  }
}

function swaggerPages(settings: PageSettings, path: string, source: PageSource, { title, servers = [] }: PageContent): Page[] {
  const asset = assetPaths(settings)
  const { OPENAPI_SWAGGER_UI_SUPPORTED_SUBMIT_METHODS: methods = METHODS } = settings
  const script = source.script ?? relative(path, asset('swagger-ui-bundle.js'))
  const style = source.style ?? relative(path, asset('swagger-ui.css'))
  const data = { document: relative(path, documentPath(settings) ?? ''), methods: methods.join(' ').toLowerCase() }
  const attributes = Object.entries(data).map(([name, value]) => `data-${name}="${escaped(value)}"`)
  const body = htmlPage(
    title,
    `<link rel="stylesheet" href="${escaped(style)}">`,
    `<div id="swagger-ui"></div>
<script src="${escaped(script)}" charset="utf-8"></script>
<script src="${escaped(relative(path, asset('swagger-ui-initializer.js')))}" ${attributes.join(' ')}></script>`,
  )
  const foreign = source.script !== undefined
  const headers = pageHeaders({ scripts: source.origin, styles: foreign ? `${source.origin} 'unsafe-inline'` : "'self'", servers })
  return [
    { path, contentType: HTML, headers, body },
    { path: asset('swagger-ui-initializer.js'), contentType: SCRIPT, headers: ASSET_HEADERS, body: SWAGGER_INITIALIZER },
    ...(foreign ? [] : [ownFile(asset, 'swagger-ui-bundle.js', SCRIPT), ownFile(asset, 'swagger-ui.css', 'text/css; charset=utf-8')]),
  ]
}

const SWAGGER_INITIALIZER = `const { document: url, methods } = document.currentScript.dataset
SwaggerUIBundle({
  url,
  dom_id: '#swagger-ui',
  deepLinking: true,
  queryConfigEnabled: false,
  validatorUrl: null,
  supportedSubmitMethods: methods.split(' ').filter(Boolean),
})
`

function redocPages(settings: PageSettings, path: string, source: PageSource, { title, version }: PageContent): Page[] {
  const asset = assetPaths(settings)
  const script = source.script ?? relative(path, asset('redoc.standalone.js'))
  const document = `${relative(path, documentPath(settings) ?? '')}${version.startsWith('3.1.') ? '' : `?${REDOC_QUERY}`}`
  const body = htmlPage(
    title,
    '<style>body { margin: 0 }</style>',
    `<redoc spec-url="${escaped(document)}"></redoc>
<script src="${escaped(script)}" charset="utf-8"></script>`,
  )
  const headers = pageHeaders({ scripts: source.origin, styles: `${source.origin} 'unsafe-inline'`, servers: [] })
  return [
    { path, contentType: HTML, headers, body },
    ...(source.script === undefined ? [ownFile(asset, 'redoc.standalone.js', SCRIPT)] : []),
  ]
}

function assetPaths({ OPENAPI_URL_PREFIX }: PageSettings): (name: string) => string {
  return name => pathBelow(OPENAPI_URL_PREFIX ?? '', 'OPENAPI_URL_PREFIX', `assets/${name}`)
}

/** A file that the build puts into this package. */
function ownFile(asset: (name: string) => string, name: string, contentType: string): Page {
  return { path: asset(name), contentType, headers: ASSET_HEADERS, file: new URL(`../../../dist/assets/${name}`, import.meta.url) }
}

/** Joins prefix and path, with one slash between them and one in front. */
function pathBelow(prefix: string, setting: string, path: string): string {
  for (const [name, value] of [
    ['OPENAPI_URL_PREFIX', prefix],
    [setting, path],
  ] as const) {
    if (!/^[\w\-.~!$&'+,;=@%/]*$/.test(value) || /\/\/|(?:^|\/)\.\.?(?:\/|$)/.test(value))
      throw new TypeError(`${name} is "${value}", which is no plain path`)
  }
  return `/${prefix}/${path}`.replace(/\/{2,}/g, '/')
}

/** The way from a page to a path, by the root of the application: it is right wherever that is mounted. */
function relative(from: string, to: string): string {
  const depth = from.split('/').length - 2
  return `${'../'.repeat(depth) || './'}${to.slice(1)}`
}
