import { STATUS_CODES } from 'node:http'
import type { OperationObject, ParameterObject, ReferenceObject } from 'openapi3-ts/oas31'
import { deepMerge, defined, isObject, type JsonObject, mapValues } from '../schema/json.js'
import type { Schemas } from '../schema/schemas.js'
import { type Fragment, mergeParameters } from './fragment.js'

/** The Operation Object that a fragment makes: with a `default` response, a description for each response, manual values on top. */
export function describeOperation(fragment: Fragment, defaultTag: string, defaultOperationId: string, schemas: Schemas): OperationObject {
  const { tags = [defaultTag], operationId = defaultOperationId, parameters = [], responses, success, manual = {} } = fragment
  const automatic = defined<OperationObject>({
    tags: [...tags],
    summary: fragment.summary,
    description: fragment.description,
    externalDocs: fragment.externalDocs,
    operationId,
    deprecated: fragment.deprecated,
    parameters: parameters.length > 0 ? [...parameters] : undefined,
    requestBody: fragment.requestBody,
    responses: { ...withHeaders(responses ?? {}, success?.headers ?? {}), default: responses?.default ?? schemas.errorResponse('default') },
  })
  const operation = layOver(automatic, manual, schemas)
  return { ...operation, responses: mapValues(operation.responses, describeResponse) as NonNullable<OperationObject['responses']> }
}

/** `responses`, of which those that tell of success have these headers too. */
function withHeaders(responses: JsonObject, headers: JsonObject): JsonObject {
  if (Object.keys(headers).length === 0) return responses
  const add = (response: unknown, status: string) =>
    status.startsWith('2') && isObject(response) && !('$ref' in response)
      ? { ...response, headers: { ...headers, ...(response.headers as object) } }
      : response
  return mapValues(responses, add) as JsonObject
}

function layOver(operation: OperationObject, manual: Partial<OperationObject>, schemas: Schemas): OperationObject {
  const { parameters, responses, ...rest } = manual
  const given = mapValues(responses, (response, status) => layOverResponse(operation.responses?.[status], response, schemas))
  return {
    ...(deepMerge(operation, rest) as OperationObject),
    ...(parameters && { parameters: mergeParameters(operation.parameters ?? [], parameters as (ParameterObject | ReferenceObject)[]) }),
    ...(isObject(given) && { responses: { ...operation.responses, ...given } }),
  }
}

/** A general response that is described by hand is no longer the general one, so it is written out. */
function layOverResponse(base: unknown, manual: unknown, schemas: Schemas): unknown {
  if (!isObject(manual) || '$ref' in manual || !isObject(base) || typeof base.$ref !== 'string') return deepMerge(base, manual)
  const name = base.$ref.replace('#/components/responses/', '')
  return deepMerge(schemas.components.responses?.[name], manual)
}

function describeResponse(response: unknown, status: string): unknown {
  if (!isObject(response) || '$ref' in response || typeof response.description === 'string') return response
  return { description: STATUS_CODES[status] ?? `Status ${status}`, ...response }
}
