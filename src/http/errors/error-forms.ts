// The form of an Api's errors: the body of a response, its media type, and their documentation.

import { STATUS_CODES } from 'node:http'
import type { SchemaObject } from 'openapi3-ts/oas31'
import { shown } from '../../names.js'
import { preferred } from '../accept.js'
import type { DeclaredProblem, Errors, Failure } from '../failure.js'
import { sentAs } from '../media-type.js'
import { Budget } from './bounded-text.js'

// the key of what only the compiler sees
declare const errorBody: unique symbol

/**
 * The form of an Api's errors: one value for the responses and for the document. `API_ERRORS` takes
 * one of your own, `{ mediaType: 'application/vnd.shop.error+json', schema: { … }, text: ({ code,
 * message }) => JSON.stringify({ … }) }`. `Body` is the type that a typed client parses from the
 * body: `const form: ErrorForm<{ errors: string[] }> = { … }`.
 */
export interface ErrorForm<Body = unknown> {
  /** The body, for the compiler only. */
  readonly [errorBody]?: Body
  /** The media type of an error: `application/problem+json`. */
  readonly mediaType: string
  /** Its schema, in OpenAPI 3.1, which is the component `name` of the document. */
  readonly schema: SchemaObject
  /** The name of the schema among the components. Default `Error`. */
  readonly name?: string
  /** Schemas that `schema` refers to, by their names among the components. */
  readonly components?: Readonly<Record<string, SchemaObject>>
  /**
   * Writes a failure as a body of the media type. It gets `cause` and `data`, which a client should
   * not see.
   */
  text(failure: Failure): string
  /**
   * The parts of a declared problem's schema that `schema` lacks; `data` is the schema of its
   * members, if it has any. Without this method, declared problems are documented like any other
   * error.
   */
  problemSchema?(
    problem: Pick<DeclaredProblem, 'name' | 'status' | 'title'>,
    data: SchemaObject | undefined,
  ): SchemaObject
}

// Which form an error of one Api has: that of the setting API_ERRORS, or the one that the client
// asked for.

/** The values of the setting API_ERRORS. */
type ErrorFormSetting = 'plain' | 'problem' | 'negotiated' | ErrorForm

/** A form and the value of its Content-Type. */
interface ChosenForm {
  readonly form: ErrorForm
  readonly contentType: string
}

/** The forms of one Api's errors. */
export interface ErrorForms {
  /** All forms, as documented: the usual one first. */
  readonly all: readonly ErrorForm[]
  /** Whether the form depends on the request's Accept. */
  readonly isNegotiated: boolean
  /** The form for a request with this Accept. */
  readonly choose: (accept: string | undefined) => ChosenForm
}

/** The forms that the settings ask for. Throws TypeError for a setting that names none. */
export function errorForms(setting: ErrorFormSetting = 'plain', base = '/problems/'): ErrorForms {
  if (setting === 'negotiated') return negotiated(plainErrors, problemDetails(base))
  if (setting === 'plain') return fixed(plainErrors)
  if (setting === 'problem') return fixed(problemDetails(base))
  const { mediaType, schema, text } = Object(setting) as Partial<ErrorForm>
  if (typeof mediaType === 'string' && typeof schema === 'object' && typeof text === 'function')
    return fixed(setting)
  throw new TypeError(
    `API_ERRORS must be 'plain', 'problem', 'negotiated' or an ErrorForm ({ mediaType, schema, text }), not ${shown(setting)}`,
  )
}

function fixed(form: ErrorForm): ErrorForms {
  const chosen = prepared(form)
  return { all: [form], isNegotiated: false, choose: () => chosen }
}

function negotiated(usual: ErrorForm, other: ErrorForm): ErrorForms {
  const [one, two] = [prepared(usual), prepared(other)]
  return {
    all: [usual, other],
    isNegotiated: true,
    choose: accept => (prefersProblem(accept) ? two : one),
  }
}

function prepared(form: ErrorForm): ChosenForm {
  return { form, contentType: sentAs(form.mediaType) }
}

/** Whether a client asks for problem details by name, and does not like JSON as much. */
export function prefersProblem(accept = ''): boolean {
  return (
    accept.toLowerCase().includes(PROBLEM_TYPE) &&
    preferred(accept, ['application/json', PROBLEM_TYPE]) === PROBLEM_TYPE
  )
}

// The form of errors that flask-smorest has, and the default: `{ code, status, message?, errors?
// }`.

/** The body of an error in the form `plain`, as JSON. `status` is the reason phrase of the code. */
export interface ErrorBody {
  readonly code: number
  readonly status: string
  readonly message?: string
  readonly errors?: Errors
}

/** It is open: a declared problem and an error handler of the application may add members. */
const PLAIN_SCHEMA: SchemaObject = {
  type: 'object',
  properties: {
    code: { type: 'integer', description: 'The HTTP status code' },
    status: { type: 'string', description: 'The short name of the status' },
    message: { type: 'string', description: 'What went wrong' },
    errors: {
      type: 'object',
      description: 'What is wrong with the request, by location and field',
      additionalProperties: { $ref: '#/components/schemas/ErrorMessages' },
    },
  },
  required: ['code', 'status'],
}

/** The messages of one value, or of its fields: nested like the value. */
const MESSAGES_SCHEMA: SchemaObject = {
  description: 'Messages of a value, or of its fields or items by name or index',
  anyOf: [
    { type: 'array', items: { type: 'string' } },
    { type: 'object', additionalProperties: { $ref: '#/components/schemas/ErrorMessages' } },
  ],
}

/** The form `plain`. `message` and `errors` have at most 64 Ki characters and 32 levels. */
export const plainErrors: ErrorForm = {
  mediaType: 'application/json',
  schema: PLAIN_SCHEMA,
  components: { ErrorMessages: MESSAGES_SCHEMA },
  text({ code, message, errors, problem }: Failure): string {
    const budget = new Budget()
    let text = `{"code":${code},"status":"${STATUS_CODES[code] ?? 'Unknown'}"`
    if (message != null) text += `,"message":${budget.quote(String(message))}`
    if (problem) text += `,"problem":${JSON.stringify(problem.name)}${membersText(problem)}`
    const messages = errors == null ? undefined : budget.messages(errors)
    // messages without a field take the place of those of an object as a whole
    if (messages !== undefined)
      text += `,"errors":${messages.startsWith('[') ? `{"_schema":${messages}}` : messages}`
    return `${text}}`
  },
  problemSchema: ({ name }, data) => namedSchema('problem', name, data),
}

/** The schema of a declared problem: the member that names it, and those of its data. */
function namedSchema(member: string, name: string, data: SchemaObject | undefined): SchemaObject {
  const properties = { [member]: { type: 'string', const: name } } as const
  return { allOf: [{ type: 'object', properties, required: [member] }, ...(data ? [data] : [])] }
}

/**
 * The members of a declared problem, to follow others: `,"left":3`. They are encoded by a codec
 * already.
 */
function membersText({ members }: DeclaredProblem): string {
  const text = JSON.stringify(members)
  return text === '{}' ? '' : `,${text.slice(1, -1)}`
}

// Problem details for HTTP APIs (RFC 9457): the forms `problem` and `negotiated`.

/** The media type of problem details. */
const PROBLEM_TYPE = 'application/problem+json'

/** One thing that is wrong with a request, as a member of `errors`. */
export interface ProblemError {
  /** The explanation of this error, for a person. */
  readonly detail: string
  /** The part of the request; absent if `abort` was given errors of other places. */
  readonly in?: 'body' | 'query' | 'path' | 'header' | 'cookie'
  /** The name of the parameter, header field or cookie. */
  readonly parameter?: string
  /**
   * The place in the body, as a JSON Pointer in a URI fragment (RFC 6901, section 6): `#/tags/1`.
   */
  readonly pointer?: string
}

/**
 * The body of an error in the form `problem` (RFC 9457, section 3.1); a declared problem has
 * members of its own beside these.
 */
export interface ProblemDetails {
  /** A URI that identifies the type of the problem; `about:blank` adds nothing to the status. */
  readonly type: string
  /** The name of this type of problem. */
  readonly title: string
  /** The HTTP status code. */
  readonly status: number
  /** The explanation of this occurrence. */
  readonly detail?: string
  /** A URI that identifies this occurrence. */
  readonly instance?: string
  /** The errors of the request. */
  readonly errors?: readonly ProblemError[]
}

const text: SchemaObject = { type: 'string' }
const PROBLEM_SCHEMA: SchemaObject = {
  type: 'object',
  properties: {
    type: {
      type: 'string',
      format: 'uri-reference',
      description: 'Identifies the type of the problem',
    },
    title: { type: 'string', description: 'What this type of problem is called' },
    status: { type: 'integer', minimum: 400, maximum: 599, description: 'The HTTP status code' },
    detail: { type: 'string', description: 'What went wrong this time' },
    instance: {
      type: 'string',
      format: 'uri-reference',
      description: 'Identifies this occurrence of the problem',
    },
    errors: {
      type: 'array',
      description: 'What is wrong with the request',
      items: {
        type: 'object',
        properties: {
          detail: text,
          in: { type: 'string', enum: ['body', 'query', 'path', 'header', 'cookie'] },
          parameter: text,
          pointer: {
            type: 'string',
            description: 'A JSON Pointer into the body, as a URI fragment',
          },
        },
        required: ['detail'],
      },
    },
  },
  required: ['type', 'title', 'status'],
}

/** The form of problem details, whose types are URIs that begin with `base`. */
export function problemDetails(base: string): ErrorForm {
  const typeOf = (name: string) => (/^[a-z][a-z\d+.-]*:/i.test(name) ? name : base + name)
  return {
    name: 'ProblemDetails',
    mediaType: PROBLEM_TYPE,
    schema: PROBLEM_SCHEMA,
    text({ code, message, errors, instance, problem }: Failure): string {
      const budget = new Budget()
      const type = problem ? typeOf(problem.name) : 'about:blank'
      const title = problem?.title ?? STATUS_CODES[code] ?? 'Unknown'
      let text = `{"type":${JSON.stringify(type)},"title":${JSON.stringify(title)},"status":${code}`
      if (message != null) text += `,"detail":${budget.quote(String(message))}`
      if (instance != null) text += `,"instance":${JSON.stringify(String(instance))}`
      if (problem) text += membersText(problem)
      if (errors != null) text += `,"errors":${JSON.stringify(problemErrors(errors, budget))}`
      return `${text}}`
    },
    problemSchema: ({ name }, data) => namedSchema('type', typeOf(name), data),
  }
}

const PARTS: Readonly<Record<string, ProblemError['in']>> = {
  json: 'body',
  form: 'body',
  files: 'body',
  bytes: 'body',
  text: 'body',
  query: 'query',
  querystring: 'query',
  path: 'path',
  headers: 'header',
  cookies: 'cookie',
}

/** Messages by location and field as a flat list. Nested names become a pointer. */
function problemErrors(errors: unknown, budget: Budget): ProblemError[] {
  const found: ProblemError[] = []
  const walk = (value: unknown, path: readonly string[]): void => {
    if (value == null || typeof value === 'function' || typeof value === 'symbol') return
    if (typeof value !== 'object') {
      found.push(errorAt(path, String(value), budget))
    } else if (path.length < 32) {
      const isList = Array.isArray(value)
      // the index of a string in a list has no meaning; `_schema` is an object as a whole
      budget.eachEntry(value, (key, item) =>
        walk(
          item,
          (isList && typeof item !== 'object') || key === '_schema' ? path : [...path, key],
        ),
      )
    }
  }
  walk(errors, [])
  return found
}

function errorAt(
  [location, ...path]: readonly string[],
  text: string,
  budget: Budget,
): ProblemError {
  const part =
    location !== undefined && Object.hasOwn(PARTS, location) ? PARTS[location] : undefined
  const detail = budget.take(text)
  if (location === undefined) return { detail }
  if (part === undefined) return { detail, pointer: budget.take(pointerTo([location, ...path])) }
  if (part === 'body') return { detail, in: part, pointer: budget.take(pointerTo(path)) }
  if (path.length === 0) return { detail, in: part }
  return { detail, in: part, parameter: budget.take(parameterAt(path)) }
}

/** The name that was sent: `filter[created][gte]`. The item of a list is sent under its name. */
function parameterAt([name = '', ...inner]: readonly string[]): string {
  const isItem = /^\d+$/.test(inner.at(-1) ?? '')
  return name + (isItem ? inner.slice(0, -1) : inner).map(key => `[${key}]`).join('')
}

function pointerTo(path: readonly string[]): string {
  return `#${path.map(key => `/${encodeURIComponent(key.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('')}`
}
