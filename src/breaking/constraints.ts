// Keywords that restrict a value and are not part of its type: `not`, `if`, `contains` and the
// like. Each is a constraint; adding one accepts less.
import { isObject, type JsonObject } from '../openapi/schema/json.js'

/** A keyword with those that belong to it: `if` with `then` and `else`. */
export type Constraint = JsonObject

/** Stands in a schema for alternatives that are too many to be compared. */
export const ALTERNATIVES = '$alternatives'

/** The first keyword of each group means something by itself. */
const GROUPS = [
  ['not'],
  ['if', 'then', 'else'],
  ['contains', 'minContains', 'maxContains'],
  ['propertyNames'],
  ['unevaluatedItems'],
  ['unevaluatedProperties'],
  ['contentEncoding'],
  ['contentMediaType'],
  ['contentSchema'],
  ['$dynamicRef'],
  [ALTERNATIVES],
] as const

/** The constraints of a schema by their canonical string. */
export function constraintsOf(
  schema: JsonObject,
  text: (schema: JsonObject) => string,
): ReadonlyMap<string, Constraint> {
  const groups = GROUPS.filter(([first]) => schema[first] !== undefined).map(group =>
    Object.fromEntries(
      group.filter(key => schema[key] !== undefined).map(key => [key, schema[key]]),
    ),
  )
  const schemas = entriesOf(schema.dependentSchemas).map(([name, inner]) => ({
    dependentSchemas: { [name]: inner },
  }))
  const required = entriesOf(schema.dependentRequired).flatMap(([name, names]) =>
    (Array.isArray(names) ? names : []).map(needed => ({ dependentRequired: { [name]: needed } })),
  )
  return new Map([...groups, ...schemas, ...required].map(one => [text(one), one]))
}

/** The keyword that names a constraint. */
export function keywordOf(constraint: Constraint): string {
  return Object.keys(constraint)[0] ?? ''
}

export function entriesOf(value: unknown): readonly [string, unknown][] {
  return isObject(value) ? Object.entries(value) : []
}
