import type { Shape } from '../../shape/shape.js'
import { MOST_SHAPES } from './static-facts.js'

/**
 * Why a codec is left to the interpreter as a whole. Thrown while it is compiled, and caught there.
 */
export class NotCompilable extends Error {}

/**
 * Builds JavaScript: one function for each shape, of a value `v` and of the `depth` of recursions
 * around it. Values that are not code are stored beside it as constants. The source consists only
 * of code written in this folder and of strings that `literal` quotes.
 */
export class Source {
  readonly #constants = new Map<unknown, string>()
  readonly #names = new Map<Shape, string>()
  readonly #functions: string[] = []
  #variables = 0

  /** The name of a value in the code, the same one each time. */
  constant(value: unknown): string {
    const name = this.#constants.get(value) ?? `c${this.#constants.size}`
    this.#constants.set(value, name)
    return name
  }

  /** A name that nothing else in the code has. */
  variable(): string {
    this.#variables += 1
    return `x${this.#variables}`
  }

  /**
   * The name of the function of a shape; a recursion meets the name of the function that contains
   * it.
   */
  functionOf(shape: Shape, body: () => string): string {
    const known = this.#names.get(shape)
    if (known) return known
    if (this.#names.size === MOST_SHAPES) throw new NotCompilable()
    const name = `f${this.#names.size}`
    this.#names.set(shape, name)
    this.#functions.push(`function ${name}(v, depth) {\n${body()}}\n`)
    return name
  }

  /** The function of this name, made from all that has been written; its depth is 0. */
  make(name: string): (value: unknown) => unknown {
    const constants = [...this.#constants].map(
      ([, constant], index) => `const ${constant} = constants[${index}]\n`,
    )
    const code = `'use strict'\n${constants.join('')}${this.#functions.join('')}return value => ${name}(value, 0)`
    return new Function('constants', code)([...this.#constants.keys()])
  }
}

/** A string as a JavaScript literal. */
export function literal(text: string): string {
  return JSON.stringify(text)
}
