// Makes tools of the operations of a document: names, hints and schemas.
import { isJsonType } from '../http/media-type.js'
import { reads } from '../http/methods.js'
import { shown } from '../names.js'
import type { JsonObject } from '../openapi/schema/json.js'
import { faultsIn, flag, object, string } from '../options.js'
import type { Content, DescribedOperation, DescribedParameter } from './described.js'
import { type ObjectSchema, standalone } from './tool-schema.js'

/** An operation that may become a tool. */
export interface ToolOperation {
  readonly operationId: string
  /** In upper case: `GET`. */
  readonly method: string
  /** As documented: `/jobs/{jobId}`. */
  readonly path: string
  readonly tags: readonly string[]
  readonly summary?: string
  readonly deprecated: boolean
}

/**
 * The description of a tool for a model. Each property replaces a value derived from the operation.
 */
export interface ToolOptions {
  /**
   * 1 to 64 letters, digits, `_` and `-`, unique among the tools. Default: the operationId.
   */
  readonly name?: string
  /** For people. Default: the summary. */
  readonly title?: string
  /** For the model. Default: the description, or else the summary. */
  readonly description?: string
  /** Replaces single hints. */
  readonly annotations?: ToolAnnotations
}

/** The hints about a tool by which a host decides whether to ask its user first. */
export interface ToolAnnotations {
  readonly title?: string
  /** It changes nothing. Default: true for GET, HEAD and QUERY. */
  readonly readOnlyHint?: boolean
  /** It may change or remove what is there. Default: false only for a POST that answers 201. */
  readonly destructiveHint?: boolean
  /**
   * A second equal call changes nothing more. Default: true for GET, HEAD, QUERY, PUT and DELETE,
   * and if an Idempotency-Key is required.
   */
  readonly idempotentHint?: boolean
  /** It reaches beyond this API. */
  readonly openWorldHint?: boolean
}

/** A tool in the list. */
interface ListedTool {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema: ObjectSchema
  readonly outputSchema: ObjectSchema
  readonly annotations: ToolAnnotations
}

/** A tool and how it is called. */
export interface Tool {
  readonly listed: ListedTool
  readonly operation: DescribedOperation
  /** The parameters that are arguments, by name. */
  readonly parameters: ReadonlyMap<string, DescribedParameter>
  /** The media type of the body; undefined if there is no body. */
  readonly mediaType: string | undefined
  /** The documented names of header fields that results have, by name in lower case. */
  readonly fields: ReadonlyMap<string, string>
}

/** Decides whether an operation is a tool, and describes it. */
export type Choose = (operation: ToolOperation) => boolean | ToolOptions

/** The protocol's clients accept no other names. */
const NAME = /^[\w-]{1,64}$/

/** Fields in which proxies name the sender of a request. */
export const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto']

/**
 * Fields that are not arguments: a condition that would answer without a body, and what each call
 * has from its caller or from us.
 */
const NOT_ARGUMENTS = new Set([
  ...FORWARDED,
  'accept',
  'authorization',
  'content-type',
  'cookie',
  'host',
  'if-none-match',
])

/** Fields that results have even if no response documents them. */
const USUAL_FIELDS = ['ETag', 'Location', 'Retry-After']

/** Makes the tools that are chosen. Reports what cannot be one. */
export function toolsOf(
  document: JsonObject,
  operations: readonly DescribedOperation[],
  credentials: ReadonlySet<string>,
  choose: Choose,
  fault: (text: string) => void,
): readonly Tool[] {
  const tools = operations.flatMap(operation => {
    const options = chosen(operation, choose, text => fault(`${nameOf(operation)}: ${text}`))
    return options
      ? toolOf(document, operation, options, credentials, text =>
          fault(`${nameOf(operation)}: ${text}`),
        )
      : []
  })
  const names = new Map<string, Tool>()
  for (const tool of tools) {
    const { name } = tool.listed
    const other = names.get(name)
    if (other)
      fault(
        `${nameOf(other.operation)} and ${nameOf(tool.operation)} would both be called "${name}": let tools() return another name for one of them`,
      )
    names.set(name, tool)
  }
  return tools
}

const nameOf = ({ method, path }: DescribedOperation): string => `${method} ${path}`

function chosen(
  { operationId, method, path, tags, summary, deprecated }: DescribedOperation,
  choose: Choose,
  fault: (text: string) => void,
): ToolOptions | undefined {
  const decision: unknown = choose({
    operationId,
    method,
    path,
    tags,
    ...(summary !== undefined && { summary }),
    deprecated,
  })
  if (typeof decision === 'boolean') return decision ? {} : undefined
  const isOptions = typeof decision === 'object' && decision !== null && !('then' in decision)
  if (!isOptions) {
    fault(
      `tools() must return true, false or { name, title, description, annotations }, not ${shown(decision)}`,
    )
    return undefined
  }
  const options = decision as ToolOptions
  const faults = [
    ...faultsIn(options, { name: string, title: string, description: string, annotations: object }),
    ...faultsIn(options.annotations, {
      title: string,
      readOnlyHint: flag,
      destructiveHint: flag,
      idempotentHint: flag,
      openWorldHint: flag,
    }),
  ]
  for (const text of faults) fault(`tools(): ${text}`)
  return faults.length > 0 ? undefined : options
}

function toolOf(
  document: JsonObject,
  operation: DescribedOperation,
  options: ToolOptions,
  credentials: ReadonlySet<string>,
  fault: (text: string) => void,
): readonly Tool[] {
  const { operationId, summary, body } = operation
  const { name = operationId, title = summary } = options
  const { description = operation.description ?? summary } = options
  if (!NAME.test(name))
    fault(
      `${JSON.stringify(name)} cannot be the name of a tool, which has 1 to 64 letters, digits, _ and -: let tools() return another name`,
    )
  const mediaType = body && jsonTypeIn(body.content)
  if (body && mediaType === undefined)
    fault(`a tool sends JSON, and this operation reads ${typesIn(body.content)}`)
  for (const [status, { content = {} }] of successes(operation))
    if (Object.keys(content).length > 0 && jsonTypeIn(content) === undefined)
      fault(`a tool returns JSON, and the response ${status} is ${typesIn(content)}`)
  const parameters = operation.parameters.filter(
    parameter => parameter.in !== 'cookie' && !isOwnField(parameter, credentials),
  )
  const names = [...parameters.map(parameter => parameter.name), ...(body ? ['body'] : [])]
  for (const twice of new Set(names.filter((one, index) => names.indexOf(one) !== index)))
    fault(`two arguments of the tool would be called "${twice}"`)
  try {
    return [
      {
        listed: {
          name,
          ...(title !== undefined && { title }),
          ...(description !== undefined && { description }),
          inputSchema: standalone(document, inputOf(operation, parameters, mediaType)),
          outputSchema: standalone(document, outputOf(operation)),
          annotations: { ...annotationsOf(operation), ...options.annotations },
        },
        operation,
        parameters: new Map(parameters.map(parameter => [parameter.name, parameter])),
        mediaType,
        fields: new Map([...byField(USUAL_FIELDS), ...documentedFields(operation)]),
      },
    ]
  } catch (error) {
    fault((error as Error).message)
    return []
  }
}

function isOwnField(
  { in: location, name }: DescribedParameter,
  credentials: ReadonlySet<string>,
): boolean {
  const field = name.toLowerCase()
  return location === 'header' && (NOT_ARGUMENTS.has(field) || credentials.has(field))
}

/** Returns the first media type of JSON in a content. */
const jsonTypeIn = (content: Content): string | undefined => Object.keys(content).find(isJsonType)

const typesIn = (content: Content): string => Object.keys(content).join(' or ') || 'something else'

const successes = ({ responses }: DescribedOperation) =>
  Object.entries(responses).filter(([status]) => status.startsWith('2'))

/** Returns the schema of the arguments. */
function inputOf(
  { body }: DescribedOperation,
  parameters: readonly DescribedParameter[],
  mediaType: string | undefined,
): ObjectSchema {
  const properties = Object.fromEntries(
    parameters.map(({ name, description, schema, content }) => {
      const own = schema ?? Object.values(content ?? {})[0]?.schema ?? {}
      return [name, description === undefined ? own : { ...own, description }]
    }),
  )
  const required = parameters
    .filter(parameter => parameter.required || parameter.in === 'path')
    .map(({ name }) => name)
  const content = mediaType === undefined ? undefined : (body?.content[mediaType]?.schema ?? {})
  return {
    type: 'object',
    properties: { ...properties, ...(content && { body: content }) },
    ...(required.length > 0 || body?.required
      ? { required: [...required, ...(body?.required ? ['body'] : [])] }
      : {}),
    additionalProperties: false,
  }
}

/** Returns the schema of results that are not errors. */
function outputOf(operation: DescribedOperation): ObjectSchema {
  const others = Object.entries(operation.responses).filter(([status]) => status.startsWith('3'))
  const bodies = [...successes(operation), ...others].map(([, { content = {} }]) => {
    const type = jsonTypeIn(content)
    return type === undefined ? undefined : (content[type]?.schema ?? {})
  })
  const schemas = bodies.filter(schema => schema !== undefined)
  const headers = Object.fromEntries(
    Array.from(documentedFields(operation).values(), field => {
      const [description] = Object.values(operation.responses).flatMap(
        ({ headers = {} }) => headers[field]?.description ?? [],
      )
      return [field, { type: 'string', ...(description !== undefined && { description }) }]
    }),
  )
  return {
    type: 'object',
    properties: {
      status: { type: 'integer', description: 'The status of the HTTP response' },
      headers: { type: 'object', properties: headers },
      ...(schemas.length > 0 && { body: schemas.length === 1 ? schemas[0] : { anyOf: schemas } }),
    },
    required: [
      'status',
      'headers',
      ...(schemas.length > 0 && schemas.length === bodies.length ? ['body'] : []),
    ],
  }
}

/** The documented names of the header fields of all responses, by name in lower case. */
function documentedFields({ responses }: DescribedOperation): ReadonlyMap<string, string> {
  const names = Object.values(responses).flatMap(({ headers = {} }) => Object.keys(headers))
  // a model has no cookies
  return new Map(byField(names.filter(name => name.toLowerCase() !== 'set-cookie')))
}

const byField = (names: readonly string[]) => names.map(name => [name.toLowerCase(), name] as const)

function annotationsOf({ method, parameters, responses }: DescribedOperation): ToolAnnotations {
  if (reads(method)) return { readOnlyHint: true, idempotentHint: true }
  const hasKey = parameters.some(
    ({ in: location, name, required }) =>
      location === 'header' && name.toLowerCase() === 'idempotency-key' && required,
  )
  return {
    readOnlyHint: false,
    destructiveHint: !(method === 'POST' && '201' in responses),
    idempotentHint: hasKey || method === 'PUT' || method === 'DELETE',
  }
}
