// Finds references of a document without a target. A codec is a component only if an operation uses
// it unchanged, so a reference written by hand may miss it.
import type { JsonObject } from '../schema/json.js'

/**
 * Returns a message for each reference into the document, of any version, that leads to nothing.
 * References to other documents are not followed.
 */
export function danglingReferences(document: unknown): readonly string[] {
  const faults = new Map<string, string>()
  const visit = (value: unknown, pointer: string): void => {
    if (typeof value !== 'object' || value === null) return
    const { $id, $ref } = value as JsonObject
    // references within a schema of its own `$id` are relative to that
    if (typeof $id === 'string') return
    const isLocal = typeof $ref === 'string' && /^#(?:\/|$)/.test($ref)
    if (isLocal && !faults.has($ref) && !leads(document, $ref))
      faults.set(
        $ref,
        `The reference ${$ref} in ${pointer} leads to nothing: let an operation use it, or add it with api.spec.components`,
      )
    for (const [key, inner] of Object.entries(value))
      if (!isLiteral(key, inner)) visit(inner, `${pointer}/${escaped(key)}`)
  }
  visit(document, '')
  return [...faults.values()]
}

/** Values of the API, in which `$ref` is an ordinary name; fields of these names are not visited. */
function isLiteral(key: string, value: unknown): boolean {
  return (
    ['const', 'dataValue', 'enum', 'example', 'value'].includes(key) ||
    (key === 'examples' && Array.isArray(value))
  )
}

/** Whether a JSON pointer in a fragment (RFC 6901, section 6) leads to a value. */
function leads(document: unknown, $ref: string): boolean {
  let target = document
  for (const segment of $ref.split('/').slice(1)) {
    const name = decoded(segment).replace(/~1/g, '/').replace(/~0/g, '~')
    if (typeof target !== 'object' || target === null || !Object.hasOwn(target, name)) return false
    target = (target as JsonObject)[name]
  }
  return true
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

function escaped(key: string): string {
  return key.replace(/~/g, '~0').replace(/\//g, '~1')
}
