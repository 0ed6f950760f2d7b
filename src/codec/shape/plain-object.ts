/** An object by its keys. */
export type Dictionary = Record<string, unknown>

/**
 * Returns whether a value is an object as JSON creates it, or one without a prototype: not a list,
 * not an instance of a class.
 */
export function isPlainObject(value: unknown): value is Dictionary {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype = Object.getPrototypeOf(value)
  // the prototype of plain objects has none itself, in whatever realm they were made
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/**
 * Returns whether every object inherits a property of this name, so that only an own property
 * counts.
 */
export function isInheritedName(name: string): boolean {
  return name in Object.prototype
}

/** Returns what reads a property; one that every object inherits counts only as an own property. */
export function readerOf(name: string): (object: Dictionary) => unknown {
  if (!isInheritedName(name)) return object => object[name]
  return object => (Object.hasOwn(object, name) ? object[name] : undefined)
}

/** Sets an own property, whatever it is called: `__proto__` is a name like any other. */
export function setOwn(target: Dictionary, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    })
  else target[key] = value
}
