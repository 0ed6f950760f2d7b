import * as t from 'io-ts'
import { requireCodec } from '../shape/annotations.js'
import { withShape } from '../shape/shape.js'

/**
 * A list whose items are separated by commas in text locations (query, path, header, cookie):
 * `?ids=1,2,3`. In JSON it is an ordinary list.
 */
export function list<C extends t.Mixed>(item: C): t.ArrayC<C> {
  requireCodec('list() takes', item)
  const codec = t.array(item)
  return withShape(codec, shapeOf => ({
    kind: 'array',
    codec,
    item: shapeOf(item),
    isSeparated: true,
  }))
}

/** Values of the codec, or `null`. */
export function nullable<C extends t.Mixed>(codec: C): t.UnionC<[C, t.NullC]> {
  requireCodec('nullable() takes', codec)
  return t.union([codec, t.null])
}
