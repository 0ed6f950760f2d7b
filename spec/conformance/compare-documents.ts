import { isDeepStrictEqual } from 'node:util'
import { essence, type Json, resolve } from './essence.js'

const METHODS = ['options', 'head', 'get', 'post', 'put', 'patch', 'delete', 'trace']

/**
 * Where a document differs from a recorded one in what the specification says of documents, a
 * sentence for each. What the actual one says beyond it (more statuses, headers, components) is no
 * difference, but for parameters.
 */
export function documentDifferences(recorded: Json, actual: Json): readonly string[] {
  const found: string[] = []
  const same: Same = (what, left, right) => {
    if (!isDeepStrictEqual(left, right))
      found.push(`${what}: ${JSON.stringify(right)}, not ${JSON.stringify(left)}`)
  }
  compareRoots(recorded, actual, same)
  for (const [path, item] of Object.entries<Json>(recorded.paths)) {
    const other = actual.paths[path] ?? {}
    const [left, right] = [methodsOf(item), methodsOf(other)]
    // one function under several methods: the order is left open
    if (path === '/methods/two') same(`${path}, methods`, left.sort(), right.sort())
    else same(`${path}, order of methods`, left, right)
    for (const method of left.filter(method => right.includes(method))) {
      const operations = [recorded, actual].map(document => ({
        document,
        item: document.paths[path],
        operation: document.paths[path][method],
      }))
      compareOperations(
        `${method.toUpperCase()} ${path}`,
        operations as [Operation, Operation],
        same,
      )
    }
  }
  return found
}

type Same = (what: string, recorded: Json, actual: Json) => void

interface Operation {
  readonly document: Json
  readonly item: Json
  readonly operation: Json
}

function compareRoots(recorded: Json, actual: Json, same: Same): void {
  const descriptions = ({ tags }: Json) =>
    tags.map(({ name, description = '' }: Json) => [name, description])
  same('version', recorded.openapi ?? recorded.swagger, actual.openapi ?? actual.swagger)
  for (const key of ['title', 'version', 'description'])
    same(`info.${key}`, recorded.info[key] ?? '', actual.info[key] ?? '')
  for (const key of ['basePath', 'produces', 'consumes', 'servers', 'security'])
    same(key, recorded[key], actual[key])
  same('tags', descriptions(recorded), descriptions(actual))
  same('order of paths', Object.keys(recorded.paths), Object.keys(actual.paths))
}

function methodsOf(item: Json): string[] {
  return Object.keys(item).filter(key => METHODS.includes(key))
}

function compareOperations(
  place: string,
  [recorded, actual]: readonly [Operation, Operation],
  same: Same,
): void {
  const [left, right] = [recorded.operation, actual.operation]
  for (const key of ['summary', 'description']) same(`${place}, ${key}`, left[key], right[key])
  for (const key of ['tags', 'deprecated', 'operationId'])
    if (left[key] !== undefined) same(`${place}, ${key}`, left[key], right[key])
  // the original documents two bodies of one operation wrongly (specification, section 4.2)
  if (place === 'POST /args/files-and-form') return
  const [parameters, others] = [parametersOf(recorded, place), parametersOf(actual, place)]
  for (const name of new Set([...Object.keys(parameters), ...Object.keys(others)])) {
    same(`${place}, parameter ${name}`, parameters[name], others[name])
  }
  same(`${place}, body`, bodyOf(recorded), bodyOf(actual))
  same(`${place}, consumes`, left.consumes, right.consumes)
  for (const [status, response] of Object.entries<Json>(left.responses ?? {})) {
    const other = right.responses?.[status]
    if (!other) same(`${place}, response ${status}`, response, other)
    else
      compareResponses(
        `${place}, response ${status}`,
        [recorded.document, response],
        [actual.document, other],
        same,
      )
  }
}

const CONDITIONS = ['header If-Match', 'header If-None-Match']
const OF_A_PARAMETER = [
  'type',
  'format',
  'items',
  'enum',
  'default',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
]

/**
 * By place and name; parameters of an operation replace those of its path. Conditions and bodies
 * are left out.
 */
function parametersOf(
  { document, item, operation }: Operation,
  place: string,
): Record<string, Json> {
  const entries = [...(item.parameters ?? []), ...(operation.parameters ?? [])].flatMap(
    (given: Json) => {
      const parameter = given.$ref ? resolve(document, given.$ref) : given
      const name = `${parameter.in} ${parameter.name}`
      if (parameter.in === 'body' || CONDITIONS.includes(name)) return []
      const own = Object.fromEntries(
        OF_A_PARAMETER.filter(key => key in parameter).map(key => [key, parameter[key]]),
      )
      const schema = essence(document, parameter.schema ?? own)
      const { description } = parameter
      return [
        [
          name,
          {
            required: !!parameter.required,
            ...(description && { description }),
            schema: isPath(name) ? bare(schema, place) : schema,
          },
        ],
      ]
    },
  )
  return Object.fromEntries(entries)
}

function isPath(name: string): boolean {
  return name.startsWith('path ')
}

/** The original does not document what its converters ask for beyond a type. */
function bare({ minimum, minLength, ...schema }: Json, place: string): Json {
  if (!place.includes(' /convert/')) return schema
  return { type: schema.type, ...(schema.format && { format: schema.format }) }
}

function bodyOf({ document, operation }: Operation): Json {
  const body =
    operation.requestBody ??
    operation.parameters?.find((parameter: Json) => parameter.in === 'body')
  if (!body) return undefined
  const content = Object.entries<Json>(body.content ?? { '': body })
  return {
    required: !!body.required,
    description: body.description,
    content: content.map(([type, { schema, example, examples }]) => [
      type,
      essence(document, schema, 'request'),
      body.content && { example, examples },
    ]),
  }
}

function compareResponses(
  place: string,
  [document, recorded]: [Json, Json],
  [other, actual]: [Json, Json],
  same: Same,
): void {
  const media = ({ content, ...response }: Json) =>
    content?.['application/json'] ?? {
      ...response,
      example: response.examples?.['application/json'],
    }
  same(
    `${place}, schema`,
    essence(document, media(recorded).schema, 'response'),
    essence(other, media(actual).schema, 'response'),
  )
  same(`${place}, example`, media(recorded).example, media(actual).example)
  if (recorded.description) same(`${place}, description`, recorded.description, actual.description)
  for (const [name, header] of Object.entries(recorded.headers ?? {}))
    same(`${place}, header ${name}`, header, actual.headers?.[name])
}
