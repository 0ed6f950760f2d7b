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

/** What a check may say of a value: nothing, a text, or texts by the program's names of its fields, as deep as it needs. */
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
 * A codec with a check of what was decoded, for rules that concern several fields. The check is called with the program's value when all
 * of its fields are right, in decoding only, and returns `undefined`, a text, or texts by the program's names of the fields, which are
 * reported under their names on the wire. Everything else stays as the codec has it: unknown fields, encoding, the document.
 * A mark (`optional` …) goes around it; a check that returns anything else throws a TypeError.
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

/** Throws a TypeError for a codec that says something of its field, which would be lost inside another codec. */
export function refuseMarks(name: string, codec: t.Mixed): void {
  requireCodec(`${name}() takes`, codec)
  if (!marksOf(codec)) return
  throw new TypeError(
    `${name}: put optional, withDefault, wireName, readOnly and writeOnly around it, not around ${codec.name} inside of it`,
  )
}
