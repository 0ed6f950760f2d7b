// How values of a schema of another library are decoded, encoded and documented: what its shape
// brings along.
import type { SchemaObject } from 'openapi3-ts/oas31'
import {
  type Decoder,
  type DecoderBuilder,
  type ErrorTree,
  type Faults,
  faultOf,
  Invalid,
  mergeErrors,
  SHOWN_MESSAGES,
  withFault,
} from '../codec/runtime/decoding.js'
import { type Encode, encodeJson, Unfit } from '../codec/runtime/encoding.js'
import { isPlainObject, setOwn } from '../codec/shape/plain-object.js'
import type {
  DefinitionScope,
  JsonSchemaDefinition,
  Shape,
  StandardShape,
} from '../codec/shape/shape.js'
import { fieldsOf } from '../codec/traits/fields-of.js'
import { isObject, type JsonObject, mapSubschemas, omit } from '../openapi/schema/json.js'

/** How another library validates values. */
export interface Validator {
  /** Validates what came in. */
  readonly input: (value: unknown) => Validated | Promise<Validated>
  /** Validates a result: what the schema does not declare is left out. */
  readonly output: (value: unknown) => Validated | Promise<Validated>
}

/** The value of a schema of another library, or what is wrong with what was given. */
export type Validated =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly ValidationIssue[] }

export interface ValidationIssue {
  readonly message: string
  /** The expected value, for messages about results; it does not repeat the actual one. */
  readonly expected: string
  readonly path: readonly (string | number)[]
}

/** A JSON Schema (2020-12), which may refer to definitions of the document that it is a part of. */
export interface JsonSchemaPart {
  readonly schema: boolean | JsonObject
  /** The definition that a `$ref` leads to; undefined if it leads to nothing. */
  readonly definition: (reference: string) => Definition | undefined
}

/** A definition with its schema. */
export interface Definition extends JsonSchemaDefinition {
  readonly part: JsonSchemaPart
}

/** The ways of a shape; a part of a schema has no `validator`. */
export function waysOf(
  document: (direction: 'input' | 'output') => JsonSchemaPart,
  validator?: Validator,
): Pick<StandardShape, 'decoder' | 'encoder' | 'describe'> {
  return {
    decoder: (shape, builder, later) => decoderOf(shape, builder, validator, later),
    encoder: (shape, of) => (validator ? encoderOf(shape, validator) : of(shape.base)),
    describe: (direction, scope, at) => describe(document(direction), scope, at) as SchemaObject,
  }
}

type Builder = Pick<DecoderBuilder, 'wire' | 'of'>

/**
 * On a text wire each field is first read by its declared type; a value that cannot be read is
 * refused before the schema sees it.
 */
function decoderOf(
  shape: StandardShape,
  builder: Builder,
  validator: Validator | undefined,
  later?: (result: Promise<unknown>) => unknown,
): Decoder {
  const read: Decoder = builder.wire === 'text' ? textReader(shape.base, builder) : value => value
  if (!validator) return read
  const outcomeOf = (result: Validated) =>
    result.issues ? invalidOf(shape, result.issues) : result.value
  return input => {
    const value = read(input)
    if (value instanceof Invalid) return value
    const result = validator.input(value)
    return later && result instanceof Promise
      ? later(result.then(outcomeOf))
      : outcomeOf(synchronous(shape.codec.name, result))
  }
}

/** The faults under the names of their fields. */
function invalidOf(shape: StandardShape, issues: readonly ValidationIssue[]): Invalid {
  const [first, ...others] = issues
    .slice(0, SHOWN_MESSAGES + 1)
    .map(({ message, path }) =>
      path.length === 0
        ? faultOf(shape, message).errors
        : path.reduceRight<ErrorTree>(
            (inner, key) => withFault(undefined, String(key), inner),
            [message],
          ),
    )
  return new Invalid(others.reduce(mergeErrors, first ?? ['Not valid.']))
}

function textReader(base: Shape, builder: Builder): Decoder {
  const objects = fieldsOf(base)
  if (!objects) return builder.of(base)
  if (base.kind === 'recursion') {
    let reader: Decoder | undefined
    // its fields may contain this recursion, which is not built yet
    return input => {
      reader ??= textReader(base.target(), builder)
      return reader(input)
    }
  }
  const fields = new Map<string, Decoder[]>()
  for (const { name, shape } of objects.flat())
    fields.set(name, [...(fields.get(name) ?? []), builder.of(shape)])
  const others = othersOf(base).map(builder.of)
  return input => {
    if (!isPlainObject(input)) return input
    const value: Record<string, unknown> = {}
    let faults: Faults
    for (const name of Object.keys(input)) {
      const read = firstReading(fields.get(name) ?? others, input[name])
      if (read instanceof Invalid) faults = withFault(faults, name, read.errors)
      else setOwn(value, name, read)
    }
    return faults ? new Invalid(faults) : value
  }
}

/** The value of the first decoder that can read a string; without a decoder the string itself. */
function firstReading(decoders: readonly Decoder[], text: unknown): unknown {
  let refused: unknown
  for (const decode of decoders) {
    const value = decode(text)
    if (!(value instanceof Invalid)) return value
    refused ??= value
  }
  return refused ?? text
}

/** The shapes of the values of undeclared fields. */
function othersOf(shape: Shape): readonly Shape[] {
  switch (shape.kind) {
    case 'record':
      return [shape.codomain]
    case 'object':
      return shape.rest ? [shape.rest] : []
    case 'union':
    case 'intersection':
      return shape.members.flatMap(othersOf)
    case 'recursion':
      return othersOf(shape.target())
    default:
      return []
  }
}

/** Returns the result of a schema; throws a TypeError if it is a promise. */
export function synchronous(name: string, result: Validated | Promise<Validated>): Validated {
  if (!(result instanceof Promise)) return result
  // nobody waits for it
  result.catch(() => undefined)
  throw new TypeError(
    `${name} is asynchronous: it can only be a whole argument, as in json(std(schema)), neither a part of a codec nor a response`,
  )
}

/** A result is validated, and what is left is sent. */
function encoderOf({ codec }: StandardShape, validator: Validator): Encode {
  return value => {
    const result = synchronous(codec.name, validator.output(value))
    if (!result.issues) return encodeJson(result.value)
    const [issue] = result.issues
    return new Unfit(issue?.expected ?? codec.name, issue?.path)
  }
}

/**
 * Keywords that belong to a document of its own, which a part of an OpenAPI document is not, and
 * `readOnly`: zod writes it for values that a program cannot change, but in OpenAPI a request
 * leaves such a field out.
 */
const LEFT_OUT = ['$schema', '$id', '$defs', '$comment', 'readOnly']

/** The schema as the library writes it, but its definitions become components of the document. */
function describe(
  { schema, definition }: JsonSchemaPart,
  scope: DefinitionScope,
  at: string,
): JsonObject {
  if (typeof schema === 'boolean') return schema ? {} : { not: {} }
  const part = (inner: unknown): unknown =>
    isObject(inner) ? describe({ schema: inner, definition }, scope, at) : inner
  const own = mapSubschemas(omit(schema, LEFT_OUT), part)
  const { $ref } = own
  if (typeof $ref !== 'string') return own
  // the whole may have a name that `describe` gave
  const named = $ref === '#' ? scope.whole() : undefined
  if (named) return { ...own, ...named }
  const found = definition($ref)
  if (!found) {
    scope.problem(
      at,
      `the JSON Schema of the schema has the reference ${$ref}, which leads nowhere`,
    )
    return {}
  }
  return { ...own, ...scope.define(found, () => describe(found.part, scope, at)) }
}
