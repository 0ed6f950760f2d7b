// A faster Koa: `new Application()` instead of `new Koa()`.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import Koa, {
  type DefaultContext,
  type DefaultState,
  type Middleware,
  type ParameterizedContext,
} from 'koa'
import { attempt } from '../feature-api/later.js'
import { NO_CONTENT } from '../http/failure.js'

type Handler = (ctx: ParameterizedContext) => Promise<unknown>

/** The internals of Koa that this file builds on; their types are not public. */
interface Internals {
  compose: unknown
  handleRequest(ctx: ParameterizedContext, handle: Handler): Promise<unknown>
}

/**
 * A Koa with less overhead for each request. Middleware, error listeners and tests cannot tell it
 * from Koa: contexts have the same prototypes and properties. It creates them with constructors
 * instead of `Object.create`, and registers one error listener for each connection instead of
 * several for each request. `new Application()` takes the options of `new Koa()`.
 */
export class Application<StateT = DefaultState, ContextT = DefaultContext> extends Koa<
  StateT,
  ContextT
> {
  #context = new Maker(this.context)
  #request = new Maker(this.request)
  #response = new Maker(this.response)

  constructor(options?: ConstructorParameters<typeof Koa<StateT, ContextT>>[0]) {
    super(options)
    const internals = this as unknown as Internals
    if (internals.compose === STOCK_COMPOSE) internals.compose = compose
  }

  override createContext<S = DefaultState>(
    req: IncomingMessage,
    res: ServerResponse,
  ): ParameterizedContext<S> {
    // an application may give the three prototypes other values
    if (this.#context.prototype !== this.context) this.#context = new Maker(this.context)
    if (this.#request.prototype !== this.request) this.#request = new Maker(this.request)
    if (this.#response.prototype !== this.response) this.#response = new Maker(this.response)
    const context = new this.#context.Instance()
    const request = new this.#request.Instance()
    const response = new this.#response.Instance()
    context.request = request
    context.response = response
    context.app = request.app = response.app = this
    context.req = request.req = response.req = req
    context.res = request.res = response.res = res
    request.ctx = response.ctx = context
    request.response = response
    response.request = request
    context.originalUrl = request.originalUrl = req.url
    context.state = {}
    return context as unknown as ParameterizedContext<S>
  }

  /**
   * Falls back to Koa's own handling if something other than an operation has responded, or nothing
   * has.
   */
  handleRequest(ctx: ParameterizedContext, handle: Handler): Promise<unknown> {
    const app = this as unknown as Koa
    if (!watch(ctx)) return STOCK.handleRequest.call(app, ctx, handle)
    ctx.res.statusCode = 404
    const respond = shortcutOf(app, handle) ?? handle
    return attempt(respond, ctx, settled, failed) as Promise<unknown>
  }
}

const SENT = Promise.resolve()

/**
 * Sends a string, or nothing, as Koa would, but without its listeners. Leaves to Koa any other
 * response that no operation has sent.
 */
function settled(ctx: ParameterizedContext): Promise<unknown> {
  if (ctx.respond === false) return SENT
  const { app, res } = ctx
  const isEmpty = NO_CONTENT.has(ctx.status)
  if (ctx.writable && (isEmpty || (typeof ctx.body === 'string' && ctx.method !== 'HEAD'))) {
    // this removes the header fields of a body
    if (isEmpty) ctx.body = null
    try {
      res.end(ctx.body)
      return SENT
    } catch (error) {
      return failed(ctx, error)
    }
  }
  unwatch(ctx)
  const { statusCode, statusMessage } = res
  return STOCK.handleRequest.call(app, ctx, async () =>
    Object.assign(res, { statusCode, statusMessage }),
  )
}

function failed(ctx: ParameterizedContext, error: unknown): Promise<unknown> {
  unwatch(ctx)
  return STOCK.handleRequest.call(ctx.app, ctx, () => Promise.reject(error))
}

/**
 * Does the same as the middleware of an app, but without promises as long as nothing has to be
 * awaited.
 */
interface Shortcut {
  readonly middleware: readonly Middleware[]
  readonly respond: (ctx: ParameterizedContext) => unknown
}

const shortcuts = new WeakMap<Koa, Shortcut>()

/**
 * Lets an `Application` use a shortcut as long as its middleware is exactly that of the shortcut.
 */
export function addShortcut(app: Koa, shortcut: Shortcut): void {
  shortcuts.set(app, shortcut)
}

/**
 * A handler is replaced only if it is what Koa's own `compose` returned for the middleware of the
 * app.
 */
function shortcutOf(app: Koa, handle: Composed): Shortcut['respond'] | undefined {
  const shortcut = shortcuts.get(app)
  if (shortcut === undefined || handle[OF] !== app.middleware) return undefined
  const { middleware, respond } = shortcut
  if (app.middleware.length !== middleware.length) return undefined
  for (let index = 0; index < middleware.length; index++)
    if (app.middleware[index] !== middleware[index]) return undefined
  return respond
}

const STOCK = Koa.prototype as unknown as Internals
const STOCK_COMPOSE = (new Koa() as unknown as Internals).compose as (
  middleware: unknown,
) => Composed

const OF = Symbol('middleware')
type Composed = Handler & { [OF]?: unknown }

/** Koa's own `compose`; its result records the middleware that it was made of. */
function compose(middleware: unknown): Composed {
  return Object.assign(STOCK_COMPOSE(middleware), { [OF]: middleware })
}

/**
 * Returns whether requests pass only through known code: a custom `compose` or `handleRequest` may
 * look at the response.
 */
export function isStockApp(app: Koa): boolean {
  const { compose: own, handleRequest } = app as unknown as Internals
  return (
    (own === compose || own === STOCK_COMPOSE) &&
    (handleRequest === STOCK.handleRequest || handleRequest === Application.prototype.handleRequest)
  )
}

/**
 * Creates objects of one prototype with a constructor, so that V8 gives them the same hidden class
 * from the start.
 */
class Maker {
  readonly Instance: new () => Record<string, unknown>

  constructor(readonly prototype: object) {
    function Instance() {}
    Instance.prototype = prototype
    this.Instance = Instance as unknown as Maker['Instance']
  }
}

const CONTEXT = Symbol('context')
const IS_WATCHED = Symbol('watched')
type Watched = Socket & { [IS_WATCHED]?: true; readonly _httpMessage?: Sent | null }
type Sent = ServerResponse & { [CONTEXT]?: ParameterizedContext | undefined }

/**
 * Reports an error of the connection as an error of this request until it is responded to, as
 * on-finished does for Koa. Node keeps the current response of a connection under `_httpMessage`
 * and clears it at the end, so no listener is needed for that. Returns false if that is not the
 * response of this request: with concurrent requests on one connection (HTTP/2, pipelining), or
 * without a socket (a mock).
 */
function watch(ctx: ParameterizedContext): boolean {
  const socket = ctx.req.socket as Watched
  const res: Sent = ctx.res
  if (socket?._httpMessage !== res) return false
  if (!socket[IS_WATCHED]) {
    socket[IS_WATCHED] = true
    socket.on('error', tellCurrent)
  }
  res[CONTEXT] = ctx
  return true
}

function tellCurrent(this: Watched, error: Error): void {
  const res = this._httpMessage
  const ctx = res?.[CONTEXT]
  if (!res || !ctx) return
  res[CONTEXT] = undefined
  if (!res.writableFinished) ctx.onerror(error)
}

/** Stops watching; from here on Koa does it. */
function unwatch({ res }: ParameterizedContext): void {
  ;(res as Sent)[CONTEXT] = undefined
}
