import type { OpenAPIObject as Document30 } from 'openapi3-ts/oas30'
import type { OpenAPIObject as Document31 } from 'openapi3-ts/oas31'
import { referencesIn, withoutUnused } from '../document/unused.js'
import { deepMerge, isObject, type JsonObject } from '../schema/json.js'
import { type Conversion, type Lost, type Resolve, rewrite, type Version } from './objects.js'
import { schema31To30 } from './schema-31-to-30.js'

/**
 * A document of OpenAPI 3.1 as one of 3.0.3: a new value. Everything that 3.0 cannot express is
 * left out, and `lost` is told: mutual TLS, patterns with Unicode classes. Webhooks are in
 * `x-webhooks`. Schemas accept more if 3.0 lacks a keyword, never less.
 */
export function document31To30(document: Document31, lost: Lost = () => undefined): Document30 {
  const lowered = { ...document, openapi: '3.0.3', paths: document.paths ?? {} }
  return withoutUnused(
    rewrite(lowered as unknown as JsonObject, VERSION_30, lost),
    referencesIn(document),
  ) as unknown as Document30
}

const VERSION_30: Version = {
  lacks: {
    // whatever 3.1 lacks has been removed already
    document: ['jsonSchemaDialect'],
    info: ['summary'],
    license: ['identifier'],
  },
  besideReference: [],
  writtenOut: ['pathItem'],
  schema: (schema, { lost }) => schema31To30(schema, lost),
  convert: {
    document: (document, conversion) => secured(withoutWebhooks(document), conversion),
    operation: (operation, conversion) =>
      secured(
        { ...operation, responses: operation.responses ?? { default: { description: '' } } },
        conversion,
      ),
    components: ({ pathItems: _, ...components }) => components,
    securityScheme(scheme, { lost }) {
      if (scheme.type !== 'mutualTLS') return scheme
      lost('mutual TLS')
      return undefined
    },
  },
}

function withoutWebhooks({ webhooks, ...document }: JsonObject): JsonObject {
  return webhooks === undefined
    ? document
    : { ...document, 'x-webhooks': deepMerge(webhooks, document['x-webhooks']) }
}

/**
 * The requirements that remain of `security`. An empty list would mean that nothing is needed, so
 * it is omitted if nothing remains.
 */
function secured(object: JsonObject, { resolve }: Conversion): JsonObject {
  const { security, ...rest } = object
  if (!Array.isArray(security) || security.length === 0) return object
  const left = security.flatMap(requirement =>
    isObject(requirement) ? requirement30(requirement, resolve) : [],
  )
  return left.length > 0 ? { ...rest, security: left } : rest
}

/**
 * A requirement without the schemes that 3.0 does not know; only scopes can be listed, not roles.
 */
function requirement30(requirement: JsonObject, resolve: Resolve): JsonObject[] {
  const known = Object.entries(requirement).flatMap(([name, scopes]) => {
    const { type } = resolve(`#/components/securitySchemes/${name}`)
    if (type === 'mutualTLS') return []
    return [[name, type === 'oauth2' || type === 'openIdConnect' ? scopes : []]]
  })
  return known.length > 0 || Object.keys(requirement).length === 0
    ? [Object.fromEntries(known)]
    : []
}
