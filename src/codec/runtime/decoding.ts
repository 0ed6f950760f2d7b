import type { Shape } from '../shape/shape.js'
import { hasFields } from '../traits/parts.js'
import { Invalid, WHOLE, withFault } from './invalid.js'
import type { Nesting } from './nesting.js'

/** Returns the decoded value, or an Invalid. */
export type Decoder = (value: unknown) => unknown

/** The treatment of undeclared fields: an error, left out, or kept unchanged. */
export type Unknown = 'raise' | 'exclude' | 'include'

/**
 * `json`: JSON values. `text`: strings, and lists of strings if a name was given more than once.
 */
export type Wire = 'json' | 'text'

/** The state that the decoders of one codec share. */
export interface DecoderBuilder {
  readonly wire: Wire
  readonly unknown: Unknown
  /** Whether read-only fields are taken as well: the codec is used alone, not for a request. */
  readonly whole: boolean
  readonly nesting: Nesting
  /** The decoder of a shape inside. */
  readonly of: (shape: Shape) => Decoder
  /** The same, but for another policy or wire. */
  readonly with: (other: { readonly unknown?: Unknown; readonly wire?: Wire }) => DecoderBuilder
}

/** The error of an absent required field. */
export const MISSING = new Invalid(['Missing data for required field.'])

/**
 * The error of a value as a whole, with the shape's own message if it has one. For an object with
 * fields it is under `_schema`, so that it cannot be mistaken for the messages of a field. `null`
 * is an exception: see `wrongType`.
 */
export function faultOf(shape: Shape, text: string): Invalid {
  const messages = [shape.message ?? text]
  return new Invalid(hasFields(shape) ? withFault(undefined, WHOLE, messages) : messages)
}

/**
 * Returns the error of a value whose type is not the one that `text` names: the same objects each
 * time. `null` is reported in the same way for every codec, like an absent field.
 */
export function wrongType(shape: Shape, text: string, wire: Wire): (value: unknown) => Invalid {
  const invalid = faultOf(shape, text)
  const isGivenTwice = faultOf(shape, 'Given more than once.')
  const isNull = new Invalid([shape.message ?? 'May not be null.'])
  return value => {
    if (value === null) return isNull
    return wire === 'text' && Array.isArray(value) ? isGivenTwice : invalid
  }
}

/** The error of an undeclared field. */
export const UNKNOWN_FIELD = ['Unknown field.']

/** The error of a value that should be an object. */
export const NOT_AN_OBJECT = 'Not an object.'
