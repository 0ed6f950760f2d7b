import * as t from 'io-ts'
import { optionsIn, shown } from '../../names.js'
import { type Decoder, decoderOf } from '../decode/decode.js'
import { type Encoder, encoderOf } from '../encode/encode.js'
import { Invalid } from '../runtime/invalid.js'
import { withShape } from '../shape/known-shape.js'
import { objectShape } from '../shape/object-shape.js'
import { type Dictionary, isInheritedName } from '../shape/plain-object.js'
import { isCodec, requireCodec } from '../shape/require-codec.js'
import { shapeOf } from '../shape/shape-of.js'
import type { StructC } from '../types/types.js'
import { validationErrors } from './validation-errors.js'

/**
 * An object as one codec, whose fields may be `optional`, `withDefault`, `wireName`, `readOnly` and
 * `writeOnly`. Alone it decodes the whole value, read-only fields too, and strips what it does not
 * declare; it never encodes write-only fields. A name like an identifier makes it a component of
 * the document.
 */
export function struct<P extends t.Props>(
  props: P,
  name: string = namesOf(defined(props)),
): StructC<P> {
  defined(props)
  type Value = StructC<P>['_A']
  let decoder: Decoder | undefined
  let encoder: Encoder | undefined
  const codec: StructC<P> = new t.InterfaceType(
    name,
    (value): value is Value => isStruct(props, value),
    (input, context) => {
      // the fields may be recursions, which can be looked into only when everything is defined
      decoder ??= decoderOf(codec, { unknown: 'exclude', whole: true })
      const value = decoder(input)
      return value instanceof Invalid
        ? t.failures(validationErrors(value.errors, input, context))
        : t.success(value as Value)
    },
    value => {
      encoder ??= encoderOf(codec)
      return encoder(value) as StructC<P>['_O']
    },
    props,
  )
  return withShape(codec, () => objectShape(codec, props, { shapeOf }))
}

/**
 * The fields, each of which has a codec: of two modules that import each other, one sees what the
 * other has not yet made.
 */
function defined<P extends t.Props>(props: P): P {
  if (optionsIn(props) !== props || isCodec(props))
    throw new TypeError(
      `struct() takes fields with their codecs, struct({ name: t.string }), not ${isCodec(props) ? 'a codec' : shown(props)}`,
    )
  for (const [field, codec] of Object.entries(props)) {
    if (codec === undefined)
      throw new TypeError(
        `struct: the codec of ${field} is undefined. Do two modules import each other? t.recursion refers to what comes later`,
      )
    requireCodec(`struct(): the field ${field} takes`, codec)
  }
  return props
}

function namesOf(props: t.Props): string {
  return `{ ${Object.entries(props)
    .map(([key, { name }]) => `${key}: ${name}`)
    .join(', ')} }`
}

function isStruct(props: t.Props, value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return Object.entries(props).every(([key, codec]) =>
    codec.is(
      isInheritedName(key) && !Object.hasOwn(value, key) ? undefined : (value as Dictionary)[key],
    ),
  )
}
