import * as t from 'io-ts'
import { optionsIn, shown } from '../../names.js'
import { type Decoder, decoderOf } from '../decode/decode.js'
import { type Encoder, encoderOf } from '../encode/encode.js'
import { Invalid } from '../runtime/decoding.js'
import { isCodec, requireCodec } from '../shape/annotations.js'
import { marksOf, objectShape, optional } from '../shape/object-shape.js'
import { type Dictionary, readerOf } from '../shape/plain-object.js'
import { withShape } from '../shape/shape.js'
import { shapeOf } from '../shape/shape-of.js'
import type { ObjectC, StructC } from '../types/types.js'
import { validationErrors } from './refine.js'

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
  return Object.entries(props).every(([key, codec]) => codec.is(readerOf(key)(value as Dictionary)))
}

/** A codec as far as its fields can be found. */
interface Tagged {
  readonly _tag?: string
  readonly props?: t.Props
  readonly type?: t.Mixed
}

/** The fields of a struct, `t.type`, `t.partial` or `t.strict`; undefined for any other codec. */
export function fieldsOf(codec: t.Mixed): t.Props | undefined {
  const { _tag, props, type } = codec as Tagged
  if (_tag === 'InterfaceType') return props
  if (_tag === 'PartialType' && props) return optionalFields(props)
  return _tag === 'ExactType' && type ? fieldsOf(type) : undefined
}

function optionalFields(props: t.Props): t.Props {
  return Object.fromEntries(
    Object.entries(props).map(([key, field]) => [
      key,
      marksOf(field)?.optional ? field : optional(field),
    ]),
  )
}

/**
 * The fields of an object codec for the function of this name; throws a TypeError for any other
 * codec, and for a key that it lacks.
 */
export function propsOf(name: string, object: object, keys: readonly string[] = []): t.Props {
  requireCodec(`${name}() takes`, object)
  const codec = object as t.Mixed
  const props = fieldsOf(codec)
  if (!props)
    throw new TypeError(`${name} takes a struct, a t.type or a t.strict: ${reasonAgainst(codec)}`)
  const missing = keys.find(key => !Object.hasOwn(props, key))
  if (missing !== undefined) throw new TypeError(`${name}: ${codec.name} has no field "${missing}"`)
  return props
}

function reasonAgainst(codec: t.Mixed): string {
  if ((codec as Tagged)._tag !== 'RefinementType')
    return `the fields of ${codec.name} are not known`
  return `${codec.name} is refined, and its check may need the fields that would be missing: use the codec inside, and refine the result`
}

/**
 * A struct of some of an object's fields, marks included: `pick(Pet, ['id', 'name'])`. Without a
 * name it is not a component of the document.
 */
export function pick<P extends t.Props, const Key extends keyof P & string>(
  codec: ObjectC<P>,
  keys: readonly Key[],
  name?: string,
): StructC<{ [K in Key]: P[K] }> {
  const props = propsOf('pick', codec, keysIn('pick', keys))
  return struct(
    Object.fromEntries(keys.map(key => [key, props[key]])) as { [K in Key]: P[K] },
    name,
  )
}

/**
 * A struct of an object's fields except some, marks included: `omit(Pet, ['owner'])`. Without a
 * name it is not a component of the document.
 */
export function omit<P extends t.Props, const Key extends keyof P & string>(
  codec: ObjectC<P>,
  keys: readonly Key[],
  name?: string,
): StructC<{ [K in Exclude<keyof P, Key>]: P[K] }> {
  const without: ReadonlySet<string> = new Set(keysIn('omit', keys))
  const kept = Object.entries(propsOf('omit', codec, keys)).filter(([key]) => !without.has(key))
  return struct(Object.fromEntries(kept) as { [K in Exclude<keyof P, Key>]: P[K] }, name)
}

function keysIn<Key extends string>(name: string, keys: readonly Key[]): readonly Key[] {
  if (Array.isArray(keys)) return keys
  throw new TypeError(`${name}() takes a list of fields, ['id', 'name'], not ${shown(keys)}`)
}
