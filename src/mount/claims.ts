// Names that have to be unique within an Api. Registration claims them for each operation; only
// those of a registration without faults are kept.
import type { AnyBlueprint } from '../declare/blueprint.js'
import type { Rule } from '../http/routing/rule.js'

/**
 * Unique names of an Api, and their holders. A registration has claims of its own, on top of those
 * of the Api.
 */
export class Claims {
  readonly #holders = new Map<string, string>()
  readonly #values = new Map<string, object>()
  /** The prefixes that each Blueprint is registered under. */
  readonly #blueprints = new Map<AnyBlueprint, Set<string>>()

  constructor(private readonly earlier?: Claims) {}

  /** The claims of one registration, which are kept by `adopt`. */
  begin(): Claims {
    return new Claims(this)
  }

  /** Keeps the claims of a registration. */
  adopt(claims: Claims): void {
    for (const [key, holder] of claims.#holders) this.#holders.set(key, holder)
    for (const [name, value] of claims.#values) this.#values.set(name, value)
    for (const [blueprint, prefixes] of claims.#blueprints)
      for (const prefix of prefixes) this.#addBlueprint(blueprint, prefix)
  }

  /** Whether this Blueprint is registered under this prefix already; if not, it is from now on. */
  hasBlueprint(blueprint: AnyBlueprint, prefix: string): boolean {
    if (
      this.#has(blueprint, prefix) ||
      (this.earlier ? this.earlier.#has(blueprint, prefix) : false)
    )
      return true
    this.#addBlueprint(blueprint, prefix)
    return false
  }

  /**
   * Claims a name that features give to a value of the application, such as a security scheme.
   * False if it belongs to another value.
   */
  value(name: string, value: object): boolean {
    const known =
      this.#values.get(name) ?? (this.earlier ? this.earlier.#values.get(name) : undefined)
    if (known === undefined) this.#values.set(name, value)
    return known === undefined || known === value
  }

  /** Claims a method of a path for an operation. Returns the operation that has it already. */
  path(method: string, rule: Rule, place: string): string | undefined {
    const path = rule.segments
      .map(segment => {
        if (typeof segment === 'string') return `/${segment}`
        return 'parts' in segment ? `/${segment.shape}` : `/<${segment.type}>`
      })
      .join('')
    return this.#claim(`${method} ${path}`, place)
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
    return ids.find(id => this.#holder(`operationId ${id}`) === undefined) ?? (ids[0] as string)
  }

  /** Claims the first name that no other rule has: `api.url(name)` builds the path of one rule. */
  name(names: readonly string[], { template }: Rule): string {
    const isFree = (name: string) => (this.#holder(`name ${name}`) ?? template) === template
    const free = names.find(isFree) ?? (names.at(-1) as string)
    this.#claim(`name ${free}`, template)
    return free
  }

  #has(blueprint: AnyBlueprint, prefix: string): boolean {
    return this.#blueprints.get(blueprint)?.has(prefix) ?? false
  }

  #addBlueprint(blueprint: AnyBlueprint, prefix: string): void {
    this.#blueprints.set(blueprint, (this.#blueprints.get(blueprint) ?? new Set()).add(prefix))
  }

  #holder(key: string): string | undefined {
    return this.#holders.get(key) ?? (this.earlier ? this.earlier.#holder(key) : undefined)
  }

  #claim(key: string, holder: string): string | undefined {
    const other = this.#holder(key)
    if (other === undefined) this.#holders.set(key, holder)
    return other
  }
}
