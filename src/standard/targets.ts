// The JSON Schema of a codec as a document of its own, in the versions that Standard JSON Schema
// names.
import type * as t from 'io-ts'
import { schema31To30 } from '../openapi/downgrade/document-31-to-30.js'
import {
  isObject,
  type JsonObject,
  mapSubschemas,
  mapValues,
  omit,
} from '../openapi/schema/json.js'
import { Schemas } from '../openapi/schema/schemas.js'
import { defined } from '../options.js'

interface Target {
  readonly $schema?: string
  /** The keyword of definitions. */
  readonly definitions: '$defs' | 'definitions'
  readonly convert: (schema: JsonObject) => JsonObject
}

const TARGETS: ReadonlyMap<string, Target> = new Map<string, Target>([
  [
    'draft-2020-12',
    {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      definitions: '$defs',
      convert: withoutDiscriminator,
    },
  ],
  [
    'draft-07',
    {
      $schema: 'http://json-schema.org/draft-07/schema#',
      definitions: 'definitions',
      convert: schema => toDraft07(withoutDiscriminator(schema)),
    },
  ],
  [
    'openapi-3.0',
    { definitions: 'definitions', convert: schema => schema31To30(schema) as JsonObject },
  ],
])

/** Throws a TypeError for another target, and a SchemaError if the codec cannot be described. */
export function jsonSchemaFor(
  codec: t.Mixed,
  direction: 'input' | 'output',
  target: string,
): Record<string, unknown> {
  const known = TARGETS.get(target)
  if (!known)
    throw new TypeError(
      `standard(): the target must be ${[...TARGETS.keys()].join(', ')}, not ${target}`,
    )
  const { $schema, definitions, convert } = known
  const schemas = new Schemas()
  const refer = (schema: unknown) => referring(schema as JsonObject, schemas.renames, definitions)
  const root = refer(schemas.of(codec, { direction, where: `standard(${codec.name})` }))
  const all = (mapValues(schemas.components.schemas, refer) ?? {}) as JsonObject
  const [schema, defined] = unfolded(root, all, `#/${definitions}/`)
  return {
    ...($schema && { $schema }),
    ...convert(schema),
    ...(Object.keys(defined).length > 0 && {
      [definitions]: mapValues(defined, inner => convert(inner as JsonObject)),
    }),
  }
}

/**
 * Replaces a reference at the root by its object, since tools of models take no other root. The
 * definition stays if something else refers to it.
 */
function unfolded(
  root: JsonObject,
  defined: JsonObject,
  place: string,
): readonly [schema: JsonObject, defined: JsonObject] {
  const { $ref, ...beside } = root
  const name = String($ref).slice(place.length)
  const object = defined[name]
  if (!isObject(object) || object.type !== 'object') return [root, defined]
  const isUsed = JSON.stringify(defined).includes(JSON.stringify($ref))
  return [{ ...object, ...beside }, isUsed ? defined : omit(defined, [name])]
}

/** The schema with references to the definitions of its own document. */
function referring(
  schema: JsonObject,
  renames: ReadonlyMap<string, string>,
  definitions: string,
): JsonObject {
  const place = (reference: string) =>
    (renames.get(reference) ?? reference).replace('#/components/schemas/', `#/${definitions}/`)
  const convert = (inner: unknown): unknown => {
    if (!isObject(inner)) return inner
    const own = mapSubschemas(inner, convert)
    const { $ref, discriminator } = own
    return {
      ...own,
      ...(typeof $ref === 'string' && { $ref: place($ref) }),
      ...(isObject(discriminator) && {
        discriminator: {
          ...discriminator,
          mapping: mapValues(discriminator.mapping, value => place(String(value))),
        },
      }),
    }
  }
  return convert(schema) as JsonObject
}

/** `discriminator` is a keyword of OpenAPI. */
function withoutDiscriminator(schema: JsonObject): JsonObject {
  const convert = (inner: unknown): unknown =>
    isObject(inner) ? mapSubschemas(omit(inner, ['discriminator']), convert) : inner
  return convert(schema) as JsonObject
}

/** Tuples are lists of `items`, and nothing counts beside a reference. */
function toDraft07(schema: JsonObject): JsonObject {
  const convert = (inner: unknown): unknown => {
    if (!isObject(inner)) return inner
    const { prefixItems, items, $ref, ...others } = mapSubschemas(inner, convert)
    const list = Array.isArray(prefixItems)
      ? { items: prefixItems, ...defined({ additionalItems: items }) }
      : items !== undefined && { items }
    if ($ref === undefined) return { ...others, ...list }
    const own = { ...others, ...list }
    if (Object.keys(own).length === 0) return { $ref }
    const { allOf = [], ...rest } = own as JsonObject & { readonly allOf?: readonly unknown[] }
    return { ...rest, allOf: [{ $ref }, ...allOf] }
  }
  return convert(schema) as JsonObject
}
