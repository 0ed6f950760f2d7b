// An @koa/router for other tools to read; no request goes through it. Api fills it. A layer
// compiles a regular expression, so layers are created when somebody reads them, which most
// applications never do.
import Router from '@koa/router'
import type Koa from 'koa'

interface RegisteredRoute {
  readonly path: string
  readonly method: string
  readonly name: string
}

/** An `@koa/router` whose `stack` is made when it is first read; every method of it reads it. */
export class RouterRegister {
  readonly router = new Router()
  #waiting: RegisteredRoute[] | undefined = []

  /** `middleware` is that of every route. */
  constructor(private readonly middleware: Koa.Middleware) {
    Object.defineProperty(this.router, 'stack', {
      get: () => this.#fill(),
      set: (stack: unknown) => this.#define(stack),
      enumerable: true,
      configurable: true,
    })
  }

  add(route: RegisteredRoute): void {
    if (this.#waiting) this.#waiting.push(route)
    else register(this.router, route, this.middleware)
  }

  /**
   * Another router makes the layers: `prefix()` and `param()` change theirs first, then each layer
   * that is there.
   */
  #fill(): unknown {
    const router = new Router()
    for (const route of this.#waiting ?? []) register(router, route, this.middleware)
    this.#define(router.stack)
    return router.stack
  }

  #define(value: unknown): void {
    this.#waiting = undefined
    Object.defineProperty(this.router, 'stack', {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    })
  }
}

function register(
  router: Router,
  { path, method, name }: RegisteredRoute,
  middleware: Koa.Middleware,
): void {
  router.register(path, [method], middleware as never, { name })
}
