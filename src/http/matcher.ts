import type { Converter } from './converter.js'
import { type Rule, RuleError } from './rule.js'

/** A rule matches the path and has the method (HEAD is answered by GET where nothing has HEAD itself). */
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
  /** The methods of all rules that match the path, HEAD with GET: for 405 and `Allow`. Empty where none does: 404. */
  readonly allowed: readonly string[]
}

/** The path is not valid percent-encoded UTF-8: 400. */
export interface Malformed {
  readonly kind: 'malformed'
}

interface Endpoint<T> {
  readonly rule: Rule
  readonly value: T
}

interface Node<T> {
  readonly literals: Map<string, Node<T>>
  readonly branches: Branch<T>[]
  readonly endpoints: Map<string, Endpoint<T>>
}

interface Branch<T> {
  readonly type: string
  readonly converter: Converter
  readonly node: Node<T>
}

const MISS: Miss = Object.freeze({ kind: 'miss', allowed: Object.freeze([]) })
const MALFORMED: Malformed = Object.freeze({ kind: 'malformed' })
const NOTHING = Object.freeze({})

/**
 * Finds the rule for a path, in a time that does not grow with the number of rules. Case counts, one slash at the end does
 * not. In each segment a literal comes first, then the parameters: converters that refuse texts in their order of
 * registration, then `string`, then `path`; what fails further down is tried again with the next.
 */
export class Matcher<T> {
  readonly #root: Node<T> = newNode()
  readonly #literals = new Map<string, Map<string, Match<T>>>()

  /** Registers a value under a rule and a method. Throws a RuleError where another rule has the same paths and method. */
  add(rule: Rule, method: string, value: T): void {
    let node = this.#root
    for (const segment of rule.segments) {
      node = typeof segment === 'string' ? literalNode(node, segment) : branchNode(node, segment.type, segment.converter)
    }
    const earlier = node.endpoints.get(method)
    if (earlier) throw new RuleError(`Rule "${rule.text}": ${method} of these paths is taken by the rule "${earlier.rule.text}"`)
    node.endpoints.set(method, { rule, value })
    if (rule.parameters.length === 0) {
      const path = rule.segments.map(segment => `/${segment}`).join('')
      const matches = this.#literals.get(path) ?? new Map<string, Match<T>>()
      this.#literals.set(path, matches.set(method, { kind: 'match', value, rule, parameters: NOTHING, texts: NOTHING }))
    }
  }

  /** Finds what answers the method on a path, as it stands in the request line: percent-encoded, without a query. */
  match(path: string, method: string): Match<T> | Miss | Malformed {
    const end = path.charCodeAt(path.length - 1) === SLASH ? path.length - 1 : path.length
    const match = this.#literals.get(end === path.length ? path : path.slice(0, end))?.get(method)
    if (match) return match
    const encoded = !isPlain(path)
    if (encoded && !isDecodable(path)) return MALFORMED
    if (path.charCodeAt(0) !== SLASH) return MISS
    return new Search<T>(path, end, encoded, method).run(this.#root)
  }
}

const SLASH = 0x2f
const PERCENT = 0x25
const TILDE = 0x7e

/** Whether every character stands for itself. */
function isPlain(path: string): boolean {
  for (let index = 0; index < path.length; index++) {
    const code = path.charCodeAt(index)
    if (code === PERCENT || code > TILDE) return false
  }
  return true
}

function isDecodable(path: string): boolean {
  for (let index = 0; index < path.length; index++) if (path.charCodeAt(index) > TILDE) return false
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

function newNode<T>(): Node<T> {
  return { literals: new Map(), branches: [], endpoints: new Map() }
}

function literalNode<T>(parent: Node<T>, text: string): Node<T> {
  const node = parent.literals.get(text) ?? newNode<T>()
  parent.literals.set(text, node)
  return node
}

function branchNode<T>(parent: Node<T>, type: string, converter: Converter): Node<T> {
  const known = parent.branches.find(branch => branch.type === type)
  if (known) return known.node
  const branch = { type, converter, node: newNode<T>() }
  parent.branches.push(branch)
  parent.branches.sort((left, right) => rank(left) - rank(right))
  return branch.node
}

function rank({ type, converter }: { type: string; converter: Converter }): number {
  if (converter.rest) return 2
  return type === 'string' ? 1 : 0
}

/** One walk over the tree, with the parameters taken on the way. */
class Search<T> {
  readonly #path: string
  readonly #end: number
  readonly #encoded: boolean
  readonly #method: string
  readonly #texts: string[] = []
  readonly #values: unknown[] = []
  #allowed: Set<string> | undefined

  constructor(path: string, end: number, encoded: boolean, method: string) {
    this.#path = path
    this.#end = end
    this.#encoded = encoded
    this.#method = method
  }

  run(root: Node<T>): Match<T> | Miss {
    const endpoint = this.#walk(root, 0)
    if (endpoint === undefined) return this.#allowed ? { kind: 'miss', allowed: [...this.#allowed] } : MISS
    const { rule, value } = endpoint
    const parameters: Record<string, unknown> = {}
    const texts: Record<string, string> = {}
    for (let index = 0; index < rule.parameters.length; index++) {
      const { name } = rule.parameters[index] as { name: string }
      parameters[name] = this.#values[index]
      texts[name] = this.#texts[index] as string
    }
    return { kind: 'match', value, rule, parameters, texts }
  }

  /** `slash` is where the slash before the next segment stands, or the end of the path. */
  #walk(node: Node<T>, slash: number): Endpoint<T> | undefined {
    if (slash >= this.#end) return this.#endpointOf(node)
    const next = this.#path.indexOf('/', slash + 1)
    const segmentEnd = next === -1 || next > this.#end ? this.#end : next
    if (segmentEnd === slash + 1) return undefined
    const text = this.#decoded(slash + 1, segmentEnd)
    const literal = node.literals.get(text)
    const found = literal && this.#walk(literal, segmentEnd)
    if (found) return found
    for (const branch of node.branches) {
      const endpoint = branch.converter.rest ? this.#takeRest(branch, slash) : this.#take(branch, text, segmentEnd)
      if (endpoint) return endpoint
    }
    return undefined
  }

  #take({ converter, node }: Branch<T>, text: string, segmentEnd: number): Endpoint<T> | undefined {
    const value = converter.parse(text)
    if (value === undefined) return undefined
    this.#texts.push(text)
    this.#values.push(value)
    const endpoint = this.#walk(node, segmentEnd)
    if (endpoint) return endpoint
    this.#texts.pop()
    this.#values.pop()
    return undefined
  }

  #takeRest(branch: Branch<T>, slash: number): Endpoint<T> | undefined {
    if (this.#path.includes('//', slash)) return undefined
    return this.#take(branch, this.#decoded(slash + 1, this.#path.length), this.#end)
  }

  #endpointOf({ endpoints }: Node<T>): Endpoint<T> | undefined {
    const endpoint = endpoints.get(this.#method) ?? (this.#method === 'HEAD' ? endpoints.get('GET') : undefined)
    if (endpoint) return endpoint
    for (const method of endpoints.keys()) {
      this.#allowed ??= new Set()
      this.#allowed.add(method)
      if (method === 'GET') this.#allowed.add('HEAD')
    }
    return undefined
  }

  #decoded(start: number, end: number): string {
    const text = this.#path.slice(start, end)
    return this.#encoded ? decodeURIComponent(text) : text
  }
}
