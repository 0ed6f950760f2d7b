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
import type { JsonSchemaDefinition, Shape } from '../../codec/shape/shape.js'
import { shapeOf } from '../../codec/shape/shape-of.js'
import { type ErrorForm, plainErrors } from '../../http/errors/error-forms.js'
import { Components } from './components.js'
import { type Direction, differsByDirection } from './direction.js'
import { type JsonObject, omit } from './json.js'
import {
  annotate,
  type ParameterLocation,
  type Scope,
  shapeToEncoding,
  shapeToParameters,
  shapeToSchema,
  structure,
} from './shape-to-schema.js'

export type { Direction } from './direction.js'

/**
 * Returns the schema of codecs that it knows, `undefined` for all others: a plugin, or
 * `registerField`.
 */
type SchemaOf = (codec: t.Mixed) => SchemaObject | undefined

/** The place and the manner in which a codec is used. */
interface Use {
  readonly direction: Direction
  /** The treatment of undeclared fields in input. Default `raise`. */
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
 * The schemas of one document, OpenAPI 3.1 (JSON Schema 2020-12). A codec with a name of its own is
 * a component, written once and referenced; what is asked for and cannot be documented is a
 * SchemaError with all its problems.
 */
export class Schemas {
  readonly #schemaOf: readonly SchemaOf[]
  readonly #errors: readonly ErrorForm[]
  readonly #components = new Components()
  /** By shape and mode: what was referred to once is the same again. */
  readonly #references = new WeakMap<Shape, Map<string, SchemaObject>>()
  /** The numbers of definitions without a name of their own, by their identity. */
  readonly #generated = new Map<string, number>()
  readonly #errorResponses = new Map<number | 'default', ReferenceObject>()
  /** The responses of the application that no call of `component` adds. */
  readonly #responses: Responses
  /** The names of responses that operations refer to. */
  readonly #named = new Set<string>()

  /**
   * `errors` are the forms of errors, the usual one first; `responses` are components that are laid
   * over the document.
   */
  constructor({
    schemaOf = [],
    errors = [plainErrors],
    responses = {},
  }: {
    readonly responses?: Responses | undefined
    readonly schemaOf?: readonly SchemaOf[]
    readonly errors?: readonly ErrorForm[]
  } = {}) {
    this.#schemaOf = schemaOf
    this.#errors = errors
    this.#responses = responses
  }

  /** Returns the schema of the values that the codec decodes or encodes. */
  of(codec: t.Mixed, { direction, unknown = 'raise', where }: Use): SchemaObject {
    const open = direction === 'input' && unknown !== 'raise'
    return this.#translate(where, { direction, open, components: true }, scope =>
      shapeToSchema(shapeOf(codec), scope),
    )
  }

  /** Returns a parameter for each field of an object codec, inline, in the order of the fields. */
  parameters(
    codec: t.Mixed,
    location: ParameterLocation,
    where: string,
    style?: 'deepObject',
  ): ParameterObject[] {
    const mode = { direction: 'input', open: true, components: false } as const
    return this.#translate(where, mode, scope =>
      shapeToParameters(shapeOf(codec), location, scope, style),
    )
  }

  /**
   * Returns the `encoding` of a form with this codec; undefined if the defaults of OpenAPI suffice.
   */
  encoding(codec: t.Mixed, style?: 'deepObject'): EncodingObject | undefined {
    return shapeToEncoding(shapeOf(codec), style)
  }

  /**
   * Returns the schema of an error in the default form: for `plain` `{ code, status, message?,
   * errors? }`, component `Error`.
   */
  error(): ReferenceObject {
    return this.#error(this.#errors[0] as ErrorForm)
  }

  #error({ name = 'Error', schema, components = {} }: ErrorForm): ReferenceObject {
    for (const [other, value] of Object.entries(components))
      this.#component('schemas', other, value)
    return this.#component('schemas', name, schema)
  }

  /**
   * Returns the content of an error in each of its forms, by media type; with a declared problem,
   * its schema is added to the general one.
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
        const name = camelCase(problem.name)
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
   * The response of this status with the error body (304 has none): a reference to a component
   * named after the status, `NotFound`. With header fields it is written out, since other
   * operations may respond with the same status without them.
   */
  errorResponse(status: number | 'default'): ReferenceObject
  errorResponse(
    status: number | 'default',
    options: { readonly headers: ResponseObject['headers'] },
  ): ResponseObject
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

  /**
   * Returns a reference to the response of this name: that of the application, if there is one once
   * the document is written, otherwise the error response that has the name.
   */
  namedResponse(name: string): ReferenceObject {
    this.#named.add(name)
    return { $ref: RESPONSES + name }
  }

  #errorResponse(status: number | 'default'): ResponseObject {
    const content = status === 304 ? {} : { content: this.errorContent() }
    return { description: phraseOf(status), ...content }
  }

  /**
   * Adds a component to the document and returns a reference to it; using a name twice is an error
   * unless the values are equal.
   */
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

  /**
   * Adds the component of a codec, whether anything refers to it or not, and returns a reference to
   * it. Throws a TypeError if the codec has no name.
   */
  define(codec: t.Mixed): ReferenceObject {
    const { $ref } = this.of(codec, { direction: 'output', where: `define(${codec.name})` })
    if ($ref === undefined)
      throw new TypeError(
        `define(codec): the codec must have a name of its own, as struct({ … }, 'Pet') and describe(codec, { name: 'Pet' }) have, unlike ${codec.name}`,
      )
    this.#components.keep($ref)
    return { $ref }
  }

  /** Resolves a reference to a response component; undefined if it does not exist. */
  response($ref: string): ResponseObject | undefined {
    const name = $ref.replace(RESPONSES, '')
    if (this.#named.has(name) && Object.hasOwn(this.#responses, name))
      return this.#responses[name] as ResponseObject
    const known = this.#components.value('responses', name) as ResponseObject | undefined
    if (known || !this.#named.has(name)) return known
    const status = STATUS_BY_NAME.get(name)
    return status === undefined ? undefined : this.#errorResponse(status)
  }

  /** Resolves a reference to a schema component; undefined if it does not exist. */
  schema($ref: string): unknown {
    return this.#components.value('schemas', $ref.replace('#/components/schemas/', ''))
  }

  /** The same of a response that the library described itself: an application's may lack a part. */
  ownResponse($ref: string): ResponseObject | undefined {
    const name = $ref.replace(RESPONSES, '')
    return this.#components.isAutomatic('responses', name) ? this.response($ref) : undefined
  }

  /** All components so far. */
  get components(): ComponentsObject {
    const all = this.#components.all
    const responses: NonNullable<ComponentsObject['responses']> = { ...all.responses }
    for (const name of this.#named) {
      const response = this.response(RESPONSES + name)
      // the application's are laid over the document, and nothing of another one is to be left in it
      if (Object.hasOwn(this.#responses, name)) delete responses[name]
      else if (response) responses[name] = response
    }
    return Object.keys(responses).length > 0 ? { ...all, responses } : all
  }

  /** References to the components that are kept only as long as something refers to them. */
  get automatic(): ReadonlySet<string> {
    return this.#components.automatic
  }

  /**
   * References that are spelled differently in the finished document: `…/Pet:input` is `…/Pet` if
   * no other component has that name.
   */
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
      define: (definition, build) => this.#define(definition, build, scope, where),
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

  /**
   * Returns a reference to the component of a shape, if it has a name, with the annotations of this
   * use beside it.
   */
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
    // another library decides itself about fields that it does not declare
    const open = scope.open && shape.kind !== 'standard'
    const ownVariant = (open || scope.direction === 'input') && differsByDirection(shape, open)
    const variant = ownVariant ? (open ? 'open' : 'input') : ''
    const build = () => annotate(structure(shape, scope, at), annotationsOf(source))
    const { $ref } = this.#components.refer(
      { kind: 'schemas', base, variant },
      source,
      where,
      build,
      other => scope.problem('', twoCalled(base, other)),
    )
    return annotate({ $ref }, differing(annotationsOf(codec), annotationsOf(source)))
  }

  #define(
    { name, isGenerated, differs, identity }: JsonSchemaDefinition,
    build: () => SchemaObject,
    scope: Scope,
    where: string,
  ): SchemaObject {
    const number = this.#generated.get(identity) ?? this.#generated.size
    if (isGenerated) this.#generated.set(identity, number)
    const base = name.replace(/[^\w.-]+/g, '_')
    const variant = isGenerated
      ? (`made${number}` as const)
      : differs && scope.direction === 'input'
        ? 'input'
        : ''
    return this.#components.refer(
      { kind: 'schemas', base, variant },
      identity,
      where,
      build,
      other => scope.problem('', twoCalled(base, other)),
    ) as SchemaObject
  }
}

/**
 * Returns whether a shape is a single value: if it has a name, it is a component wherever it is
 * used, in parameters too.
 */
function isSimple(shape: Shape): boolean {
  if (shape.kind === 'constrained') return isSimple(shape.base)
  return (
    shape.kind === 'literal' ||
    shape.kind === 'scalar' ||
    (shape.kind === 'union' && shape.members.every(isSimple))
  )
}

function twoCalled(name: string, other: string): string {
  return `two codecs that differ are called ${name}, the other one in ${other}; give one of them another name`
}

function phraseOf(status: number | 'default'): string {
  return status === 'default' ? 'Default error' : (STATUS_CODES[status] ?? `Status ${status}`)
}

const RESPONSES = '#/components/responses/'

type Responses = NonNullable<ComponentsObject['responses']>

/** The phrase of a status in camel case: `UnprocessableEntity`. */
function componentNameOf(status: number | 'default'): string {
  return camelCase(phraseOf(status).replace(/'/g, ''))
}

function camelCase(text: string): string {
  return text.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9]|$)/g, (_, letter: string) =>
    letter.toUpperCase(),
  )
}

/** The statuses of errors by the names of their components. */
const STATUS_BY_NAME: ReadonlyMap<string, number | 'default'> = new Map(
  [
    'default' as const,
    ...Object.keys(STATUS_CODES)
      .map(Number)
      .filter(status => status >= 400),
  ].map(status => [componentNameOf(status), status]),
)

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
