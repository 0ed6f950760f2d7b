import { STATUS_CODES } from 'node:http'
import type * as t from 'io-ts'
import type {
  ContentObject,
  EncodingObject,
  ParameterObject,
  ReferenceObject,
  ResponseObject,
  SchemaObject,
} from 'openapi3-ts/oas31'
import type { ComponentsObject } from 'openapi3-ts/oas32'
import type { Unknown } from '../../codec/decode/decode.js'
import {
  type Annotations,
  annotationsOf,
  componentName,
  originOf,
  parentOf,
} from '../../codec/shape/annotations.js'
import type { Shape } from '../../codec/shape/shape.js'
import { shapeOf } from '../../codec/shape/shape-of.js'
import type { ErrorForm } from '../../http/errors/error-form.js'
import { plainErrors } from '../../http/errors/plain-errors.js'
import { Components } from './components.js'
import { type Direction, differsByDirection } from './direction.js'
import { type JsonObject, omit } from './json.js'
import { type ParameterLocation, shapeToEncoding, shapeToParameters } from './parameters.js'
import { annotate, type Scope, shapeToSchema, structure } from './shape-to-schema.js'

export type { Direction } from './direction.js'

/** Returns the schema of codecs that it knows, `undefined` for all others: a plugin, or `registerField`. */
export type SchemaOf = (codec: t.Mixed) => SchemaObject | undefined

/** Where and how a codec is used. */
export interface Use {
  readonly direction: Direction
  /** What is done with fields that are not declared, in input. Default `raise`. */
  readonly unknown?: Unknown
  /** For messages: `GET /pets/ (Pets.get), response 200`. */
  readonly where: string
}

/** Codecs that cannot be documented, each with its place and what to do about it. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError'
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'))
  }
}

/** The kinds of components that a document has. */
export type ComponentKind =
  | 'schemas'
  | 'responses'
  | 'parameters'
  | 'examples'
  | 'requestBodies'
  | 'headers'
  | 'securitySchemes'
  | 'links'

/**
 * The schemas of one document, OpenAPI 3.1 (JSON Schema 2020-12). A codec with a name of its own is a component, written once and
 * referenced; what is asked for and cannot be documented is a SchemaError with all its problems.
 */
export class Schemas {
  readonly #schemaOf: readonly SchemaOf[]
  readonly #errors: readonly ErrorForm[]
  readonly #components = new Components()
  /** By shape and mode: what was referred to once is the same again. */
  readonly #references = new WeakMap<Shape, Map<string, SchemaObject>>()
  readonly #errorResponses = new Map<number | 'default', ReferenceObject>()

  /** `errors` are the forms of errors, the usual one first. */
  constructor({
    schemaOf = [],
    errors = [plainErrors],
  }: {
    readonly schemaOf?: readonly SchemaOf[]
    readonly errors?: readonly ErrorForm[]
  } = {}) {
    this.#schemaOf = schemaOf
    this.#errors = errors
  }

  /** Returns the schema of the values that the codec decodes or encodes. */
  of(codec: t.Mixed, { direction, unknown = 'raise', where }: Use): SchemaObject {
    const open = direction === 'input' && unknown !== 'raise'
    return this.#translate(where, { direction, open, components: true }, scope =>
      shapeToSchema(shapeOf(codec), scope),
    )
  }

  /** Returns a parameter for each field of an object codec, inline, in the order of the fields. */
  parameters(codec: t.Mixed, location: ParameterLocation, where: string): ParameterObject[] {
    const mode = { direction: 'input', open: true, components: false } as const
    return this.#translate(where, mode, scope => shapeToParameters(shapeOf(codec), location, scope))
  }

  /** Returns the `encoding` of a form with this codec; undefined if the defaults of OpenAPI suffice. */
  encoding(codec: t.Mixed): EncodingObject | undefined {
    return shapeToEncoding(shapeOf(codec))
  }

  /** Returns the schema of an error in the default form: for `plain` `{ code, status, message?, errors? }`, component `Error`. */
  error(): ReferenceObject {
    return this.#error(this.#errors[0] as ErrorForm)
  }

  #error({ name = 'Error', schema, components = {} }: ErrorForm): ReferenceObject {
    for (const [other, value] of Object.entries(components))
      this.#component('schemas', other, value)
    return this.#component('schemas', name, schema)
  }

  /**
   * Returns the content of an error in each of its forms, by media type; with a declared problem, its schema is added to the general one.
   */
  errorContent(problem?: {
    readonly name: string
    readonly status: number
    readonly title: string
    readonly codec: t.Mixed | undefined
  }): ContentObject {
    return Object.fromEntries(
      this.#errors.map(form => {
        const general = this.#error(form)
        if (!problem || !form.problemSchema) return [form.mediaType, { schema: general }]
        const where = `problem ${problem.name}`
        const mode = { direction: 'output', open: true, components: false } as const
        const data =
          problem.codec &&
          this.#translate(where, mode, scope =>
            shapeToSchema(shapeOf(problem.codec as t.Mixed), scope),
          )
        const name = problem.name.replace(
          /(?:^|[^A-Za-z0-9]+)([A-Za-z0-9]|$)/g,
          (_, letter: string) => letter.toUpperCase(),
        )
        const own = form.problemSchema(
          problem,
          data && omit(data as JsonObject, ['additionalProperties']),
        )
        // one list of all parts, which tools read better than a list in a list
        const { allOf = [], ...rest } = own
        const schema = { allOf: [general, ...(Object.keys(rest).length === 0 ? allOf : [own])] }
        return [
          form.mediaType,
          {
            schema: {
              anyOf: [
                general,
                this.#component('schemas', `${name}${form.name ?? 'Error'}`, schema),
              ],
            },
          },
        ]
      }),
    )
  }

  /**
   * The response of this status with the error body (304 has none): a reference to a component named after the status,
   * `NotFound`. With header fields it is written out, since other operations may respond with the same status without them.
   */
  errorResponse(status: number | 'default'): ReferenceObject
  errorResponse(
    status: number | 'default',
    options: { readonly headers: ResponseObject['headers'] },
  ): ResponseObject
  errorResponse(
    status: number | 'default',
    options?: { readonly headers: ResponseObject['headers'] },
  ): ReferenceObject | ResponseObject
  errorResponse(
    status: number | 'default',
    { headers }: { readonly headers?: ResponseObject['headers'] } = {},
  ): ReferenceObject | ResponseObject {
    if (headers) return { ...this.#errorResponse(status), headers }
    const reference =
      this.#errorResponses.get(status) ??
      this.#component('responses', componentNameOf(status), this.#errorResponse(status))
    this.#errorResponses.set(status, reference)
    return reference
  }

  #errorResponse(status: number | 'default'): ResponseObject {
    const content = status === 304 ? {} : { content: this.errorContent() }
    return { description: phraseOf(status), ...content }
  }

  /** Adds a component to the document and returns a reference to it; using a name twice is an error unless the values are equal. */
  component<Kind extends ComponentKind>(
    kind: Kind,
    name: string,
    value: NonNullable<ComponentsObject[Kind]>[string],
  ): ReferenceObject {
    return this.#component(kind, name, value, true)
  }

  #component<Kind extends ComponentKind>(
    kind: Kind,
    name: string,
    value: NonNullable<ComponentsObject[Kind]>[string],
    byHand = false,
  ): ReferenceObject {
    return this.#components.refer(
      { kind, base: name, byHand },
      value,
      `components.${kind}`,
      () => value,
      earlier => {
        throw new SchemaError([
          `The name ${name} among the ${kind} has two meanings, the other one in ${earlier}: give one of them another name`,
        ])
      },
    )
  }

  /** Resolves a reference to a response component; undefined if there is no such component. */
  response($ref: string): ResponseObject | undefined {
    return this.#components.value('responses', $ref.replace('#/components/responses/', '')) as
      | ResponseObject
      | undefined
  }

  /** All components so far. */
  get components(): ComponentsObject {
    return this.#components.all
  }

  /** References to the components that are kept only as long as something refers to them. */
  get automatic(): ReadonlySet<string> {
    return this.#components.automatic
  }

  /** References that are spelled differently in the finished document: `…/Pet:input` is `…/Pet` if no other component has that name. */
  get renames(): ReadonlyMap<string, string> {
    return this.#components.renames
  }

  /** Runs a translation; throws a SchemaError that lists everything it could not document. */
  #translate<T>(
    where: string,
    mode: Pick<Scope, 'direction' | 'open' | 'components'>,
    translate: (scope: Scope) => T,
  ): T {
    const problems = new Set<string>()
    const scope: Scope = {
      ...mode,
      known: ({ codec }) => this.#known(codec),
      refer: (shape, inner, at) =>
        inner.components || shape.kind === 'recursion' || isSimple(shape)
          ? this.#refer(shape, inner, at, where)
          : undefined,
      problem: (at, text) => problems.add(`${where}${at && `, field ${at}`}: ${text}`),
    }
    const result = translate(scope)
    if (problems.size > 0) throw new SchemaError([...problems])
    return result
  }

  #known(codec: t.Mixed): SchemaObject | undefined {
    for (const candidate of new Set([codec, originOf(codec)])) {
      for (const schemaOf of this.#schemaOf) {
        const schema = schemaOf(candidate)
        if (schema) return schema
      }
    }
    return undefined
  }

  /** Returns a reference to the component of a shape, if it has a name, with the annotations of this use beside it. */
  #refer(shape: Shape, scope: Scope, at: string, where: string): SchemaObject | undefined {
    const mode = `${scope.direction} ${scope.open}`
    const known = this.#references.get(shape)?.get(mode)
    if (known) return { ...known }
    const made = this.#newReference(shape, scope, at, where)
    if (made)
      this.#references.set(shape, (this.#references.get(shape) ?? new Map()).set(mode, made))
    return made
  }

  #newReference(shape: Shape, scope: Scope, at: string, where: string): SchemaObject | undefined {
    const { codec } = shape
    const name = componentName(codec) ?? (shape.kind === 'recursion' ? codec.name : undefined)
    const source = namedAncestor(codec)
    if (name === undefined || annotationsOf(codec).schema !== annotationsOf(source).schema)
      return undefined
    const base = name.replace(/[^\w.-]+/g, '_').replace(/^_|_$/g, '')
    const ownVariant =
      (scope.open || scope.direction === 'input') && differsByDirection(shape, scope.open)
    const variant = ownVariant ? (scope.open ? 'open' : 'input') : ''
    const build = () => annotate(structure(shape, scope, at), annotationsOf(source))
    const conflict = (other: string) =>
      scope.problem(
        '',
        `two codecs that differ are called ${base}, the other one in ${other}; give one of them another name`,
      )
    const { $ref } = this.#components.refer(
      { kind: 'schemas', base, variant },
      source,
      where,
      build,
      conflict,
    )
    return annotate({ $ref }, differing(annotationsOf(codec), annotationsOf(source)))
  }
}

/** Returns whether a shape is a single value: if it has a name, it is a component wherever it is used, in parameters too. */
function isSimple(shape: Shape): boolean {
  if (shape.kind === 'constrained') return isSimple(shape.base)
  return (
    shape.kind === 'literal' ||
    shape.kind === 'scalar' ||
    (shape.kind === 'union' && shape.members.every(isSimple))
  )
}

function phraseOf(status: number | 'default'): string {
  return status === 'default' ? 'Default error' : (STATUS_CODES[status] ?? `Status ${status}`)
}

/** The phrase of a status in camel case: `UnprocessableEntity`. */
function componentNameOf(status: number | 'default'): string {
  const upper = (_: string, letter: string) => letter.toUpperCase()
  return phraseOf(status)
    .replace(/'/g, '')
    .replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9]|$)/g, upper)
}

/** The codec that has the name: of the copies that `describe` makes the first one with it. */
function namedAncestor(codec: t.Mixed): t.Mixed {
  const parent = parentOf(codec)
  return parent && componentName(parent) === componentName(codec) ? namedAncestor(parent) : codec
}

function differing(annotations: Annotations, others: Annotations): Annotations {
  return Object.fromEntries(
    Object.entries(annotations).filter(
      ([key, value]) => value !== others[key as keyof Annotations],
    ),
  )
}
