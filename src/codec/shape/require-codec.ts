// What a program without types, or a module that is imported before it is done, may put in the place of a codec.
import type * as t from 'io-ts'
import { shown } from '../../names.js'

/** Whether a value can be used as a codec, of this copy of io-ts or another. */
export function isCodec(value: unknown): value is t.Mixed {
  const { validate, encode } = Object(value) as Partial<t.Mixed>
  return typeof validate === 'function' && typeof encode === 'function'
}

/** Throws a TypeError for what is no codec: `place` is what needs it, `list() takes`. */
export function requireCodec(place: string, given: unknown): void {
  if (isCodec(given)) return
  const hint = given === undefined ? '. Do two modules import each other? t.recursion refers to what comes later' : ''
  throw new TypeError(`${place} a codec, such as t.string, not ${shown(given)}${hint}`)
}
