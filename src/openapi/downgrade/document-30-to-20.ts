import type { OpenAPIObject as Document30 } from 'openapi3-ts/oas30'
import { isObject, type JsonObject, mapValues, omit } from '../schema/json.js'
import { operation30To20, parameters30To20, response30To20 } from './operation-30-to-20.js'
import { parameter30To20, type Resolve } from './parameter-30-to-20.js'
import { schema30To20 } from './schema-30-to-20.js'
import { securityScheme30To20 } from './security-30-to-20.js'

/** A document of OpenAPI 2.0, known by its outline. */
export interface Document20 {
  readonly swagger: '2.0'
  readonly info: { readonly title: string; readonly version: string }
  readonly basePath: string
  readonly consumes: readonly string[]
  readonly produces: readonly string[]
  readonly paths: { readonly [path: string]: JsonObject }
  readonly definitions?: JsonObject
  readonly responses?: JsonObject
  readonly parameters?: JsonObject
  readonly securityDefinitions?: JsonObject
  readonly [attribute: string]: unknown
}

/**
 * A document of OpenAPI 3.0 as one of 2.0: a new value. Root attributes that only 2.0 knows (`host`, `schemes`, `basePath`, …) are kept and
 * win. Left out is what 2.0 has no word for: servers, cookies, callbacks, links, ranges of statuses, TRACE.
 */
export function document30To20(document: Document30, { basePath = '/' }: { readonly basePath?: string } = {}): Document20 {
  const { info, paths, components, ...rest } = omit(document as unknown as JsonObject, ['openapi', 'servers'])
  const resolve = resolver(components)
  const converted = {
    swagger: '2.0',
    info,
    basePath,
    consumes: ['application/json'],
    produces: ['application/json'],
    ...rest,
    paths: mapValues(paths, item => pathItem30To20(item, resolve)),
    ...(isObject(components) && components30To20(components, resolve)),
  }
  return converted as unknown as Document20
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch']

function pathItem30To20(item: unknown, resolve: Resolve): unknown {
  if (!isObject(item)) return item
  const parameters = parameters30To20(item.parameters, resolve)
  const rest = omit(item, ['summary', 'description', 'servers', 'trace', 'parameters'])
  const converted = mapValues(rest, (value, key) => (METHODS.includes(key) ? operation30To20(value, resolve) : value)) as JsonObject
  return parameters.length > 0 ? { parameters, ...converted } : converted
}

function components30To20({ schemas, responses, parameters, securitySchemes }: JsonObject, resolve: Resolve): JsonObject {
  const known = Object.entries(isObject(parameters) ? parameters : {}).flatMap(([name, parameter]) => {
    const converted = parameter30To20(parameter, resolve)
    return converted === undefined ? [] : [[name, converted]]
  })
  return {
    ...(isObject(schemas) && { definitions: mapValues(schemas, schema30To20) }),
    ...(isObject(responses) && { responses: mapValues(responses, response => response30To20(response, resolve)) }),
    ...(known.length > 0 && { parameters: Object.fromEntries(known) }),
    ...(isObject(securitySchemes) && { securityDefinitions: mapValues(securitySchemes, securityScheme30To20) }),
  }
}

/** Follows `#/components/<kind>/<name>`. */
function resolver(components: unknown): Resolve {
  return $ref => {
    const [, kind = '', name = ''] = /^#\/components\/(\w+)\/(.+)$/.exec($ref) ?? []
    const found = isObject(components) && isObject(components[kind]) ? components[kind][name] : undefined
    return isObject(found) ? found : {}
  }
}
