import { STATUS_CODES } from 'node:http'
import type { OperationObject, ParameterObject, ReferenceObject } from 'openapi3-ts/oas32'
import { repeatedByNotModified } from '../../http/not-modified.js'
import { deepMerge, defined, isObject, type JsonObject, mapValues } from '../schema/json.js'
import type { Schemas } from '../schema/schemas.js'
import { type Fragment, type HeaderFields, mergeParameters } from './fragment.js'

/** One method of one path, as the Blueprints registered it. */
export interface OperationDescription {
  /** In any case: `GET`. */
  readonly method: string
  /** The whole path template: `/pets/{petId}`. */
  readonly path: string
  /** The parameters of the path, which are documented beside its operations. */
  readonly pathParameters: readonly (ParameterObject | ReferenceObject)[]
  readonly fragment: Fragment
  readonly defaultTag: string
  readonly defaultOperationId: string
}

/**
 * The Operation Object that a fragment makes: with a `default` response and a description for each
 * response, manual values on top. Header fields of every response are added last, so that responses
 * described by hand have them too.
 */
export function describeOperation(
  {
    fragment,
    defaultTag,
    defaultOperationId,
    pathParameters,
  }: Pick<
    OperationDescription,
    'fragment' | 'defaultTag' | 'defaultOperationId' | 'pathParameters'
  >,
  schemas: Schemas,
): OperationObject {
  const {
    tags = [defaultTag],
    operationId = defaultOperationId,
    parameters = [],
    manual = {},
  } = fragment
  const automatic = defined<OperationObject>({
    tags: [...tags],
    summary: fragment.summary,
    description: fragment.description,
    externalDocs: fragment.externalDocs,
    operationId,
    deprecated: fragment.deprecated,
    security: fragment.security && [...fragment.security],
    parameters: parameters.length > 0 ? [...parameters] : undefined,
    requestBody: fragment.requestBody,
    responses: {},
  })
  const laidOver = layOver(automatic, manual, pathParameters)
  return { ...laidOver, responses: describeResponses(fragment, schemas) }
}

/** All responses, with those that were described by hand laid over them. */
function describeResponses(
  { responses = {}, success, every, failures, manual }: Fragment,
  schemas: Schemas,
): NonNullable<OperationObject['responses']> {
  const byHand = isObject(manual?.responses) ? manual.responses : {}
  const described = new Map<string, unknown>()
  const describe = (status: string): void => {
    const known =
      responses[status] ?? (status === 'default' ? schemas.errorResponse('default') : undefined)
    const automatic = withSuccessHeaders(known, status, success?.headers)
    const response = Object.hasOwn(byHand, status)
      ? layOverResponse(automatic, byHand[status], schemas)
      : automatic
    const whole = withErrorBody(response, status, schemas)
    const isSuccess = status.startsWith('2') || status === '304'
    const headers =
      isSuccess || !failures?.headers ? every?.headers : { ...every?.headers, ...failures.headers }
    described.set(status, describeResponse(whole, status, headers, schemas))
  }
  new Set([...Object.keys(responses), 'default', ...Object.keys(byHand)]).forEach(describe)
  return Object.fromEntries(described) as NonNullable<OperationObject['responses']>
}

/** An error response that was described without a content has the error body, as all errors have. */
function withErrorBody(response: unknown, status: string, schemas: Schemas): unknown {
  if (!/^(?:[45]|default$)/.test(status) || !isObject(response)) return response
  return '$ref' in response || 'content' in response
    ? response
    : { ...response, content: schemas.errorContent() }
}

/**
 * A response of success that is written out has these header fields too, and a 304 those that it
 * repeats.
 */
function withSuccessHeaders(
  response: unknown,
  status: string,
  headers: HeaderFields | undefined,
): unknown {
  if (!headers || !isObject(response) || '$ref' in response) return response
  if (status === '304')
    return withHeaders(response, Object.fromEntries(repeatedByNotModified(Object.entries(headers))))
  return status.startsWith('2') ? withHeaders(response, headers) : response
}

/**
 * `response` with these header fields beside its own, which win; names are compared in any case.
 */
function withHeaders(response: JsonObject, headers: HeaderFields): JsonObject {
  const own = isObject(response.headers) ? response.headers : {}
  const taken = new Set(Object.keys(own).map(name => name.toLowerCase()))
  const added = Object.entries(headers).filter(([name]) => !taken.has(name.toLowerCase()))
  return added.length > 0
    ? { ...response, headers: { ...Object.fromEntries(added), ...own } }
    : response
}

function layOver(
  operation: OperationObject,
  { responses: _, parameters, ...manual }: Partial<OperationObject>,
  pathParameters: OperationDescription['pathParameters'],
): OperationObject {
  const laidOver =
    Object.keys(manual).length > 0 ? (deepMerge(operation, manual) as OperationObject) : operation
  if (!parameters) return laidOver
  return {
    ...laidOver,
    parameters: layOverParameters(
      operation.parameters ?? [],
      parameters as (ParameterObject | ReferenceObject)[],
      pathParameters,
    ),
  }
}

/**
 * Parameters that were described by hand, laid over the others. A path parameter of an operation
 * replaces the one beside the operation (OpenAPI 3.2, section 4.10), so it has to be complete.
 */
function layOverParameters(
  own: readonly (ParameterObject | ReferenceObject)[],
  manual: readonly (ParameterObject | ReferenceObject)[],
  pathParameters: OperationDescription['pathParameters'],
): (ParameterObject | ReferenceObject)[] {
  const names = new Set(manual.filter(isInPath).map(({ name }) => name))
  const ofRule = pathParameters.filter(isInPath).filter(({ name }) => names.has(name))
  return mergeParameters(mergeParameters(ofRule, own), manual).map(parameter =>
    isInPath(parameter) && names.has(parameter.name) ? { ...parameter, required: true } : parameter,
  )
}

function isInPath(parameter: ParameterObject | ReferenceObject): parameter is ParameterObject {
  return 'in' in parameter && parameter.in === 'path'
}

/**
 * A general response that is described by hand is no longer the general one, so it is written out.
 */
function layOverResponse(base: unknown, manual: unknown, schemas: Schemas): unknown {
  if (!isObject(manual) || '$ref' in manual) return deepMerge(base, manual)
  const general = writtenOut(base, schemas)
  return isObject(general) && '$ref' in general ? manual : deepMerge(general, manual)
}

/** The response component that a reference points at; anything else stays unchanged. */
function writtenOut(response: unknown, schemas: Schemas): unknown {
  if (!isObject(response) || typeof response.$ref !== 'string') return response
  return schemas.response(response.$ref) ?? response
}

/**
 * Statuses that a client of the path also gets before the operation runs: its path is malformed
 * (400), matches no rule, such as a word instead of a number (404), or whatever `default` covers.
 */
const OUTSIDE = new Set(['400', '404', 'default'])

function optionalHeader(header: unknown): unknown {
  if (!isObject(header)) return header
  const { required: _, ...optional } = header
  return optional
}

/**
 * One response with its description and, if there are any, the header fields of every response,
 * which a reference cannot have beside it.
 */
function describeResponse(
  response: unknown,
  status: string,
  headers: HeaderFields | undefined,
  schemas: Schemas,
): unknown {
  const own = headers ? writtenOut(response, schemas) : response
  if (!isObject(own) || '$ref' in own) return own
  const described =
    typeof own.description === 'string'
      ? own
      : { description: STATUS_CODES[status] ?? `Status ${status}`, ...own }
  return headers
    ? withHeaders(
        described,
        OUTSIDE.has(status) ? (mapValues(headers, optionalHeader) as HeaderFields) : headers,
      )
    : described
}
