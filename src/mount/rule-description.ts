// The part of the description of operations that their rule provides: parameters and names. Called by registration.
import type { ParameterObject } from 'openapi3-ts/oas32'
import type { Rule } from '../http/routing/rule.js'
import type { OperationDescription } from '../openapi/document/document.js'
import { mergeParameters } from '../openapi/document/fragment.js'

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
  )
}

/** The operationId that an operation has in the document. */
export function operationIdOf({
  fragment: { manual, operationId },
  defaultOperationId,
}: OperationDescription): string {
  return manual?.operationId ?? operationId ?? defaultOperationId
}

/** What a view may be called, the first that is free: its own name, the same behind its Blueprint's, or the whole path. */
export function namesOf(rule: Rule, blueprint: string, own: string): readonly string[] {
  const path = ruleName(rule)
  return [own || path, `${blueprint.replace(/[^\w.-]+/g, '_')}_${own || path}`, path]
}

/** A name for a function that has none: `/pets/{petId}/toys` is `pets_petId_toys`. */
export function ruleName({ template }: Rule): string {
  return template.replace(/[^A-Za-z0-9]+/g, '_').replace(/^_|_$/g, '') || 'root'
}
