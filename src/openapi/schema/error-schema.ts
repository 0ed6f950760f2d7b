import type { SchemaObject } from 'openapi3-ts/oas31'

/** The error body. It is open: an application may answer more with its own error handler. */
export const ERROR_SCHEMA: SchemaObject = {
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

/** What is wrong with one value, or with its fields: nested as the value is. */
export const ERROR_MESSAGES_SCHEMA: SchemaObject = {
  description: 'Messages of a value, or of its fields or items by name or index',
  anyOf: [
    { type: 'array', items: { type: 'string' } },
    { type: 'object', additionalProperties: { $ref: '#/components/schemas/ErrorMessages' } },
  ],
}
