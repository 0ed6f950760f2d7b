import { isObject, type JsonObject, omit } from '../schema/json.js'

/**
 * A document of 2.0 without definitions that only what was rewritten referred to: forms and enumerations of parameters, which
 * 2.0 writes where they stand. Definitions that nothing ever referred to are there on purpose, and stay.
 */
export function withoutOrphans(document: JsonObject, original: unknown): JsonObject {
  const { definitions, ...rest } = document
  if (!isObject(definitions)) return document
  const known = (name: string) => Object.hasOwn(definitions, name)
  const before = referenced(original, '#/components/schemas/')
  const deliberate = Object.keys(definitions).filter(name => !before.has(name))
  const used = reachable([rest, ...deliberate.map(name => definitions[name])], definitions, known)
  const orphans = Object.keys(definitions).filter(name => before.has(name) && !used.has(name))
  const left = omit(definitions, orphans)
  return Object.keys(left).length > 0 ? { ...rest, definitions: left } : rest
}

function reachable(roots: readonly unknown[], definitions: JsonObject, known: (name: string) => boolean): Set<string> {
  const found = new Set<string>()
  const open = [...roots]
  while (open.length > 0) {
    for (const name of referenced(open.pop(), '#/definitions/')) {
      if (found.has(name) || !known(name)) continue
      found.add(name)
      open.push(definitions[name])
    }
  }
  return found
}

/** The names behind all references with this prefix, at any depth, extensions included. */
function referenced(value: unknown, prefix: string): Set<string> {
  const names = new Set<string>()
  JSON.stringify(value, (key, inner: unknown) => {
    if (key === '$ref' && typeof inner === 'string' && inner.startsWith(prefix)) names.add(inner.slice(prefix.length))
    return inner
  })
  return names
}
