// Checks for codecs: an untyped program, or a module that is imported before it is evaluated, may
// pass something else.
import type * as t from 'io-ts'
import { shown } from '../../names.js'

/** Returns whether a value is a codec, of this copy of io-ts or another. */
export function isCodec(value: unknown): value is t.Mixed {
  const { validate, encode } = Object(value) as Partial<t.Mixed>
  // schemas of zod have both methods too
  return typeof validate === 'function' && typeof encode === 'function' && !isBareSchema(value)
}

/** Throws a TypeError if a value is not a codec; `place` names what needs one: `list() takes`. */
export function requireCodec(place: string, given: unknown): void {
  if (isCodec(given)) return
  const hint =
    given === undefined
      ? '. Do two modules import each other? t.recursion refers to what comes later'
      : ''
  throw new TypeError(
    `${place} a codec, such as t.string, not ${shown(given)}${hint}${wrapHint(given)}`,
  )
}

/** Returns whether a value is a schema of another library, which is not a codec. */
export function isBareSchema(value: unknown): boolean {
  const standard: unknown = Object(value)['~standard']
  return typeof standard === 'object' && standard !== null
}

/** Returns what to do with a schema of another library, for the end of a message. */
export function wrapHint(given: unknown): string {
  return isBareSchema(given) ? '. Wrap it: std(schema), from koa-smorest/standard' : ''
}
