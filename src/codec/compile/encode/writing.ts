import type { Encode } from '../../runtime/encoding.js'
import type { Shape } from '../../shape/shape.js'
import { literal, type Source } from '../source/source.js'

/** Returns JSON text, or undefined where the interpreter has to decide: the value does not match, or it may not. */
export type Write = (value: unknown) => string | undefined

/**
 * Code that writes one value. Texts that are always the same are not added one by one: what stands before is part of the expression,
 * and what is to follow is left to whoever goes on.
 */
export interface Writing {
  /** Statements that check the value, and leave the function where it does not fit. */
  readonly before: string
  /** The expression of a text: `prefix`, which is fixed, and the value. */
  readonly text: (prefix: string) => string
  /** Fixed text that belongs to the value and is not written yet. */
  readonly after: string
}

/** What the writers of one codec have in common while they are compiled. */
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

/** Writes the text that an expression returns, which is undefined where the value does not match. */
export function resultOf(expression: string, { source }: WriterBuilder): Writing {
  const text = source.variable()
  return {
    before: `const ${text} = ${expression}\n${unless(`${text} !== undefined`)}`,
    text: prefixed(text),
    after: '',
  }
}

/** The text of an expression after a fixed one. */
function prefixed(expression: string): (prefix: string) => string {
  return prefix => (prefix === '' ? expression : `${literal(prefix)} + ${expression}`)
}
