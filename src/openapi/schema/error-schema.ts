import type { SchemaObject } from 'openapi3-ts/oas31'

/** The error body. It is open: an application may answer more with its own error handler. */
export const ERROR_SCHEMA: SchemaObject = {
  type: 'object',
  properties: {
    code: { type: 'integer', description: 'The HTTP status code' },
    status: { type: 'string', description: 'The short name of the status' },
    message: { type: 'string', description: 'What went wrong' },
    errors: { type: 'object', description: 'What is wrong with the request, by location and field', additionalProperties: {} },
  },
  required: ['code', 'status'],
}
