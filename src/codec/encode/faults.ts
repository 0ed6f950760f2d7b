import type * as t from 'io-ts'
import { ambiguities } from '../decode/ambiguity.js'
import type { Unknown } from '../runtime/decoding.js'
import { Unfit } from '../runtime/encoding.js'
import type { Field } from '../shape/shape.js'
import { shapeOf } from '../shape/shape-of.js'
import { visitShapes } from '../traits/parts.js'
import { interpreter } from './encode.js'

/**
 * What is wrong with a codec, whatever its values: a sentence for each fault, with its place, to be reported at registration. Beside what
 * `ambiguities` finds, these are defaults that do not fit their field, and fields that have one name on the wire.
 */
export function faultsOf(codec: t.Mixed, direction: 'input' | 'output', unknown?: Unknown): readonly string[] {
  const found = new Set(ambiguities(codec, direction, unknown))
  visitShapes(shapeOf(codec), (shape, place) => {
    if (shape.kind !== 'object') return
    for (const field of shape.fields) {
      const at = place === '' ? field.key : `${place}.${field.key}`
      const expected = wrongDefault(field)
      if (expected !== undefined) found.add(`the default of ${at} does not fit its codec, which expects ${expected}`)
      const twin = shape.fields.find(({ name, key }) => name === field.name && key !== field.key)
      if (twin) found.add(`the field ${at} and another one are both called "${field.name}" on the wire: give one of them another wireName`)
    }
  })
  return [...found]
}

/** What a default should be that is something else; undefined where it is right, or made anew each time. */
function wrongDefault({ constant, shape }: Field): string | undefined {
  if (constant?.value === undefined) return undefined
  const wire = interpreter(shape)(constant.value)
  return wire instanceof Unfit ? wire.expected : undefined
}
