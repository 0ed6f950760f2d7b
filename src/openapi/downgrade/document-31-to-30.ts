import type { OpenAPIObject as Document30 } from 'openapi3-ts/oas30'
import type { OpenAPIObject } from 'openapi3-ts/oas31'
import { isObject, type JsonObject, omit } from '../schema/json.js'
import { schema31To30 } from './schema-31-to-30.js'
import { mapSchemas } from './visit.js'

/** A document of OpenAPI 3.1 as one of 3.0.3: a new value, without what 3.0 does not know (webhooks, mutual TLS, …). */
export function document31To30(document: OpenAPIObject): Document30 {
  const { info, components, paths, ...rest } = omit(document as unknown as JsonObject, ['openapi', 'webhooks', 'jsonSchemaDialect'])
  const lowered = {
    openapi: '3.0.3',
    info: info30(info),
    ...rest,
    paths: paths ?? {},
    ...(isObject(components) && { components: components30(components) }),
  }
  return mapSchemas(lowered, schema31To30) as unknown as Document30
}

function info30(info: unknown): unknown {
  if (!isObject(info)) return info
  const { license, ...rest } = omit(info, ['summary'])
  return isObject(license) ? { ...rest, license: omit(license, ['identifier']) } : rest
}

function components30({ securitySchemes, ...components }: JsonObject): JsonObject {
  if (!isObject(securitySchemes)) return omit(components, ['pathItems'])
  const known = Object.entries(securitySchemes).filter(([, scheme]) => !isObject(scheme) || scheme.type !== 'mutualTLS')
  return { ...omit(components, ['pathItems']), securitySchemes: Object.fromEntries(known) }
}
