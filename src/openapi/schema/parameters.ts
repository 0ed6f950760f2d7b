import type { EncodingObject, ParameterObject, SchemaObject } from 'openapi3-ts/oas31'
import { annotationsOf } from '../../codec/shape/annotations.js'
import type { Field, Shape } from '../../codec/shape/shape.js'
import { fieldsOf } from '../../codec/traits/fields-of.js'
import { alternativesOf, isAbsence } from '../../codec/traits/parts.js'
import { isRequired } from './direction.js'
import { omit } from './json.js'
import { anyOf } from './keywords.js'
import { fieldToSchema, type Scope } from './shape-to-schema.js'

/** The location of a parameter, as OpenAPI calls it. */
export type ParameterLocation = 'query' | 'header' | 'cookie' | 'path'

/** The `style` of a list that is written as one string, by its separator. */
const STYLES = new Map([
  [',', 'form'],
  [' ', 'spaceDelimited'],
  ['|', 'pipeDelimited'],
] as const)

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
        `the codec ${shape.codec.name} is no object, whose fields are the parameters`,
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
    ...(description !== undefined && { description }),
    ...(deprecated !== undefined && { deprecated }),
    ...styleOf(field.shape, location),
    schema,
  }
}

/** OpenAPI's defaults apply, except for a list that is written as one string. */
function styleOf(shape: Shape, location: ParameterLocation): Partial<ParameterObject> {
  if (shape.kind === 'constrained' || shape.kind === 'refined') return styleOf(shape.base, location)
  const style =
    shape.kind === 'array' && (location === 'query' || location === 'cookie')
      ? STYLES.get((shape.separator ?? '') as ',')
      : undefined
  return style ? { style, explode: false } : {}
}

/** The style of a field that is an object, or null. */
function objectStyleOf(shape: Shape, style: 'deepObject'): Partial<ParameterObject> {
  const members = alternativesOf(shape).filter(member => !isAbsence(member))
  const isObject = members.length > 0 && members.every(member => fieldsOf(member) !== undefined)
  return isObject ? { style, explode: true } : {}
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
