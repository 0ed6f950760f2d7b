// Serves the document and its pages; Api mounts what this returns beside the operations of its Blueprints.
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { ComponentsObject } from 'openapi3-ts/oas32'
import type { Context } from '../contract/exchange.js'
import { respondConditionally } from '../features/entity-tag/koa-body.js'
import { entityTagOf } from '../http/entity-tag.js'
import type { Document, Spec } from '../openapi/openapi-document.js'
import { documentationPages, documentPath, type Page, REDOC_QUERY } from '../openapi/pages/pages.js'
import type { Settings } from '../settings.js'

/** One path of the documentation and what handles it. */
export interface DocumentationRoute {
  readonly path: string
  /** What it is, for messages: two routes with one path may be the same file. */
  readonly content: string | undefined
  readonly handle: (ctx: Context) => Promise<void>
}

/** The document and its pages, as far as the settings ask for them (specification, section 4.7), and what should be said of them at start. */
export function documentationRoutes(
  settings: Settings,
  spec: Spec,
): { routes: readonly DocumentationRoute[]; warnings: readonly string[] } {
  const path = documentPath(settings)
  if (path === null) return { routes: [], warnings: withoutEffect(settings) }
  const { servers } = { ...spec.attributes, ...settings.API_SPEC_OPTIONS } as {
    servers?: readonly { readonly url: string }[]
  }
  const content = {
    title: String(settings.API_TITLE ?? 'API'),
    version: spec.version,
    tokenUrls: () => tokenUrlsOf(spec.latest),
    ...(servers && { servers }),
  }
  const { pages, warnings } = documentationPages(settings, content)
  const [asSet, forRedoc] = [serveDocument(spec, spec.version), serveDocument(spec, '3.1.0')]
  const routes = [
    {
      path,
      content: undefined,
      handle: (ctx: Context) => (ctx.querystring === REDOC_QUERY ? forRedoc(ctx) : asSet(ctx)),
    },
    ...pages.map(page => ({
      path: page.path,
      content: page.body ?? page.file,
      handle: servePage(page),
    })),
  ]
  return { routes, warnings }
}

function serveDocument(spec: Spec, version: string): DocumentationRoute['handle'] {
  let document: Document | undefined
  let text = ''
  return ctx => {
    if (document !== spec.latest) {
      document = spec.latest
      text = spec.toText(version)
    }
    return send(ctx, 'application/json', { 'Cache-Control': 'no-cache' }, text)
  }
}

/** The addresses of security schemes that a client asks: for tokens, and for what the provider's addresses are. */
function tokenUrlsOf({ components }: Document): readonly string[] {
  const { securitySchemes = {} } = (components ?? {}) as ComponentsObject
  return Object.values(securitySchemes).flatMap(scheme => {
    if ('$ref' in scheme) return []
    const flows = Object.values(scheme.flows ?? {}) as readonly {
      readonly tokenUrl?: string
      readonly refreshUrl?: string
    }[]
    return [
      scheme.openIdConnectUrl,
      ...flows.flatMap(({ tokenUrl, refreshUrl }) => [tokenUrl, refreshUrl]),
    ].filter(url => url !== undefined)
  })
}

function servePage(page: Page): DocumentationRoute['handle'] {
  const { path, contentType, body, file, missing } = page
  if (missing !== undefined) return () => Promise.reject(new Error(missing))
  if (file !== undefined) return serveFile(contentType, page.headers, file)
  return async ctx => {
    if (isOtherSlash(ctx.path, path)) return redirect(ctx, path)
    await send(ctx, contentType, page.headers, body ?? '')
  }
}

/** A script or a style sheet: compressed where the client takes that, since a megabyte takes the network longer than zlib. */
function serveFile(
  contentType: string,
  headers: Page['headers'],
  file: string,
): DocumentationRoute['handle'] {
  let plain: { readonly content: string; readonly tag: string } | undefined
  let compressed: { readonly content: Buffer; readonly tag: string } | undefined
  return async ctx => {
    ctx.vary('Accept-Encoding')
    if (ctx.acceptsEncodings('gzip', 'identity') !== 'gzip') {
      plain ??= tagged(await readFile(file, 'utf8'))
      return send(ctx, contentType, { ...headers, ETag: plain.tag }, plain.content)
    }
    compressed ??= await gzipped(await readFile(file, 'utf8'))
    await send(
      ctx,
      contentType,
      { ...headers, ETag: compressed.tag, 'Content-Encoding': 'gzip' },
      compressed.content,
    )
  }
}

/** With its tag made once: it would cost more than sending the file does. */
function tagged(content: string): { content: string; tag: string } {
  return { content, tag: entityTagOf(content) }
}

/** Of another tag: two encodings are two representations (RFC 9110, section 8.8.3.3). */
async function gzipped(text: string): Promise<{ content: Buffer; tag: string }> {
  return { content: await promisify(gzip)(text), tag: entityTagOf(`gzip ${text}`) }
}

function send(
  ctx: Context,
  contentType: string,
  headers: { readonly [name: string]: string },
  content: string | Buffer,
): Promise<void> {
  return respondConditionally(ctx, async () => {
    ctx.status = 200
    ctx.type = contentType
    ctx.body = content
    // middleware in front may know better who may keep it
    for (const [name, value] of Object.entries(headers))
      if (name !== 'Cache-Control' || !ctx.response.get(name)) ctx.set(name, value)
  })
}

function isOtherSlash(requested: string, path: string): boolean {
  return requested.endsWith('/') !== path.endsWith('/')
}

/** The URLs in a page are relative, so it has one spelling; the redirect is relative too, and right under any mount. */
function redirect(ctx: Context, path: string): void {
  const name = path.split('/').findLast(segment => segment !== '') ?? ''
  // first: Koa makes a 204 of a response that loses its body
  ctx.body = null
  ctx.status = 308
  ctx.set('Location', path.endsWith('/') ? `./${name}/` : `../${name}`)
}

/** Pages that are asked for, and have no place without a prefix. */
function withoutEffect(settings: Settings): readonly string[] {
  return (['OPENAPI_SWAGGER_UI_PATH', 'OPENAPI_REDOC_PATH'] as const)
    .filter(name => typeof settings[name] === 'string')
    .map(
      name =>
        `${name} has no effect without OPENAPI_URL_PREFIX, which serves the document and its pages: set it, to '/' for none`,
    )
}
