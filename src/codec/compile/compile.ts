import type { Encode } from '../runtime/encoding.js'
import type { Shape } from '../shape/shape.js'
import { compileDecoder, type DecodeSettings, type Interpret } from './decode/decode.js'
import { compileWriter, type Write } from './encode/encode.js'
import { NotCompilable } from './source/source.js'

/**
 * `compileWriter` if the shape can be compiled; otherwise undefined, and the interpreter does it
 * all.
 */
export function writerFor(shape: Shape, interpret: (shape: Shape) => Encode): Write | undefined {
  return compiled(() => compileWriter(shape, interpret))
}

/**
 * The same for `compileDecoder`, whose decoder returns UNFIT if the value does not match: the
 * interpreter then reports why.
 */
export function decoderFor(
  shape: Shape,
  settings: DecodeSettings,
  interpret: Interpret,
): ((value: unknown) => unknown) | undefined {
  return compiled(() => compileDecoder(shape, settings, interpret))
}

function compiled<T>(compile: () => T): T | undefined {
  try {
    return compile()
  } catch (error) {
    if (error instanceof NotCompilable) return undefined
    throw error
  }
}

/** A function that is created on its first call. */
export function onFirstUse<A, B>(make: () => (value: A) => B): (value: A) => B {
  let run = (value: A): B => {
    run = make()
    return run(value)
  }
  return value => run(value)
}
