import { percentDecoded } from '../query.js'
import type { Converter } from './converter.js'
import { type MixedSegment, type RuleParameter, takeMixed } from './mixed-segment.js'
import type { Rule } from './rule.js'

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

  /** Registers a value under a rule and a method; no other rule has the same paths and method. */
  add(rule: Rule, method: string, value: T): void {
    nodeOf(this.#root, rule).endpoints.set(method, { rule, value })
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
    if (!isAscii(path) || (encoded && percentDecoded(path) === undefined)) return MALFORMED
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

/** The value registered for one method of a rule. */
interface Endpoint<T> {
  readonly rule: Rule
  readonly value: T
}

/**
 * A node of the tree of paths: the nodes that may follow it, and the endpoints of the rules that
 * end here, by method.
 */
interface PathNode<T> {
  readonly literals: Map<string, PathNode<T>>
  /** Segments of literals and parameters, those with longer literals first. */
  readonly mixed: MixedBranch<T>[]
  readonly branches: Branch<T>[]
  readonly endpoints: Map<string, Endpoint<T>>
}

interface MixedBranch<T> {
  readonly segment: MixedSegment
  readonly node: PathNode<T>
}

interface Branch<T> {
  readonly type: string
  readonly converter: Converter
  readonly node: PathNode<T>
}

/** An empty tree. */
function newNode<T>(): PathNode<T> {
  return { literals: new Map(), mixed: [], branches: [], endpoints: new Map() }
}

/** The node at which a rule ends, made if it is missing. */
function nodeOf<T>(root: PathNode<T>, rule: Rule): PathNode<T> {
  let node = root
  for (const segment of rule.segments)
    node =
      typeof segment === 'string'
        ? literalNode(node, segment)
        : 'parts' in segment
          ? mixedNode(node, segment)
          : branchNode(node, segment)
  return node
}

function literalNode<T>(parent: PathNode<T>, text: string): PathNode<T> {
  const node = parent.literals.get(text) ?? newNode<T>()
  parent.literals.set(text, node)
  return node
}

function mixedNode<T>(parent: PathNode<T>, segment: MixedSegment): PathNode<T> {
  const known = parent.mixed.find(branch => branch.segment.shape === segment.shape)
  if (known) return known.node
  const branch = { segment, node: newNode<T>() }
  parent.mixed.push(branch)
  parent.mixed.sort((left, right) => right.segment.textLength - left.segment.textLength)
  return branch.node
}

function branchNode<T>(parent: PathNode<T>, { type, converter }: RuleParameter): PathNode<T> {
  const known = parent.branches.find(branch => branch.type === type)
  if (known) return known.node
  const branch = { type, converter, node: newNode<T>() }
  parent.branches.push(branch)
  parent.branches.sort((left, right) => rank(left) - rank(right))
  return branch.node
}

function rank({ type, converter }: Pick<RuleParameter, 'type' | 'converter'>): number {
  if (converter.rest) return 2
  return type === 'string' ? 1 : 0
}

/** One walk down the tree along a path, with what it has taken on the way. */
class PathSearch<T> {
  /** The strings that the parameters match, percent-decoded, in the order of the rule. */
  readonly texts: string[] = []
  /** The same, converted. */
  readonly values: unknown[] = []
  /**
   * The methods of the rules that match the path and lack this method; `undefined` if no rule
   * matches.
   */
  allowed: Set<string> | undefined
  /**
   * A segment is a literal with unnecessary percent-encoding: whatever else matches, nothing is
   * found.
   */
  #isDisguised = false

  /**
   * @param end the end of the path without its last slash
   * @param encoded whether it has percent-encoded characters, all of them valid
   */
  constructor(
    private readonly path: string,
    private readonly end: number,
    private readonly encoded: boolean,
    private readonly method: string,
  ) {}

  /**
   * The best endpoint of the path. If it has no such method, `allowed` lists the methods that it
   * has.
   */
  search(root: PathNode<T>): Endpoint<T> | undefined {
    const endpoint = this.#find(root, 0)
    if (this.#isDisguised) this.allowed = undefined
    return endpoint
  }

  /**
   * The best endpoint below a node; `slash` is the index of the slash before the next segment, or
   * the end.
   */
  #find(node: PathNode<T>, slash: number): Endpoint<T> | undefined {
    if (slash >= this.end) return this.#endpointOf(node)
    const next = this.path.indexOf('/', slash + 1)
    const segmentEnd = next === -1 || next > this.end ? this.end : next
    if (segmentEnd === slash + 1) return undefined
    const text = this.#decoded(slash + 1, segmentEnd)
    const literal = node.literals.get(text)
    if (literal) {
      this.#isDisguised = this.encoded && !isSpelling(this.path.slice(slash + 1, segmentEnd), text)
      const endpoint = this.#isDisguised ? undefined : this.#find(literal, segmentEnd)
      if (endpoint) return endpoint
    }
    for (const branch of node.mixed) {
      if (this.#isDisguised) return undefined
      const endpoint = this.#takeMixed(branch, slash + 1, segmentEnd, text)
      if (endpoint) return endpoint
    }
    for (const branch of node.branches) {
      if (this.#isDisguised) return undefined
      const endpoint = branch.converter.rest
        ? this.#takeRest(branch, slash)
        : this.#take(branch, text, segmentEnd)
      if (endpoint) return endpoint
    }
    return undefined
  }

  #take({ converter, node }: Branch<T>, text: string, segmentEnd: number): Endpoint<T> | undefined {
    const value = converter.parse(text)
    if (value === undefined) return undefined
    this.texts.push(text)
    this.values.push(value)
    const endpoint = this.#find(node, segmentEnd)
    if (endpoint) return endpoint
    this.texts.pop()
    this.values.pop()
    return undefined
  }

  #takeMixed(
    { segment, node }: MixedBranch<T>,
    start: number,
    end: number,
    text: string,
  ): Endpoint<T> | undefined {
    const taken = takeMixed(this.path.slice(start, end), segment)
    if (!taken) {
      // the string of the segment, percent-encoded without need
      this.#isDisguised = this.encoded && takeMixed(encodeURI(text), segment) !== undefined
      return undefined
    }
    const { length } = this.texts
    this.texts.push(...taken.texts)
    this.values.push(...taken.values)
    const endpoint = this.#find(node, end)
    if (endpoint) return endpoint
    this.texts.length = length
    this.values.length = length
    return undefined
  }

  #takeRest(branch: Branch<T>, slash: number): Endpoint<T> | undefined {
    if (this.path.includes('//', slash)) return undefined
    return this.#take(branch, this.#decoded(slash + 1, this.path.length), this.end)
  }

  #endpointOf({ endpoints }: PathNode<T>): Endpoint<T> | undefined {
    const endpoint =
      endpoints.get(this.method) ?? (this.method === 'HEAD' ? endpoints.get('GET') : undefined)
    if (endpoint) return endpoint
    for (const method of endpoints.keys()) {
      this.allowed ??= new Set()
      this.allowed.add(method)
      if (method === 'GET') this.allowed.add('HEAD')
    }
    return undefined
  }

  #decoded(start: number, end: number): string {
    const text = this.path.slice(start, end)
    return this.encoded ? decodeURIComponent(text) : text
  }
}

/**
 * Returns whether a string spells a literal of a path, with hexadecimal digits in either case. RFC
 * 3986, section 6.2.2.2, calls `/%61dmin` and `/admin` equivalent, but middleware that reads
 * `ctx.path` sees two paths, and must not be passed by respelling one.
 */
function isSpelling(raw: string, literal: string): boolean {
  return raw.toUpperCase() === encodeURI(literal).toUpperCase()
}
