import type { Encode } from '../runtime/encoding.js'
import type { Shape } from '../shape/shape.js'
import { compileDecoder } from './decode/decode.js'
import type { Interpret, Manner } from './decode/reading.js'
import { compileWriter } from './encode/encode.js'
import type { Write } from './encode/writing.js'
import { NotCompilable } from './source/source.js'

/** Whether code may be made of text here, which a policy (`--disallow-code-generation-from-strings`) can forbid. */
const isAllowed = mayMakeCode()

function mayMakeCode(): boolean {
  try {
    return new Function('return true')()
  } catch {
    return false
  }
}

/** `compileWriter` where code may be made and the shape can be compiled; what is undefined leaves all to the interpreter. */
export function writerFor(shape: Shape, interpret: (shape: Shape) => Encode): Write | undefined {
  return compiled(() => compileWriter(shape, interpret))
}

/** `compileDecoder` likewise. The decoder returns UNFIT where the interpreter has to report what is wrong. */
export function decoderFor(shape: Shape, manner: Manner, interpret: Interpret): ((value: unknown) => unknown) | undefined {
  return compiled(() => compileDecoder(shape, manner, interpret))
}

function compiled<T>(compile: () => T): T | undefined {
  if (!isAllowed) return undefined
  try {
    return compile()
  } catch (error) {
    if (error instanceof NotCompilable) return undefined
    throw error
  }
}

/** A function that is made when it is first called. */
export function onFirstUse<A, B>(make: () => (value: A) => B): (value: A) => B {
  let run = (value: A): B => {
    run = make()
    return run(value)
  }
  return value => run(value)
}
