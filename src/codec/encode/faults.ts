import type * as t from 'io-ts'
import { ambiguities } from '../decode/ambiguity.js'
import type { Unknown } from '../runtime/decoding.js'
import { Unfit } from '../runtime/encoding.js'
import type { Field, ObjectShape, Shape } from '../shape/shape.js'
import { shapeOf } from '../shape/shape-of.js'
import { visitShapes } from '../traits/parts.js'
import { interpreter } from './encode.js'

/**
 * Finds the faults of a codec, whatever its values: a sentence for each, with its place, to be
 * reported at registration. They are those of `ambiguities`, defaults that do not fit their field,
 * fields that share a name on the wire, and schemas of other libraries that cannot describe their
 * values.
 */
export function faultsOf(
  codec: t.Mixed,
  direction: 'input' | 'output',
  unknown: Unknown = 'raise',
): readonly string[] {
  const faultless = FAULTLESS[direction === 'output' || unknown === 'raise' ? direction : 'open']
  if (faultless.has(shapeOf(codec))) return []
  const found = new Set(ambiguities(codec, direction, unknown, faultless))
  const look = (shape: Shape, place: () => string): void => {
    const problem = shape.kind === 'standard' ? shape.problem(direction) : undefined
    if (problem) found.add(`${place()}${place() && ': '}${problem}`)
    if (shape.kind !== 'object') return
    const isTwin = twinsOf(shape)
    for (const field of shape.fields) {
      const expected = wrongDefault(field)
      if (expected === undefined && !isTwin(field)) continue
      const at = place() === '' ? field.key : `${place()}.${field.key}`
      if (expected !== undefined)
        found.add(`the default of ${at} does not fit its codec, which expects ${expected}`)
      if (isTwin(field))
        found.add(
          `the field ${at} and another one are both called "${field.name}" on the wire: give one of them another wireName`,
        )
    }
  }
  const visited = visitShapes(shapeOf(codec), look, faultless)
  if (found.size === 0) for (const shape of visited) faultless.add(shape)
  return [...found]
}

/**
 * Shapes without faults, nor any inside of them: most codecs are parts of others, and in several
 * operations.
 */
const FAULTLESS = {
  input: new WeakSet<Shape>(),
  open: new WeakSet<Shape>(),
  output: new WeakSet<Shape>(),
}

/** Whether another field has the same name on the wire. */
function twinsOf({ fields }: ObjectShape): (field: Field) => boolean {
  const isDistinct = new Set(fields.map(({ name }) => name)).size === fields.length
  return field =>
    !isDistinct && fields.some(({ name, key }) => name === field.name && key !== field.key)
}

/**
 * Describes the value that a wrong default should be; undefined if it is right, or made each time.
 */
function wrongDefault({ constant, shape }: Field): string | undefined {
  if (constant?.value === undefined) return undefined
  const wire = interpreter(shape)(constant.value)
  return wire instanceof Unfit ? wire.expected : undefined
}
