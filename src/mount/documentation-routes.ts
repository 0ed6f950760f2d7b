import { readFile } from 'node:fs/promises'
import type { Context } from '../contract/exchange.js'
import { respondConditionally } from '../features/entity-tag/koa-body.js'
import type { Document, Spec } from '../openapi/openapi-document.js'
import { documentationPages, documentPath, type Page, REDOC_QUERY } from '../openapi/pages/pages.js'
import type { Settings } from '../settings.js'

/** One path of the documentation and what answers it. */
export interface DocumentationRoute {
  readonly path: string
  readonly handle: (ctx: Context) => Promise<void>
}

/** The document and its pages, as far as the settings ask for them (specification, section 4.7), and what should be said of them at start. */
export function documentationRoutes(
  settings: Settings,
  spec: Spec,
): { routes: readonly DocumentationRoute[]; warnings: readonly string[] } {
  const path = documentPath(settings)
  if (path === null) return { routes: [], warnings: [] }
  const { servers } = { ...spec.attributes, ...settings.API_SPEC_OPTIONS } as { servers?: readonly { readonly url: string }[] }
  const content = { title: settings.API_TITLE ?? 'API', version: spec.version, ...(servers && { servers }) }
  const { pages, warnings } = documentationPages(settings, content)
  const [asSet, forRedoc] = [serveDocument(spec, spec.version), serveDocument(spec, '3.1.0')]
  const routes = [
    { path, handle: (ctx: Context) => (ctx.querystring === REDOC_QUERY ? forRedoc(ctx) : asSet(ctx)) },
    ...pages.map(page => ({ path: page.path, handle: servePage(page) })),
  ]
  return { routes, warnings }
}

function serveDocument(spec: Spec, version: string): DocumentationRoute['handle'] {
  let document: Document | undefined
  let text = ''
  return ctx => {
    if (document !== spec.latest) {
      document = spec.latest
      text = JSON.stringify(spec.toJSON(version))
    }
    return send(ctx, 'application/json', text)
  }
}

function servePage({ path, contentType, headers, body, file }: Page): DocumentationRoute['handle'] {
  let content = body
  return async ctx => {
    if (isOtherSlash(ctx.path, path)) return redirect(ctx, path)
    content ??= await readFile(file as URL, 'utf8')
    ctx.set({ ...headers })
    return send(ctx, contentType, content)
  }
}

function send(ctx: Context, contentType: string, text: string): Promise<void> {
  return respondConditionally(ctx, async () => {
    ctx.status = 200
    ctx.type = contentType
    ctx.body = text
  })
}

function isOtherSlash(requested: string, path: string): boolean {
  return requested.endsWith('/') !== path.endsWith('/')
}

/** The URLs in a page are relative, so it has one spelling; the redirect is relative too, and right under any mount. */
function redirect(ctx: Context, path: string): void {
  const name = path.split('/').findLast(segment => segment !== '') ?? ''
  // first: Koa makes a 204 of an answer that loses its body
  ctx.body = null
  ctx.status = 308
  ctx.set('Location', path.endsWith('/') ? `./${name}/` : `../${name}`)
}
