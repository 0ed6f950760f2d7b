import { type Decoder, Invalid, type Unknown, type Wire } from '../../runtime/decoding.js'
import type { Shape } from '../../shape/shape.js'
import type { Source } from '../source/source.js'

/**
 * The result of a compiled decoder for a value that does not match: the interpreter then reports
 * why.
 */
export const UNFIT = Symbol('unfit')

/**
 * Code that decodes one value: `before` returns UNFIT if the value does not match, `value` is the
 * decoded value.
 */
export interface Reading {
  readonly before: string
  readonly value: string
}

/** Everything beside its shape that the code of a decoder depends on. */
export interface DecodeSettings {
  readonly wire: Wire
  readonly unknown: Unknown
  readonly whole: boolean
  readonly reuse?: boolean
}

/** Makes the interpreted decoder of a shape, with the same settings; `wire` replaces theirs. */
export type Interpret = (shape: Shape, wire?: Wire) => Decoder

/** The state that the decoders of one codec share during compilation. */
export interface ReaderBuilder extends DecodeSettings {
  readonly source: Source
  readonly interpret: Interpret
  /** The code for a value of the shape; `value` is an expression that may be evaluated twice. */
  readonly of: (shape: Shape, value: string) => Reading
  /** The name of the function that decodes values of the shape. */
  readonly functionOf: (shape: Shape) => string
}

/** The statement that returns UNFIT unless a condition holds. */
export function unless(condition: string, { source }: ReaderBuilder): string {
  return `if (!(${condition})) return ${source.constant(UNFIT)}\n`
}

/** Decodes to the value of an expression, which is UNFIT if the input does not match. */
export function resultOf(expression: string, builder: ReaderBuilder): Reading {
  const value = builder.source.variable()
  return {
    before: `const ${value} = ${expression}\n${unless(`${value} !== ${builder.source.constant(UNFIT)}`, builder)}`,
    value,
  }
}

/** Decodes with the interpreter of the shape. */
export function interpreted(
  shape: Shape,
  value: string,
  builder: ReaderBuilder,
  wire = builder.wire,
): Reading {
  const decode = builder.interpret(shape, wire)
  const read = (input: unknown) => {
    const decoded = decode(input)
    return decoded instanceof Invalid ? UNFIT : decoded
  }
  return resultOf(`${builder.source.constant(read)}(${value})`, builder)
}
