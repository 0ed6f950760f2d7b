import * as t from 'io-ts'
import { unionShape } from '../codec/shape/object-shape.js'
import {
  type Field,
  type RecursionShape,
  type ScalarShape,
  type Shape,
  type StandardShape,
  withShape,
} from '../codec/shape/shape.js'
import { isObject, type JsonObject } from '../openapi/schema/json.js'
import { defined } from '../options.js'
import { type JsonSchemaPart, waysOf } from './ways.js'

/**
 * Reads the fields and the types of strings from a JSON Schema: only as much as is needed to find
 * the fields of a query and to read their values. Everything else is up to the schema's library.
 */
export function baseShape(root: JsonSchemaPart, codec: t.Mixed): Shape {
  const known = new Map<string, Shape>()
  const unknown: Shape = { kind: 'unknown', codec }

  const shapeOf = (schema: unknown): Shape => {
    if (!isObject(schema)) return unknown
    const { $ref, allOf, anyOf, oneOf } = schema
    const choice = listOf(anyOf) ?? listOf(oneOf)
    const parts = [
      ...(typeof $ref === 'string' ? [target($ref)] : []),
      ...(listOf(allOf) ?? []).map(shapeOf),
      ...(choice ? [either(choice.map(shapeOf))] : []),
      ...typesOf(schema)
        .slice(0, 1)
        .map(() => own(schema)),
    ].filter(part => part.kind !== 'unknown')
    const [only = unknown, ...others] = parts
    return others.length === 0 ? only : { kind: 'intersection', codec, members: parts }
  }

  /** Makes a recursion if a definition refers to itself. */
  const target = (reference: string): Shape => {
    const before = known.get(reference)
    if (before) return before
    const definition = root.definition(reference)
    known.set(
      reference,
      withOwnCodec(definition?.name ?? codec.name, own => ({
        kind: 'recursion',
        codec: own,
        target: () => known.get(reference) ?? unknown,
      })),
    )
    const shape = shapeOf(definition?.part.schema)
    known.set(reference, shape)
    return shape
  }

  const own = (schema: JsonObject): Shape => {
    return either(typesOf(schema).map(type => ofType(type, schema)))
  }

  const either = (shapes: readonly Shape[]): Shape => {
    const [only = unknown, ...others] = shapes
    return others.length === 0 ? only : unionShape(codec, shapes)
  }

  const ofType = (type: string, schema: JsonObject): Shape => {
    switch (type) {
      case 'object':
        return object(schema)
      case 'array': {
        const places = listOf(schema.prefixItems)
        return places
          ? { kind: 'tuple', codec, items: places.map(shapeOf) }
          : { kind: 'array', codec, item: part('item', schema.items) }
      }
      case 'string':
      case 'number':
      case 'integer':
      case 'boolean':
      case 'null':
        return scalar(type, schema)
      default:
        return unknown
    }
  }

  const object = (schema: JsonObject): Shape => {
    const { properties, additionalProperties, required } = schema
    const rest = isObject(additionalProperties) ? shapeOf(additionalProperties) : undefined
    if (!isObject(properties) && rest)
      return { kind: 'record', codec, domain: scalar('string', {}), codomain: rest }
    const names = isObject(properties) ? Object.entries(properties) : []
    const fields = names.map(
      ([name, property]): Field => ({
        key: name,
        name,
        shape: part(name, property),
        optional: !(Array.isArray(required) && required.includes(name)),
      }),
    )
    return { kind: 'object', codec, fields, ...(rest && { rest }) }
  }

  const part = (name: string, schema: unknown): Shape => {
    const own = isObject(schema) || typeof schema === 'boolean' ? schema : true
    return withOwnCodec(name, field => ({
      kind: 'standard',
      codec: field,
      base: shapeOf(own),
      ...waysOf(() => ({ schema: own, definition: root.definition })),
      differs: () => false,
      problem: () => undefined,
    }))
  }

  const scalar = (type: ScalarShape['type'], { format, pattern, ...others }: JsonObject): Shape => {
    const maxLength = longest(others)
    return withOwnCodec(type, own => ({
      kind: 'scalar',
      codec: own,
      type,
      schema: {
        ...(typeof format === 'string' && { format }),
        ...(typeof pattern === 'string' && { pattern }),
        ...defined({ maxLength }),
      },
    }))
  }

  return shapeOf(root.schema)
}

/** A shape whose codec leads back to it. */
function withOwnCodec<S extends RecursionShape | ScalarShape | StandardShape>(
  name: string,
  make: (codec: t.Mixed) => S,
): S {
  const codec: t.Mixed = new t.Type(
    name,
    (_value): _value is unknown => true,
    value => t.success(value),
    t.identity,
  )
  const shape = make(codec)
  withShape(codec, () => shape)
  return shape
}

/** The types of the values of a schema, declared or taken from its fixed values. */
function typesOf({ type, enum: values, const: value, properties, items }: JsonObject): string[] {
  if (type !== undefined) return [type].flat().filter(one => typeof one === 'string')
  const fixed = listOf(values) ?? (value === undefined ? [] : [value])
  if (fixed.length > 0)
    return [...new Set(fixed.map(one => (one === null ? 'null' : typeof one)))].sort(textLast)
  return properties !== undefined ? ['object'] : items !== undefined ? ['array'] : []
}

/** The most characters that a string may have, declared or taken from its fixed values. */
function longest({ maxLength, enum: values, const: value }: JsonObject): number | undefined {
  const fixed = listOf(values) ?? (value === undefined ? [] : [value])
  if (fixed.length > 0) return Math.max(...fixed.map(one => String(one).length))
  return typeof maxLength === 'number' ? maxLength : undefined
}

/** A string fits everything, so it comes last. */
function textLast(first: string, second: string): number {
  return Number(first === 'string') - Number(second === 'string')
}

function listOf(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) && value.length > 0 ? value : undefined
}
