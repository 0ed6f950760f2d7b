import type { SchemaObject } from 'openapi3-ts/oas31'
import type {
  JsonSchemaDefinition,
  JsonSchemaPart,
  StandardShape,
} from '../../codec/shape/shape.js'
import type { Direction } from './direction.js'
import { isObject, type JsonObject, omit } from './json.js'
import { mapSubschemas } from './subschemas.js'

/** Keywords that belong to a document of its own, which a part of an OpenAPI document is not. */
const OF_DOCUMENTS = ['$schema', '$id', '$defs', '$comment']

interface Scope {
  readonly direction: Direction
  /** A reference to the whole, if it is a component of the document. */
  whole(): SchemaObject | undefined
  /** A reference to a definition, which is a component. */
  define(definition: JsonSchemaDefinition, build: () => SchemaObject): SchemaObject
  /** Takes note of what cannot be documented at a place. */
  problem(at: string, text: string): void
}

/**
 * The schema of another library's schema in one direction: as the library writes it, but its
 * definitions become components of the document.
 */
export function standardToSchema(shape: StandardShape, scope: Scope, at: string): SchemaObject {
  return convert(shape.document(scope.direction), scope, at) as SchemaObject
}

function convert({ schema, definition }: JsonSchemaPart, scope: Scope, at: string): JsonObject {
  if (typeof schema === 'boolean') return schema ? {} : { not: {} }
  const part = (inner: unknown): unknown =>
    isObject(inner) ? convert({ schema: inner, definition }, scope, at) : inner
  const own = mapSubschemas(omit(schema, OF_DOCUMENTS), part)
  const { $ref } = own
  if (typeof $ref !== 'string') return own
  // the whole may have a name that `describe` gave
  const named = $ref === '#' ? scope.whole() : undefined
  if (named) return { ...own, ...named }
  const found = definition($ref)
  if (!found) {
    scope.problem(
      at,
      `the JSON Schema of the schema has the reference ${$ref}, which leads nowhere`,
    )
    return {}
  }
  return { ...own, ...scope.define(found, () => convert(found.part, scope, at)) }
}
