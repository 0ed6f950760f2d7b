import type { Validated } from '../shape/shape.js'

/** Returns the result of a schema of another library; throws a TypeError if it is a promise. */
export function synchronous(name: string, result: Validated | Promise<Validated>): Validated {
  if (!(result instanceof Promise)) return result
  // nobody waits for it
  result.catch(() => undefined)
  throw new TypeError(
    `${name} is asynchronous: it can only be a whole argument, as in json(std(schema)), neither a part of a codec nor a response`,
  )
}
