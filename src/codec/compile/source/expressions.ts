import { isInheritedName } from '../../shape/plain-object.js'
import type { ScalarShape } from '../../shape/shape.js'
import { literal, type Source } from './source.js'

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
