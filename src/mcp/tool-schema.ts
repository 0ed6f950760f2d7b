// The schemas of a tool are self-contained: components of the document that they refer to become
// `$defs`.

import { isObject, type JsonObject, mapSubschemas, omit } from '../openapi/schema/json.js'
import { targetOf } from './described.js'

/** A JSON Schema of an object, which the protocol wants for arguments and results. */
export interface ObjectSchema extends JsonObject {
  readonly type: 'object'
}

/** Keywords of OpenAPI alone; a discriminator has references, too. */
const OPENAPI_ONLY = ['discriminator', 'externalDocs', 'xml']

const COMPONENTS = '#/components/schemas/'

/**
 * Returns a schema of the document with all that it refers to in its `$defs`. Throws for a
 * reference that leads to nothing.
 */
export function standalone(document: JsonObject, schema: ObjectSchema): ObjectSchema {
  const definitions = new Map<string, unknown>()
  const nameOf = ($ref: string): string => {
    const name = $ref.startsWith(COMPONENTS) ? $ref.slice(COMPONENTS.length) : $ref.slice(2)
    const known = name.replace(/[^\w.-]/g, '_')
    if (definitions.has(known)) return known
    const target = targetOf(document, $ref)
    if (target === undefined) throw new Error(`the reference ${$ref} leads to nothing`)
    // before it is converted, since it may refer to itself
    definitions.set(known, undefined)
    definitions.set(known, convert(target))
    return known
  }
  const convert = (part: unknown): unknown => {
    if (!isObject(part)) return part
    const { $ref } = part
    const converted = mapSubschemas(omit(part, OPENAPI_ONLY), convert)
    return typeof $ref === 'string' && $ref.startsWith('#')
      ? { ...converted, $ref: `#/$defs/${nameOf($ref)}` }
      : converted
  }
  const own = convert(schema) as ObjectSchema
  return definitions.size > 0 ? { ...own, $defs: Object.fromEntries(definitions) } : own
}
