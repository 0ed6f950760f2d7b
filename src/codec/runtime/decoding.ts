import type { Shape } from '../shape/shape.js'
import { hasFields } from '../traits/parts.js'
import { Invalid, WHOLE, withFault } from './invalid.js'
import type { Nesting } from './nesting.js'

/** Returns the decoded value, or an Invalid. */
export type Decoder = (value: unknown) => unknown

/** Decodes in steps: yields where a turn of the event loop may come between, and returns the decoded value or an Invalid. */
export type Steps = Generator<void, unknown>

/** The decoder of a part. Where there are `steps`, a long value is decoded by them, everything else by `decode`. */
export interface PartDecoder {
  readonly decode: Decoder
  readonly steps?: (value: unknown) => Steps
}

/** What becomes of fields that are not declared: a fault, left out, or kept as they are. */
export type Unknown = 'raise' | 'exclude' | 'include'

/** `json`: values as JSON has them. `text`: texts, and lists of texts where a name was given more than once. */
export type Wire = 'json' | 'text'

/** What the decoders of one codec share. */
export interface DecoderBuilder {
  readonly wire: Wire
  readonly unknown: Unknown
  /** Whether read-only fields are taken as well: the codec is used alone, not for a request. */
  readonly whole: boolean
  readonly nesting: Nesting
  /** The decoder of a shape inside. */
  readonly of: (shape: Shape) => PartDecoder
  /** Whether a value is decoded in steps, where its decoder has any. */
  readonly isLong: (value: unknown) => boolean
  /** Whether a turn of the event loop should come before the next part, after so many more. */
  readonly isDue: (parts?: number) => boolean
  /** The same, but for another policy or wire. */
  readonly with: (other: { readonly unknown?: Unknown; readonly wire?: Wire }) => DecoderBuilder
}

/** What is wrong with an absent field that is required. */
export const MISSING = new Invalid(['Missing data for required field.'])

/**
 * What is wrong with a value as a whole, in the shape's own message where it has one. Of an object with fields it stands under `_schema`, where it
 * cannot be taken for the messages of a field; so does the same fault everywhere.
 */
export function faultOf(shape: Shape, text: string): Invalid {
  const messages = [shape.message ?? text]
  return new Invalid(hasFields(shape) ? withFault(undefined, WHOLE, messages) : messages)
}

/** Returns what is wrong with a value of another type than `text` says: the same objects each time. */
export function wrongType(shape: Shape, text: string, wire: Wire): (value: unknown) => Invalid {
  const [invalid, isNull, isGivenTwice] = [text, 'May not be null.', 'Given more than once.'].map(
    message => faultOf(shape, message),
  )
  return value => {
    if (value === null) return isNull as Invalid
    return (wire === 'text' && Array.isArray(value) ? isGivenTwice : invalid) as Invalid
  }
}

/** What is wrong with a field that is not declared. */
export const UNKNOWN_FIELD = ['Unknown field.']

/** What is wrong with a value that should be an object. */
export const NOT_AN_OBJECT = 'Not an object.'
