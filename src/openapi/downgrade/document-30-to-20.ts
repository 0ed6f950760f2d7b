import type { OpenAPIObject as Document30 } from 'openapi3-ts/oas30'
import { referencesIn, withoutUnused20 } from '../document/unused.js'
import { defined, isObject, type JsonObject, mapValues, omit } from '../schema/json.js'
import { type Lost, type Resolve, resolver } from './objects.js'
import { operation30To20, response30To20 } from './operation-30-to-20.js'
import { parameter30To20, parameters30To20, type Scope20 } from './parameter-30-to-20.js'
import { reference30To20, schema30To20 } from './schema-30-to-20.js'
import { security30To20, securityScheme30To20 } from './security-30-to-20.js'

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

/** Root attributes that only 2.0 has. */
export const ROOT_20: readonly string[] = [
  'host',
  'schemes',
  'basePath',
  'consumes',
  'produces',
  'securityDefinitions',
]

/**
 * A document of OpenAPI 3.0 as one of 2.0: a new value. Root attributes that only 2.0 knows
 * (`host`, `schemes`, `basePath`, …) are kept and win. Everything that 2.0 cannot express is left
 * out, and `lost` is told: servers, parameters in cookies, callbacks, links, ranges of statuses,
 * TRACE. Definitions that nothing refers to any more are left out as well.
 */
export function document30To20(
  document: Document30,
  { basePath = '/' }: { readonly basePath?: string } = {},
  lost: Lost = () => undefined,
): Document20 {
  const {
    info,
    paths,
    'x-webhooks': webhooks,
    components,
    servers,
    security,
    securityDefinitions,
    ...rest
  } = omit(document as unknown as JsonObject, ['openapi'])
  const resolve = resolver(components)
  if (servers !== undefined && rest.host === undefined) lost('servers (give host and schemes)', '')
  const pathItems = (items: unknown) =>
    mapValues(items, (item, path) =>
      pathItem30To20(item, { resolve, lost: what => lost(what, path) }),
    )
  const converted = {
    swagger: '2.0',
    info,
    basePath,
    consumes: ['application/json'],
    produces: ['application/json'],
    ...rest,
    ...(security !== undefined && { security: security30To20(security, resolve) }),
    paths: pathItems(paths),
    ...(webhooks !== undefined && { 'x-webhooks': pathItems(webhooks) }),
    ...components30To20(isObject(components) ? components : {}, securityDefinitions, resolve),
  }
  const candidates = [...referencesIn(document)].map(reference30To20)
  return withoutUnused20(converted, new Set(candidates)) as unknown as Document20
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'x-query']

function pathItem30To20(item: unknown, scope: Scope20): unknown {
  if (!isObject(item)) return item
  if (item.trace !== undefined) scope.lost('the method TRACE')
  const parameters = parameters30To20(item.parameters, scope)
  const rest = omit(item, ['summary', 'description', 'servers', 'trace', 'parameters'])
  const converted = mapValues(rest, (value, key) =>
    METHODS.includes(key) ? operation30To20(value, scope) : value,
  ) as JsonObject
  return parameters.length > 0 ? { parameters, ...converted } : converted
}

function components30To20(
  components: JsonObject,
  securityDefinitions: unknown,
  resolve: Resolve,
): JsonObject {
  const { schemas, responses, parameters, securitySchemes } = components
  const scope = { resolve, lost: () => undefined }
  const known = defined(
    mapValues(parameters ?? {}, parameter => parameter30To20(parameter, scope)) as JsonObject,
  )
  const schemes = {
    ...(mapValues(securitySchemes, securityScheme30To20) as JsonObject),
    ...(securityDefinitions as JsonObject),
  }
  return {
    ...(isObject(schemas) && { definitions: mapValues(schemas, schema30To20) }),
    ...(isObject(responses) && {
      responses: mapValues(responses, response => response30To20(response, scope)),
    }),
    ...(Object.keys(known).length > 0 && { parameters: known }),
    ...(Object.keys(schemes).length > 0 && { securityDefinitions: schemes }),
  }
}
