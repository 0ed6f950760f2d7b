import type * as t from 'io-ts'
import { decoderOf, type ErrorTree, Invalid } from '../codec/decode/decode.js'
import { WHOLE } from '../codec/runtime/decoding.js'
import { requireCodec } from '../codec/shape/annotations.js'
import type { DescribedSchema, StandardIssue } from '../codec/types/standard-type.js'
import type { InputOf, WireInputOf } from '../codec/types/types.js'
import { jsonSchemaFor } from './targets.js'

/**
 * A codec as a Standard Schema and a Standard JSON Schema, for libraries that take those. It reads
 * JSON as `json` does, at once: a field that is not declared is an issue. Issues have the names on
 * the wire. Its JSON Schemas, of what comes in (`input`) and of what goes out (`output`), are for
 * `draft-2020-12`, `draft-07` and `openapi-3.0`; any other target throws.
 */
export function standard<C extends t.Mixed>(codec: C): DescribedSchema<WireInputOf<C>, InputOf<C>> {
  requireCodec('standard() takes', codec)
  const decode = decoderOf(codec)
  return {
    '~standard': {
      version: 1,
      vendor: 'koa-smorest',
      validate(input) {
        const value = decode(input)
        return value instanceof Invalid
          ? { issues: issuesOf(value.errors, input, []) }
          : { value: value as InputOf<C> }
      },
      jsonSchema: {
        input: ({ target }) => jsonSchemaFor(codec, 'input', target),
        output: ({ target }) => jsonSchemaFor(codec, 'output', target),
      },
    },
  }
}

function issuesOf(
  errors: ErrorTree,
  input: unknown,
  path: readonly PropertyKey[],
): readonly StandardIssue[] {
  if (Array.isArray(errors)) return errors.map(message => ({ message, path }))
  return Object.entries(errors).flatMap(([name, inner]) => {
    if (name === WHOLE) return issuesOf(inner, input, path)
    const key = Array.isArray(input) ? Number(name) : name
    return issuesOf(inner, (input as Record<PropertyKey, unknown> | undefined)?.[key], [
      ...path,
      key,
    ])
  })
}
