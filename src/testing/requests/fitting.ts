// Filters generated values, and gives up if none passes: a filter of fast-check would search for
// ever.
import type fc from 'fast-check'

/** How many values in a row may be refused, and how long the search may block, in milliseconds. */
const PATIENCE = 2000
const LONGEST = 500

/**
 * The values that fit, or, if none is found, any: what is made of them may replace them, or is
 * refused as a whole.
 */
export function lenient<Value>(
  arbitrary: fc.Arbitrary<Value>,
  fits: (value: Value) => boolean,
): fc.Arbitrary<Value> {
  const isOver = searching()
  return arbitrary.filter(value => {
    const isFit = fits(value)
    return isOver(isFit) || isFit
  })
}

/** No value was found of something that a request needs. */
export class NoValueError extends Error {
  override readonly name = 'NoValueError'
}

/** The values that fit. Throws a NoValueError, which names `what`, if none is found. */
export function fitting<Value>(
  arbitrary: fc.Arbitrary<Value>,
  what: string,
  fits: (value: Value) => boolean,
): fc.Arbitrary<Value> {
  const isOver = searching()
  return arbitrary.filter(value => {
    const isFit = fits(value)
    if (isOver(isFit))
      throw new NoValueError(
        `no value was found for ${what} that its schema allows: give some as \`values\``,
      )
    return isFit
  })
}

/** Counts values that are refused in a row: whether the search has taken too long. */
function searching(): (isFit: boolean) => boolean {
  let refused = 0
  let began = 0
  return isFit => {
    if (isFit || refused === 0) began = performance.now()
    refused = isFit ? 0 : refused + 1
    return refused > PATIENCE || (refused > 1 && performance.now() - began > LONGEST)
  }
}
