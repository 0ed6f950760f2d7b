// Judges values by the document's schemas, with ajv: whether a generated value is valid, and
// whether a response is as documented.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { ApiDocument, Json } from './document.js'

export class SchemaJudge {
  readonly #ajv = new Ajv2020({
    strict: false,
    allErrors: false,
    ownProperties: true,
    logger: false,
  })
  readonly #validators = new WeakMap<object, ValidateFunction>()
  readonly #closed = new WeakMap<object, ValidateFunction>()

  constructor(readonly document: ApiDocument) {
    const { root } = document
    addFormats.default(this.#ajv)
    const components = (root.components ?? {}) as Json
    const schemas = Object.fromEntries(
      Object.entries((components.schemas ?? {}) as Json).map(([name, schema]) => [
        name,
        closed(schema),
      ]),
    )
    this.#ajv.addSchema({ $id: 'document', components })
    this.#ajv.addSchema({ $id: 'closed', components: { ...components, schemas } })
  }

  /** The error of a value; undefined if it fits. */
  faultOf(schema: Json, value: unknown): string | undefined {
    return this.#judge(this.#validators, schema, 'document', schema, value)
  }

  /**
   * The properties of a value that its schema does not mention, at any depth; undefined if there
   * are none.
   */
  undeclaredIn(schema: Json, value: unknown): string | undefined {
    return this.#judge(this.#closed, schema, 'closed', closed(schema) as Json, value)
  }

  /** The alternatives of a schema, itself if it has none. */
  branchesOf(schema: Json): readonly Json[] {
    const { oneOf, anyOf } = this.document.resolve(schema) as Readonly<Record<string, Json[]>>
    return oneOf ?? anyOf ?? [schema]
  }

  /** The schema of a property; empty if there is none. */
  propertyOf(schema: Json, name: string): Json {
    const { properties = {} } = this.document.resolve(schema) as { properties?: Json }
    return this.document.resolve(properties[name] ?? {})
  }

  #judge(
    validators: WeakMap<object, ValidateFunction>,
    key: object,
    document: string,
    schema: Json,
    value: unknown,
  ): string | undefined {
    const known = validators.get(key)
    const validate =
      known ??
      this.#ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', `"${document}#/`)))
    validators.set(key, validate)
    return validate(value) ? undefined : this.#ajv.errorsText(validate.errors, { dataVar: 'value' })
  }
}

const SUBSCHEMAS = ['items', 'additionalProperties', 'unevaluatedItems', 'contains'] as const

/**
 * The schema with every object in it closed if it describes a separate value: below properties,
 * items and the like, but not in the branches of allOf, anyOf and oneOf, which describe one value
 * together.
 */
function closed(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return schema
  const inner = inside(schema as Json)
  const isOpen = 'additionalProperties' in inner || 'unevaluatedProperties' in inner
  return describesObject(inner) && !isOpen ? { ...inner, unevaluatedProperties: false } : inner
}

function inside(schema: Json): Json {
  const copy: Record<string, unknown> = { ...schema }
  for (const key of SUBSCHEMAS) if (key in copy) copy[key] = closed(copy[key])
  for (const key of ['properties', 'patternProperties'])
    if (key in copy)
      copy[key] = Object.fromEntries(
        Object.entries(copy[key] as Json).map(([name, value]) => [name, closed(value)]),
      )
  if (Array.isArray(copy.prefixItems)) copy.prefixItems = copy.prefixItems.map(closed)
  for (const key of ['allOf', 'anyOf', 'oneOf'])
    if (Array.isArray(copy[key])) copy[key] = (copy[key] as Json[]).map(inside)
  return copy
}

function describesObject(schema: Json): boolean {
  return 'properties' in schema
}
