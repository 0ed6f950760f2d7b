import type * as t from 'io-ts'
import { marksOf, optional } from '../shape/field-marks.js'
import { requireCodec } from '../shape/require-codec.js'

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
  return `${codec.name} is refined, and its check may need the fields that would be missing; take what it refines, and refine the result`
}
