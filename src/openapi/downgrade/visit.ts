import { isObject, type JsonObject, mapValues } from '../schema/json.js'

type Convert = (value: unknown) => unknown

/**
 * A copy of a document of OpenAPI 3 in which every schema is converted, wherever one may stand. References elsewhere lose what
 * stands beside them.
 */
export function mapSchemas(document: JsonObject, schema: Convert): JsonObject {
  const mediaType = fields({ schema, encoding: each(fields({ headers: each(value => header(value)) })) })
  const header: Convert = fields({ schema, content: each(mediaType) })
  const response = fields({ headers: each(header), content: each(mediaType) })
  const requestBody = fields({ content: each(mediaType) })
  const callback: Convert = each(value => pathItem(value))
  const operation = fields({ parameters: each(header), requestBody, responses: each(response), callbacks: each(callback) })
  const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']
  const pathItem = fields({ parameters: each(header), ...Object.fromEntries(methods.map(method => [method, operation])) })
  const components = {
    schemas: each(schema),
    responses: each(response),
    parameters: each(header),
    requestBodies: each(requestBody),
    headers: each(header),
    callbacks: each(callback),
    securitySchemes: each(fields({})),
    examples: each(fields({})),
    links: each(fields({})),
  }
  return fields({ paths: each(pathItem), components: fields(components) })(document) as JsonObject
}

/** Converts each value of a map or a list. */
function each(convert: Convert): Convert {
  return value => (Array.isArray(value) ? value.map(convert) : mapValues(value, item => convert(item)))
}

/** Converts some fields of an object, each in its own way. */
function fields(table: { readonly [name: string]: Convert }): Convert {
  return value => {
    if (!isObject(value)) return value
    if (typeof value.$ref === 'string') return { $ref: value.$ref }
    return mapValues(value, (field, name) => (Object.hasOwn(table, name) ? table[name]?.(field) : field))
  }
}
