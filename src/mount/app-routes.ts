// The Apis of one app serve requests in the order in which they were made. A route of an earlier
// one hides the same route of a later one, which nobody would notice: registration looks for it
// here.
import type Koa from 'koa'
import { coversRule, type Rule } from '../http/routing/rule.js'
import type { Settings } from '../settings.js'

/** A route of an Api: an operation, or a file of its documentation. */
export interface ServedRoute {
  readonly method: string
  readonly rule: Rule
  /** For messages: `Pets.get (GET /pets/)`. */
  readonly place: string
  /** A file of the documentation: two that are equal may be served by either Api. */
  readonly content?: string | undefined
}

const apps = new WeakMap<Koa, ApiRoutes[]>()

/** The routes of one Api, among those of the other Apis of its app. */
export class ApiRoutes {
  readonly #routes: ServedRoute[] = []
  readonly #all: ApiRoutes[]
  readonly #name: string

  constructor(app: Koa, { API_TITLE = 'API', API_VERSION = '1' }: Settings) {
    this.#all = apps.get(app) ?? []
    apps.set(app, this.#all)
    this.#name = `"${API_TITLE}", version ${API_VERSION}`
  }

  /** Takes its place behind the Apis that are there. */
  join(): void {
    this.#all.push(this)
  }

  add(route: ServedRoute): void {
    this.#routes.push(route)
  }

  /**
   * Why a route would never be reached, or would keep another Api's from it; undefined if neither.
   */
  conflictOf(route: ServedRoute): string | undefined {
    const own = this.#all.includes(this) ? this.#all.indexOf(this) : this.#all.length
    for (const [index, api] of this.#all.entries()) {
      if (index === own) continue
      const other = api.#routes.find(known =>
        index < own ? hides(known, route) : hides(route, known),
      )
      if (other === undefined) continue
      return index < own
        ? `it would never be reached: ${other.place} of the Api ${api.#name}, made before on the same app, responds to all its requests`
        : `${other.place} of the Api ${api.#name}, made later on the same app, would no longer be reached: this responds to all its requests`
    }
    return undefined
  }
}

/** Whether no request for the second route gets past the first. */
function hides(first: ServedRoute, second: ServedRoute): boolean {
  if (first.method !== second.method && !(first.method === 'GET' && second.method === 'HEAD'))
    return false
  if (first.content !== undefined && first.content === second.content) return false
  return coversRule(first.rule, second.rule)
}
