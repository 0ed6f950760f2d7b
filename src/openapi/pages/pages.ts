import { isDeepStrictEqual } from 'node:util'
import { entityTagOf } from '../../http/entity-tag.js'
import type { Settings } from '../../settings.js'
import { METHODS } from '../schema/json.js'
import { type Asset, findAsset, isVersioned } from './assets.js'
import { type InstalledPage, installedScript } from './installed.js'
import { escaped, htmlPage, pageHeaders } from './page-html.js'
import { redocSource, swaggerSource } from './page-sources.js'

/** The settings of the documentation routes (specification, sections 4.7 and 9). */
export type PageSettings = Pick<
  Settings,
  | 'OPENAPI_URL_PREFIX'
  | 'OPENAPI_JSON_PATH'
  | 'OPENAPI_ASSETS_FOLDER'
  | 'OPENAPI_REDOC_PATH'
  | 'OPENAPI_REDOC_URL'
  | 'OPENAPI_REDOC_VERSION'
  | 'OPENAPI_REDOC3_PATH'
  | 'OPENAPI_SCALAR_PATH'
  | 'OPENAPI_SWAGGER_UI_PATH'
  | 'OPENAPI_SWAGGER_UI_URL'
  | 'OPENAPI_SWAGGER_UI_VERSION'
  | 'OPENAPI_SWAGGER_UI_CONFIG'
  | 'OPENAPI_SWAGGER_UI_SUPPORTED_SUBMIT_METHODS'
>

/**
 * One file of the documentation: its path below the application's root, and its content, or the
 * file that holds it.
 */
export interface Page {
  readonly path: string
  readonly contentType: string
  readonly headers: { readonly [name: string]: string }
  readonly body?: string
  readonly file?: string
  /** Why it cannot be served, and what to do about it. */
  readonly missing?: string | undefined
  /** The text to log at start. */
  readonly warning?: string | undefined
}

/** All pages, and the warnings to log at start. */
interface Pages {
  readonly pages: readonly Page[]
  readonly warnings: readonly string[]
}

/** The content of the pages. */
interface PageContent {
  readonly title: string
  /** The servers of the document, which "Try it out" may connect to besides the page's own. */
  readonly servers?: readonly { readonly url: string }[]
  /** The URLs from which "Authorize" requests tokens, as known when a page is sent. */
  readonly tokenUrls?: () => readonly string[]
  /** The version of the document that is served: `3.1.0`. */
  readonly version: string
}

function contentTypeOf(file: string): string {
  // without the charset a browser reads the bundle as windows-1252 and fails on it
  return `text/${file.endsWith('.js') ? 'javascript' : 'css'}; charset=utf-8`
}

/** For what has one name for ever, and for what keeps its name when it changes. */
const KEPT = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'X-Content-Type-Options': 'nosniff',
}
const REVALIDATED = { 'Cache-Control': 'no-cache', 'X-Content-Type-Options': 'nosniff' }

/**
 * The path of the JSON document, or null if nothing is served. Throws a TypeError if a setting is
 * not a path.
 */
export function documentPath({
  OPENAPI_URL_PREFIX,
  OPENAPI_JSON_PATH = 'openapi.json',
}: PageSettings): string | null {
  return OPENAPI_URL_PREFIX == null
    ? null
    : pathBelow(OPENAPI_URL_PREFIX, 'OPENAPI_JSON_PATH', OPENAPI_JSON_PATH)
}

/**
 * The query with which the document is served in 3.1, whatever its version: ReDoc 2 reads that one
 * best.
 */
export const REDOC_QUERY = 'openapi=3.1'

/**
 * Swagger UI and ReDoc, as far as the settings ask for them, with the files that they need. URLs in
 * them are relative, so that they are right under any mount; a page must therefore be served under
 * its own path only, with its slash or without. Nothing is inline but ReDoc's styles. Throws a
 * TypeError for a setting that cannot be meant.
 */
export function documentationPages(settings: PageSettings, content: PageContent): Pages {
  const { OPENAPI_URL_PREFIX: prefix } = settings
  if (prefix == null) return { pages: [], warnings: [] }
  const pages = Object.entries(INTERFACES).flatMap(([setting, pagesOf]) => {
    const below = settings[setting as keyof typeof INTERFACES]
    return below == null ? [] : pagesOf(settings, pathBelow(prefix, setting, below), content)
  })
  const warnings = pages.flatMap(({ warning, missing }) => [warning ?? [], missing ?? []].flat())
  return { pages, warnings: [...new Set(warnings)] }
}

/** The pages of each user interface, by the setting that has its path. */
const INTERFACES = {
  OPENAPI_SWAGGER_UI_PATH: swaggerPages,
  OPENAPI_REDOC_PATH: redocPages,
  OPENAPI_REDOC3_PATH: redoc3Pages,
  OPENAPI_SCALAR_PATH: scalarPages,
} as const

/** The content of a page, and the files that it loads. */
interface Parts {
  readonly path: string
  readonly title: string
  readonly head?: string
  readonly body: string
  readonly scripts: string
  readonly styles: string
  /** URLs to which it may connect, as known when it is sent. */
  readonly connections?: () => readonly string[]
  readonly resources: readonly Resource[]
  readonly warning?: string | undefined
}

/**
 * A page with the files that it loads from here; if some are missing, the page reports it instead
 * of staying empty.
 */
function pageOf({ path, title, head = '', body, resources, warning, ...admitted }: Parts): Page[] {
  const { scripts, styles, connections = () => [] } = admitted
  const own = resources.filter(resource => 'path' in resource)
  const page: Page = {
    path,
    contentType: 'text/html; charset=utf-8',
    // a getter, since security schemes come with Blueprints, which are registered later
    get headers() {
      return { ...REVALIDATED, ...pageHeaders({ scripts, styles, connections: connections() }) }
    },
    body: htmlPage(title, head, body),
    missing: own.find(({ missing }) => missing !== undefined)?.missing,
    warning,
  }
  return [page, ...own]
}

function swaggerPages(
  settings: PageSettings,
  path: string,
  { title, servers = [], tokenUrls }: PageContent,
): Page[] {
  const { OPENAPI_SWAGGER_UI_SUPPORTED_SUBMIT_METHODS: methods = METHODS } = settings
  const source = swaggerSource(settings.OPENAPI_SWAGGER_UI_URL, settings.OPENAPI_SWAGGER_UI_VERSION)
  const isOwn = source.script === undefined
  const script = isOwn ? asset(settings, 'swagger-ui-bundle.js') : { url: source.script }
  const style = isOwn ? asset(settings, 'swagger-ui.css') : { url: source.style }
  const initializer = ownFile(settings, 'swagger-ui-initializer.js', SWAGGER_UI_INITIALIZER)
  const ownStyle = ownFile(settings, 'swagger-ui-page.css', SWAGGER_UI_STYLE)
  const page = pageOf({
    path,
    title,
    head: [style, ownStyle]
      .map(sheet => `<link rel="stylesheet" href="${urlOf(path, sheet)}">`)
      .join('\n'),
    body: `<div id="swagger-ui"></div>
${scriptTag(path, script)}
${startTag(path, initializer, {
  document: relative(path, documentPath(settings) ?? ''),
  methods: methods.join(' ').toLowerCase(),
  config: swaggerConfig(settings.OPENAPI_SWAGGER_UI_CONFIG),
})}`,
    scripts: source.origin,
    styles: isOwn ? "'self'" : `'self' ${source.origin} 'unsafe-inline'`,
    connections: () => [...servers.map(({ url }) => url), ...(tokenUrls?.() ?? [])],
    resources: [initializer, script, style, ownStyle],
    warning: source.warning,
  })
  const redirect = isOwn
    ? asset(settings, 'oauth2-redirect.js', false)
    : { url: source.redirectScript }
  // a folder of the settings may do without it
  return 'missing' in redirect ? page : [...page, ...redirectPages(path, redirect, source.origin)]
}

/**
 * The page to which an identity provider sends the browser back: Swagger UI expects it under this
 * name.
 */
function redirectPages(swagger: string, script: Resource, scripts: string): Page[] {
  const path = `${swagger.slice(0, swagger.lastIndexOf('/') + 1)}oauth2-redirect.html`
  const body = scriptTag(path, script)
  return pageOf({ path, title: 'Authorize', body, scripts, styles: "'none'", resources: [script] })
}

function redocPages(settings: PageSettings, path: string, { title, version }: PageContent): Page[] {
  const source = redocSource(settings.OPENAPI_REDOC_URL, settings.OPENAPI_REDOC_VERSION)
  const document = redocDocument(settings, path, version)
  const script =
    source.script === undefined ? asset(settings, 'redoc.standalone.js') : { url: source.script }
  const initializer = ownFile(settings, 'redoc-initializer.js', REDOC_INITIALIZER)
  return pageOf({
    path,
    title,
    head: `<style>${REDOC_STYLE}</style>`,
    body: `<redoc id="redoc"></redoc>
${scriptTag(path, script)}
${startTag(path, initializer, { document })}`,
    scripts: source.origin,
    styles: `${source.origin} 'unsafe-inline'`,
    resources: [initializer, script],
    warning: source.warning,
  })
}

function redocDocument(settings: PageSettings, path: string, version: string): string {
  const query = version.startsWith('3.1.') ? '' : `?${REDOC_QUERY}`
  return relative(path, documentPath(settings) ?? '') + query
}

function redoc3Pages(
  settings: PageSettings,
  path: string,
  { title, version, servers = [] }: PageContent,
): Page[] {
  const script = installedAsset(settings, 'redoc3.js', {
    package: 'redoc',
    script: 'bundles/redoc.standalone.js',
    major: 3,
  })
  const document = redocDocument(settings, path, version)
  return pageOf({
    path,
    title,
    body: `<redoc spec-url="${escaped(document)}"></redoc>\n${scriptTag(path, script, 'type="module"')}`,
    ...ownScriptsOnly(servers),
    resources: [script],
  })
}

function scalarPages(
  settings: PageSettings,
  path: string,
  { title, version, servers = [] }: PageContent,
): Page[] {
  const script = installedAsset(settings, 'scalar.js', {
    package: '@scalar/api-reference',
    script: 'dist/browser/standalone.js',
    major: 1,
  })
  const document = redocDocument(settings, path, version)
  const initializer = ownFile(settings, 'scalar-initializer.js', SCALAR_INITIALIZER)
  return pageOf({
    path,
    title,
    body: `<div id="scalar"></div>
${scriptTag(path, script)}
${startTag(path, initializer, { document })}`,
    ...ownScriptsOnly(servers),
    resources: [initializer, script],
  })
}

function ownScriptsOnly(servers: NonNullable<PageContent['servers']>) {
  return {
    scripts: "'self'",
    styles: "'self' 'unsafe-inline'",
    connections: () => servers.map(({ url }) => url),
  }
}

/** Starts Scalar without its fonts, its telemetry and its links to other services. */
const SCALAR_INITIALIZER = `const { document: url } = document.currentScript.dataset
Scalar.createApiReference('#scalar', {
  url,
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
})
`

/** A page of this package, or the URL of somebody else's. */
type Resource = Page | { readonly url: string | undefined }

function urlOf(page: string, resource: Resource): string {
  return escaped('path' in resource ? relative(page, resource.path) : (resource.url ?? ''))
}

function scriptTag(page: string, script: Resource, ...attributes: string[]): string {
  return `<script ${[`src="${urlOf(page, script)}"`, ...attributes].join(' ')}></script>`
}

/** The script that starts the user interface with data. */
function startTag(page: string, script: Page, data: Readonly<Record<string, string>>): string {
  const attributes = Object.entries(data).map(([name, value]) => `data-${name}="${escaped(value)}"`)
  return scriptTag(page, script, ...attributes)
}

/** A file that the build puts into this package, or that is in the folder of the settings. */
function asset(settings: PageSettings, name: string, isRequired = true): Page {
  return fileOf(settings, name, findAsset(settings.OPENAPI_ASSETS_FOLDER, name, isRequired))
}

/** A file of a package that the application has installed, or of the folder of the settings. */
function installedAsset(settings: PageSettings, name: string, page: InstalledPage): Page {
  if (settings.OPENAPI_ASSETS_FOLDER != null) return asset(settings, name)
  return fileOf(settings, name, { ...installedScript(page), name })
}

function fileOf(settings: PageSettings, wanted: string, asset: Asset): Page {
  const name = 'missing' in asset ? wanted : asset.name
  return {
    ...asset,
    path: assetPath(settings, name),
    contentType: contentTypeOf(wanted),
    headers: isVersioned(name) ? KEPT : REVALIDATED,
  }
}

/** A file whose content is in this library's code. */
function ownFile(settings: PageSettings, name: string, body: string): Page {
  const versioned = name.replace('.', `.${entityTagOf(body).slice(1, 13)}.`)
  return {
    path: assetPath(settings, versioned),
    contentType: contentTypeOf(name),
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
      throw new TypeError(`${name} is "${value}", which is not a plain path`)
  }
  return `/${prefix}/${path}`.replace(/\/{2,}/g, '/')
}

/**
 * The way from a page to a path, by the root of the application: it is right wherever that is
 * mounted.
 */
function relative(from: string, to: string): string {
  const depth = from.split('/').length - 2
  return `${'../'.repeat(depth) || './'}${to.slice(1)}`
}

/**
 * The script that starts ReDoc, in the colours that the system prefers: it reads them once, so a
 * change loads the page again.
 */
const REDOC_INITIALIZER = `const { document: url } = document.currentScript.dataset
const dark = matchMedia('(prefers-color-scheme: dark)')
dark.addEventListener('change', () => location.reload())
const theme = {
  colors: {
    primary: { main: '#8ab4f8' },
    success: { main: '#7ccb86' },
    warning: { main: '#f0b352' },
    error: { main: '#f28b82' },
    gray: { 50: '#20262d', 100: '#262d35' },
    text: { primary: '#dfe3e8', secondary: '#a9b3be' },
    border: { dark: 'rgba(255, 255, 255, 0.14)', light: '#2a323a' },
    responses: { redirect: { color: '#f0b352' }, info: { color: '#7cc4e6' } },
  },
  schema: { linesColor: '#4c5a69', nestedBackground: '#1d2329' },
  typography: { code: { color: '#f2a7a0', backgroundColor: 'rgba(255, 255, 255, 0.08)' } },
  sidebar: {
    backgroundColor: '#14181c',
    textColor: '#c8d0d8',
    activeTextColor: '#8ab4f8',
    groupItems: { activeBackgroundColor: '#232b33' },
    level1Items: { activeBackgroundColor: '#1d242b' },
  },
  rightPanel: { backgroundColor: '#12161a', servers: { overlay: { backgroundColor: '#20262d', textColor: '#dfe3e8' }, url: { backgroundColor: '#2a323a' } } },
  codeBlock: { backgroundColor: '#0c0f12' },
  fab: { backgroundColor: '#2a323a', color: '#8ab4f8' },
}
Redoc.init(url, dark.matches ? { theme } : {}, document.getElementById('redoc'))
`

/** Styles that the theme does not reach: ReDoc leaves them to the page, or has its own colour. */
const REDOC_STYLE = `body { margin: 0; background: #fff }
@media (prefers-color-scheme: dark) {
  body { background: #191e23; color: #dfe3e8 }
  redoc h5, redoc h5 span { color: #a9b3be !important }
  redoc .operation-type.hook { color: #12161a }
  redoc td, redoc h5 { border-color: #37424c !important }
  redoc .react-tabs__tab--selected { background: #2f3942 !important }
}`

/**
 * Starts Swagger UI with the options in its `data-` attributes. Dark if the system is dark, and
 * follows a change at once.
 */
const SWAGGER_UI_INITIALIZER = `const { document: url, methods, config } = document.currentScript.dataset
const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()
SwaggerUIBundle({
  deepLinking: true,
  validatorUrl: null,
  supportedSubmitMethods: methods.split(' ').filter(Boolean),
  ...JSON.parse(config),
  url,
  dom_id: '#swagger-ui',
  queryConfigEnabled: false,
})
`

/** Styles that Swagger UI lacks: tables wider than a phone, and a name that is dark on dark. */
const SWAGGER_UI_STYLE = `body { margin: 0 }
.swagger-ui .responses-inner { overflow-x: auto }
html.dark-mode .swagger-ui table.headers .header-col { color: #e4e6e6 }
`

/**
 * The options that the page sets itself: the document and its element. A document named in the
 * query could be anybody's (T56).
 */
const FIXED = ['url', 'urls', 'spec', 'configUrl', 'dom_id', 'domNode', 'queryConfigEnabled']

/** `OPENAPI_SWAGGER_UI_CONFIG` as JSON. Throws a TypeError if an option is fixed or not JSON. */
function swaggerConfig(config: Readonly<Record<string, unknown>> | null | undefined): string {
  for (const [name, value] of Object.entries(config ?? {})) {
    if (FIXED.includes(name))
      throw new TypeError(
        `OPENAPI_SWAGGER_UI_CONFIG sets ${name}, which the page decides itself: leave it out`,
      )
    const text = JSON.stringify(value)
    if (text === undefined || !isDeepStrictEqual(JSON.parse(text), value))
      throw new TypeError(
        `OPENAPI_SWAGGER_UI_CONFIG.${name} holds what JSON does not have, such as a function: options are sent to the browser as JSON`,
      )
  }
  return JSON.stringify(config ?? {})
}
