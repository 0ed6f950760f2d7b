import type { Encode } from '../../runtime/encoding.js'
import type { Shape } from '../../shape/shape.js'
import { literal, type Source } from '../source/source.js'

/**
 * Returns JSON, or undefined if the interpreter has to decide: the value does not match, or may
 * not.
 */
export type Write = (value: unknown) => string | undefined

/**
 * Code that writes one value. Fixed strings are not added one by one: the preceding one is part of
 * the expression, the following one is left to the caller.
 */
export interface Writing {
  /** Statements that check the value, and leave the function if it does not fit. */
  readonly before: string
  /** The expression of a string: the fixed `prefix` and the value. */
  readonly text: (prefix: string) => string
  /** Fixed JSON that belongs to the value and is not written yet. */
  readonly after: string
}

/** The state that the writers of one codec share during compilation. */
export interface WriterBuilder {
  readonly source: Source
  /** The encoder of a shape that is not compiled. */
  readonly interpret: (shape: Shape) => Encode
  /** The code for a value of the shape; `value` is an expression that may be evaluated twice. */
  readonly of: (shape: Shape, value: string) => Writing
  /** The name of the function that writes values of the shape. */
  readonly functionOf: (shape: Shape) => string
}

/** The statement that leaves a writer unless a condition holds. */
export function unless(condition: string): string {
  return `if (!(${condition})) return\n`
}

/** Writes the string that an expression returns; undefined if the value does not match. */
export function resultOf(expression: string, { source }: WriterBuilder): Writing {
  const text = source.variable()
  return {
    before: `const ${text} = ${expression}\n${unless(`${text} !== undefined`)}`,
    text: prefixed(text),
    after: '',
  }
}

/** The string of an expression after a fixed one. */
function prefixed(expression: string): (prefix: string) => string {
  return prefix => (prefix === '' ? expression : `${literal(prefix)} + ${expression}`)
}
