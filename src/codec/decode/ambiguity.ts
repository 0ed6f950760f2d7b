import type * as t from 'io-ts'
import type { Unknown } from '../runtime/decoding.js'
import { expectation } from '../shape/expectation.js'
import type { Shape } from '../shape/shape.js'
import { shapeOf } from '../shape/shape-of.js'
import { lostAs, openedAs, passesFor } from '../traits/overlap.js'
import { visitShapes } from '../traits/parts.js'

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
  known?: { has(shape: Shape): boolean },
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
  visitShapes(shapeOf(codec), look, known)
  return [...found]
}

const REMEDY = 'give each a field with a literal of its own, as in t.type({ kind: t.literal(…) })'

function inputProblem(first: Shape, second: Shape): string | undefined {
  const lost = passesFor(second, first, false) ? lostAs(second, first) : undefined
  if (lost === undefined) return undefined
  const passes = `what is meant as ${expectation(second)} passes for ${expectation(first)}, which stands before it, and loses ${lost}`
  return `${passes}: put the one with more fields first, refuse unknown fields, or ${REMEDY}`
}

function outputProblem(first: Shape, second: Shape): string | undefined {
  return leak(first, second) ?? leak(second, first)
}

function leak(closed: Shape, open: Shape): string | undefined {
  if (!passesFor(closed, open, true) || !openedAs(closed, open)) return undefined
  return `${expectation(closed)} passes for ${expectation(open)}, which lets out fields that the former does not declare: ${REMEDY}`
}
