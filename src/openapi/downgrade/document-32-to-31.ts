import type { OpenAPIObject as Document31 } from 'openapi3-ts/oas31'
import type { OpenAPIObject as Document32 } from 'openapi3-ts/oas32'
import { defined } from '../../options.js'
import { referencesIn, withoutUnused } from '../document/unused.js'
import { type JsonObject, omit } from '../schema/json.js'
import { type Conversion, type Lost, rewrite, type Version } from './objects.js'

/**
 * A document of OpenAPI 3.2 as one of 3.1: a new value. An operation of QUERY is under `x-query`.
 * Everything that 3.1 cannot express is left out, and `lost` is told: other methods, parameters that
 * are the whole query string, the device flow, nested tags.
 */
export function document32To31(document: Document32, lost: Lost = () => undefined): Document31 {
  const whole = { ...document, openapi: '3.1.0' } as unknown as JsonObject
  return withoutUnused(
    rewrite(whole, VERSION_31, lost),
    referencesIn(document),
  ) as unknown as Document31
}

const VERSION_31: Version = {
  lacks: {
    document: ['$self'],
    server: ['name'],
    tag: ['summary', 'parent', 'kind'],
    pathItem: ['additionalOperations'],
    mediaType: ['description', 'prefixEncoding', 'itemEncoding'],
    encoding: ['encoding', 'prefixEncoding', 'itemEncoding'],
    securityScheme: ['deprecated', 'oauth2MetadataUrl'],
    flows: ['deviceAuthorization'],
  },
  besideReference: ['summary', 'description'],
  writtenOut: ['mediaType'],
  schema: schema => schema,
  convert: {
    pathItem: item =>
      'query' in item ? { ...omit(item, ['query']), ...defined({ 'x-query': item.query }) } : item,
    parameter,
    response,
    mediaType,
    example,
    components: components => omit(components, ['mediaTypes']),
  },
}

function parameter(given: JsonObject, { lost }: Conversion): JsonObject | undefined {
  if (given.in === 'querystring') {
    lost('a parameter that is the whole query string')
    return undefined
  }
  const withStyle = given.style === 'cookie' ? omit(given, ['style']) : given
  return given.in === 'query' ? withStyle : omit(withStyle, ['allowReserved'])
}

function response(given: JsonObject): JsonObject {
  if (typeof given.description === 'string' && !('summary' in given)) return given
  const { summary, ...rest } = given
  return { ...rest, description: rest.description ?? summary ?? '' }
}

/** 3.1 has no word for the items of a stream: to it the whole is a string. */
function mediaType(given: JsonObject): JsonObject {
  if (!('itemSchema' in given)) return given
  const { itemSchema, schema = { type: 'string' }, ...rest } = given
  return defined({ ...rest, schema, 'x-itemSchema': itemSchema })
}

/** 3.1 has one field for the value, both as data and in serialized form. */
function example(given: JsonObject): JsonObject {
  if (!('dataValue' in given || 'serializedValue' in given)) return given
  const { dataValue, serializedValue, ...rest } = given
  const value = dataValue ?? serializedValue
  return value === undefined ? rest : { ...omit(rest, ['externalValue']), value }
}
