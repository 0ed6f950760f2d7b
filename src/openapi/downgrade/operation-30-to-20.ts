import { isObject, type JsonObject, mapValues, omit, pick } from '../schema/json.js'
import { flattened, formField, header30To20, parameter30To20, type Resolve } from './parameter-30-to-20.js'
import { reference30To20, schema30To20 } from './schema-30-to-20.js'

const FORMS = ['multipart/form-data', 'application/x-www-form-urlencoded']
const JSON_TYPE = 'application/json'

/** An operation of 2.0: its body is a parameter, and its media types stand beside it where they are not those of the document. */
export function operation30To20(operation: unknown, resolve: Resolve): unknown {
  if (!isObject(operation)) return operation
  const { parameters, requestBody, responses } = operation
  const rest = omit(operation, ['requestBody', 'callbacks', 'servers', 'parameters', 'responses'])
  const body = isObject(requestBody) ? resolved(requestBody, resolve) : {}
  const all = [...parameters30To20(parameters, resolve), ...bodyParameters(body, resolve)]
  return {
    ...mediaTypes(body, responses),
    ...rest,
    ...(all.length > 0 && { parameters: all }),
    responses: responses30To20(responses, resolve),
  }
}

/** Parameters of 2.0, without those that it does not know. */
export function parameters30To20(parameters: unknown, resolve: Resolve): unknown[] {
  if (!Array.isArray(parameters)) return []
  return parameters.map(parameter => parameter30To20(parameter, resolve)).filter(parameter => parameter !== undefined)
}

/** Responses of 2.0 by status; it knows no ranges (`4XX`). */
function responses30To20(responses: unknown, resolve: Resolve): unknown {
  if (!isObject(responses)) return responses
  const known = Object.entries(responses).filter(([status]) => /^(?:\d{3}|default|x-.*)$/.test(status))
  return Object.fromEntries(known.map(([status, response]) => [status, response30To20(response, resolve)]))
}

/** A response of 2.0: one schema, and headers without one. */
export function response30To20(response: unknown, resolve: Resolve): unknown {
  if (!isObject(response)) return response
  if (typeof response.$ref === 'string') return { $ref: reference30To20(response.$ref) }
  const { content, headers } = response
  const rest = omit(response, ['content', 'headers', 'links'])
  const [mediaType, best] = preferred(content)
  return {
    ...rest,
    ...(best?.schema !== undefined && { schema: mediaType === JSON_TYPE ? schema30To20(best.schema) : bodySchema(best.schema) }),
    ...(isObject(headers) && { headers: mapValues(headers, header => header30To20(header, resolve)) }),
    ...(isObject(content) && examples(content)),
  }
}

/** `consumes` and `produces`, where they are not JSON alone. */
function mediaTypes(body: JsonObject, responses: unknown): JsonObject {
  const consumes = Object.keys(isObject(body.content) ? body.content : {})
  const contents = Object.values(isObject(responses) ? responses : {}).flatMap(response =>
    isObject(response) && isObject(response.content) ? [response.content] : [],
  )
  const produces = [...new Set(contents.flatMap(Object.keys))]
  const foreign = (types: readonly string[]) => types.some(type => type !== JSON_TYPE)
  return {
    ...(foreign(consumes) && { consumes }),
    // errors are JSON, whatever the operation answers else
    ...(foreign(produces) && { produces: [...new Set([...produces, JSON_TYPE])] }),
  }
}

function bodyParameters(body: JsonObject, resolve: Resolve): JsonObject[] {
  const content = isObject(body.content) ? body.content : {}
  const form = FORMS.map(type => content[type]).find(isObject)
  if (form) return formFields(form, resolve)
  const [, best] = preferred(content)
  if (!best) return []
  return [{ name: 'body', in: 'body', ...pick(body, ['description', 'required']), schema: bodySchema(best.schema) }]
}

function formFields({ schema, encoding }: JsonObject, resolve: Resolve): JsonObject[] {
  const { properties, required } = flattened(schema, resolve)
  const names = Array.isArray(required) ? required : []
  const encodings = isObject(encoding) ? encoding : {}
  return Object.entries(isObject(properties) ? properties : {})
    .filter(([, property]) => !(isObject(property) && property.readOnly === true))
    .map(([name, property]) => formField(name, property, names.includes(name), encodings[name], resolve))
}

function bodySchema(schema: unknown): unknown {
  return schema === undefined ? {} : schema30To20(schema)
}

/** JSON where there is JSON, else what stands first. */
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

function resolved(value: JsonObject, resolve: Resolve): JsonObject {
  return typeof value.$ref === 'string' ? resolve(value.$ref) : value
}
