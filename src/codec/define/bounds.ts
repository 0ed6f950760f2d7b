import * as t from 'io-ts'
import type { SchemaObject } from 'openapi3-ts/oas31'
import { shown } from '../../names.js'
import { requireCodec } from '../shape/annotations.js'
import { type ConstrainedShape, type Shape, withShape } from '../shape/shape.js'
import { shapeOf } from '../shape/shape-of.js'
import { isUpload, type Upload as UploadValue } from '../types/upload-type.js'

/** A codec with a documented constraint on its values: the same type, and a refinement to io-ts. */
export type BoundC<C extends t.Mixed> = t.RefinementC<C>

/** A codec that decodes to a type, branded or not. Compiler messages print both names. */
type CodecOfType<A> = t.Mixed & DecodesTo<A>

/** `_A` is the type of the value, which io-ts never sets. */
interface DecodesTo<A> {
  readonly _A: A
}

/** A string of at least this many characters (code points). */
export function minLength<C extends CodecOfType<string>>(codec: C, length: number): BoundC<C> {
  checkCount('minLength', length)
  return keyword(
    codec,
    'minLength',
    length,
    `Must be at least ${count(length, 'character')} long.`,
    text => hasLength(text, length),
  )
}

/**
 * A string of at most this many characters (code points). Put it inside a `pattern`, so that long
 * strings are not matched.
 */
export function maxLength<C extends CodecOfType<string>>(codec: C, length: number): BoundC<C> {
  checkCount('maxLength', length)
  return keyword(
    codec,
    'maxLength',
    length,
    `Must be at most ${count(length, 'character')} long.`,
    text => !hasLength(text, length + 1),
  )
}

/**
 * A string that a regular expression matches somewhere, as in JSON Schema: anchor it with `^` and
 * `$` to match the whole string. It is compiled with the flag `u`; other flags cannot be documented
 * and throw a TypeError.
 */
export function pattern<C extends CodecOfType<string>>(
  codec: C,
  expression: RegExp | string,
): BoundC<C> {
  if (typeof expression !== 'string' && !(expression instanceof RegExp))
    throw new TypeError(`pattern() takes a regular expression, not ${shown(expression)}`)
  const { source, flags } =
    typeof expression === 'string' ? { source: expression, flags: '' } : expression
  if (flags.replace('u', '') !== '')
    throw new TypeError(
      `pattern: /${source}/${flags}: a document cannot express the flags ${flags}: write the pattern without them`,
    )
  const regExp = new RegExp(source, 'u')
  return keyword(codec, 'pattern', source, `Must match the pattern ${source}`, text =>
    regExp.test(text),
  )
}

/** Numbers of at least this value. */
export function minimum<C extends CodecOfType<number>>(codec: C, least: number): BoundC<C> {
  return limit(codec, 'minimum', least, 'at least', value => value >= least)
}

/** Numbers of at most this value. */
export function maximum<C extends CodecOfType<number>>(codec: C, most: number): BoundC<C> {
  return limit(codec, 'maximum', most, 'at most', value => value <= most)
}

/** Numbers above this one. */
export function exclusiveMinimum<C extends CodecOfType<number>>(
  codec: C,
  least: number,
): BoundC<C> {
  return limit(codec, 'exclusiveMinimum', least, 'greater than', value => value > least)
}

/** Numbers below this one. */
export function exclusiveMaximum<C extends CodecOfType<number>>(codec: C, most: number): BoundC<C> {
  return limit(codec, 'exclusiveMaximum', most, 'less than', value => value < most)
}

/** Multiples of a whole number above 0; for hundredths, count in hundredths. */
export function multipleOf<C extends CodecOfType<number>>(codec: C, step: number): BoundC<C> {
  // the remainder of a fraction is not exact: 0.3 % 0.1 is 0.09999…
  if (!Number.isSafeInteger(step) || step < 1)
    throw new TypeError(`multipleOf: ${shown(step)} is not a whole number above 0`)
  return keyword(
    codec,
    'multipleOf',
    step,
    `Must be a multiple of ${step}.`,
    value => value % step === 0,
  )
}

/** Lists of at least this many items. */
export function minItems<C extends CodecOfType<readonly unknown[]>>(
  codec: C,
  length: number,
): BoundC<C> {
  checkCount('minItems', length)
  return keyword(
    codec,
    'minItems',
    length,
    `Must have at least ${count(length, 'item')}.`,
    items => items.length >= length,
  )
}

/** Lists of at most this many items. */
export function maxItems<C extends CodecOfType<readonly unknown[]>>(
  codec: C,
  length: number,
): BoundC<C> {
  checkCount('maxItems', length)
  return keyword(
    codec,
    'maxItems',
    length,
    `Must have at most ${count(length, 'item')}.`,
    items => items.length <= length,
  )
}

function itemOf(shape: Shape): Shape | undefined {
  if (shape.kind === 'constrained' || shape.kind === 'refined') return itemOf(shape.base)
  return shape.kind === 'array' ? shape.item : undefined
}

function hasParts(shape: Shape | undefined): boolean {
  return shape !== undefined && ['object', 'record', 'array', 'tuple'].includes(shape.kind)
}

/** Lists of distinct scalars. Throws a TypeError if the items are objects or lists. */
export function uniqueItems<C extends CodecOfType<readonly (string | number | boolean | null)[]>>(
  codec: C,
): BoundC<C> {
  requireCodec('uniqueItems() takes', codec)
  if (hasParts(itemOf(shapeOf(codec))))
    throw new TypeError(
      `uniqueItems: the items of ${codec.name} must be strings, numbers or booleans: no two objects are the same item`,
    )
  return keyword(
    codec,
    'uniqueItems',
    true,
    'Must not have the same item twice.',
    items => new Set(items).size === items.length,
  )
}

/**
 * A bound that one keyword of JSON Schema documents; the function that the application calls has
 * the keyword's name.
 */
function keyword<A, C extends CodecOfType<A>>(
  codec: C & CodecOfType<A>,
  name: keyof SchemaObject,
  value: unknown,
  message: string,
  holds: (value: A) => boolean,
): BoundC<C> {
  requireCodec(`${name}() takes`, codec)
  return bound(codec, message, { [name]: value }, holds)
}

/**
 * Throws if a bound is not a whole number of at least 0: comparisons with NaN would accept
 * everything, or nothing.
 */
function checkCount(name: string, given: number): void {
  if (!Number.isSafeInteger(given) || given < 0)
    throw new TypeError(`${name}: ${shown(given)} is not a whole number from 0 on`)
}

/** A bound of numbers. */
function limit<C extends CodecOfType<number>>(
  codec: C,
  name: keyof SchemaObject,
  given: number,
  relation: string,
  holds: (value: number) => boolean,
): BoundC<C> {
  if (!Number.isFinite(given))
    throw new TypeError(`${name}: ${shown(given)} is not a finite number`)
  return keyword(codec, name, given, `Must be ${relation} ${given}.`, holds)
}

/** A refinement that is documented with these keywords of JSON Schema (`{}`: with none). */
export function bound<C extends t.Mixed, A>(
  codec: C,
  message: string,
  schema: SchemaObject,
  holds: (value: A) => boolean,
  more: Pick<ConstrainedShape, 'mediaTypes'> = {},
): BoundC<C> {
  const validate = (input: unknown, context: t.Context) => {
    const decoded = codec.validate(input, context)
    return decoded._tag === 'Left' || holds(decoded.right)
      ? decoded
      : t.failure<t.TypeOf<C>>(input, context, message)
  }
  const is = (value: unknown): value is t.TypeOf<C> => codec.is(value) && holds(value)
  const refined: BoundC<C> = new t.RefinementType(
    codec.name,
    is,
    validate,
    codec.encode,
    codec,
    holds as (value: t.TypeOf<C>) => boolean,
  )
  return withShape(refined, shapeOf => ({
    kind: 'constrained',
    codec: refined,
    base: shapeOf(codec),
    holds,
    message,
    schema,
    ...more,
  }))
}

/** Returns whether a string has at least a number of code points; stops counting there. */
function hasLength(text: string, length: number): boolean {
  // a code point is one or two units
  if (text.length < length) return false
  if (text.length >= 2 * length) return true
  let points = 0
  for (const _ of text) points += 1
  return points >= length
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

/**
 * A file that was sent with a request, kept in a temporary folder until the response has been sent.
 */
// an interface: the declarations of an application can only name a type that the package exports
// itself
export interface Upload extends UploadValue {}

/** A part of a multipart body that is a file. For requests only: in a response it is a fault. */
export const Upload: t.Type<Upload> = fileCodec()

/** Files of at most this many bytes. */
export function maxSize<C extends CodecOfType<Upload>>(codec: C, bytes: number): BoundC<C> {
  requireCodec('maxSize() takes', codec)
  checkCount('maxSize', bytes)
  return bound(
    codec,
    `Must be at most ${bytes} bytes long.`,
    {},
    (file: Upload) => file.size <= bytes,
  )
}

/**
 * Files that the client declares as one of these media types (`image/png`, or `image/*`); their
 * content is not checked.
 */
export function mediaTypes<C extends CodecOfType<Upload>>(
  codec: C,
  types: readonly string[],
): BoundC<C> {
  requireCodec('mediaTypes() takes', codec)
  if (!Array.isArray(types) || types.length === 0 || !types.every(type => typeof type === 'string'))
    throw new TypeError("mediaTypes() takes a list of media types, ['image/png', 'image/*']")
  const fits = (mediaType: string) =>
    types.some(type =>
      type.endsWith('/*') ? mediaType.startsWith(type.slice(0, -1)) : mediaType === type,
    )
  const essence = ({ mediaType }: Upload) => mediaType.replace(/;.*/, '').trim().toLowerCase()
  return bound(
    codec,
    `Must be of type ${types.join(' or ')}.`,
    {},
    (file: Upload) => fits(essence(file)),
    { mediaTypes: types },
  )
}

function fileCodec(): t.Type<Upload> {
  const codec: t.Type<Upload> = new t.Type(
    'Upload',
    isUpload,
    (input, context) =>
      isUpload(input) ? t.success(input) : t.failure(input, context, 'Not a file.'),
    t.identity,
  )
  return withShape(codec, () => ({ kind: 'file', codec }))
}
