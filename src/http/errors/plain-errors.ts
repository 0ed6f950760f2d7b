// The form of errors that flask-smorest has, and the default: `{ code, status, message?, errors?
// }`.
import { STATUS_CODES } from 'node:http'
import type { SchemaObject } from 'openapi3-ts/oas31'
import type { DeclaredProblem, Errors, Failure } from '../failure.js'
import { Budget } from './bounded-text.js'
import type { ErrorForm } from './error-form.js'

/** The body of an error in the form `plain`, as JSON. `status` is the reason phrase of the code. */
export interface ErrorBody {
  readonly code: number
  readonly status: string
  readonly message?: string
  readonly errors?: Errors
}

/** It is open: a declared problem and an error handler of the application may add members. */
const SCHEMA: SchemaObject = {
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
  schema: SCHEMA,
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
  problemSchema: ({ name }, data) => ({
    allOf: [
      {
        type: 'object',
        properties: { problem: { type: 'string', const: name } },
        required: ['problem'],
      },
      ...(data ? [data] : []),
    ],
  }),
}

/**
 * The members of a declared problem, to follow others: `,"left":3`. They are encoded by a codec
 * already.
 */
export function membersText({ members }: DeclaredProblem): string {
  const text = JSON.stringify(members)
  return text === '{}' ? '' : `,${text.slice(1, -1)}`
}
