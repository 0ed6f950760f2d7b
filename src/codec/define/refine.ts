import * as t from 'io-ts'
import { shown } from '../../names.js'
import { checkErrors, type ErrorTree, WHOLE } from '../runtime/decoding.js'
import { copyOf, derivedFrom, requireCodec } from '../shape/annotations.js'
import { marksOf, unionShape } from '../shape/object-shape.js'
import type { Dictionary } from '../shape/plain-object.js'
import { type RecursionShape, type RefinedShape, type Shape, withShape } from '../shape/shape.js'
import { shapeOf } from '../shape/shape-of.js'
import type { InputOf } from '../types/types.js'

/** A codec with a check of `refine`: the same type, and a refinement to io-ts. */
export type RefinedC<C extends t.Mixed> = t.RefinementC<C>

/**
 * The result of a check: undefined, a message, or messages by the program's names of its fields, at
 * any depth.
 */
export type CheckResult<A> = undefined | Messages<A>

type Messages<A> =
  | string
  | readonly string[]
  | (NonNullable<A> extends object ? PartMessages<NonNullable<A>> : never)

type PartMessages<A> = (A extends readonly (infer Item)[]
  ? { readonly [index: number]: Messages<Item> | undefined }
  : { readonly [Key in keyof A]?: Messages<A[Key]> | undefined }) & {
  readonly _schema?: string | readonly string[] | undefined
}

/**
 * A codec with a check of the decoded value, for rules that concern several fields. The check runs
 * in decoding only, with the program's value, when all of its fields are valid. It returns
 * `undefined`, a message, or messages by the program's names of the fields, which are reported
 * under their wire names. Any other result throws a TypeError. Unknown fields, encoding and the
 * document stay the same. Put a mark (`optional` …) around it.
 */
export function refine<C extends t.Mixed>(
  codec: C,
  check: (value: InputOf<C>) => CheckResult<InputOf<C>>,
): RefinedC<C> {
  refuseMarks('refine', codec)
  if (typeof check !== 'function')
    throw new TypeError(`refine() takes a check, a function of the value, not ${shown(check)}`)
  const shape = (): RefinedShape => ({
    kind: 'refined',
    codec: refined,
    base: shapeOf(codec),
    check,
  })
  const validate = (input: unknown, context: t.Context): t.Validation<t.TypeOf<C>> => {
    const decoded = codec.validate(input, context)
    if (decoded._tag === 'Left') return decoded
    const errors = checkErrors(shape(), decoded.right)
    return errors ? t.failures(validationErrors(errors, input, context)) : decoded
  }
  const is = (value: unknown): value is t.TypeOf<C> => codec.is(value)
  const refined: RefinedC<C> = new t.RefinementType(
    codec.name,
    is,
    validate,
    codec.encode,
    codec,
    () => true,
  )
  return derivedFrom(codec, withShape(refined, shape))
}

/** Throws a TypeError for a codec with field marks, which would be lost inside another codec. */
function refuseMarks(name: string, codec: t.Mixed): void {
  requireCodec(`${name}() takes`, codec)
  if (!marksOf(codec)) return
  throw new TypeError(
    `${name}: put optional, withDefault, wireName, readOnly and writeOnly around it, not around ${codec.name} inside of it`,
  )
}

/**
 * The codec with a message of your own in place of those that it has for a value that does not fit:
 * of the wrong type, out of bounds, null. "Missing data for required field." stays, as do the
 * messages of the fields, items and members inside of the codec, which have messages of their own.
 * A mark (`optional` …) goes around it.
 */
export function message<C extends t.Mixed>(codec: C, text: string): C {
  refuseMarks('message', codec)
  if (typeof text !== 'string') throw new TypeError(`message() takes a string, not ${shown(text)}`)
  const copy = copyOf(codec)
  const validate: t.Validate<unknown, t.TypeOf<C>> = (input, context) => {
    const decoded = codec.validate(input, context)
    if (decoded._tag === 'Right') return decoded
    return {
      ...decoded,
      left: decoded.left.map(error =>
        isOwn(error, context) ? { ...error, message: text } : error,
      ),
    }
  }
  Object.assign(copy, { validate })
  return withShape(copy, () => withMessage(shapeOf(codec), text, copy))
}

/** Returns whether an error is about the value itself, not about a part of it. */
function isOwn({ context }: t.ValidationError, { length }: t.Context): boolean {
  return (
    context.length <= length || (context.length === length + 1 && context[length]?.key === WHOLE)
  )
}

/**
 * The shape with `text` instead of its own messages; those of its fields, items and members stay.
 */
function withMessage(shape: Shape, text: string, codec: t.Mixed = shape.codec): Shape {
  switch (shape.kind) {
    case 'constrained':
    case 'refined':
      return { ...shape, codec, message: text, base: withMessage(shape.base, text) }
    case 'intersection':
      return {
        ...shape,
        codec,
        message: text,
        members: shape.members.map(member => withMessage(member, text)),
      }
    case 'recursion':
      return recursionWithMessage(shape, text, codec)
    case 'union':
      return unionShape(codec, shape.members, text)
    default:
      return { ...shape, codec, message: text }
  }
}

function recursionWithMessage(
  shape: RecursionShape,
  message: string,
  codec: t.Mixed,
): RecursionShape {
  let target: Shape | undefined
  return {
    ...shape,
    codec,
    message,
    target() {
      target ??= withMessage(shape.target(), message)
      return target
    },
  }
}

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
