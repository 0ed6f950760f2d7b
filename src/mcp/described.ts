// The operations of a document as tools need them: with references to parameters, bodies and
// responses resolved. References between schemas stay.
import { isObject, type JsonObject } from '../openapi/schema/json.js'

/** One operation of a document, OpenAPI 3.2. */
export interface DescribedOperation {
  /** In upper case: `GET`. */
  readonly method: string
  /** `/jobs/{jobId}` */
  readonly path: string
  readonly operationId: string
  readonly summary?: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly deprecated: boolean
  /** Those of the path included. */
  readonly parameters: readonly DescribedParameter[]
  readonly body: DescribedBody | undefined
  /** By status, `default` and ranges such as `4XX` included. */
  readonly responses: Readonly<Record<string, DescribedResponse>>
  /** Whether a request without credentials is refused. */
  readonly isSecured: boolean
}

/** A parameter of an operation. */
export interface DescribedParameter {
  readonly name: string
  readonly in: string
  readonly description?: string
  readonly required?: boolean
  readonly schema?: JsonObject
  readonly content?: Content
  readonly style?: string
  readonly explode?: boolean
}

/** The forms of a body, a response or a parameter, by media type. */
export type Content = Readonly<Record<string, { readonly schema?: JsonObject }>>

interface DescribedBody {
  readonly content: Content
  readonly required?: boolean
  readonly description?: string
}

interface DescribedResponse {
  readonly headers?: Readonly<Record<string, { readonly description?: string }>>
  readonly content?: Content
}

/** Fields of a Path Item that are not methods (OpenAPI 3.2, section 4.8). */
const NO_METHODS = new Set([
  '$ref',
  'additionalOperations',
  'description',
  'parameters',
  'servers',
  'summary',
])

/** Returns the operations of a document, in its order. */
export function operationsOf(document: JsonObject): readonly DescribedOperation[] {
  const { paths = {}, security } = document as { paths?: Record<string, JsonObject> } & JsonObject
  return Object.entries(paths).flatMap(([path, item]) => {
    const methods = {
      ...Object.fromEntries(
        Object.entries(item).filter(([name]) => !NO_METHODS.has(name) && !name.startsWith('x-')),
      ),
      ...(item.additionalOperations as JsonObject | undefined),
    }
    return Object.entries(methods).map(([method, operation]) =>
      described(document, `${method.toUpperCase()} ${path}`, item, {
        security,
        ...(operation as JsonObject),
      }),
    )
  })
}

function described(
  document: JsonObject,
  name: string,
  item: JsonObject,
  operation: JsonObject,
): DescribedOperation {
  const [method = '', path = ''] = name.split(' ', 2)
  const resolve = <T>(value: unknown) => resolved(document, value) as T
  const { operationId, summary, description, tags = [], deprecated = false } = operation
  const { requestBody, responses = {}, security } = operation
  const parameters = [item.parameters, operation.parameters]
    .flatMap(list => (list as readonly unknown[] | undefined) ?? [])
    .map(parameter => resolve<DescribedParameter>(parameter))
  return {
    method,
    path,
    operationId: String(operationId),
    ...(summary !== undefined && { summary: String(summary) }),
    ...(description !== undefined && { description: String(description) }),
    tags: tags as readonly string[],
    deprecated: deprecated === true,
    // those of the operation replace those of the path
    parameters: [...new Map(parameters.map(one => [`${one.in} ${one.name}`, one])).values()],
    body: requestBody === undefined ? undefined : resolve<DescribedBody>(requestBody),
    responses: Object.fromEntries(
      Object.entries(responses as JsonObject).map(([status, response]) => {
        const { headers = {}, ...rest } = resolve<DescribedResponse>(response)
        return [
          status,
          {
            ...rest,
            headers: Object.fromEntries(
              Object.entries(headers).map(([field, header]) => [field, resolve<object>(header)]),
            ),
          },
        ]
      }),
    ),
    isSecured: requiresCredentials(security),
  }
}

/** An empty requirement, or none at all, lets everybody in (OpenAPI 3.2, section 4.8.10). */
function requiresCredentials(security: unknown): boolean {
  return (
    Array.isArray(security) &&
    security.length > 0 &&
    security.every(requirement => Object.keys(requirement).length > 0)
  )
}

/** Returns what a value refers to, or the value itself if it is not a reference. */
function resolved(document: JsonObject, value: unknown): unknown {
  const { $ref } = Object(value) as { $ref?: unknown }
  return typeof $ref === 'string' ? resolved(document, targetOf(document, $ref) ?? {}) : value
}

/** Returns what a reference into the document leads to; undefined if it leads to nothing. */
export function targetOf(document: JsonObject, $ref: string): unknown {
  if (!$ref.startsWith('#/')) return undefined
  return $ref
    .slice(2)
    .split('/')
    .map(key => key.replace(/~1/g, '/').replace(/~0/g, '~'))
    .reduce<unknown>(
      (inner, key) => (isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
      document,
    )
}
