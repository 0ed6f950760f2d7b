import type { OperationObject } from 'openapi3-ts/oas32'
import type { Feature, Route } from '../../feature-api/feature.js'
import type { StatusOf, WireResponse } from '../../feature-api/wire/facts.js'
import { optionsIn, suggestion } from '../../names.js'
import { parseDocstring } from '../../openapi/document/docstring.js'
import {
  anything,
  checkOptions,
  defined,
  flag,
  list,
  object,
  type Rules,
  string,
  strings,
} from '../../options.js'

/** Documentation that `doc` merges over that of an operation. */
export interface Documentation extends Partial<OperationObject> {
  /** Leaves the operation out of the document. */
  readonly hidden?: boolean
}

/**
 * Merges documentation over that of the other features, field by field; manual values win:
 * `doc({ deprecated: true, tags: ['old'] })`. Status codes may be numbers or strings
 * (specification, sections 4.3 and 4.6).
 */
export function doc<const Hidden extends boolean = false, const Responses = Record<never, never>>(
  documentation: Documentation & { readonly hidden?: Hidden; readonly responses?: Responses },
): Feature<Hidden extends true ? { hidden: true } : { wire: { byHand: ByHand<Responses> } }>
export function doc(documentation: Documentation): Feature<Record<never, never>>
export function doc(documentation: Documentation): Feature {
  return {
    on(route) {
      const extensions = Object.keys(optionsIn(documentation)).filter(name => name.startsWith('x-'))
      const { hidden, ...manual } = checkOptions<Documentation>(route, 'doc', documentation, {
        ...RULES,
        ...Object.fromEntries(extensions.map(name => [name, anything])),
      })
      checkPathParameters(route, manual.parameters)
      return [{ stage: 'access', docs: () => ({ manual, ...defined({ hidden }) }) }]
    },
  }
}

/** Reports path parameters that the rule does not have: the document would be invalid. */
function checkPathParameters(route: Route, parameters: Documentation['parameters'] = []): void {
  const names = route.rule.parameters.map(({ name }) => name)
  for (const parameter of parameters) {
    if ('in' in parameter && parameter.in === 'path' && !names.includes(parameter.name))
      route.fault(
        `doc: the rule has no path parameter "${parameter.name}"${suggestion(parameter.name, names)}`,
      )
  }
}

/**
 * The responses that are written by hand, for the compiler: their statuses and media types. A
 * status that it does not know is left out: it would include all of them.
 */
type ByHand<
  Responses,
  Status = keyof Responses & (number | `${number}`),
> = Status extends keyof Responses & (number | string)
  ? number extends StatusOf<Status>
    ? never
    : WireResponse<
        StatusOf<Status>,
        Responses[Status] extends { readonly content: infer Content }
          ? { [Media in keyof Content]: unknown }
          : Record<never, never>,
        unknown,
        false
      >
  : never

/** The fields of an Operation Object (OpenAPI 3.2, section 4.10); extensions may be anything. */
const RULES: Rules<OperationFields> = {
  tags: strings,
  summary: string,
  description: string,
  externalDocs: object,
  operationId: string,
  parameters: list,
  requestBody: object,
  responses: object,
  callbacks: object,
  deprecated: flag,
  security: list,
  servers: list,
  hidden: flag,
}

type OperationFields = {
  [Name in keyof Documentation as string extends Name
    ? never
    : Name extends `x-${string}`
      ? never
      : Name]: Documentation[Name]
}

/**
 * The docstring of a descriptor: summary, an empty line, description. Everything after the
 * delimiter line of the Blueprint is left out.
 */
export function docstring(text: string): Feature<Record<never, never>> {
  return {
    on: ({ attributes }) => [
      { stage: 'access', docs: () => parseDocstring(text, attributes.DOCSTRING_INFO_DELIMITER) },
    ],
  }
}
