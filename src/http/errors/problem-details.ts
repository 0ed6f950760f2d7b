// Problem details for HTTP APIs (RFC 9457): the forms `problem` and `negotiated`.
import { STATUS_CODES } from 'node:http'
import type { SchemaObject } from 'openapi3-ts/oas31'
import type { Failure } from '../failure.js'
import { Budget, isArray } from './bounded-text.js'
import type { ErrorForm } from './error-form.js'
import { membersText } from './plain-errors.js'

/** The media type of problem details. */
export const PROBLEM_TYPE = 'application/problem+json'

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
const SCHEMA: SchemaObject = {
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
    schema: SCHEMA,
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
    problemSchema: ({ name }, data) => ({
      allOf: [
        {
          type: 'object',
          properties: { type: { type: 'string', const: typeOf(name) } },
          required: ['type'],
        },
        ...(data ? [data] : []),
      ],
    }),
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
      const isList = isArray(value)
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
  const [parameter] = path
  return { detail, in: part, ...(parameter !== undefined && { parameter: budget.take(parameter) }) }
}

function pointerTo(path: readonly string[]): string {
  return `#${path.map(key => `/${encodeURIComponent(wellFormed(key).replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('')}`
}

/** Half of a surrogate pair has no UTF-8. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd')
}
