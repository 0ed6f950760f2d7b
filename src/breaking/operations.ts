// The operations of a document in full: references followed, parameters of the path merged,
// security inherited, defaults of the specification filled in.
import { isObject, type JsonObject, METHODS as PATH_METHODS } from '../openapi/schema/json.js'
import type { Raw } from './alternative.js'
import type { References } from './references.js'
import type { Retiring } from './sunsets.js'

export interface Parameter extends Retiring {
  readonly in: string
  /** As it is compared: of a header field in lower case, of a path its place. */
  readonly key: string
  readonly name: string
  readonly required: boolean
  /** How it is written: style, explode and media type. */
  readonly serialization: string
  /** How it is written if it is neither a list nor an object. */
  readonly plain: string
  /** Whether it is written as a string, in which 5 and "5" are the same. */
  readonly isText: boolean
  /** Whether a list of values is written by repeating the name. */
  readonly isRepeated: boolean
  readonly schema: Raw
}

/** Media types and what they hold. */
export type Content = ReadonlyMap<string, { readonly schema: Raw; readonly encoding: unknown }>

export interface Header {
  readonly name: string
  readonly required: boolean
  readonly schema: Raw
}

export interface Operation extends Retiring {
  /** `GET /pets/{petId}`, `POST webhook job.changed` */
  readonly name: string
  /** The same without the names of parameters. */
  readonly place: string
  readonly operationId: string | undefined
  readonly parameters: ReadonlyMap<string, Parameter>
  readonly body: { readonly required: boolean; readonly content: Content } | undefined
  readonly responses: ReadonlyMap<
    string,
    { readonly content: Content; readonly headers: ReadonlyMap<string, Header> }
  >
  /** The schemes of each alternative with their scopes. An empty alternative admits everybody. */
  readonly security: readonly ReadonlyMap<string, ReadonlySet<string>>[]
  /** The requests that the server makes to its client. */
  readonly callbacks: readonly Operation[]
}

const METHODS: { readonly [key: string]: string } = {
  ...Object.fromEntries(PATH_METHODS.map(key => [key, key.toUpperCase()])),
  'x-query': 'QUERY',
}

export function operationsOf(document: JsonObject, references: References): readonly Operation[] {
  const paths = Object.entries(isObject(document.paths) ? document.paths : {}).filter(([path]) =>
    path.startsWith('/'),
  )
  return paths.flatMap(([path, item]) => operationsAt(path, item, document, references))
}

/** The requests that the server makes to whoever has registered for them. */
export function webhooksOf(document: JsonObject, references: References): readonly Operation[] {
  const webhooks = document.webhooks ?? document['x-webhooks']
  return Object.entries(isObject(webhooks) ? webhooks : {}).flatMap(([name, item]) =>
    operationsAt(`webhook ${name}`, item, document, references),
  )
}

function operationsAt(
  path: string,
  given: unknown,
  document: JsonObject,
  references: References,
): readonly Operation[] {
  const item = { ...(isObject(given) ? given : {}), ...references.follow(given) }
  const named = Object.entries(METHODS).map(([key, method]): [string, unknown] => [
    method,
    item[key],
  ])
  const others = Object.entries(
    isObject(item.additionalOperations) ? item.additionalOperations : {},
  )
  return [...named, ...others].flatMap(([method, operation]) =>
    isObject(operation) ? [operationOf(method, path, operation, item, document, references)] : [],
  )
}

function callbacksOf(
  { callbacks }: JsonObject,
  parent: string,
  document: JsonObject,
  references: References,
): readonly Operation[] {
  return Object.entries(isObject(callbacks) ? callbacks : {}).flatMap(([name, callback]) =>
    Object.entries(references.follow(callback))
      .filter(([expression]) => !expression.startsWith('x-'))
      .flatMap(([expression, item]) =>
        operationsAt(`callback ${name} ${expression} of ${parent}`, item, document, references),
      ),
  )
}

function operationOf(
  method: string,
  path: string,
  operation: JsonObject,
  item: JsonObject,
  document: JsonObject,
  references: References,
): Operation {
  const name = `${method} ${path}`
  const names = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name ?? '')
  const parameters = [...listOf(item.parameters), ...listOf(operation.parameters)].flatMap(given =>
    parameterOf(references.follow(given), names),
  )
  const { operationId, requestBody } = operation
  const body = requestBody === undefined ? undefined : references.follow(requestBody)
  const security = operation.security ?? document.security
  return {
    name,
    // braces elsewhere are expressions, which mean something
    place: path.startsWith('/') ? name.replace(/\{[^}]*\}/g, '{}') : name,
    operationId: typeof operationId === 'string' ? operationId : undefined,
    deprecated: operation.deprecated === true,
    sunset: operation['x-sunset'],
    parameters: new Map(
      parameters.map(parameter => [`${parameter.in} ${parameter.key}`, parameter]),
    ),
    body: body && {
      required: body.required === true,
      content: contentOf(body.content, references),
    },
    responses: responsesOf(operation.responses, references),
    security: requirementsOf(security),
    callbacks: callbacksOf(operation, name, document, references),
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Fields that are not parameters, even if a document lists them (3.2, section 4.12.2). */
const NO_PARAMETERS = ['accept', 'content-type', 'authorization']

function parameterOf(given: JsonObject, pathNames: readonly string[]): readonly Parameter[] {
  const [place, name] = [String(given.in), String(given.name)]
  if (place === 'header' && NO_PARAMETERS.includes(name.toLowerCase())) return []
  const style = given.style ?? (place === 'query' || place === 'cookie' ? 'form' : 'simple')
  const explode = given.explode ?? style === 'form'
  const [mediaType, content] = Object.entries(isObject(given.content) ? given.content : {})[0] ?? []
  const schema = isObject(content) ? content.schema : given.schema
  return [
    {
      in: place,
      key:
        place === 'header'
          ? name.toLowerCase()
          : place === 'path'
            ? String(pathNames.indexOf(name))
            : name,
      name,
      required: place === 'path' || given.required === true,
      isText: mediaType === undefined,
      isRepeated: mediaType === undefined && style === 'form' && explode === true,
      deprecated: given.deprecated === true,
      sunset: given['x-sunset'],
      serialization: mediaType ?? `style ${style}, explode ${explode}`,
      plain: mediaType ?? `style ${style}`,
      schema: rawOf(schema),
    },
  ]
}

function rawOf(schema: unknown): Raw {
  return isObject(schema) || schema === false ? schema : true
}

function contentOf(content: unknown, references: References): Content {
  const entries = Object.entries(isObject(content) ? content : {}).map(([name, given]) => {
    const {
      schema,
      'x-itemSchema': extension,
      itemSchema = extension,
      encoding,
    } = references.follow(given)
    // 3.2 describes the items of a stream, older versions the string beside an extension
    const held =
      itemSchema === undefined ? rawOf(schema) : { type: 'array', items: rawOf(itemSchema) }
    return [name.toLowerCase().replace(/\s+|"/g, ''), { schema: held, encoding }] as const
  })
  return new Map(entries)
}

function responsesOf(responses: unknown, references: References): Operation['responses'] {
  const entries = Object.entries(isObject(responses) ? responses : {}).filter(
    ([status]) => !status.startsWith('x-'),
  )
  return new Map(
    entries.map(([status, given]) => {
      const { content, headers } = references.follow(given)
      return [
        status.toUpperCase(),
        { content: contentOf(content, references), headers: headersOf(headers, references) },
      ]
    }),
  )
}

function headersOf(headers: unknown, references: References): ReadonlyMap<string, Header> {
  const entries = Object.entries(isObject(headers) ? headers : {}).map(
    ([name, given]): [string, Header] => {
      const { required, schema, content } = references.follow(given)
      const [held] = Object.values(isObject(content) ? content : {})
      return [
        name.toLowerCase(),
        { name, required: required === true, schema: rawOf(isObject(held) ? held.schema : schema) },
      ]
    },
  )
  return new Map(entries.filter(([name]) => name !== 'content-type'))
}

function requirementsOf(security: unknown): Operation['security'] {
  const requirements = listOf(security).filter(isObject)
  if (requirements.length === 0) return [new Map()]
  return requirements.map(
    requirement =>
      new Map(
        Object.entries(requirement).map(([name, scopes]) => [
          name,
          new Set(listOf(scopes).map(String)),
        ]),
      ),
  )
}
