import { entityTagOf } from '../../http/entity-tag.js'
import type { Settings } from '../../settings.js'
import { type Asset, assetFolder, isVersioned } from './assets.js'
import { escaped, htmlPage, pageHeaders } from './page-html.js'
import { type PageSource, redocSource, swaggerSource } from './page-sources.js'
import { REDOC_INITIALIZER, REDOC_STYLE } from './redoc.js'
import { SWAGGER_UI_INITIALIZER, SWAGGER_UI_STYLE, swaggerConfig } from './swagger-ui.js'

/** The settings of the documentation routes (specification, sections 4.7 and 9). */
export type PageSettings = Pick<
  Settings,
  | 'OPENAPI_URL_PREFIX'
  | 'OPENAPI_JSON_PATH'
  | 'OPENAPI_ASSETS_FOLDER'
  | 'OPENAPI_REDOC_PATH'
  | 'OPENAPI_REDOC_URL'
  | 'OPENAPI_REDOC_VERSION'
  | 'OPENAPI_SWAGGER_UI_PATH'
  | 'OPENAPI_SWAGGER_UI_URL'
  | 'OPENAPI_SWAGGER_UI_VERSION'
  | 'OPENAPI_SWAGGER_UI_CONFIG'
  | 'OPENAPI_SWAGGER_UI_SUPPORTED_SUBMIT_METHODS'
>

/** One file of the documentation: its path below the application's root, and its text, or the file that holds it. */
export interface Page {
  readonly path: string
  readonly contentType: string
  readonly headers: { readonly [name: string]: string }
  readonly body?: string
  readonly file?: string
  /** Why it cannot be served, and what to do about it. */
  readonly missing?: string
}

/** All pages, and what should be said at start. */
export interface Pages {
  readonly pages: readonly Page[]
  readonly warnings: readonly string[]
}

/** What the pages show. */
export interface PageContent {
  readonly title: string
  /** The servers of the document, which "Try it out" may connect to besides the page's own. */
  readonly servers?: readonly { readonly url: string }[]
  /** Where "Authorize" asks for tokens, as known when a page is sent. */
  readonly tokenUrls?: () => readonly string[]
  /** The version of the document that is served: `3.1.0`. */
  readonly version: string
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']
const HTML = 'text/html; charset=utf-8'
// without the charset a browser reads the bundle as windows-1252 and fails on it
const SCRIPT = 'text/javascript; charset=utf-8'
const STYLE = 'text/css; charset=utf-8'

/** For what has one name for ever, and for what keeps its name when it changes. */
const KEPT = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'X-Content-Type-Options': 'nosniff',
}
const REVALIDATED = { 'Cache-Control': 'no-cache', 'X-Content-Type-Options': 'nosniff' }

/** The path of the JSON document, or null where nothing is served. Throws a TypeError where a setting is no path. */
export function documentPath({
  OPENAPI_URL_PREFIX,
  OPENAPI_JSON_PATH = 'openapi.json',
}: PageSettings): string | null {
  return OPENAPI_URL_PREFIX == null
    ? null
    : pathBelow(OPENAPI_URL_PREFIX, 'OPENAPI_JSON_PATH', OPENAPI_JSON_PATH)
}

/** The query with which the document is served in 3.1, whatever its version: ReDoc 2 reads that one best. */
export const REDOC_QUERY = 'openapi=3.1'

/**
 * Swagger UI and ReDoc, as far as the settings ask for them, with the files that they need. URLs in them are relative, so that they
 * are right under any mount; a page must therefore be served under its own path only, with its slash or without. Nothing is
 * inline but ReDoc's styles. Throws a TypeError for a setting that cannot be meant.
 */
export function documentationPages(settings: PageSettings, content: PageContent): Pages {
  const {
    OPENAPI_URL_PREFIX: prefix,
    OPENAPI_SWAGGER_UI_PATH: swagger,
    OPENAPI_REDOC_PATH: redoc,
  } = settings
  if (prefix == null) return { pages: [], warnings: [] }
  const swaggerUI =
    swagger == null
      ? undefined
      : swaggerSource(settings.OPENAPI_SWAGGER_UI_URL, settings.OPENAPI_SWAGGER_UI_VERSION)
  const reDoc =
    redoc == null
      ? undefined
      : redocSource(settings.OPENAPI_REDOC_URL, settings.OPENAPI_REDOC_VERSION)
  const pages = [
    ...(swaggerUI
      ? swaggerPages(
          settings,
          pathBelow(prefix, 'OPENAPI_SWAGGER_UI_PATH', swagger ?? ''),
          swaggerUI,
          content,
        )
      : []),
    ...(reDoc
      ? redocPages(settings, pathBelow(prefix, 'OPENAPI_REDOC_PATH', redoc ?? ''), reDoc, content)
      : []),
  ]
  const sources = [swaggerUI, reDoc].flatMap(source => source?.warning ?? [])
  return {
    pages,
    warnings: [...sources, ...new Set(pages.flatMap(({ missing }) => missing ?? []))],
  }
}

function swaggerPages(
  settings: PageSettings,
  path: string,
  source: PageSource,
  { title, servers = [], tokenUrls }: PageContent,
): Page[] {
  const { OPENAPI_SWAGGER_UI_SUPPORTED_SUBMIT_METHODS: methods = METHODS } = settings
  const isOwn = source.script === undefined
  const [script, style] = isOwn
    ? assets(settings, { 'swagger-ui-bundle.js': SCRIPT, 'swagger-ui.css': STYLE })
    : [{ url: source.script }, { url: source.style }]
  const redirect = isOwn ? redirectScript(settings) : { url: source.redirectScript }
  const initializer = ownFile(settings, 'swagger-ui-initializer.js', SWAGGER_UI_INITIALIZER)
  const ownStyle = ownFile(settings, 'swagger-ui-page.css', SWAGGER_UI_STYLE)
  const data = {
    document: relative(path, documentPath(settings) ?? ''),
    methods: methods.join(' ').toLowerCase(),
    config: swaggerConfig(settings.OPENAPI_SWAGGER_UI_CONFIG),
  }
  const attributes = Object.entries(data).map(([name, value]) => `data-${name}="${escaped(value)}"`)
  const body = htmlPage(
    title,
    [style, ownStyle]
      .map(sheet => `<link rel="stylesheet" href="${urlOf(path, sheet)}">`)
      .join('\n'),
    `<div id="swagger-ui"></div>
<script src="${urlOf(path, script)}" charset="utf-8"></script>
<script src="${urlOf(path, initializer)}" ${attributes.join(' ')}></script>`,
  )
  const styles = isOwn ? "'self'" : `'self' ${source.origin} 'unsafe-inline'`
  const page: Page = {
    path,
    contentType: HTML,
    // a getter, since security schemes come with Blueprints, which are registered later
    get headers() {
      const connections = [...servers.map(({ url }) => url), ...(tokenUrls?.() ?? [])]
      return { ...REVALIDATED, ...pageHeaders({ scripts: source.origin, styles, connections }) }
    },
    body,
  }
  return [
    ...whole(page, [initializer, script, style, ownStyle]),
    ...redirectPages(path, redirect, source.origin),
  ]
}

/** Where an identity provider sends the browser back to, beside the page: Swagger UI looks for it under this name. */
function redirectPages(path: string, script: Resource, scripts: string): Page[] {
  if (script === undefined) return []
  const own = `${path.slice(0, path.lastIndexOf('/') + 1)}oauth2-redirect.html`
  const body = htmlPage('Authorization', '', `<script src="${urlOf(own, script)}"></script>`)
  const headers = { ...REVALIDATED, ...pageHeaders({ scripts, styles: "'none'", connections: [] }) }
  return whole({ path: own, contentType: HTML, headers, body }, [script])
}

/** The script of that page; a folder of the settings may do without it. */
function redirectScript(settings: PageSettings): Page | undefined {
  const asset = assetFolder(settings.OPENAPI_ASSETS_FOLDER)('oauth2-redirect.js', false)
  return 'missing' in asset
    ? undefined
    : { contentType: SCRIPT, ...fileOf(settings, asset.name, asset) }
}

function redocPages(
  settings: PageSettings,
  path: string,
  source: PageSource,
  { title, version }: PageContent,
): Page[] {
  const document = `${relative(path, documentPath(settings) ?? '')}${version.startsWith('3.1.') ? '' : `?${REDOC_QUERY}`}`
  const [script] =
    source.script === undefined
      ? assets(settings, { 'redoc.standalone.js': SCRIPT })
      : [{ url: source.script }]
  const initializer = ownFile(settings, 'redoc-initializer.js', REDOC_INITIALIZER)
  const body = htmlPage(
    title,
    `<style>${REDOC_STYLE}</style>`,
    `<redoc id="redoc"></redoc>
<script src="${urlOf(path, script)}" charset="utf-8"></script>
<script src="${urlOf(path, initializer)}" data-document="${escaped(document)}"></script>`,
  )
  const headers = pageHeaders({
    scripts: source.origin,
    styles: `${source.origin} 'unsafe-inline'`,
    connections: [],
  })
  return whole({ path, contentType: HTML, headers: { ...REVALIDATED, ...headers }, body }, [
    initializer,
    script,
  ])
}

/** A page of this package, or the URL of somebody else's. */
type Resource = Page | { readonly url: string | undefined } | undefined

/** A page with what it loads from here; where some of that is missing, the page says so instead of staying empty. */
function whole(page: Page, resources: readonly Resource[]): Page[] {
  const own = resources.filter(resource => resource !== undefined && 'path' in resource)
  const missing = own.flatMap(resource => resource.missing ?? [])[0]
  return missing === undefined ? [page, ...own] : [{ ...page, missing }]
}

function urlOf(page: string, resource: Resource): string {
  if (resource === undefined) return ''
  return escaped('path' in resource ? relative(page, resource.path) : (resource.url ?? ''))
}

/** Files that the build puts into this package, or that are in the folder of the settings. */
function assets(settings: PageSettings, contentTypes: { readonly [name: string]: string }): Page[] {
  const find = assetFolder(settings.OPENAPI_ASSETS_FOLDER)
  return Object.entries(contentTypes).map(([name, contentType]) => ({
    contentType,
    ...fileOf(settings, name, find(name)),
  }))
}

function fileOf(settings: PageSettings, wanted: string, asset: Asset): Omit<Page, 'contentType'> {
  if ('missing' in asset)
    return { path: assetPath(settings, wanted), headers: REVALIDATED, missing: asset.missing }
  return {
    path: assetPath(settings, asset.name),
    headers: isVersioned(asset.name) ? KEPT : REVALIDATED,
    file: asset.file,
  }
}

/** A file that stands in this library's code. */
function ownFile(settings: PageSettings, name: string, body: string): Page {
  const versioned = name.replace('.', `.${entityTagOf(body).slice(1, 13)}.`)
  return {
    path: assetPath(settings, versioned),
    contentType: name.endsWith('.js') ? SCRIPT : STYLE,
    headers: KEPT,
    body,
  }
}

function assetPath({ OPENAPI_URL_PREFIX }: PageSettings, name: string): string {
  return pathBelow(OPENAPI_URL_PREFIX ?? '', 'OPENAPI_URL_PREFIX', `assets/${name}`)
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
