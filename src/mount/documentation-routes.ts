// Serves the document and its pages; Api mounts what this returns beside the operations of its
// Blueprints.
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { ComponentsObject } from 'openapi3-ts/oas32'
import type { Context } from '../feature-api/exchange.js'
import { respondConditionally } from '../features/etag/koa-body.js'
import { entityTagOf } from '../http/entity-tag.js'
import type { Document, Spec } from '../openapi/openapi-document.js'
import { documentationPages, documentPath, type Page, REDOC_QUERY } from '../openapi/pages/pages.js'
import type { Settings } from '../settings.js'

/** One path of the documentation and what handles it. */
interface DocumentationRoute {
  readonly path: string
  /** A description of the content, for messages: two routes with one path may be the same file. */
  readonly content: string | undefined
  readonly handle: (ctx: Context) => Promise<void>
}

/**
 * The document and its pages, as the settings request them (specification, section 4.7), and their
 * warnings at start.
 */
export function documentationRoutes(
  settings: Settings,
  spec: Spec,
): { routes: readonly DocumentationRoute[]; warnings: readonly string[] } {
  const path = documentPath(settings)
  if (path === null) return { routes: [], warnings: withoutEffect(settings) }
  const { servers } = spec.attributes as {
    servers?: readonly { readonly url: string }[]
  }
  const content = {
    title: String(settings.API_TITLE ?? 'API'),
    version: spec.version,
    tokenUrls: () => tokenUrlsOf(spec.latest),
    ...(servers && { servers }),
  }
  const { pages, warnings } = documentationPages(settings, content)
  const serve = (version: string) =>
    serveDocument(spec, version, hasServers(settings, spec, version))
  const [asSet, forRedoc] = [serve(spec.version), serve('3.1.0')]
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

/** A router of Express may have a parameter in its mount, so that clients choose mounts. */
const MOST_MOUNTS = 16

/**
 * Serves the document. Below a mount it names the mount, since paths are relative to `servers`,
 * whose default is the root of the host.
 */
function serveDocument(
  spec: Spec,
  version: string,
  hasServers: boolean,
): DocumentationRoute['handle'] {
  let document: Document | undefined
  const texts = new Map<string, string>()
  return ctx => {
    const mount = hasServers ? '' : mountOf(ctx)
    if (document !== spec.latest || texts.size > MOST_MOUNTS) texts.clear()
    document = spec.latest
    const text = texts.get(mount) ?? spec.toText(version, mount)
    texts.set(mount, text)
    return send(
      ctx,
      'application/json',
      { 'Cache-Control': 'no-cache', 'X-Content-Type-Options': 'nosniff' },
      text,
    )
  }
}

/** Returns whether the settings already have the URL of the API. */
function hasServers({ APPLICATION_ROOT }: Settings, { attributes }: Spec, version: string) {
  if ('servers' in attributes) return true
  return version === '2.0' && ('basePath' in attributes || APPLICATION_ROOT !== undefined)
}

/** The path below which koa-mount and Express have put the application; empty if they have not. */
function mountOf(ctx: Context): string {
  const { baseUrl = '' } = ctx.req as { baseUrl?: string }
  const inner = String(ctx.mountPath ?? '')
  // koa-mount within koa-mount knows only the inner path
  const [whole = ''] = ctx.originalUrl.split('?')
  const outer = whole.endsWith(ctx.path) ? whole.slice(0, -ctx.path.length) : ''
  const mount = baseUrl + (outer.endsWith(inner) && inner !== '' ? outer : inner)
  // braces would be variables of the server
  return mount.replace(/\/$/, '').replace(/\{/g, '%7B').replace(/\}/g, '%7D')
}

/**
 * The addresses of security schemes that a client asks: for tokens, and for what the provider's
 * addresses are.
 */
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
    if (ctx.path.endsWith('/') !== path.endsWith('/')) return redirect(ctx, path)
    await send(ctx, contentType, page.headers, body ?? '')
  }
}

/**
 * A script or a style sheet: compressed if the client accepts it, since a megabyte takes longer to
 * send than to compress.
 */
function serveFile(
  contentType: string,
  headers: Page['headers'],
  file: string,
): DocumentationRoute['handle'] {
  const kept: Partial<Record<Coding, Encoded>> = {}
  return async ctx => {
    ctx.vary('Accept-Encoding')
    const coding = ctx.acceptsEncodings('gzip', 'identity') === 'gzip' ? 'gzip' : 'identity'
    kept[coding] ??= await encoded(await readFile(file, 'utf8'), coding)
    const { content, ...added } = kept[coding]
    await send(ctx, contentType, { ...headers, ...added }, content)
  }
}

type Coding = 'gzip' | 'identity'

interface Encoded {
  readonly content: string | Buffer
  readonly ETag: string
  readonly 'Content-Encoding'?: string
}

/**
 * With its tag made once: it would cost more than sending the file does. Two encodings are two
 * representations (RFC 9110, section 8.8.3.3).
 */
async function encoded(text: string, coding: Coding): Promise<Encoded> {
  return coding === 'identity'
    ? { content: text, ETag: entityTagOf(text) }
    : {
        content: await promisify(gzip)(text),
        ETag: entityTagOf(`gzip ${text}`),
        'Content-Encoding': 'gzip',
      }
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

/**
 * The URLs in a page are relative, so it has one spelling; the redirect is relative too, and right
 * under any mount.
 */
function redirect(ctx: Context, path: string): void {
  const name = path.split('/').findLast(segment => segment !== '') ?? ''
  // first: Koa makes a 204 of a response that loses its body
  ctx.body = null
  ctx.status = 308
  ctx.set('Location', path.endsWith('/') ? `./${name}/` : `../${name}`)
}

/** Pages that are asked for, and have no place without a prefix. */
function withoutEffect(settings: Settings): readonly string[] {
  return (['SWAGGER_UI', 'REDOC', 'REDOC3', 'SCALAR'] as const)
    .map(page => `OPENAPI_${page}_PATH` as const)
    .filter(name => typeof settings[name] === 'string')
    .map(
      name =>
        `${name} has no effect without OPENAPI_URL_PREFIX, which serves the document and its pages: set it, such as to '/'`,
    )
}
