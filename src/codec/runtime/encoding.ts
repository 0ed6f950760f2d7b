import type { Shape } from '../shape/shape.js'
import type { Nesting } from './nesting.js'

/**
 * The reason why a value does not fit its codec, and its place. Returned within the encoders;
 * `encoderOf` throws it as an EncodeError.
 */
export class Unfit {
  constructor(
    readonly expected: string,
    /** Keys and indexes from the whole value to the part that does not fit. */
    readonly path: readonly (string | number)[] = [],
    /** The error that the codec itself threw. */
    readonly cause?: unknown,
  ) {}

  /** The same, seen from the value that has the part under this key. */
  under(key: string | number): Unfit {
    return new Unfit(this.expected, [key, ...this.path], this.cause)
  }
}

/** Returns a new JSON value, or an Unfit. */
export type Encode = (value: unknown) => unknown

/** The state that the encoders of one codec share. */
export interface EncoderBuilder {
  readonly nesting: Nesting
  /** Whether absent fields take their defaults; if not, they are left out. */
  readonly fillIn: boolean
  /** The encoder of a shape inside. */
  readonly of: (shape: Shape) => Encode
  /** The same without defaults, which shows how much of a value a member of a union keeps. */
  readonly withoutDefaults: () => EncoderBuilder
}
