import type * as t from 'io-ts'
import { shown } from '../../names.js'
import type { ObjectC, StructC } from '../types/types.js'
import { propsOf } from './object-props.js'
import { struct } from './struct.js'

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
