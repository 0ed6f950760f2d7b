import * as t from 'io-ts'
import { shown } from '../../names.js'
import { checkErrors } from '../runtime/refinement.js'
import { derivedFrom } from '../shape/annotations.js'
import { marksOf } from '../shape/field-marks.js'
import { withShape } from '../shape/known-shape.js'
import { requireCodec } from '../shape/require-codec.js'
import type { RefinedShape } from '../shape/shape.js'
import { shapeOf } from '../shape/shape-of.js'
import type { InputOf } from '../types/types.js'
import { validationErrors } from './validation-errors.js'

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
export function refuseMarks(name: string, codec: t.Mixed): void {
  requireCodec(`${name}() takes`, codec)
  if (!marksOf(codec)) return
  throw new TypeError(
    `${name}: put optional, withDefault, wireName, readOnly and writeOnly around it, not around ${codec.name} inside of it`,
  )
}
