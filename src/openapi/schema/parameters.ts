import type { EncodingObject, ParameterObject, SchemaObject } from 'openapi3-ts/oas31'
import { annotationsOf } from '../../codec/shape/annotations.js'
import type { Field, Shape } from '../../codec/shape/shape.js'
import { fieldsOf } from '../../codec/traits/fields-of.js'
import { isRequired } from './direction.js'
import { omit } from './json.js'
import { anyOf } from './keywords.js'
import { fieldToSchema, type Scope } from './shape-to-schema.js'

/** Where a parameter stands, as OpenAPI calls it. */
export type ParameterLocation = 'query' | 'header' | 'cookie' | 'path'

/** The `style` of a list whose items stand in one text, by what separates them. */
const STYLES = new Map([
  [',', 'form'],
  [' ', 'spaceDelimited'],
  ['|', 'pipeDelimited'],
] as const)

/** One parameter for each field of an object; of a union of objects, one for each field of any member. */
export function shapeToParameters(
  shape: Shape,
  location: ParameterLocation,
  scope: Scope,
): ParameterObject[] {
  const objects = fieldsOf(shape)
  if (!objects) {
    scope.problem('', `the codec ${shape.codec.name} is no object, whose fields are the parameters`)
    return []
  }
  const parameters = new Map<string, ParameterObject>()
  for (const field of objects.flat()) {
    if (field.access === 'read') continue
    const parameter = fieldToParameter(field, location, scope)
    const earlier = parameters.get(field.name)
    parameters.set(field.name, earlier ? eitherParameter(earlier, parameter) : parameter)
  }
  return [...parameters.values()].map(parameter => {
    const everywhere = objects.every(fields => fields.some(({ name }) => name === parameter.name))
    return everywhere || location === 'path' ? parameter : { ...parameter, required: false }
  })
}

/**
 * How the fields of a form are written where OpenAPI's defaults do not say it: lists whose items stand in one text, and files
 * of certain media types.
 */
export function shapeToEncoding(shape: Shape): EncodingObject | undefined {
  const fields = (fieldsOf(shape) ?? []).flat()
  const written = fields.map(
    field =>
      [field.name, { ...styleOf(field.shape, 'query'), ...contentTypeOf(field.shape) }] as const,
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
    ...(description !== undefined && { description }),
    ...(deprecated !== undefined && { deprecated }),
    ...styleOf(field.shape, location),
    schema,
  }
}

/** OpenAPI's defaults say all but this: that the items of a list stand in one text. */
function styleOf(shape: Shape, location: ParameterLocation): Partial<ParameterObject> {
  if (shape.kind === 'constrained' || shape.kind === 'refined') return styleOf(shape.base, location)
  const style =
    shape.kind === 'array' && (location === 'query' || location === 'cookie')
      ? STYLES.get((shape.separator ?? '') as ',')
      : undefined
  return style ? { style, explode: false } : {}
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
