import Koa from 'koa'
import {
  Api,
  abort,
  Blueprint,
  type Context,
  etag,
  MethodView,
  operation,
  reply,
  response,
} from 'koa-smorest'
import type { Case } from './case.js'

/** The case that is being played, and how often a view has written since it was set. */
export const play: { current: Case; writes: number } = {
  current: {
    current_etag: null,
    exists: true,
    last_modified: null,
    plain_status: 200,
    config: {},
    response_headers: {},
  },
  writes: 0,
}

/** The case's tag as written; text that is not an entity tag is none that could be sent. */
function tagOf({ current_etag }: Case): string | null {
  return current_etag !== null && /^(?:W\/)?"[!#-~]*"$/.test(current_etag) ? current_etag : null
}

function load(): Case | undefined {
  const { current } = play
  if (current.plain_status >= 400) abort(current.plain_status)
  return current.exists ? current : undefined
}

function answer() {
  const { plain_status, response_headers } = play.current
  return reply(plain_status === 204 ? undefined : { ok: true }, plain_status, response_headers)
}

function write() {
  play.writes += 1
  return answer()
}

class Resource extends MethodView {
  static shared = operation(
    etag({
      load,
      tag: tagOf,
      lastModified: ({ last_modified }) =>
        last_modified === null ? undefined : new Date(last_modified),
      create: true,
    }),
    response(),
  )

  static get = operation()
  get() {
    return answer()
  }

  static options = operation()
  options() {
    return answer()
  }

  static put = operation()
  put() {
    return write()
  }

  static patch = operation()
  patch() {
    return write()
  }

  static post = operation()
  post() {
    return write()
  }

  static delete = operation()
  delete() {
    return write()
  }
}

function refuseForbidden(_: Context, next: Koa.Next): Promise<void> {
  return play.current.plain_status === 403 ? abort(403) : next()
}

/** The application under one of the configurations that a case can have. */
export function createApplication({
  require_if_match = false,
  etag_disabled = false,
}: Case['config']): Koa {
  const app = new Koa()
  const api = new Api(app, {
    OPENAPI_VERSION: '3.1.0',
    ETAG_REQUIRE_IF_MATCH: require_if_match,
    ETAG_DISABLED: etag_disabled,
    DEBUG: false,
    TESTING: false,
  })
  api.registerBlueprint(
    new Blueprint('conditional').use(refuseForbidden).route('/resource', Resource),
  )
  return app
}
