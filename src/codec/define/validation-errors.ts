import * as t from 'io-ts'
import type { ErrorTree } from '../runtime/invalid.js'
import type { Dictionary } from '../shape/plain-object.js'

/** The tree as io-ts reports errors: one for each message, with the fields as its context. */
export function validationErrors(
  errors: ErrorTree,
  input: unknown,
  context: t.Context,
): t.ValidationError[] {
  if (Array.isArray(errors)) return errors.map(message => ({ value: input, context, message }))
  return Object.entries(errors).flatMap(([key, inner]) => {
    const value = (input as Dictionary | undefined)?.[key]
    return validationErrors(inner, value, t.appendContext(context, key, t.unknown, value))
  })
}
