import { isObject, type JsonObject, mapValues, omit, pick } from '../schema/json.js'
import type { Resolve } from './objects.js'
import {
  deepFields,
  flattened,
  formField,
  header30To20,
  parameters30To20,
  type Scope20,
} from './parameter-30-to-20.js'
import { reference30To20, schema30To20 } from './schema-30-to-20.js'
import { security30To20 } from './security-30-to-20.js'

const FORMS = ['multipart/form-data', 'application/x-www-form-urlencoded']
const JSON_TYPE = 'application/json'

/**
 * An operation of 2.0: its body is a parameter, and its media types are beside it if they differ
 * from those of the document.
 */
export function operation30To20(operation: unknown, scope: Scope20): unknown {
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
export function response30To20(response: unknown, scope: Scope20): unknown {
  if (!isObject(response)) return response
  if (typeof response.$ref === 'string') return { $ref: reference30To20(response.$ref) }
  const { content, headers, links } = response
  if (links !== undefined) scope.lost('links')
  const rest = omit(response, ['content', 'headers', 'links'])
  const [, best] = preferred(content)
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
  const accepted = Object.keys(isObject(content) ? content : {})
  const forms = accepted.filter(type => FORMS.includes(type))
  const consumes = forms.length > 0 ? forms : accepted
  const written = Object.values(isObject(responses) ? responses : {}).map(response =>
    isObject(response) ? resolved(response, scope) : {},
  )
  const produces = [
    ...new Set(
      written.flatMap(response => Object.keys(isObject(response.content) ? response.content : {})),
    ),
  ]
  const isForeign = (types: readonly string[]) => types.some(type => type !== JSON_TYPE)
  return { ...(isForeign(consumes) && { consumes }), ...(isForeign(produces) && { produces }) }
}

/** A body that may be a form is one in 2.0, which has no choice between a form and a body. */
function bodyParameters(body: JsonObject, { resolve }: Scope20): JsonObject[] {
  const content = isObject(body.content) ? body.content : {}
  const form = FORMS.map(type => content[type]).find(isObject)
  if (form) return formFields(form, resolve)
  const [, best] = preferred(content)
  if (!best) return []
  return [
    {
      name: 'body',
      in: 'body',
      ...pick(body, ['description', 'required']),
      schema: bodySchema(best.schema),
    },
  ]
}

function formFields({ schema, encoding }: JsonObject, resolve: Resolve): JsonObject[] {
  const { properties, required } = flattened(schema, resolve)
  const names = Array.isArray(required) ? required : []
  const encodings = isObject(encoding) ? encoding : {}
  return Object.entries(isObject(properties) ? properties : {})
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

function bodySchema(schema: unknown): unknown {
  return schema === undefined ? {} : schema30To20(schema)
}

/** Prefers JSON; otherwise takes the first media type. */
function preferred(content: unknown): [string | undefined, JsonObject | undefined] {
  const entries = Object.entries(isObject(content) ? content : {})
  const [mediaType, best] = entries.find(([type]) => type === JSON_TYPE) ?? entries[0] ?? []
  return [mediaType, isObject(best) ? best : undefined]
}

function examples(content: JsonObject): JsonObject {
  const shown = Object.entries(content).flatMap(([mediaType, media]) => {
    if (!isObject(media)) return []
    const [first] = Object.values(isObject(media.examples) ? media.examples : {})
    const example = media.example ?? (isObject(first) ? first.value : undefined)
    return example === undefined ? [] : [[mediaType, example]]
  })
  return shown.length > 0 ? { examples: Object.fromEntries(shown) } : {}
}

function resolved(value: JsonObject, { resolve }: Scope20): JsonObject {
  return typeof value.$ref === 'string' ? resolve(value.$ref) : value
}
