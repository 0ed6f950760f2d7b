import type * as t from 'io-ts'
import type { Shape } from './shape.js'

/**
 * Returns the shape of a codec of this library, given the function that returns the shapes of the
 * codecs inside.
 */
export type ShapeMaker = (shapeOf: (codec: t.Mixed) => Shape) => Shape

const makers = new WeakMap<t.Mixed, ShapeMaker>()

/** Sets the shape of a codec of this library, which its `_tag` does not tell. */
export function withShape<C extends t.Mixed>(codec: C, make: ShapeMaker): C {
  makers.set(codec, make)
  return codec
}

/**
 * Returns the function that creates the shape of a codec of this library; undefined for any other
 * codec.
 */
export function shapeMakerOf(codec: t.Mixed): ShapeMaker | undefined {
  return makers.get(codec)
}
