import type { Decoder, Unknown, Wire } from '../../runtime/decoding.js'
import { Invalid } from '../../runtime/invalid.js'
import type { Shape } from '../../shape/shape.js'
import type { Source } from '../source/source.js'

/** What a compiled decoder answers instead of a value that does not fit: the interpreter then says why. */
export const UNFIT = Symbol('unfit')

/** Code that decodes one value: statements, which leave the function where it does not fit, and then the name of what was decoded. */
export interface Reading {
  readonly before: string
  readonly value: string
}

/** How a codec is decoded, by which its compiled forms differ. */
export interface Manner {
  readonly wire: Wire
  readonly unknown: Unknown
  readonly whole: boolean
}

/** The decoder of a shape that is not compiled, in the same manner but for the wire where that is given. */
export type Interpret = (shape: Shape, wire?: Wire) => Decoder

/** What the decoders of one codec have in common while they are compiled. */
export interface ReaderBuilder extends Manner {
  readonly source: Source
  readonly interpret: Interpret
  /** The code for a value of the shape; `value` is an expression that may be evaluated twice. */
  readonly of: (shape: Shape, value: string) => Reading
  /** The name of the function that decodes values of the shape. */
  readonly functionOf: (shape: Shape) => string
}

/** The statement that leaves a decoder unless a condition holds. */
export function unless(condition: string, { source }: ReaderBuilder): string {
  return `if (!(${condition})) return ${source.constant(UNFIT)}\n`
}

/** Decodes to what an expression answers, which is UNFIT where the value does not fit. */
export function answerOf(expression: string, builder: ReaderBuilder): Reading {
  const value = builder.source.variable()
  return { before: `const ${value} = ${expression}\n${unless(`${value} !== ${builder.source.constant(UNFIT)}`, builder)}`, value }
}

/** Decodes with the interpreter of the shape. */
export function interpreted(shape: Shape, value: string, builder: ReaderBuilder, wire = builder.wire): Reading {
  const decode = builder.interpret(shape, wire)
  const read = (input: unknown) => {
    const decoded = decode(input)
    return decoded instanceof Invalid ? UNFIT : decoded
  }
  return answerOf(`${builder.source.constant(read)}(${value})`, builder)
}
