import type { OperationObject } from 'openapi3-ts/oas32'
import type { Feature } from '../contract/feature.js'
import { checkOptions } from '../contract/options.js'
import type { StatusOf, WireResponse } from '../contract/wire/facts.js'
import { optionsIn } from '../names.js'

/** Documentation that `doc` merges over that of an operation. */
export interface Documentation extends Partial<OperationObject> {
  /** Leaves the operation out of the document. */
  readonly hidden?: boolean
}

/**
 * Merges documentation over that of the other features, field by field; manual values win: `doc({ deprecated: true, tags: ['old'] })`.
 * Status codes may be numbers or texts (specification, sections 4.3 and 4.6).
 */
export function doc<const Hidden extends boolean = false, const Responses = Record<never, never>>(
  documentation: Documentation & { readonly hidden?: Hidden; readonly responses?: Responses },
): Feature<{ wire: Hidden extends true ? { hidden: true } : { byHand: ByHand<Responses> } }>
export function doc(documentation: Documentation): Feature<Record<never, never>>
export function doc(documentation: Documentation): Feature {
  return {
    on(route) {
      const extensions = Object.keys(optionsIn(documentation)).filter(name => name.startsWith('x-'))
      const { hidden, ...manual } = checkOptions(route, 'doc', documentation, [
        ...FIELDS,
        ...extensions,
        'hidden',
      ])
      return [
        { stage: 'access', docs: () => ({ manual, ...(hidden !== undefined && { hidden }) }) },
      ]
    },
  }
}

/** The responses that are written by hand, for the compiler: their statuses and media types. */
type ByHand<Responses> = {
  [Status in keyof Responses & (number | `${number}`)]: WireResponse<
    StatusOf<Status>,
    Responses[Status] extends { readonly content: infer Content }
      ? { [Media in keyof Content]: unknown }
      : Record<never, never>,
    unknown,
    false
  >
}[keyof Responses & (number | `${number}`)]

/** The fields of an Operation Object (OpenAPI 3.2, section 4.10), beside those that begin with `x-`. */
const FIELDS = [
  'tags',
  'summary',
  'description',
  'externalDocs',
  'operationId',
  'parameters',
  'requestBody',
  'responses',
  'callbacks',
  'deprecated',
  'security',
  'servers',
]
