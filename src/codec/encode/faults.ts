import type * as t from 'io-ts'
import type { Unknown } from '../runtime/decoding.js'
import { Unfit } from '../runtime/encoding.js'
import { expectation } from '../shape/expectation.js'
import type { Field, ObjectShape, Shape } from '../shape/shape.js'
import { shapeOf } from '../shape/shape-of.js'
import { lostAs, openedAs, passesFor } from '../traits/overlap.js'
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
  const found = new Set(ambiguities(codec, direction, unknown))
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
  visitShapes(shapeOf(codec), look)
  return [...found]
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

/**
 * Unions without a discriminator in which a value of one member can pass for another and lose
 * fields, or let out more than it should: a sentence for each, with its place. Coming in, the first
 * member that fits wins; with `raise` a field that it does not know makes it unfit, so nothing can
 * be lost. Going out, the member that keeps most of the value wins, so that what is open wins.
 */
export function ambiguities(
  codec: t.Mixed,
  direction: 'input' | 'output',
  unknown: Unknown = 'raise',
): readonly string[] {
  const problemOf =
    direction === 'output' ? outputProblem : unknown === 'raise' ? undefined : inputProblem
  if (!problemOf) return []
  const found = new Set<string>()
  const look = (shape: Shape, place: () => string): void => {
    if (shape.kind !== 'union') return
    for (const [index, first] of shape.members.entries()) {
      for (const second of shape.members.slice(index + 1)) {
        const problem = problemOf(first, second)
        if (problem) found.add(`the union${place() && ` at ${place()}`} is ambiguous: ${problem}`)
      }
    }
  }
  visitShapes(shapeOf(codec), look)
  return [...found]
}

const REMEDY = 'give each a field with a literal of its own, as in t.type({ kind: t.literal(…) })'

function inputProblem(first: Shape, second: Shape): string | undefined {
  const lost = passesFor(second, first, false) ? lostAs(second, first) : undefined
  if (lost === undefined) return undefined
  const passes = `what is meant as ${expectation(second)} passes for ${expectation(first)}, which is listed before it, and loses ${lost}`
  return `${passes}: put the one with more fields first, refuse unknown fields, or ${REMEDY}`
}

function outputProblem(first: Shape, second: Shape): string | undefined {
  return leak(first, second) ?? leak(second, first)
}

function leak(closed: Shape, open: Shape): string | undefined {
  if (!passesFor(closed, open, true) || !openedAs(closed, open)) return undefined
  return `${expectation(closed)} passes for ${expectation(open)}, which lets out fields that the former does not declare: ${REMEDY}`
}
