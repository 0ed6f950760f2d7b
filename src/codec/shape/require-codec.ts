// Checks for codecs: an untyped program, or a module that is imported before it is evaluated, may pass something else.
import type * as t from 'io-ts'
import { shown } from '../../names.js'

/** Returns whether a value is a codec, of this copy of io-ts or another. */
export function isCodec(value: unknown): value is t.Mixed {
  const { validate, encode } = Object(value) as Partial<t.Mixed>
  return typeof validate === 'function' && typeof encode === 'function'
}

/** Throws a TypeError if a value is not a codec; `place` names what needs one: `list() takes`. */
export function requireCodec(place: string, given: unknown): void {
  if (isCodec(given)) return
  const hint =
    given === undefined
      ? '. Do two modules import each other? t.recursion refers to what comes later'
      : ''
  throw new TypeError(`${place} a codec, such as t.string, not ${shown(given)}${hint}`)
}
