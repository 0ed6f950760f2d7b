import { type Endpoint, newNode, nodeOf, type PathNode, PathSearch } from './path-tree.js'
import { type Rule, RuleError } from './rule.js'

/** A rule matches the path and has the method (GET serves HEAD if nothing else does). */
export interface Match<T> {
  readonly kind: 'match'
  readonly value: T
  readonly rule: Rule
  /** The converted values, by name. */
  readonly parameters: Readonly<Record<string, unknown>>
  /** The same before conversion, percent-decoded. */
  readonly texts: Readonly<Record<string, string>>
}

/** No rule matches with the method. */
export interface Miss {
  readonly kind: 'miss'
  /**
   * The methods of all rules that match the path, HEAD with GET: for 405 and `Allow`. Empty if none
   * does: 404.
   */
  readonly allowed: readonly string[]
}

/** The path is not valid percent-encoded UTF-8: 400. */
export interface Malformed {
  readonly kind: 'malformed'
}

const MISS: Miss = Object.freeze({ kind: 'miss', allowed: Object.freeze([]) })
const MALFORMED: Malformed = Object.freeze({ kind: 'malformed' })
const NOTHING = Object.freeze({})

/**
 * Finds the rule for a path, in a time that does not grow with the number of rules. Case counts,
 * one slash at the end does not. In each segment a literal comes first, then the parameters:
 * converters that can refuse a string in their order of registration, then `string`, then `path`;
 * if the rest of the path does not match, the next one is tried. A literal that is percent-encoded
 * without need (`/%61dmin`) matches nothing, parameters included (docs/decisions/0012).
 */
export class Matcher<T> {
  readonly #root: PathNode<T> = newNode()
  readonly #literals = new Map<string, Map<string, Match<T>>>()

  /**
   * Registers a value under a rule and a method. Throws a RuleError if another rule has the same
   * paths and method.
   */
  add(rule: Rule, method: string, value: T): void {
    const { endpoints } = nodeOf(this.#root, rule)
    const earlier = endpoints.get(method)
    if (earlier)
      throw new RuleError(
        `Rule "${rule.text}": ${method} of these paths is taken by the rule "${earlier.rule.text}"`,
      )
    endpoints.set(method, { rule, value })
    const path = rule.segments.map(segment => `/${segment}`).join('')
    if (rule.parameters.length > 0 || !isAscii(path)) return
    const matches = this.#literals.get(path) ?? new Map<string, Match<T>>()
    this.#literals.set(
      path,
      matches.set(method, { kind: 'match', value, rule, parameters: NOTHING, texts: NOTHING }),
    )
  }

  /**
   * Finds the endpoint of a method on a path, as in the request line: percent-encoded, without a
   * query.
   */
  match(path: string, method: string): Match<T> | Miss | Malformed {
    const end = path.endsWith('/') ? path.length - 1 : path.length
    const match = this.#literals.get(end === path.length ? path : path.slice(0, end))?.get(method)
    if (match) return match
    const encoded = path.includes('%')
    if (!isAscii(path) || (encoded && !isDecodable(path))) return MALFORMED
    if (!path.startsWith('/')) return MISS
    const walk = new PathSearch<T>(path, end, encoded, method)
    const endpoint = walk.search(this.#root)
    if (endpoint) return matchOf(endpoint, walk)
    return walk.allowed ? { kind: 'miss', allowed: [...walk.allowed] } : MISS
  }
}

function matchOf<T>(
  { rule, value }: Endpoint<T>,
  { values, texts: taken }: PathSearch<T>,
): Match<T> {
  const parameters: Record<string, unknown> = {}
  const texts: Record<string, string> = {}
  let index = 0
  for (const { name } of rule.parameters) {
    parameters[name] = values[index]
    texts[name] = taken[index++] as string
  }
  return { kind: 'match', value, rule, parameters, texts }
}

/** Raw bytes of other characters reach a server as Latin-1, whatever they were. */
function isAscii(path: string): boolean {
  return Buffer.byteLength(path) === path.length
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}
