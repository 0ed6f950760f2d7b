import type { EncodingObject, ParameterObject, SchemaObject } from 'openapi3-ts/oas31'
import { encoderOf } from '../../codec/encode/encode.js'
import { type Annotations, annotationsOf, extensionsOf } from '../../codec/shape/annotations.js'
import { unionShape } from '../../codec/shape/object-shape.js'
import {
  type DefinitionScope,
  type Field,
  literalsOf,
  type ObjectShape,
  type RecordShape,
  type Shape,
  type TupleShape,
  type UnionShape,
} from '../../codec/shape/shape.js'
import { fieldsOf } from '../../codec/traits/fields-of.js'
import { documentedAlternativesOf, itemOf } from '../../codec/traits/parts.js'
import { defined } from '../../options.js'
import { type Direction, hasDomain, isPresent, isRequired } from './direction.js'
import { omit } from './json.js'
import { anyOf, constrain, nullable, oneOfValues } from './keywords.js'

/** The context of a shape's schema. */
export interface Scope extends Pick<DefinitionScope, 'define' | 'problem'> {
  readonly direction: Direction
  /** Whether objects may have fields that are not declared. */
  readonly open: boolean
  /**
   * Whether named objects are components; otherwise they are written inline, except for recursions.
   */
  readonly components: boolean
  /** A schema that somebody else knows for the codec; it is asked first. */
  known(shape: Shape): SchemaObject | undefined
  /** A reference, annotated, if the shape is a component of the document. */
  refer(shape: Shape, scope: Scope, at: string): SchemaObject | undefined
}

/**
 * The JSON Schema (2020-12) of a shape; components are referenced. `at` is the place in the whole:
 * `owner.tags[]`.
 */
export function shapeToSchema(shape: Shape, scope: Scope, at = ''): SchemaObject {
  const known = scope.known(shape)
  if (!known)
    return (
      scope.refer(shape, scope, at) ??
      annotate(structure(shape, scope, at), annotationsOf(shape.codec))
    )
  return annotate(known, annotationsOf(shape.codec))
}

/** The schema of a shape itself, without its annotations, even if the shape is a component. */
export function structure(shape: Shape, scope: Scope, at: string): SchemaObject {
  const { schema } = annotationsOf(shape.codec)
  if (schema) return schema
  switch (shape.kind) {
    case 'scalar':
      return { type: shape.type, ...(shape.type === 'integer' && SAFE_RANGE), ...shape.schema }
    case 'literal':
      return oneOfValues(shape.values)
    case 'array':
      return { type: 'array', items: shapeToSchema(shape.item, scope, `${at}[]`) }
    case 'tuple':
      return tuple(shape, scope, at)
    case 'record':
      return record(shape, scope, at)
    case 'object':
      return object(shape, scope, at)
    case 'union':
      return union(shape, scope, at)
    case 'intersection':
      // closed objects would refuse each other's fields
      return {
        allOf: shape.members.map(member =>
          shapeToSchema(member, { ...scope, open: true, components: false }, at),
        ),
      }
    case 'constrained':
      return constrain(shapeToSchema(shape.base, scope, at), shape.schema ?? {})
    case 'refined':
      return structure(shape.base, scope, at)
    case 'recursion':
      return structure(shape.target(), scope, at)
    case 'file':
      return { type: 'string', format: 'binary' }
    case 'unknown':
      return {}
    case 'undefined':
      return { not: {} }
    case 'standard':
      return shape.describe(
        scope.direction,
        { ...scope, whole: () => scope.refer(shape, scope, at) },
        at,
      )
    case 'opaque':
      if (!shape.schema) scope.problem(at, hidden(shape.codec.name))
      return shape.schema ?? {}
  }
}

/** Whole numbers beyond it are not exact as doubles, so that no codec takes them. */
const SAFE_RANGE: SchemaObject = {
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
}

/** The remedy for a codec that cannot be inspected, and the consequence without it. */
function hidden(name: string): string {
  return (
    `the codec ${name} hides what it accepts: declare it with describe(codec, { schema: { type: 'string' } }). Its own validate and encode then do all ` +
    'the work inside of it: unknown fields are not refused, and all that its encode returns is sent. ' +
    'For a check or a message of your own around a codec, refine(codec, …) and message(codec, …) hide nothing'
  )
}

/** `schema` with the annotations of its codec. */
export function annotate(schema: SchemaObject, annotations: Annotations): SchemaObject {
  // most codecs do not have annotations
  for (const _ in annotations) return annotated(schema, annotations)
  return schema
}

function annotated(schema: SchemaObject, annotations: Annotations): SchemaObject {
  const { title, description, format, example, examples, deprecated, externalDocs, xml } =
    annotations
  const shown = examples ?? (example === undefined ? undefined : [example])
  return {
    ...schema,
    ...defined<SchemaObject>({
      title,
      description,
      format,
      examples: shown && [...shown],
      deprecated,
      externalDocs,
      xml,
    }),
    ...extensionsOf(annotations),
  }
}

function object(shape: ObjectShape, scope: Scope, at: string): SchemaObject {
  const rest = shape.rest && shapeToSchema(shape.rest, scope, at && `${at}.*`)
  // the shapes of declared fields are held to `rest` already
  const fields = shape.fields.filter(field => isPresent(field, scope.direction))
  const properties = fields.map(field => [field.name, fieldToSchema(field, scope, at)] as const)
  const required = fields
    .filter(field => isRequired(field, scope.direction))
    .map(({ name }) => name)
  return {
    type: 'object',
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
    ...(required.length > 0 && { required }),
    ...(rest ? { additionalProperties: rest } : !scope.open && { additionalProperties: false }),
  }
}

/** The schema of a field's value, with its default and its direction. */
function fieldToSchema(field: Field, scope: Scope, at: string): SchemaObject {
  const { name, shape, access } = field
  const schema = shapeToSchema(shape, scope, at === '' ? name : `${at}.${name}`)
  const constant = defaultOf(field)
  if (constant === undefined && access === undefined) return schema
  return {
    ...schema,
    ...defined({ default: constant }),
    ...(access === 'read' && { readOnly: true }),
    ...(access === 'write' && { writeOnly: true }),
  }
}

/**
 * The default on the wire; undefined if it may differ each time (an id, the time), or does not fit
 * its codec.
 */
function defaultOf({ shape, constant }: Field): unknown {
  if (!constant) return undefined
  try {
    return encoderOf(shape.codec)(constant.value)
  } catch {
    return undefined
  }
}

function tuple({ items }: TupleShape, scope: Scope, at: string): SchemaObject {
  if (items.length === 0) return { type: 'array', maxItems: 0 }
  const prefixItems = items.map((item, index) => shapeToSchema(item, scope, `${at}[${index}]`))
  return { type: 'array', prefixItems, minItems: items.length, maxItems: items.length }
}

function record({ domain, codomain }: RecordShape, scope: Scope, at: string): SchemaObject {
  // if unknown fields are accepted, so are those outside of the domain, with any value
  if (scope.open && hasDomain(domain)) return { type: 'object' }
  const additionalProperties = shapeToSchema(codomain, scope, `${at}.*`)
  return {
    type: 'object',
    ...(hasDomain(domain) && { propertyNames: nameToSchema(domain, scope, at) }),
    additionalProperties,
  }
}

/** Names are strings, even if they represent other values. */
function nameToSchema(domain: Shape, scope: Scope, at: string): SchemaObject {
  switch (domain.kind) {
    case 'literal':
      return oneOfValues(domain.values.map(String))
    case 'scalar':
      return domain.type === 'string'
        ? shapeToSchema(domain, scope, at)
        : (NAMES[domain.type] ?? {})
    case 'constrained': {
      const base = nameToSchema(domain.base, scope, at)
      return base.type === 'string' ? constrain(base, domain.schema ?? {}) : base
    }
    case 'refined':
      return nameToSchema(domain.base, scope, at)
    case 'union':
      return anyOf(domain.members.map(member => nameToSchema(member, scope, at)))
    default:
      return shapeToSchema(domain, scope, at)
  }
}

/** The strings of scalars other than strings. */
const NAMES: { readonly [type: string]: SchemaObject } = {
  integer: { pattern: '^(?:0|-?[1-9][0-9]*)$' },
  number: { pattern: '^-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$' },
  boolean: { enum: ['true', 'false'] },
}

function union({ codec, members }: UnionShape, scope: Scope, at: string): SchemaObject {
  const isNull = (member: Shape) => member.kind === 'scalar' && member.type === 'null'
  const present = members.filter(member => member.kind !== 'undefined' && !isNull(member))
  if (present.length === 0) return { type: 'null' }
  const schemas = present.map(member => shapeToSchema(member, scope, at))
  // null has no discriminator, what may be null beside it has
  const shape = unionShape(codec, present)
  const discriminated =
    shape.kind === 'union' && shape.discriminator !== undefined
      ? discriminatedSchema(present, schemas, shape.discriminator)
      : undefined
  const choice = discriminated ?? anyOf(schemas)
  const isObject = choice.type === undefined && present.every(member => fieldsOf(member))
  const schema: SchemaObject = isObject ? { type: 'object', ...choice } : choice
  return members.some(isNull) ? nullable(schema) : schema
}

/**
 * A `oneOf` with a discriminator; undefined if OpenAPI cannot express it: for inlined members, and
 * literals that are not strings.
 */
function discriminatedSchema(
  members: readonly Shape[],
  schemas: readonly SchemaObject[],
  key: string,
): SchemaObject | undefined {
  const literals = members.map(member => literalsOf(member).get(key))
  const mapping = literals.flatMap((found, index) =>
    (found?.values ?? []).map(value => [value, schemas[index]?.$ref] as const),
  )
  const propertyName = literals[0]?.field.name
  const isSayable = mapping.every(
    ([value, $ref]) => typeof value === 'string' && $ref !== undefined,
  )
  if (propertyName === undefined || !isSayable) return undefined
  return {
    oneOf: [...schemas],
    discriminator: { propertyName, mapping: Object.fromEntries(mapping) },
  }
}

/** The location of a parameter, as OpenAPI calls it. */
export type ParameterLocation = 'query' | 'header' | 'cookie' | 'path'

/**
 * One parameter for each field of an object; of a union of objects, one for each field of any
 * member.
 */
export function shapeToParameters(
  shape: Shape,
  location: ParameterLocation,
  scope: Scope,
  style?: 'deepObject',
): ParameterObject[] {
  const objects = fieldsOf(shape)
  if (!objects) {
    // one without a JSON Schema is a fault already
    if (shape.kind !== 'standard' || !shape.problem('input'))
      scope.problem(
        '',
        `the codec ${shape.codec.name} is not an object whose fields are the parameters`,
      )
    return []
  }
  const parameters = new Map<string, ParameterObject>()
  for (const field of objects.flat()) {
    if (field.access === 'read') continue
    const parameter = {
      ...fieldToParameter(field, location, scope),
      ...(style && objectStyleOf(field.shape, style)),
    }
    const earlier = parameters.get(field.name)
    parameters.set(field.name, earlier ? eitherParameter(earlier, parameter) : parameter)
  }
  return [...parameters.values()].map(parameter => {
    const everywhere = objects.every(fields => fields.some(({ name }) => name === parameter.name))
    return everywhere || location === 'path' ? parameter : { ...parameter, required: false }
  })
}

/**
 * The encoding of a form's fields if OpenAPI's defaults do not apply: lists that are written as one
 * string, and files of certain media types.
 */
export function shapeToEncoding(shape: Shape, style?: 'deepObject'): EncodingObject | undefined {
  const fields = (fieldsOf(shape) ?? []).flat().filter(({ access }) => access !== 'read')
  const written = fields.map(
    field =>
      [
        field.name,
        {
          ...styleOf(field.shape, 'query'),
          ...(style && objectStyleOf(field.shape, style)),
          ...contentTypeOf(field.shape),
        },
      ] as const,
  )
  const special = written.filter(([, encoding]) => Object.keys(encoding).length > 0)
  return special.length > 0 ? Object.fromEntries(special) : undefined
}

function contentTypeOf(shape: Shape): { readonly contentType?: string } {
  if (shape.kind === 'array') return contentTypeOf(shape.item)
  if (shape.kind === 'refined') return contentTypeOf(shape.base)
  if (shape.kind !== 'constrained') return {}
  return shape.mediaTypes ? { contentType: shape.mediaTypes.join(', ') } : contentTypeOf(shape.base)
}

function fieldToParameter(
  field: Field,
  location: ParameterLocation,
  scope: Scope,
): ParameterObject {
  const { writeOnly, ...whole } = fieldToSchema(field, scope, '')
  const { description, deprecated } = { ...annotationsOf(field.shape.codec), ...whole }
  const schema = omit(whole, ['description', 'deprecated'])
  return {
    name: field.name,
    in: location,
    required: location === 'path' || isRequired(field, 'input'),
    ...defined({ description, deprecated }),
    ...styleOf(field.shape, location),
    schema,
  }
}

/** OpenAPI's defaults apply, except for a list that is written as one string. */
function styleOf(shape: Shape, location: ParameterLocation): Partial<ParameterObject> {
  if (shape.kind === 'constrained' || shape.kind === 'refined') return styleOf(shape.base, location)
  const isSeparated = shape.kind === 'array' && shape.isSeparated
  return isSeparated && (location === 'query' || location === 'cookie')
    ? { style: 'form', explode: false }
    : {}
}

/** The style of a field that can be an object or a list of objects, perhaps beside other values. */
function objectStyleOf(shape: Shape, style: 'deepObject'): Partial<ParameterObject> {
  const hasObjects = documentedAlternativesOf(shape).some(
    member =>
      fieldsOf(member) !== undefined ||
      itemOf(member, 0).some(item => documentedAlternativesOf(item).some(one => fieldsOf(one))),
  )
  return hasObjects ? { style, explode: true } : {}
}

function eitherParameter(first: ParameterObject, second: ParameterObject): ParameterObject {
  const schema = anyOf([first.schema as SchemaObject, second.schema as SchemaObject])
  return {
    ...first,
    ...second,
    required: first.required === true && second.required === true,
    schema,
  }
}
