import type { OpenAPIObject as Document30 } from 'openapi3-ts/oas30'
import type { OpenAPIObject as Document31 } from 'openapi3-ts/oas31'
import { referencesIn, withoutUnused } from '../document/unused.js'
import {
  deepMerge,
  isObject,
  type JsonObject,
  mapSubschemas,
  omit,
  pickKnown,
} from '../schema/json.js'
import { type Conversion, type Lost, type Resolve, rewrite, type Version } from './objects.js'
import { KEYWORDS_20 } from './schema-30-to-20.js'

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

/**
 * The keywords of a Schema Object of OpenAPI 3.0; all others of JSON Schema are without a
 * counterpart there.
 */
const KEYWORDS_30 = [...KEYWORDS_20, 'nullable', 'writeOnly', 'deprecated', 'anyOf', 'oneOf', 'not']

/** Escapes of regular expressions that only the flag `u` knows, which older versions do not set. */
const UNICODE_ESCAPE = /(?<!\\)(?:\\\\)*\\(?:p\{|P\{|u\{)/

/**
 * Converts a schema of OpenAPI 3.1 to 3.0. Keywords that 3.0 lacks are left out, so that it may
 * accept more, never less; `lost` is called for patterns, which somebody may rely on.
 */
export function schema31To30(
  schema: unknown,
  lost: (what: string) => void = () => undefined,
): unknown {
  if (typeof schema === 'boolean') return schema ? {} : { not: {} }
  if (!isObject(schema)) return schema
  const inner = mapSubschemas(schema, (value: unknown) => schema31To30(value, lost))
  // 3.0 takes a boolean unchanged
  const open =
    typeof schema.additionalProperties === 'boolean'
      ? { additionalProperties: schema.additionalProperties }
      : {}
  const steps = [
    tuple,
    types,
    constant,
    bounds,
    content,
    examples,
    array,
    patternWith(lost),
    reference,
  ]
  const converted = steps.reduce((result, step) => step(result), {
    ...inner,
    ...open,
  } as JsonObject)
  return pickKnown(converted, KEYWORDS_30)
}

/**
 * A pattern of 3.0 is of ECMA-262 without the flag `u`, to which `\p{L}` is the letter p and
 * something behind it.
 */
function patternWith(lost: (what: string) => void): (schema: JsonObject) => JsonObject {
  return schema => {
    if (typeof schema.pattern !== 'string' || !UNICODE_ESCAPE.test(schema.pattern)) return schema
    lost(`the pattern ${schema.pattern}, whose escapes need the flag u`)
    return omit(schema, ['pattern'])
  }
}

/** A tuple becomes an array of whatever its items may be. */
function tuple(schema: JsonObject): JsonObject {
  if (!Array.isArray(schema.prefixItems)) return schema
  const [first, ...others] = schema.prefixItems
  return {
    ...omit(schema, ['prefixItems']),
    items: others.length === 0 ? first : { anyOf: schema.prefixItems },
  }
}

/** `null` among several types becomes `nullable`, the others a choice. */
function types(schema: JsonObject): JsonObject {
  const { type, ...rest } = schema
  // nullable counts only beside a type; beside string, generators make null of it, beside object
  // some of them forget it
  if (type === 'null') return { type: 'string', enum: [null], ...rest, nullable: true }
  if (!Array.isArray(type)) return schema
  const present = type.filter(name => name !== 'null')
  const nullable = present.length < type.length ? { nullable: true } : {}
  if (present.length === 0) return types({ ...rest, type: 'null' })
  if (present.length === 1) return { type: present[0], ...nullable, ...rest }
  const choice = { anyOf: present.map(name => array({ type: name, ...nullable })) }
  return 'anyOf' in rest
    ? { ...rest, allOf: [...((rest.allOf as unknown[]) ?? []), choice] }
    : { ...choice, ...rest }
}

function constant(schema: JsonObject): JsonObject {
  return 'const' in schema ? { ...omit(schema, ['const']), enum: [schema.const] } : schema
}

/** An exclusive bound is a flag beside the bound. */
function bounds(schema: JsonObject): JsonObject {
  const { exclusiveMinimum, exclusiveMaximum, ...rest } = schema
  return {
    ...rest,
    ...(exclusiveMinimum !== undefined && { minimum: exclusiveMinimum, exclusiveMinimum: true }),
    ...(exclusiveMaximum !== undefined && { maximum: exclusiveMaximum, exclusiveMaximum: true }),
  }
}

/** Encoded content, and content of a media type, are bytes; content with a schema is text. */
function content(schema: JsonObject): JsonObject {
  const { format, contentEncoding, contentMediaType, contentSchema } = schema
  if (
    format !== undefined ||
    (contentEncoding === undefined &&
      (contentMediaType === undefined || contentSchema !== undefined))
  )
    return schema
  return { ...schema, format: contentEncoding === undefined ? 'binary' : 'byte' }
}

function examples(schema: JsonObject): JsonObject {
  return Array.isArray(schema.examples) && schema.examples.length > 0
    ? { example: schema.examples[0], ...schema }
    : schema
}

function array(schema: JsonObject): JsonObject {
  return schema.type === 'array' && schema.items === undefined ? { ...schema, items: {} } : schema
}

/** Beside a reference nothing else counts in 3.0. */
function reference(schema: JsonObject): JsonObject {
  const { $ref, ...siblings } = schema
  if ($ref === undefined || Object.keys(siblings).length === 0) return schema
  return { ...siblings, allOf: [{ $ref }, ...((siblings.allOf as unknown[]) ?? [])] }
}
