// Runtime expressions in callbacks (OpenAPI 3.2, section 4.20.1.1), compared with the operation that
// they are about: one that leads to nothing is found at registration.
import { isObject, type JsonObject } from '../schema/json.js'
import type { Schemas } from '../schema/schemas.js'
import type { OperationDescription } from './fragment.js'

const EXPRESSION =
  /^\$(?:url|method|statusCode|(?<side>request|response)\.(?:body(?:#(?<pointer>.*))?|(?<location>header|query|path)\.(?<name>.+)))$/

/**
 * Returns a sentence for each expression in a callback that is malformed, or leads to a parameter
 * of the query or path, or to a field of a body, that the operation does not have.
 */
export function callbackFaults(
  description: Pick<OperationDescription, 'fragment' | 'pathParameters'>,
  schemas: Schemas,
): readonly string[] {
  const callbacks = description.fragment.manual?.callbacks ?? {}
  return Object.entries(callbacks).flatMap(([name, callback]) =>
    Object.keys(callback).flatMap(key =>
      // a whole key may be an expression without braces
      [...key.matchAll(/^\$.*|\{[^}]*\}?/g)].flatMap(([expression]) => {
        const fault = faultOf(expression, description, schemas)
        return fault === undefined ? [] : `callback "${name}": ${expression}: ${fault}`
      }),
    ),
  )
}

function faultOf(
  expression: string,
  { fragment, pathParameters }: Pick<OperationDescription, 'fragment' | 'pathParameters'>,
  schemas: Schemas,
): string | undefined {
  if (/^\{[^}]*$/.test(expression)) return 'an expression in braces must end with }'
  const { groups } = EXPRESSION.exec(expression.replace(/^\{|\}$/g, '')) ?? {}
  if (!groups)
    return 'an expression must be like $request.body#/url, $request.query.url, $request.path.id, $request.header.X-Url, $url or $method'
  const { side, pointer, location, name } = groups
  if (location === 'query' || location === 'path') {
    const parameters = [...pathParameters, ...(fragment.parameters ?? [])]
    const isThere = parameters.some(
      parameter => 'in' in parameter && parameter.in === location && parameter.name === name,
    )
    return isThere ? undefined : `the operation has no ${location} parameter "${name}"`
  }
  if (pointer === undefined) return undefined
  const bodies = side === 'request' ? [fragment.requestBody] : successesIn(fragment.responses)
  const contents = bodies.flatMap(body => Object.values(body?.content ?? {}))
  const path = pointer.split('/').slice(1).map(unescaped)
  return contents.some(({ schema }) => leads(schema, path, schemas))
    ? undefined
    : `the ${side} has no field ${pointer || '/'} in its body`
}

interface WithContent {
  readonly content?: { readonly [mediaType: string]: { readonly schema?: unknown } }
}

const successesIn = (responses: object = {}): WithContent[] =>
  Object.entries(responses).flatMap(([status, response]) =>
    status.startsWith('2') ? (response as WithContent) : [],
  )

/** Whether a value of the schema may have something at a JSON pointer. */
function leads(schema: unknown, path: readonly string[], schemas: Schemas): boolean {
  const [name, ...rest] = path
  if (name === undefined || !isObject(schema)) return schema !== false
  const { $ref } = schema
  if (typeof $ref === 'string') return leads(schemas.schema($ref), path, schemas)
  const { properties, additionalProperties, items } = schema
  const found = isObject(properties) ? properties[name] : undefined
  if (found !== undefined) return leads(found, rest, schemas)
  if (/^(?:0|[1-9]\d*)$/.test(name) && items !== undefined) return leads(items, rest, schemas)
  const members = membersOf(schema)
  if (members.length > 0) return members.some(member => leads(member, path, schemas))
  if (isObject(additionalProperties)) return leads(additionalProperties, rest, schemas)
  // a schema without rules for fields allows all
  return additionalProperties === true || !('type' in schema || 'properties' in schema)
}

const membersOf = ({ anyOf, oneOf, allOf }: JsonObject): readonly unknown[] =>
  [anyOf, oneOf, allOf].flatMap(members => (Array.isArray(members) ? members : []))

const unescaped = (segment: string): string => segment.replace(/~1/g, '/').replace(/~0/g, '~')
