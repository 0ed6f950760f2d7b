// The JSON Schemas of a schema of another library: what comes in and what goes out.
import type { DescribedSchema } from '../codec/types/standard-type.js'
import {
  canonical,
  isEqual,
  isObject,
  type JsonObject,
  mapSubschemas,
  omit,
} from '../openapi/schema/json.js'
import type { Definition, JsonSchemaPart } from './ways.js'

type Direction = 'input' | 'output'

const TARGET = 'draft-2020-12'

/** Both JSON Schemas of a schema, read when they are first asked for. */
export class JsonSchemas {
  readonly #read = new Map<Direction, JsonObject | Error>()

  /** `closed` is the schema that leaves out what it does not declare; of most libraries the same. */
  constructor(
    readonly schema: DescribedSchema,
    readonly closed: DescribedSchema,
  ) {}

  /** The part of a document at its root; of a schema without a JSON Schema, that of any value. */
  root(direction: Direction): JsonSchemaPart {
    return this.#part(direction, this.#document(direction))
  }

  /** Whether what goes out has another schema than what comes in. */
  differs(): boolean {
    return !isEqual(this.#document('input'), this.#document('output'))
  }

  /** Why values cannot come in, or cannot go out, with the words of the library. */
  problem(direction: Direction): string | undefined {
    const { vendor } = this.schema['~standard']
    const read = this.#tried(direction)
    if (read instanceof Error) {
      const whose = direction === 'input' ? '' : ' for what it returns'
      return `the schema of ${vendor} has no JSON Schema${whose}: ${read.message}`
    }
    if (direction === 'input' || this.#tried('input') instanceof Error) return undefined
    const place = differenceOf(this.#document('input'), read)
    return place === undefined
      ? this.#leak()
      : `the schema of ${vendor} returns something else than it takes${place && ` at ${place}`}. A result is validated again, so its schema cannot transform`
  }

  /** arktype closes a type down to where it refers to itself, and no further. */
  #leak(): string | undefined {
    if (this.closed === this.schema) return undefined
    const { vendor, jsonSchema } = this.closed['~standard']
    return isOpen(tried(() => jsonSchema.output({ target: TARGET })))
      ? `the schema of ${vendor} refers to itself, and would send fields that it does not declare: delete them in its type, { '+': 'delete', … }`
      : undefined
  }

  #part(direction: Direction, schema: JsonSchemaPart['schema']): JsonSchemaPart {
    return { schema, definition: reference => this.#definition(direction, reference) }
  }

  #definition(direction: Direction, reference: string): Definition | undefined {
    const document = this.#document(direction)
    const schema = at(document, reference)
    if (schema === undefined) return undefined
    const own = reference.slice(reference.lastIndexOf('/') + 1)
    const isGenerated = this.#isGenerated(own)
    const other = this.#document(direction === 'input' ? 'output' : 'input')
    const identity = identityOf(document, reference)
    return {
      name: isGenerated ? nameFor(schema, placeOf(document, reference)) : decoded(own),
      isGenerated,
      differs: identity !== identityOf(other, reference),
      identity,
      part: this.#part(direction, schema),
    }
  }

  /**
   * Names that libraries make up: `__schema0` of zod, `0` of valibot, `type2` of arktype, `#` for
   * the whole.
   */
  #isGenerated(name: string): boolean {
    return (
      /^(?:#|(?:__schema)?\d+)$/.test(name) ||
      (this.schema['~standard'].vendor === 'arktype' && /^[a-z]+\d+$/i.test(name))
    )
  }

  #document(direction: Direction): JsonObject {
    const read = this.#tried(direction)
    return read instanceof Error ? {} : read
  }

  #tried(direction: Direction): JsonObject | Error {
    const known = this.#read.get(direction)
    if (known) return known
    const read = tried(() => this.schema['~standard'].jsonSchema[direction]({ target: TARGET }))
    this.#read.set(direction, read)
    return read
  }
}

function tried(make: () => JsonObject): JsonObject | Error {
  try {
    return make()
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** Whether an object in it has fields, and may have any others. */
function isOpen(schema: unknown): boolean {
  if (!isObject(schema)) return false
  let isFound = schema.properties !== undefined && schema.additionalProperties === undefined
  mapSubschemas(schema, inner => {
    isFound ||= isOpen(inner)
    return inner
  })
  return isFound
}

/** Resolves a reference within a document (RFC 6901). */
function at(document: JsonObject, reference: string): JsonObject | boolean | undefined {
  if (!/^#(?:\/|$)/.test(reference)) return undefined
  let found: unknown = document
  for (const segment of reference.split('/').slice(1)) {
    const name = decoded(segment)
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined
    found = (found as JsonObject)[name]
  }
  return isObject(found) || typeof found === 'boolean' ? found : undefined
}

function decoded(segment: string): string {
  const unescaped = segment.replace(/~1/g, '/').replace(/~0/g, '~')
  try {
    return decodeURIComponent(unescaped)
  } catch {
    return unescaped
  }
}

/** The string of a definition with all definitions that it refers to. */
function identityOf(document: JsonObject, reference: string): string {
  const found = new Map<string, unknown>()
  const add = (name: string) => {
    if (found.has(name)) return
    const schema = at(document, name)
    found.set(name, isObject(schema) ? omit(schema, ['$defs', '$schema']) : schema)
    for (const { reference: inner } of referencesIn(found.get(name))) add(inner)
  }
  add(reference)
  return canonical([reference, Object.fromEntries(found)])
}

interface Reference {
  readonly reference: string
  /** The name of the property that has it, or whose value has it. */
  readonly property: string
}

function referencesIn(schema: unknown): readonly Reference[] {
  const found: Reference[] = []
  const visit = (inner: unknown, property: string): unknown => {
    if (!isObject(inner)) return inner
    if (typeof inner.$ref === 'string') found.push({ reference: inner.$ref, property })
    const { properties, ...others } = inner
    if (isObject(properties))
      for (const [name, value] of Object.entries(properties)) visit(value, name)
    mapSubschemas(others, value => visit(value, property))
    return inner
  }
  visit(schema, '')
  return found
}

function placeOf(document: JsonObject, reference: string): string {
  const found = referencesIn(document).find(
    one => one.reference === reference && one.property !== '',
  )
  return found?.property ?? ''
}

/** A name for a definition without one: its title, or the first property that has it. */
function nameFor(schema: JsonObject | boolean, property: string): string {
  const { title } = isObject(schema) ? schema : {}
  const words = (typeof title === 'string' ? title : property).match(/[A-Za-z0-9]+/g) ?? ['Schema']
  return words.map(word => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

/** In these keywords the output of a schema may differ from its input. */
const MAY_DIFFER = ['required', 'default', 'additionalProperties']
/** These are compared by themselves, or where something refers to them. */
const APART = ['properties', 'items', '$ref', '$defs', '$schema']

/**
 * The first place in which two documents differ: `pets[].name`; undefined if they are equal.
 * Names of definitions do not count, since libraries make them up.
 */
function differenceOf(input: JsonObject, output: JsonObject): string | undefined {
  const compared = new Map<unknown, Set<unknown>>()
  const difference = (first: unknown, second: unknown, place: string): string | undefined => {
    const seen = compared.get(first) ?? new Set()
    if (isObject(first) && seen.has(second)) return undefined
    compared.set(first, seen.add(second))
    const [one, other] = [resolved(input, first), resolved(output, second)]
    if (!isObject(one) || !isObject(other)) return isEqual(one, other) ? undefined : place
    const fields = { ...Object(one.properties), ...Object(other.properties) }
    for (const name of Object.keys(fields)) {
      const inner = place === '' ? name : `${place}.${name}`
      const found = difference(Object(one.properties)[name], Object(other.properties)[name], inner)
      if (found !== undefined) return found
    }
    const [own, others] = [partsOf(one), partsOf(other)]
    if (!isEqual(own.rest, others.rest)) return place
    const parts = own.parts.map((part, index) => difference(part, others.parts[index], place))
    return parts.find(isDefined) ?? difference(one.items, other.items, `${place}[]`)
  }
  return difference(input, output, '')
}

/** The schema that one refers to, with what is said beside the reference. */
function resolved(document: JsonObject, schema: unknown): unknown {
  if (!isObject(schema) || typeof schema.$ref !== 'string') return schema
  const target = resolved(document, at(document, schema.$ref))
  return isObject(target) ? { ...target, ...omit(schema, ['$ref']) } : target
}

/** The keywords of a schema without schemas, and the schemas in its other keywords. */
function partsOf(schema: JsonObject): { readonly rest: JsonObject; readonly parts: unknown[] } {
  const parts: unknown[] = []
  const rest = mapSubschemas(omit(schema, [...MAY_DIFFER, ...APART]), part => {
    parts.push(part)
    return true
  })
  return { rest, parts }
}

function isDefined<Value>(value: Value | undefined): value is Value {
  return value !== undefined
}
