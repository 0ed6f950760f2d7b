// Leaves out components that nothing refers to. The document drops those that the library made and
// did not need in the end; each step to an older version drops those that only what it has left
// out, or written in their place, referred to.
import { isObject, type JsonObject, mapValues, omit } from '../schema/json.js'

/** The places of components in each version; security schemes are referred to by their names. */
const PLACES_3 = [
  'schemas',
  'responses',
  'parameters',
  'examples',
  'requestBodies',
  'headers',
  'links',
  'callbacks',
  'pathItems',
]
const PLACES_20 = ['definitions', 'responses', 'parameters']

/**
 * A document of OpenAPI 3 without those components among `candidates` (their references) that
 * nothing refers to.
 */
export function withoutUnused(document: JsonObject, candidates: ReadonlySet<string>): JsonObject {
  const { components, ...rest } = document
  if (!isObject(components)) return document
  return { ...rest, components: used(components, PLACES_3, '#/components/', rest, candidates) }
}

/** The same of a document of 2.0. */
export function withoutUnused20(document: JsonObject, candidates: ReadonlySet<string>): JsonObject {
  return used(document, PLACES_20, '#/', omit(document, PLACES_20), candidates)
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

/**
 * `holder` without the candidates that cannot be reached from `root`; a place that becomes empty is
 * removed as well.
 */
function used(
  holder: JsonObject,
  places: readonly string[],
  prefix: string,
  root: unknown,
  candidates: ReadonlySet<string>,
): JsonObject {
  const parts = new Map<string, unknown>()
  for (const place of places) {
    for (const [name, part] of Object.entries(holder[place] ?? {}))
      parts.set(`${prefix}${place}/${name}`, part)
  }
  const kept = [...parts].filter(([$ref]) => !candidates.has($ref)).map(([, part]) => part)
  const reached = reachable([root, ...kept], parts)
  const unused = [...parts.keys()].filter($ref => candidates.has($ref) && !reached.has($ref))
  if (unused.length === 0) return holder
  const left = mapValues(holder, (part, place) => {
    if (!places.includes(place) || !isObject(part)) return part
    const names = Object.keys(part).filter(name => unused.includes(`${prefix}${place}/${name}`))
    return omit(part, names)
  }) as JsonObject
  const emptied = places.filter(
    place => isObject(left[place]) && Object.keys(left[place]).length === 0,
  )
  return omit(left, emptied)
}

function reachable(roots: readonly unknown[], parts: ReadonlyMap<string, unknown>): Set<string> {
  const found = new Set<string>()
  const open = [...roots]
  while (open.length > 0) {
    for (const $ref of referencesIn(open.pop())) {
      if (found.has($ref) || !parts.has($ref)) continue
      found.add($ref)
      open.push(parts.get($ref))
    }
  }
  return found
}
