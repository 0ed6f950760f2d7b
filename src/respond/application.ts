import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import Koa, { type DefaultContext, type DefaultState, type ParameterizedContext } from 'koa'

type Handler = (ctx: ParameterizedContext) => Promise<unknown>

/** What Koa keeps from its users' types, and all that this class builds on. */
interface Internals {
  handleRequest(ctx: ParameterizedContext, handle: Handler): Promise<unknown>
}

/**
 * A Koa that costs less for each request, and is a Koa in all that middleware, an error listener or a test can see: contexts
 * have the same prototypes and properties. It makes them by constructors instead of `Object.create`, and has one error
 * listener a connection instead of several a request. `new Application()` takes what `new Koa()` takes.
 */
export class Application<StateT = DefaultState, ContextT = DefaultContext> extends Koa<StateT, ContextT> {
  readonly #Context = constructorOf(this.context)
  readonly #Request = constructorOf(this.request)
  readonly #Response = constructorOf(this.response)

  override createContext<S = DefaultState>(req: IncomingMessage, res: ServerResponse): ParameterizedContext<S> {
    const context = new this.#Context()
    const request = new this.#Request()
    const response = new this.#Response()
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

  /** Koa's own handling takes over as soon as somebody else than an operation has answered, or nobody. */
  handleRequest(ctx: ParameterizedContext, handle: Handler): Promise<unknown> {
    const { res } = ctx
    const inherited = Koa.prototype as unknown as Internals
    res.statusCode = 404
    watch(ctx)
    return handle(ctx).then(
      () => {
        if (ctx.respond === false) return undefined
        unwatch(ctx)
        const { statusCode, statusMessage } = res
        return inherited.handleRequest.call(this, ctx, async () => Object.assign(res, { statusCode, statusMessage }))
      },
      error => {
        unwatch(ctx)
        return inherited.handleRequest.call(this, ctx, () => Promise.reject(error))
      },
    )
  }
}

/** A constructor of objects with this prototype: V8 gives them one shape from the start. */
function constructorOf(prototype: object): new () => Record<string, unknown> {
  function Instance() {}
  Instance.prototype = prototype
  return Instance as unknown as new () => Record<string, unknown>
}

const CURRENT = Symbol('current')
type Watched = Socket & { [CURRENT]?: { ctx: ParameterizedContext | undefined } }

/** An error of the connection is an error of the request that is not answered yet, as on-finished tells it to Koa. */
function watch(ctx: ParameterizedContext): void {
  const socket = ctx.req.socket as Watched
  const watched = socket[CURRENT]
  if (watched) {
    watched.ctx = ctx
    return
  }
  const current = { ctx: ctx as ParameterizedContext | undefined }
  socket[CURRENT] = current
  socket.on('error', error => {
    if (current.ctx && !current.ctx.res.writableFinished) current.ctx.onerror(error)
  })
}

/** From here on Koa watches. */
function unwatch(ctx: ParameterizedContext): void {
  const watched = (ctx.req.socket as Watched)[CURRENT]
  if (watched?.ctx === ctx) watched.ctx = undefined
}
