import type { OpenAPIObject as Document30 } from 'openapi3-ts/oas30'
import { defined } from '../../options.js'
import { referencesIn, withoutUnused } from '../document/unused.js'
import { isObject, type JsonObject, mapValues, objectIn, omit, pick } from '../schema/json.js'
import { type Lost, type Resolve, resolver } from './objects.js'
import {
  deepFields,
  flattened,
  formField,
  header30To20,
  parameter30To20,
  parameters30To20,
  reference30To20,
  type Scope20,
  schema30To20,
} from './schema-30-to-20.js'

/** A document of OpenAPI 2.0, known by its outline. */
interface Document20 {
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
 * TRACE, all but one schema of a body. Definitions that nothing refers to any more are left out as well.
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
    ...components30To20(objectIn(components), securityDefinitions, resolve),
  }
  const candidates = [...referencesIn(document)].map(reference30To20)
  return withoutUnused(converted, new Set(candidates)) as unknown as Document20
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

const FORMS = ['multipart/form-data', 'application/x-www-form-urlencoded']
const JSON_TYPE = 'application/json'

/**
 * An operation of 2.0: its body is a parameter, and its media types are beside it if they differ
 * from those of the document.
 */
function operation30To20(operation: unknown, scope: Scope20): unknown {
  if (!isObject(operation)) return operation
  const { parameters, requestBody, responses, security, callbacks } = operation
  if (callbacks !== undefined) scope.lost('callbacks')
  const rest = omit(operation, [
    'requestBody',
    'callbacks',
    'servers',
    'parameters',
    'responses',
    'security',
  ])
  const body = isObject(requestBody) ? resolved(requestBody, scope) : {}
  const media = Object.entries(objectIn(body.content)).map(([type, given]) =>
    JSON.stringify([FORMS.includes(type), objectIn(given).schema]),
  )
  if (new Set(media).size > 1) scope.lost('a body of several schemas')
  const all = [...parameters30To20(parameters, scope), ...bodyParameters(body, scope)]
  return {
    ...mediaTypes(body, responses, scope),
    ...rest,
    ...(security !== undefined && { security: security30To20(security, scope.resolve) }),
    ...(all.length > 0 && { parameters: all }),
    responses: responses30To20(responses, scope),
  }
}

/** Responses of 2.0 by status; it knows no ranges (`4XX`), and there has to be one response. */
function responses30To20(responses: unknown, scope: Scope20): unknown {
  if (!isObject(responses)) return responses
  const entries = Object.entries(responses)
  const known = entries.filter(([status]) => /^(?:\d{3}|default|x-.*)$/.test(status))
  if (known.length < entries.length) scope.lost('ranges of statuses')
  const converted = known.map(([status, response]) => [status, response30To20(response, scope)])
  return Object.fromEntries(
    converted.length > 0
      ? converted
      : [['default', response30To20(entries[0]?.[1] ?? { description: '' }, scope)]],
  )
}

/** A response of 2.0: one schema, and headers without one. */
function response30To20(response: unknown, scope: Scope20): unknown {
  if (!isObject(response)) return response
  if (typeof response.$ref === 'string') return { $ref: reference30To20(response.$ref) }
  const { content, headers, links } = response
  if (links !== undefined) scope.lost('links')
  const rest = omit(response, ['content', 'headers', 'links'])
  const best = preferred(content)
  return {
    ...rest,
    ...(best?.schema !== undefined && { schema: schema30To20(best.schema) }),
    ...(best?.['x-itemSchema'] !== undefined && {
      'x-itemSchema': schema30To20(best['x-itemSchema']),
    }),
    ...(isObject(headers) && {
      headers: mapValues(headers, header => header30To20(header, scope.resolve)),
    }),
    ...(isObject(content) && examples(content)),
  }
}

/** `consumes` and `produces`, if they are not JSON alone. */
function mediaTypes({ content }: JsonObject, responses: unknown, scope: Scope20): JsonObject {
  const accepted = Object.keys(objectIn(content))
  const forms = accepted.filter(type => FORMS.includes(type))
  const consumes = forms.length > 0 ? forms : accepted
  const written = Object.values(objectIn(responses)).map(response =>
    isObject(response) ? resolved(response, scope) : {},
  )
  const produces = [
    ...new Set(written.flatMap(response => Object.keys(objectIn(response.content)))),
  ]
  const isForeign = (types: readonly string[]) => types.some(type => type !== JSON_TYPE)
  return { ...(isForeign(consumes) && { consumes }), ...(isForeign(produces) && { produces }) }
}

/** A body that may be a form is one in 2.0, which has no choice between a form and a body. */
function bodyParameters(body: JsonObject, { resolve }: Scope20): JsonObject[] {
  const content = objectIn(body.content)
  const form = FORMS.map(type => content[type]).find(isObject)
  if (form) return formFields(form, resolve)
  const best = preferred(content)
  if (!best) return []
  return [
    {
      name: 'body',
      in: 'body',
      ...pick(body, ['description', 'required']),
      schema: schema30To20(best.schema ?? {}),
    },
  ]
}

function formFields({ schema, encoding }: JsonObject, resolve: Resolve): JsonObject[] {
  const { properties, required } = flattened(schema, resolve)
  const names = Array.isArray(required) ? required : []
  const encodings = objectIn(encoding)
  return Object.entries(objectIn(properties))
    .filter(([, property]) => !(isObject(property) && property.readOnly === true))
    .flatMap(([name, property]) => {
      const encoding = encodings[name]
      const field = { name, schema: property, required: names.includes(name) }
      const fields =
        isObject(encoding) && encoding.style === 'deepObject'
          ? deepFields(name, property, field.required, resolve)
          : [field]
      return fields.map(one => formField(one.name, one.schema, one.required, encoding, resolve))
    })
}

/** Prefers JSON; otherwise takes the first media type. */
function preferred(content: unknown): JsonObject | undefined {
  const types = objectIn(content)
  return [types[JSON_TYPE], ...Object.values(types)].find(isObject)
}

function examples(content: JsonObject): JsonObject {
  const shown = Object.entries(content).flatMap(([mediaType, media]) => {
    if (!isObject(media)) return []
    const [first] = Object.values(objectIn(media.examples))
    const example = media.example ?? (isObject(first) ? first.value : undefined)
    return example === undefined ? [] : [[mediaType, example]]
  })
  return shown.length > 0 ? { examples: Object.fromEntries(shown) } : {}
}

function resolved(value: JsonObject, { resolve }: Scope20): JsonObject {
  return typeof value.$ref === 'string' ? resolve(value.$ref) : value
}

/** The flows of OAuth 2, as 2.0 calls them. */
const FLOWS = {
  implicit: 'implicit',
  password: 'password',
  clientCredentials: 'application',
  authorizationCode: 'accessCode',
}

/**
 * A security scheme of 2.0, which knows basic authentication, keys and one OAuth flow; any other is
 * a key in the header that it uses.
 */
function securityScheme30To20(scheme: unknown): unknown {
  if (!isObject(scheme)) return scheme
  const rest = pick(scheme, ['description'])
  if (scheme.type === 'apiKey' && scheme.in !== 'cookie') return scheme
  if (scheme.type === 'apiKey') return { ...rest, type: 'apiKey', in: 'header', name: 'Cookie' }
  if (scheme.type === 'http' && String(scheme.scheme).toLowerCase() === 'basic')
    return { ...rest, type: 'basic' }
  const flow = scheme.type === 'oauth2' ? flow30To20(scheme.flows) : undefined
  if (flow) return { ...rest, type: 'oauth2', ...flow }
  return { ...rest, type: 'apiKey', in: 'header', name: 'Authorization' }
}

/** The first flow: 2.0 has room for one. */
function flow30To20(flows: unknown): JsonObject | undefined {
  const known = objectIn(flows)
  const entry = Object.entries(FLOWS).find(([name]) => isObject(known[name]))
  if (!entry) return undefined
  const [name, flow] = entry
  return {
    flow,
    scopes: {},
    ...pick(known[name] as JsonObject, ['authorizationUrl', 'tokenUrl', 'scopes']),
  }
}

/** Requirements of 2.0: only what is OAuth there has scopes. */
function security30To20(security: unknown, resolve: Resolve): unknown {
  if (!Array.isArray(security)) return security
  const scopes = (given: unknown, name: string) => {
    const scheme = securityScheme30To20(resolve(`#/components/securitySchemes/${name}`))
    return isObject(scheme) && scheme.type === 'oauth2' ? given : []
  }
  return security.map(requirement => mapValues(requirement, scopes))
}
