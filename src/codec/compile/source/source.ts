import { isInheritedName } from '../../shape/plain-object.js'
import type { ScalarShape, Shape } from '../../shape/shape.js'
import { partsOf } from '../../traits/parts.js'

/** Whether a value of the shape may be nested without end. */
export function isRecursive(shape: Shape): boolean {
  return shape.kind === 'recursion' || partsOf(shape).some(isRecursive)
}

/** Whether more than one member of a union may look into the same value. */
function isOverlapping(shape: Shape): boolean {
  return (
    shape.kind === 'union' &&
    shape.discriminator === undefined &&
    !areDisjoint(shape.members, 'input')
  )
}

/**
 * A codec with more shapes than this was not written by a person: it makes new codecs each time it
 * is read.
 */
const MOST_SHAPES = 1_000

/** The shape and all inside of it, or so many of them. */
function shapesIn(shape: Shape): ReadonlySet<Shape> {
  const found = new Set([shape])
  for (const each of found) {
    for (const part of partsOf(each)) if (found.size < MOST_SHAPES) found.add(part)
  }
  return found
}

/**
 * The shapes that several members of a union decode and that contain such a union: each level would
 * double the work.
 */
export function repeatedParts(shape: Shape): ReadonlySet<Shape> {
  const repeated = new Set<Shape>()
  for (const union of shapesIn(shape)) {
    if (union.kind !== 'union' || !isOverlapping(union)) continue
    const seen = new Set<Shape>()
    for (const member of union.members) {
      for (const part of shapesIn(member)) {
        if (seen.has(part) && [...shapesIn(part)].some(isOverlapping)) repeated.add(part)
        seen.add(part)
      }
    }
  }
  return repeated
}

const SCALARS = ['string', 'number', 'boolean']
const ANY: readonly string[] = [...SCALARS, 'null', 'list', 'object']

/**
 * Returns whether no value can fit two of the shapes, because their JSON types differ. `direction`
 * matters if the program's value has another type than the one on the wire.
 */
export function areDisjoint(shapes: readonly Shape[], direction: 'input' | 'output'): boolean {
  const types = shapes.flatMap(shape => [...typesOf(shape, direction, new Set())])
  return new Set(types).size === types.length
}

/** The JSON types of the values that may fit a shape; all types if they are unknown. */
function typesOf(
  shape: Shape,
  direction: 'input' | 'output',
  seen: Set<Shape>,
): ReadonlySet<string> {
  switch (shape.kind) {
    case 'scalar':
      return new Set(
        shape.conversion && direction === 'output'
          ? convertedTypes(shape.conversion)
          : [shape.type.replace('integer', 'number')],
      )
    case 'literal':
      return new Set(shape.values.map(value => typeof value))
    case 'array':
    case 'tuple':
      return new Set(['list'])
    case 'object':
    case 'record':
      return new Set(['object'])
    case 'union':
      return new Set(shape.members.flatMap(member => [...typesOf(member, direction, seen)]))
    case 'constrained':
    case 'refined':
      return typesOf(shape.base, direction, seen)
    case 'undefined':
      return new Set()
    case 'recursion':
      if (seen.has(shape)) return new Set()
      return typesOf(shape.target(), direction, seen.add(shape))
    default:
      return new Set(ANY)
  }
}

/** Nothing is known about the program's values, except whether `null` may be one. */
function convertedTypes({
  encode,
}: {
  readonly encode: (value: unknown) => unknown
}): readonly string[] {
  return encode(null) === undefined ? ANY.filter(type => type !== 'null') : ANY
}

/** Why a codec is left to the interpreter as a whole. Thrown while it is compiled. */
export class NotCompilable extends Error {}

/** The compiled function; undefined if a NotCompilable was thrown. */
export function compiled<T>(compile: () => T): T | undefined {
  try {
    return compile()
  } catch (error) {
    if (error instanceof NotCompilable) return undefined
    throw error
  }
}

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

/**
 * The expression of a property of `v`. A name that every object inherits counts only as an own
 * property.
 */
export function propertyOf(name: string, source: Source): string {
  const property = `v[${literal(name)}]`
  return isInheritedName(name)
    ? `(${source.constant(Object.hasOwn)}(v, ${literal(name)}) ? ${property} : undefined)`
    : property
}

/** The condition that a value is a JSON scalar of a type: a finite number, a safe integer. */
export function typeTest(type: ScalarShape['type'], value: string, source: Source): string {
  switch (type) {
    case 'number':
      return `${source.constant(Number.isFinite)}(${value})`
    case 'integer':
      return `${source.constant(Number.isSafeInteger)}(${value})`
    case 'null':
      return `${value} === null`
    default:
      return `typeof ${value} === '${type}'`
  }
}

/** The condition that a value is a list. */
export function listTest(value: string, source: Source): string {
  return `${source.constant(Array.isArray)}(${value})`
}
