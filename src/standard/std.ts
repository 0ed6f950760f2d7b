import * as t from 'io-ts'
import { decoderOf } from '../codec/decode/decode.js'
import { validationErrors } from '../codec/define/refine.js'
import { encoderOf } from '../codec/encode/encode.js'
import { Invalid } from '../codec/runtime/decoding.js'
import { isCodec } from '../codec/shape/annotations.js'
import { type StandardShape, withShape } from '../codec/shape/shape.js'
import type {
  BareSchema,
  DescribedSchema,
  InferInput,
  InferOutput,
  StandardC,
  StandardIssue,
  StandardResult,
  StandardSchema,
} from '../codec/types/standard-type.js'
import { shown } from '../names.js'
import { baseShape } from './base-shape.js'
import { JsonSchemas } from './json-schemas.js'
import {
  synchronous,
  type Validated,
  type ValidationIssue,
  type Validator,
  waysOf,
} from './ways.js'

const codecs = new WeakMap<object, t.Mixed>()

/**
 * A codec that is a schema of zod, arktype or any other library that implements Standard Schema and
 * Standard JSON Schema; for valibot `std(toStandardJsonSchema(schema))`. The schema validates, and
 * decides about fields that it does not declare; its JSON Schema is documented, and defines the
 * fields of a query, form, path and headers and the types of their values. A response validates the
 * result with it. The same schema is always the same codec. Throws a TypeError for anything else.
 */
export function std<S extends DescribedSchema>(
  schema: S | (BareSchema & 'std(toStandardJsonSchema(schema)), from @valibot/to-json-schema'),
): StandardC<InferInput<S>, InferOutput<S>> {
  const described = requireDescribed(schema)
  const codec = codecs.get(described) ?? codecOf(described)
  codecs.set(described, codec)
  return codec as StandardC<InferInput<S>, InferOutput<S>>
}

function requireDescribed(given: unknown): DescribedSchema {
  const { '~standard': standard } = Object(given) as Partial<DescribedSchema>
  if (typeof standard?.validate !== 'function')
    throw new TypeError(
      `std() takes a schema of a library that speaks Standard Schema, such as z.object({ … }) of zod, not ${isCodec(given) ? 'a codec' : shown(given)}`,
    )
  if (typeof standard.jsonSchema?.input !== 'function')
    throw new TypeError(
      standard.vendor === 'valibot'
        ? 'std() needs the JSON Schema of a schema of valibot: std(toStandardJsonSchema(schema)), from @valibot/to-json-schema'
        : `std() needs a schema with a JSON Schema (Standard JSON Schema), which this one of ${standard.vendor} does not have`,
    )
  return given as DescribedSchema
}

function codecOf(schema: DescribedSchema): t.Mixed {
  const { vendor } = schema['~standard']
  const name = `std(${vendor})`
  const closed = withoutUndeclared(schema)
  const validator: Validator = {
    input: validation(schema),
    output: validation(closed),
  }
  const codec: t.Mixed = new t.Type(
    name,
    (value): value is unknown => synchronous(name, validator.output(value)).issues === undefined,
    (input, context) => {
      const value = decoderOf(codec)(input)
      return value instanceof Invalid
        ? t.failures(validationErrors(value.errors, input, context))
        : t.success(value)
    },
    value => encoderOf(codec)(value),
  )
  return withShape(codec, (): StandardShape => {
    const schemas = new JsonSchemas(schema, closed)
    return {
      kind: 'standard',
      codec,
      base: baseShape(schemas.root('input'), codec),
      ...waysOf(direction => schemas.root(direction), validator),
      differs: () => schemas.differs(),
      problem: direction => schemas.problem(direction),
    }
  })
}

/** A schema of arktype that leaves out what it does not declare, as those of others do. */
function withoutUndeclared(schema: DescribedSchema): DescribedSchema {
  const { onDeepUndeclaredKey } = schema as { onDeepUndeclaredKey?: unknown }
  return typeof onDeepUndeclaredKey === 'function'
    ? onDeepUndeclaredKey.call(schema, 'delete')
    : schema
}

function validation(schema: StandardSchema): (value: unknown) => Validated | Promise<Validated> {
  const { vendor } = schema['~standard']
  return value => {
    const read = (result: StandardResult<unknown>): Validated =>
      result.issues
        ? { issues: Array.from(result.issues, issue => issueOf(issue, value, vendor)) }
        : result
    const result = schema['~standard'].validate(value)
    return result instanceof Promise ? result.then(read) : read(result)
  }
}

function issueOf(issue: StandardIssue, value: unknown, vendor: string): ValidationIssue {
  const { message, path: segments = [] } = issue
  const { expected } = issue as { readonly expected?: unknown }
  // the constructor of arktype's lists would take the length that `map` gives it for a member
  const path = Array.from(segments, segment => {
    const key = typeof segment === 'object' ? segment.key : segment
    return typeof key === 'number' ? key : String(key)
  })
  return {
    message: withoutLongText(message, valueAt(value, path)),
    // the messages of some libraries contain the value
    expected:
      typeof expected === 'string'
        ? expected
        : `what the schema of ${vendor} accepts${vendor === 'zod' ? ` (${message})` : ''}`,
    path,
  }
}

function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (inner as Record<string | number, unknown> | null | undefined)?.[key],
    value,
  )
}

/** Libraries show the value in their messages; an error does not repeat a long one. */
const LONGEST_SHOWN = 15

function withoutLongText(message: string, value: unknown): string {
  if (typeof value !== 'string' || value.length <= LONGEST_SHOWN) return message
  return [value, value.replaceAll('"', '\\"'), JSON.stringify(value).slice(1, -1)].reduce(
    (text, shown) => text.replaceAll(shown, '…'),
    message,
  )
}
