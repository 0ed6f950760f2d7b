import { STATUS_CODES } from 'node:http'
import type { SchemaObject as Schema31 } from 'openapi3-ts/oas31'
import type {
  ContentObject,
  ExternalDocumentationObject,
  HeaderObject,
  MediaTypeObject,
  OperationObject,
  ParameterObject,
  ReferenceObject,
  RequestBodyObject,
  ResponseObject,
  SchemaObject,
  SecurityRequirementObject,
} from 'openapi3-ts/oas32'
import { repeatedByNotModified } from '../../http/not-modified.js'
import { defined } from '../../options.js'
import {
  deepMerge,
  isEqual,
  isObject,
  type JsonObject,
  mapValues,
  objectIn,
} from '../schema/json.js'
import { anyOf } from '../schema/keywords.js'
import type { Schemas } from '../schema/schemas.js'

/** A parameter, or a reference to one. */
type Parameter = ParameterObject | ReferenceObject

/** Header fields of a response, by name. */
type HeaderFields = Readonly<Record<string, HeaderObject | ReferenceObject>>

/** A header field that is a string. */
export function textHeader(description: string, required = false) {
  return { description, ...(required && { required }), schema: { type: 'string' } } as const
}

/** The Retry-After of a response that is not the last word. */
export const RETRY_LATER = {
  description: 'Seconds after which to try again',
  schema: { type: 'integer', minimum: 1 },
} as const

/**
 * The part that one feature adds to the description of its operation. Fragments are merged in
 * order; nothing is mutated.
 */
export interface Fragment {
  readonly summary?: string
  readonly description?: string
  readonly operationId?: string
  readonly tags?: readonly string[]
  readonly deprecated?: boolean
  /** Who may call it: one of these requirements is enough; an empty list is everybody. */
  readonly security?: readonly SecurityRequirementObject[]
  /**
   * The WWW-Authenticate challenges for a request without credentials; not part of the document.
   */
  readonly challenges?: readonly string[]
  readonly externalDocs?: ExternalDocumentationObject
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: RequestBodyObject
  readonly responses?: { readonly [status: string]: ResponseObject | ReferenceObject }
  /**
   * Header fields of every 2xx response, whose status only `response` knows; a 304 has those of
   * them that it repeats.
   */
  readonly success?: { readonly headers?: HeaderFields }
  /** Header fields of every response of the operation: errors, 304 and `default` included. */
  readonly every?: { readonly headers?: HeaderFields }
  /** Header fields of every response of the operation that is neither 2xx nor 304. */
  readonly failures?: { readonly headers?: HeaderFields }
  /** Laid over everything else, manual values winning: what `doc` was given. */
  readonly manual?: Partial<OperationObject>
  /** The operation is left out of the document. */
  readonly hidden?: boolean
}

/**
 * Merges fragments into one; later ones win. Parameters, headers, responses and media types are
 * joined; two schemas for one status and media type become `anyOf`. A response that is written out
 * is laid over the general one that another fragment refers to, which `resolve` returns.
 */
export function merge(fragments: readonly Fragment[], resolve?: Resolve): Fragment {
  const merged: Writable<Fragment> = {}
  // not an object until all is there: V8 takes microseconds for each object whose keys are numbers
  const responses: Responses = new Map()
  for (const fragment of fragments) {
    add(fragment, merged)
    if (fragment.responses) mergeResponses(responses, fragment.responses, resolve)
  }
  if (responses.size > 0) merged.responses = Object.fromEntries(responses)
  return merged
}

/** Adds all of a fragment but its responses. */
function add(fragment: Fragment, merged: Writable<Fragment>): void {
  const before = { ...merged }
  Object.assign(merged, fragment)
  if (fragment.parameters)
    merged.parameters = mergeParameters(before.parameters ?? [], fragment.parameters)
  if (fragment.requestBody)
    merged.requestBody = mergeBodies(before.requestBody, fragment.requestBody)
  for (const kind of ['success', 'every', 'failures'] as const) {
    const more = fragment[kind]
    if (more) merged[kind] = { headers: { ...before[kind]?.headers, ...more.headers } }
  }
  if (fragment.manual)
    merged.manual = deepMerge(before.manual, fragment.manual) as Partial<OperationObject>
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] }

/**
 * Joins two lists of parameters; those of one location and name are merged, and the later one's
 * keys win. Schemas of path parameters are merged if they are of one type: the bounds of a
 * converter always hold.
 */
export function mergeParameters(
  first: readonly Parameter[],
  second: readonly Parameter[],
): Parameter[] {
  const merged = new Map<string, Parameter>()
  for (const parameter of [...first, ...second]) {
    const key = keyOf(parameter)
    const earlier = merged.get(key)
    merged.set(
      key,
      earlier ? { ...earlier, ...parameter, ...schemaOf(earlier, parameter) } : parameter,
    )
  }
  return [...merged.values()]
}

function schemaOf(first: Parameter, second: Parameter): Pick<ParameterObject, 'schema'> {
  if (!('in' in second) || second.in !== 'path' || !('schema' in first)) return {}
  const [base, over] = [first.schema, second.schema]
  if (!isObject(base) || !isObject(over) || '$ref' in base || '$ref' in over) return {}
  return over.type === undefined || over.type === base.type
    ? { schema: deepMerge(base, over) as SchemaObject }
    : {}
}

function keyOf(parameter: Parameter): string {
  if ('$ref' in parameter) return parameter.$ref
  return `${parameter.in} ${parameter.in === 'header' ? parameter.name.toLowerCase() : parameter.name}`
}

/**
 * Parameters that two fragments describe differently: only one of the descriptions would be in the
 * document.
 */
export function conflictingParameters(fragments: readonly Fragment[]): readonly ParameterObject[] {
  const first = new Map<string, Parameter>()
  const conflicting: ParameterObject[] = []
  for (const parameter of fragments.flatMap(({ parameters = [] }) => parameters)) {
    const key = keyOf(parameter)
    const earlier = first.get(key)
    if (earlier === undefined) first.set(key, parameter)
    else if (!('$ref' in parameter) && !isEqual(earlier, parameter)) conflicting.push(parameter)
  }
  return conflicting
}

function mergeBodies(
  first: RequestBodyObject | undefined,
  second: RequestBodyObject,
): RequestBodyObject {
  return { ...first, ...second, content: mergeContents(first?.content, second.content) }
}

type Responses = Map<string, ResponseObject | ReferenceObject>
type Resolve = (reference: ReferenceObject) => ResponseObject | undefined

/** Adds responses to those that are there. */
function mergeResponses(
  responses: Responses,
  more: NonNullable<Fragment['responses']>,
  resolve?: Resolve,
): void {
  for (const status of Object.keys(more)) {
    const earlier = responses.get(status)
    const response = more[status] as ResponseObject | ReferenceObject
    responses.set(status, earlier ? mergeResponse(earlier, response, resolve) : response)
  }
}

function mergeResponse(
  first: ResponseObject | ReferenceObject,
  second: ResponseObject | ReferenceObject,
  resolve?: Resolve,
): ResponseObject | ReferenceObject {
  if ('$ref' in second)
    return '$ref' in first ? second : mergeResponse(resolve?.(second) ?? first, first)
  if ('$ref' in first) return mergeResponse(resolve?.(first) ?? second, second)
  return {
    ...first,
    ...second,
    ...((first.headers ?? second.headers) && { headers: { ...first.headers, ...second.headers } }),
    ...((first.content ?? second.content) && {
      content: mergeContents(first.content, second.content),
    }),
  }
}

type MediaType = MediaTypeObject | ReferenceObject

function mergeContents(first: ContentObject = {}, second: ContentObject = {}): ContentObject {
  const merged = new Map(Object.entries(first))
  for (const [mediaType, content] of Object.entries(second))
    merged.set(mediaType, mergeMediaType(merged.get(mediaType) ?? {}, content))
  return Object.fromEntries(merged)
}

function mergeMediaType(first: MediaType, second: MediaType): MediaType {
  if ('$ref' in first || '$ref' in second) return second
  const schemas = [first.schema, second.schema].flatMap(alternativesOf)
  return { ...first, ...second, ...(schemas.length > 0 && { schema: anyOf(schemas) }) }
}

/** The members of a schema that is nothing but a union. */
function alternativesOf(schema: unknown): readonly Schema31[] {
  if (schema === undefined) return []
  const { anyOf: members, ...rest } = schema as { anyOf?: Schema31[] }
  return members && Object.keys(rest).length === 0 ? members : [schema as Schema31]
}

/** One method of one path, as the Blueprints registered it. */
export interface OperationDescription {
  /** In any case: `GET`. */
  readonly method: string
  /** The whole path template: `/pets/{petId}`. */
  readonly path: string
  /** The parameters of the path, which are documented beside its operations. */
  readonly pathParameters: readonly Parameter[]
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
  const byHand = objectIn(manual?.responses)
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
  const own = objectIn(response.headers)
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
      parameters as Parameter[],
      pathParameters,
    ),
  }
}

/**
 * Parameters that were described by hand, laid over the others. A path parameter of an operation
 * replaces the one beside the operation (OpenAPI 3.2, section 4.10), so it has to be complete.
 */
function layOverParameters(
  own: readonly Parameter[],
  manual: readonly Parameter[],
  pathParameters: OperationDescription['pathParameters'],
): Parameter[] {
  const names = new Set(manual.filter(isInPath).map(({ name }) => name))
  const ofRule = pathParameters.filter(isInPath).filter(({ name }) => names.has(name))
  return mergeParameters(mergeParameters(ofRule, own), manual).map(parameter =>
    isInPath(parameter) && names.has(parameter.name) ? { ...parameter, required: true } : parameter,
  )
}

function isInPath(parameter: Parameter): parameter is ParameterObject {
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
