// Names that have to be unique within an Api. Registration claims them for each operation.
import type Koa from 'koa'
import type { AnyBlueprint } from '../declare/blueprint.js'
import type { Rule } from '../http/routing/rule.js'
import type { Settings } from '../settings.js'

/** A method of a path, and what responds to it. */
interface PathClaim {
  readonly place: string
  readonly claims: Claims
  /** A file of the documentation: two that are equal may be served by either Api. */
  readonly content: string | undefined
}

/**
 * The paths of all Apis of an app: a request that one Api responds to never reaches another, which
 * nobody would notice.
 */
const apps = new WeakMap<Koa, Map<string, PathClaim>>()

/** Unique names of an Api, and their holders. */
export class Claims {
  readonly #paths: Map<string, PathClaim>
  readonly #api: string
  readonly #holders = new Map<string, string>()
  readonly #values = new Map<string, object>()
  /** The prefixes that each Blueprint is registered under. */
  readonly #blueprints = new Map<AnyBlueprint, Set<string>>()

  constructor(app: Koa, { API_TITLE = 'API', API_VERSION = '1' }: Settings) {
    this.#paths = apps.get(app) ?? new Map()
    apps.set(app, this.#paths)
    this.#api = `"${API_TITLE}", version ${API_VERSION}`
  }

  /** Whether this Blueprint is registered under this prefix already; if not, it is from now on. */
  hasBlueprint(blueprint: AnyBlueprint, prefix: string): boolean {
    const prefixes = this.#blueprints.get(blueprint) ?? new Set()
    if (prefixes.has(prefix)) return true
    this.#blueprints.set(blueprint, prefixes.add(prefix))
    return false
  }

  /**
   * Claims a name that features give to a value of the application, such as a security scheme.
   * False if it belongs to another value.
   */
  value(name: string, value: object): boolean {
    const known = this.#values.get(name) ?? value
    this.#values.set(name, known)
    return known === value
  }

  /**
   * Claims a method of a path, of all Apis of the app. Returns what responds to it already; two
   * files with the same content may share one.
   */
  path(method: string, rule: Rule, place: string, content?: string): string | undefined {
    const path = rule.segments
      .map(segment => {
        if (typeof segment === 'string') return `/${segment}`
        return 'parts' in segment ? `/${segment.shape}` : `/<${segment.type}>`
      })
      .join('')
    const key = `${method} ${path}`
    const other = this.#paths.get(key)
    if (!other) this.#paths.set(key, { place, claims: this, content })
    if (!other || (content !== undefined && content === other.content)) return undefined
    const { claims } = other
    return claims === this ? other.place : `${other.place} of the Api ${claims.#api}`
  }

  /**
   * Claims a path template. Templates that differ only in the names of their parameters are one
   * path to OpenAPI; returns the other one.
   */
  template({ template }: Rule): string | undefined {
    const other = this.#claim(`template ${template.replace(/\{[^{}]*\}/g, '{}')}`, template)
    return other === template ? undefined : other
  }

  /**
   * Claims an operationId, which is unique in the document (OpenAPI 3.1, section 4.8.10.1). Returns
   * the operation that has it already.
   */
  operationId(id: string, place: string): string | undefined {
    return this.#claim(`operationId ${id}`, place)
  }

  /** Returns the first operationId that is free, or else the first. */
  freeOperationId(ids: readonly string[]): string {
    return ids.find(id => !this.#holders.has(`operationId ${id}`)) ?? (ids[0] as string)
  }

  /** Claims the first name that no other rule has: `api.url(name)` builds the path of one rule. */
  name(names: readonly string[], { template }: Rule): string {
    const isFree = (name: string) => (this.#holders.get(`name ${name}`) ?? template) === template
    const free = names.find(isFree) ?? (names.at(-1) as string)
    this.#claim(`name ${free}`, template)
    return free
  }

  #claim(key: string, holder: string): string | undefined {
    const other = this.#holders.get(key)
    if (other === undefined) this.#holders.set(key, holder)
    return other
  }
}
