// Leaves out components that nothing refers to. The document drops those that the library made and
// did not need in the end; each step to an older version drops those that only what it has left
// out, or written in their place, referred to.
import { isObject, type JsonObject, objectIn } from '../schema/json.js'

/** The places of components, in any version. */
const PLACES = /^#\/(?:components(?:\/\w+)?|definitions|responses|parameters)$/

/**
 * A document of any version without those components among `candidates` (their references) that
 * nothing refers to.
 */
export function withoutUnused(document: JsonObject, candidates: ReadonlySet<string>): JsonObject {
  const components = new Map(
    [...candidates].filter(isComponent).map($ref => [$ref, partAt(document, $ref)]),
  )
  const reached = reachable(without(document, new Set(components.keys())), components)
  const unused = new Set([...components.keys()].filter($ref => !reached.has($ref)))
  return unused.size > 0 ? without(document, unused) : document
}

function isComponent($ref: string): boolean {
  return PLACES.test($ref.slice(0, $ref.lastIndexOf('/')))
}

function partAt(document: JsonObject, $ref: string): unknown {
  const [, ...names] = $ref.split('/')
  return names.reduce<unknown>((part, name) => objectIn(part)[name], document)
}

/** All references in a value, at any depth, extensions included. */
export function referencesIn(value: unknown): Set<string> {
  const found = new Set<string>()
  const visit = (inner: unknown): void => {
    if (typeof inner !== 'object' || inner === null) return
    if (Array.isArray(inner)) {
      for (const item of inner) visit(item)
      return
    }
    for (const key of Object.keys(inner)) {
      const part = (inner as JsonObject)[key]
      if (key === '$ref' && typeof part === 'string') found.add(part)
      else visit(part)
    }
  }
  visit(value)
  return found
}

/** The object without the components of these references, and without places that become empty. */
function without(object: JsonObject, references: ReadonlySet<string>, at = '#'): JsonObject {
  const entries = Object.entries(object).flatMap(([name, part]) => {
    const place = `${at}/${name}`
    if (references.has(place)) return []
    if (!PLACES.test(place) || !isObject(part)) return [[name, part]]
    const left = without(part, references, place)
    return Object.keys(left).length > 0 || place === '#/components' ? [[name, left]] : []
  })
  return Object.fromEntries(entries)
}

/** The components that the root refers to, directly or by others. */
function reachable(root: unknown, components: ReadonlyMap<string, unknown>): ReadonlySet<string> {
  const found = new Set<string>()
  const open = [root]
  while (open.length > 0) {
    for (const $ref of referencesIn(open.pop())) {
      if (found.has($ref) || !components.has($ref)) continue
      found.add($ref)
      open.push(components.get($ref))
    }
  }
  return found
}
