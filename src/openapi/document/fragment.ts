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
import { deepMerge, isEqual, isObject } from '../schema/json.js'

/** Header fields of a response, by name. */
export type HeaderFields = Readonly<Record<string, HeaderObject | ReferenceObject>>

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
  readonly parameters?: readonly (ParameterObject | ReferenceObject)[]
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
 * wins over a reference to a general one.
 */
export function merge(fragments: readonly Fragment[]): Fragment {
  const merged: Writable<Fragment> = {}
  // not an object until all is there: V8 takes microseconds for each object whose keys are numbers
  const responses: Responses = new Map()
  for (const fragment of fragments) {
    add(fragment, merged)
    if (fragment.responses) mergeResponses(responses, fragment.responses)
  }
  if (responses.size > 0) merged.responses = Object.fromEntries(responses)
  return merged
}

/** Adds all of a fragment but its responses. */
function add(fragment: Fragment, merged: Writable<Fragment>): void {
  const { parameters = [], requestBody, success, every, failures, manual } = merged
  Object.assign(merged, fragment)
  if (fragment.parameters) merged.parameters = mergeParameters(parameters, fragment.parameters)
  if (fragment.requestBody) merged.requestBody = mergeBodies(requestBody, fragment.requestBody)
  if (fragment.success)
    merged.success = { headers: { ...success?.headers, ...fragment.success.headers } }
  if (fragment.every) merged.every = { headers: { ...every?.headers, ...fragment.every.headers } }
  if (fragment.failures)
    merged.failures = { headers: { ...failures?.headers, ...fragment.failures.headers } }
  if (fragment.manual)
    merged.manual = deepMerge(manual, fragment.manual) as Partial<OperationObject>
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] }

/**
 * Joins two lists of parameters; those of one location and name are merged, and the later one's
 * keys win. Schemas of path parameters are merged if they are of one type: the bounds of a
 * converter always hold.
 */
export function mergeParameters(
  first: readonly (ParameterObject | ReferenceObject)[],
  second: readonly (ParameterObject | ReferenceObject)[],
): (ParameterObject | ReferenceObject)[] {
  const merged = new Map<string, ParameterObject | ReferenceObject>()
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

type Parameter = ParameterObject | ReferenceObject

function schemaOf(first: Parameter, second: Parameter): Pick<ParameterObject, 'schema'> {
  if (!('in' in second) || second.in !== 'path' || !('schema' in first)) return {}
  const [base, over] = [first.schema, second.schema]
  if (!isObject(base) || !isObject(over) || '$ref' in base || '$ref' in over) return {}
  return over.type === undefined || over.type === base.type
    ? { schema: deepMerge(base, over) as SchemaObject }
    : {}
}

function keyOf(parameter: ParameterObject | ReferenceObject): string {
  if ('$ref' in parameter) return parameter.$ref
  return `${parameter.in} ${parameter.in === 'header' ? parameter.name.toLowerCase() : parameter.name}`
}

/**
 * Parameters that two fragments describe differently: only one of the descriptions would be in the
 * document.
 */
export function conflictingParameters(fragments: readonly Fragment[]): readonly ParameterObject[] {
  const first = new Map<string, ParameterObject | ReferenceObject>()
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

/** Adds responses to those that are there. */
function mergeResponses(responses: Responses, more: NonNullable<Fragment['responses']>): void {
  for (const status of Object.keys(more)) {
    const earlier = responses.get(status)
    const response = more[status] as ResponseObject | ReferenceObject
    responses.set(status, earlier ? mergeResponse(earlier, response) : response)
  }
}

function mergeResponse(
  first: ResponseObject | ReferenceObject,
  second: ResponseObject | ReferenceObject,
): ResponseObject | ReferenceObject {
  if ('$ref' in second) return '$ref' in first ? second : first
  if ('$ref' in first) return second
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
  const both = first.schema && second.schema && !isEqual(first.schema, second.schema)
  return {
    ...first,
    ...second,
    ...(both && { schema: { anyOf: unionOf(first.schema, second.schema) } }),
  } as MediaTypeObject
}

/** The members of a union of schemas, each once; a union in it is taken apart. */
function unionOf(...schemas: readonly unknown[]): SchemaObject[] {
  const members = schemas.flatMap(schema => {
    const { anyOf, ...rest } = schema as { anyOf?: SchemaObject[] }
    return anyOf && Object.keys(rest).length === 0 ? anyOf : [schema as SchemaObject]
  })
  return members.filter(
    (member, index) => members.findIndex(other => isEqual(other, member)) === index,
  )
}
