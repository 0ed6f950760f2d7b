// An API as the tests see it: its document, read as a client reads it. Nothing here uses codecs,
// since a codec cannot judge its own output.

import { STATUS_CODES } from 'node:http'

/** A JSON Schema, or any other object of the document. */
export type Json = { readonly [key: string]: unknown }

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly required: boolean
  readonly schema: Json
  /** Items of a list are joined by commas in one string. */
  readonly joined: boolean
  /** Fields of an object have names in brackets. */
  readonly deep: boolean
}

/** A body that an operation takes. */
export interface Body {
  readonly mediaType: string
  readonly schema: Json
  readonly required: boolean
  /** The media types of files, by field. */
  readonly files: Readonly<Record<string, string>>
  /** The fields that are objects whose own fields have names in brackets. */
  readonly deep: readonly string[]
}

/** A response that an operation lists. */
interface Described {
  /**
   * Whether it is the response to malformed arguments that the library adds to every operation,
   * rather than a declared one.
   */
  readonly isOfArguments: boolean
  readonly headers: Readonly<Record<string, Json>>
  readonly content: Readonly<Record<string, Json>>
}

export interface DescribedOperation {
  /** `GET /pets/{petId}` */
  readonly name: string
  readonly operationId: string | undefined
  readonly method: string
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly bodies: readonly Body[]
  /** By status, `default` and ranges such as `4XX` included. */
  readonly responses: Readonly<Record<string, Described>>
  /** When it ends, if declared: `x-sunset`, a day or a time. */
  readonly sunset: string | undefined
  /**
   * Alternatives, each a set of schemes with their required scopes; `undefined` if none are
   * required.
   */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[] | undefined
}

const METHODS = ['get', 'query', 'post', 'put', 'patch', 'delete', 'options', 'head']

const OF_ARGUMENTS =
  /\/responses\/(?:BadRequest|PayloadTooLarge|UnsupportedMediaType|UnprocessableEntity)$/

/** How deep in a body fields are looked for. */
const DEEPEST_FIELD = 5

/** A schema with the keywords that may hold its fields. */
interface Composed extends Json {
  readonly properties?: Readonly<Record<string, Json>>
  readonly items?: Json
  readonly allOf?: readonly Json[]
  readonly anyOf?: readonly Json[]
  readonly oneOf?: readonly Json[]
}

/** The document of an API with its references resolved on the way. */
export class ApiDocument {
  readonly operations: readonly DescribedOperation[]
  readonly schemes: Readonly<Record<string, Json>>

  constructor(readonly root: Json) {
    const { paths = {}, components } = root as {
      paths?: Record<string, Json>
      components?: { securitySchemes?: Record<string, Json> }
    }
    this.schemes = Object.fromEntries(
      Object.entries(components?.securitySchemes ?? {}).map(([name, scheme]) => [
        name,
        this.resolve(scheme),
      ]),
    )
    this.operations = Object.entries(paths).flatMap(([path, item]) =>
      METHODS.flatMap(method =>
        item[method] ? this.#operation(method, path, item, item[method] as Json) : [],
      ),
    )
  }

  /** The target of a reference, or the value itself; a schema that is a boolean as an object. */
  resolve(value: unknown): Json {
    if (typeof value === 'boolean') return value ? {} : { not: {} }
    const { $ref } = value as { $ref?: string }
    if ($ref === undefined) return value as Json
    const keys = $ref.split('/').slice(1)
    const found = keys.reduce<unknown>(
      (inner, key) => (inner as Json)?.[key.replaceAll('~1', '/').replaceAll('~0', '~')],
      this.root,
    )
    return this.resolve(found)
  }

  /**
   * The fields of a body as `values` name them, those of nested objects and of items as
   * `order.petId`.
   */
  fieldsOf(schema: Json, depth = 0): readonly string[] {
    // a recursion has no end
    if (depth > DEEPEST_FIELD) return []
    const {
      properties = {},
      items,
      allOf = [],
      anyOf = [],
      oneOf = [],
    } = this.resolve(schema) as Composed
    const own = Object.entries(properties).flatMap(([name, inner]) => [
      name,
      ...this.fieldsOf(inner, depth + 1).map(field => `${name}.${field}`),
    ])
    const parts = [...(items ? [items] : []), ...allOf, ...anyOf, ...oneOf]
    return [...new Set([...own, ...parts.flatMap(part => this.fieldsOf(part, depth + 1))])]
  }

  #operation(method: string, path: string, item: Json, operation: Json): DescribedOperation {
    const { operationId, security = this.root.security } = operation as {
      operationId?: string
      security?: unknown
    }
    const bodies = this.#bodies(operation.requestBody)
    return {
      name: `${method.toUpperCase()} ${path}`,
      operationId,
      method: method.toUpperCase(),
      path,
      parameters: this.#parameters([item.parameters, operation.parameters]),
      bodies,
      responses: this.#responses(operation.responses),
      sunset: operation['x-sunset'] as string | undefined,
      security: security as DescribedOperation['security'],
    }
  }

  #parameters(lists: readonly unknown[]): readonly Parameter[] {
    const found = new Map<string, Parameter>()
    for (const given of lists.flatMap(list => (list as readonly unknown[] | undefined) ?? [])) {
      const parameter = this.resolve(given) as unknown as Omit<Parameter, 'joined' | 'deep'> & {
        explode?: boolean
        style?: string
        content?: Json
      }
      const schema = parameter.schema ?? {}
      found.set(`${parameter.in} ${parameter.name}`, {
        name: parameter.name,
        in: parameter.in,
        required: parameter.required === true || parameter.in === 'path',
        schema,
        deep: parameter.style === 'deepObject',
        joined:
          parameter.explode === false || (parameter.in !== 'query' && parameter.in !== 'cookie'),
      })
    }
    return [...found.values()]
  }

  #bodies(given: unknown): readonly Body[] {
    if (given === undefined) return []
    const { content = {}, required = false } = this.resolve(given) as {
      content?: Record<string, Json>
      required?: boolean
    }
    return Object.entries(content).map(([mediaType, { schema = {}, encoding = {} }]) => ({
      mediaType,
      schema: schema as Json,
      required,
      deep: Object.entries(encoding as Json).flatMap(([name, one]) =>
        (one as Json).style === 'deepObject' ? [name] : [],
      ),
      files: Object.fromEntries(
        Object.entries(encoding as Json).map(([name, one]) => [
          name,
          String((one as Json).contentType ?? ''),
        ]),
      ),
    }))
  }

  #responses(given: unknown): DescribedOperation['responses'] {
    return Object.fromEntries(
      Object.entries((given ?? {}) as Json).map(([status, response]) => {
        const {
          description,
          headers = {},
          content = {},
        } = this.resolve(response) as {
          description?: string
          headers?: Record<string, Json>
          content?: Record<string, Json>
        }
        // with header fields of its own it is written out
        const isOfArguments =
          OF_ARGUMENTS.test(String((response as Json).$ref)) ||
          (['400', '413', '415', '422'].includes(status) &&
            description === STATUS_CODES[status] &&
            Object.keys(headers).length > 0)
        return [
          status,
          {
            headers: Object.fromEntries(
              Object.entries(headers).map(([name, header]) => [name, this.resolve(header)]),
            ),
            content,
            isOfArguments,
          },
        ]
      }),
    )
  }
}

/**
 * The description of a status: its own, its range's, or, of an error, the default one. `default`
 * never describes a success.
 */
export function describedFor(
  { responses }: DescribedOperation,
  status: number,
): Described | undefined {
  return (
    responses[status] ??
    responses[`${String(status)[0]}XX`] ??
    (status >= 400 ? responses.default : undefined)
  )
}

/** The names of the parameters in a path template. */
export function pathNames(path: string): readonly string[] {
  return Array.from(path.matchAll(/\{([^}]+)\}/g), ([, name = '']) => name)
}
