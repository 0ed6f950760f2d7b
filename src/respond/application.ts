// A faster Koa for those who want it: `new Application()` in the place of `new Koa()`.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import Koa, { type DefaultContext, type DefaultState, type Middleware, type ParameterizedContext } from 'koa'
import { isPromise } from './result.js'

type Handler = (ctx: ParameterizedContext) => Promise<unknown>

/** What Koa keeps from its users' types, and all that this file builds on. */
interface Internals {
  compose: unknown
  handleRequest(ctx: ParameterizedContext, handle: Handler): Promise<unknown>
}

/**
 * A Koa that costs less for each request, and is a Koa in all that middleware, an error listener or a test can see: contexts
 * have the same prototypes and properties. It makes them by constructors instead of `Object.create`, and has one error
 * listener a connection instead of several a request. `new Application()` takes what `new Koa()` takes.
 */
export class Application<StateT = DefaultState, ContextT = DefaultContext> extends Koa<StateT, ContextT> {
  #context = new Maker(this.context)
  #request = new Maker(this.request)
  #response = new Maker(this.response)

  constructor(options?: ConstructorParameters<typeof Koa<StateT, ContextT>>[0]) {
    super(options)
    const internals = this as unknown as Internals
    if (internals.compose === STOCK_COMPOSE) internals.compose = compose
  }

  override createContext<S = DefaultState>(req: IncomingMessage, res: ServerResponse): ParameterizedContext<S> {
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

  /** Koa's own handling takes over as soon as somebody else than an operation has responded, or nobody. */
  handleRequest(ctx: ParameterizedContext, handle: Handler): Promise<unknown> {
    const app = this as unknown as Koa
    if (!watch(ctx)) return STOCK.handleRequest.call(app, ctx, handle)
    ctx.res.statusCode = 404
    const respond = shortcutOf(app, handle) ?? handle
    let outcome: unknown
    try {
      outcome = respond(ctx)
    } catch (error) {
      return failed(app, ctx, error)
    }
    if (!isPromise(outcome)) return settled(app, ctx)
    return outcome.then(
      () => settled(app, ctx),
      error => failed(app, ctx, error),
    )
  }
}

const SENT = Promise.resolve()

/** Leaves to Koa what no operation has sent. */
function settled(app: Koa, ctx: ParameterizedContext): Promise<unknown> {
  if (ctx.respond === false) return SENT
  unwatch(ctx)
  const { res } = ctx
  const { statusCode, statusMessage } = res
  return STOCK.handleRequest.call(app, ctx, async () => Object.assign(res, { statusCode, statusMessage }))
}

function failed(app: Koa, ctx: ParameterizedContext, error: unknown): Promise<unknown> {
  unwatch(ctx)
  return STOCK.handleRequest.call(app, ctx, () => Promise.reject(error))
}

/** Does what the middlewares of an app do together, without a promise where none of them waits for anything. */
export interface Shortcut {
  readonly middleware: readonly Middleware[]
  readonly respond: (ctx: ParameterizedContext) => unknown
}

const shortcuts = new WeakMap<Koa, Shortcut>()

/** Has an `Application` respond by a shortcut as long as its middlewares are those of the shortcut, and no others. */
export function addShortcut(app: Koa, shortcut: Shortcut): void {
  shortcuts.set(app, shortcut)
}

/** A handler is replaced only where it is what Koa's own `compose` has made of the middlewares of the app. */
function shortcutOf(app: Koa, handle: Composed): Shortcut['respond'] | undefined {
  const shortcut = shortcuts.get(app)
  if (shortcut === undefined || handle[OF] !== app.middleware) return undefined
  const { middleware, respond } = shortcut
  if (app.middleware.length !== middleware.length) return undefined
  for (let index = 0; index < middleware.length; index++) if (app.middleware[index] !== middleware[index]) return undefined
  return respond
}

const STOCK = Koa.prototype as unknown as Internals
const STOCK_COMPOSE = (new Koa() as unknown as Internals).compose as (middleware: unknown) => Composed

const OF = Symbol('middleware')
type Composed = Handler & { [OF]?: unknown }

/** Koa's own; what it returns tells what it is made of. */
function compose(middleware: unknown): Composed {
  return Object.assign(STOCK_COMPOSE(middleware), { [OF]: middleware })
}

/** Whether requests pass only through code that is known here: another `compose` or `handleRequest` may look at the response. */
export function isStockApp(app: Koa): boolean {
  const { compose: own, handleRequest } = app as unknown as Internals
  return (
    (own === compose || own === STOCK_COMPOSE) &&
    (handleRequest === STOCK.handleRequest || handleRequest === Application.prototype.handleRequest)
  )
}

/** Makes objects of one prototype by a constructor, so that V8 gives them one shape from the start. */
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
 * Makes an error of the connection an error of this request until it is responded to, as on-finished does for Koa. Node keeps the
 * response that a connection is busy with under `_httpMessage` and lets go of it at its end, so nothing has to be listened for.
 * False where it is not that of this request: with several requests at a time (HTTP/2, pipelining), or no socket (a mock).
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

/** From here on Koa watches. */
function unwatch({ res }: ParameterizedContext): void {
  ;(res as Sent)[CONTEXT] = undefined
}
