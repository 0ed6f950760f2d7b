import type { Shape } from '../shape/shape.js'
import { Invalid } from './invalid.js'
import type { Nesting } from './nesting.js'

/** Answers the decoded value, or an Invalid. */
export type Decoder = (value: unknown) => unknown

/** What becomes of fields that are not declared: a fault, left out, or kept as they are. */
export type Unknown = 'raise' | 'exclude' | 'include'

/** `json`: values as JSON has them. `text`: texts, and lists of texts where a name was given more than once. */
export type Wire = 'json' | 'text'

/** What the decoders of one codec have in common while they are built. */
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

/** What is wrong with an absent field that is required. */
export const MISSING = new Invalid(['Missing data for required field.'])

const NULL = new Invalid(['May not be null.'])
const GIVEN_TWICE = new Invalid(['Given more than once.'])

/** Answers what is wrong with a value of another type than `message` says: the same objects each time. */
export function wrongType(message: string, wire: Wire): (value: unknown) => Invalid {
  const invalid = new Invalid([message])
  return value => {
    if (value === null) return NULL
    return wire === 'text' && Array.isArray(value) ? GIVEN_TWICE : invalid
  }
}

// a fault of the object as a whole, beside which those of its fields would stand
const NOT_AN_OBJECT = new Invalid({ _schema: ['Not an object.'] })

/** Answers what is wrong with a value that should be an object. */
export function notAnObject(wire: Wire): (value: unknown) => Invalid {
  return value => {
    if (value === null) return NULL
    return wire === 'text' && Array.isArray(value) ? GIVEN_TWICE : NOT_AN_OBJECT
  }
}
