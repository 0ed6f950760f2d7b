// The part of the description of operations that their rule provides: parameters and names. Called
// by registration.
import type { ParameterObject } from 'openapi3-ts/oas32'
import type { Route } from '../feature-api/feature.js'
import { READERS } from '../feature-api/request-reader.js'
import { essenceOf, isInRange, isJsonType } from '../http/media-type.js'
import type { Rule } from '../http/routing/rule.js'
import { mergeParameters, type OperationDescription } from '../openapi/document/fragment.js'

/** The parameters of the path, and documentation by hand laid over them by place and name. */
export function pathParameters(
  rule: Rule,
  byHand: readonly ParameterObject[],
): OperationDescription['pathParameters'] {
  const own = rule.parameters.map(
    ({ name, converter }): ParameterObject => ({
      name,
      in: 'path',
      required: true,
      schema: converter.schema ?? { type: 'string' },
    }),
  )
  const isOwn = (name: string) => rule.parameters.some(parameter => parameter.name === name)
  return mergeParameters(
    own,
    byHand.filter(parameter => parameter.in !== 'path' || isOwn(parameter.name)),
  ).map(parameter =>
    'in' in parameter && parameter.in === 'path' ? { ...parameter, required: true } : parameter,
  )
}

/** The documented names in the query; of an object in the style `deepObject`, `created[` too. */
export function queryNamesOf({
  pathParameters,
  fragment: { parameters = [], manual },
}: OperationDescription): readonly string[] {
  return [...pathParameters, ...parameters, ...(manual?.parameters ?? [])].flatMap(parameter => {
    if (!('in' in parameter) || parameter.in !== 'query') return []
    const { name, style } = parameter
    return style === 'deepObject' ? [name, `${name}[`] : [name]
  })
}

/**
 * The media types of the body that are documented by hand only and that no argument reads: each
 * such request would be a 415. None if a reader of the application, or a method, reads the body.
 */
export function unreadMediaTypes(
  { features, attributes }: Pick<Route, 'features' | 'attributes'>,
  { fragment: { requestBody, manual } }: OperationDescription,
): readonly string[] {
  const byHand = manual?.requestBody
  const isRead = features.some(({ bodyLimit }) => bodyLimit !== undefined)
  const isOwnReader = BODIES.some(name => attributes.ARGUMENTS_PARSER[name] !== READERS[name])
  if (!isRead || isOwnReader || !requestBody || !byHand || !('content' in byHand)) return []
  const read = Object.keys(requestBody.content).map(essenceOf)
  const reads = (type: string) =>
    read.some(one => one === type || isInRange(one, type)) ||
    // `json` and `form` read these beside their own
    (isJsonType(type)
      ? read.some(one => !FORMS.has(one))
      : FORMS.has(type) && read.some(one => FORMS.has(one)))
  return Object.keys(byHand.content ?? {}).filter(type => !reads(essenceOf(type)))
}

const BODIES = ['json', 'form', 'files'] as const
const FORMS = new Set(['application/x-www-form-urlencoded', 'multipart/form-data'])

/** The operationId that an operation has in the document. */
export function operationIdOf({
  fragment: { manual, operationId },
  defaultOperationId,
}: OperationDescription): string {
  return manual?.operationId ?? operationId ?? defaultOperationId
}

/**
 * The names for a view, of which the first free one is used: its own name, the same behind its
 * Blueprint's, or the whole path.
 */
export function namesOf(rule: Rule, blueprint: string, own: string): readonly string[] {
  const path = ruleName(rule)
  return [own || path, `${blueprint.replace(/[^\w.-]+/g, '_')}_${own || path}`, path]
}

/** A name for a function that has none: `/pets/{petId}/toys` is `pets_petId_toys`. */
export function ruleName({ template }: Rule): string {
  return template.replace(/[^A-Za-z0-9]+/g, '_').replace(/^_|_$/g, '') || 'root'
}
