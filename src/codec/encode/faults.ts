import type * as t from 'io-ts'
import type { Unknown } from '../runtime/decoding.js'
import { Unfit } from '../runtime/encoding.js'
import { expectation } from '../shape/expectation.js'
import type { Field, Shape, ShapeOf } from '../shape/shape.js'
import { shapeOf } from '../shape/shape-of.js'
import { lostAs, openedAs, passesFor } from '../traits/overlap.js'
import { visitShapes } from '../traits/parts.js'
import { interpreter } from './encode.js'

/**
 * Finds the faults of a codec, whatever its values: a sentence for each, with its place, to be
 * reported at registration. They are ambiguous unions, defaults that do not fit their field, fields
 * that share a name on the wire, and schemas of other libraries that cannot describe their values.
 */
export function faultsOf(
  codec: t.Mixed,
  direction: 'input' | 'output',
  unknown: Unknown = 'raise',
): readonly string[] {
  const found = new Set<string>()
  const root = shapeOf(codec)
  const sound = SOUND[direction === 'input' ? unknown : direction]
  if (sound.has(root)) return []
  visitShapes(root, (shape, place) => {
    const problem = shape.kind === 'standard' ? shape.problem(direction) : undefined
    if (problem) found.add(`${place()}${place() && ': '}${problem}`)
    if (shape.kind === 'union') {
      for (const ambiguity of ambiguitiesOf(shape, direction, unknown))
        found.add(`the union${place() && ` at ${place()}`} is ambiguous: ${ambiguity}`)
    }
    if (shape.kind !== 'object') return
    const names = shape.fields.map(({ name }) => name)
    for (const field of shape.fields) {
      const expected = wrongDefault(field)
      const isTwin = names.indexOf(field.name) !== names.lastIndexOf(field.name)
      if (expected === undefined && !isTwin) continue
      const at = place() === '' ? field.key : `${place()}.${field.key}`
      if (expected !== undefined)
        found.add(`the default of ${at} does not fit its codec, which expects ${expected}`)
      if (isTwin)
        found.add(
          `the field ${at} and another one are both called "${field.name}" on the wire: give one of them another wireName`,
        )
    }
  })
  if (found.size === 0) sound.add(root)
  return [...found]
}

/** Shapes in which no fault was found. Operations share codecs, so each is searched once. */
const SOUND: Record<Unknown | 'output', WeakSet<Shape>> = {
  raise: new WeakSet(),
  exclude: new WeakSet(),
  include: new WeakSet(),
  output: new WeakSet(),
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
 * How a value of one member of a union without a discriminator can pass for another member and lose
 * fields, or let out more than it should. Coming in, the first member that fits wins; with `raise` a
 * field that it does not know makes it unfit, so nothing can be lost. Going out, the member that
 * keeps most of the value wins, so that what is open wins.
 */
function ambiguitiesOf(
  { members }: ShapeOf<'union'>,
  direction: 'input' | 'output',
  unknown: Unknown,
): readonly string[] {
  if (direction === 'input' && unknown === 'raise') return []
  const problemOf = direction === 'output' ? outputProblem : inputProblem
  return members.flatMap((first, index) =>
    members.slice(index + 1).flatMap(second => problemOf(first, second) ?? []),
  )
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
