// Continues with what may be a promise. Nothing waits unless there is one: a promise costs a request
// more than most steps.

/** A value, or a promise of one. */
export type Later<T> = T | Promise<T>

/**
 * Returns whether a value has to be awaited: a promise, or any other thenable (a query builder).
 */
export function isPromise<T>(value: T | PromiseLike<T>): value is Promise<T> {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as { then?: unknown }).then === 'function'
  )
}

/**
 * Continues with a value, at once or when it is there. Not called `then`: a module that exports a
 * function of that name cannot be imported dynamically.
 */
export function proceed<T, U>(value: Later<T>, next: (value: T) => Later<U>): Later<U> {
  return isPromise(value) ? value.then(next) : next(value)
}

/** Runs a function; continues with its result, or with what it has thrown. */
export function attempt<Given, T, U>(
  run: (given: Given) => Later<T>,
  given: Given,
  next: (given: Given, result: T) => Later<U>,
  fail: (given: Given, thrown: unknown) => Later<U>,
): Later<U> {
  let result: Later<T>
  try {
    result = run(given)
  } catch (thrown) {
    return fail(given, thrown)
  }
  return isPromise(result)
    ? result.then(
        settled => next(given, settled),
        thrown => fail(given, thrown),
      )
    : next(given, result)
}
