// Values that have to pass a test, and what happens where none does: a filter of fast-check would look for one for ever.
import type fc from 'fast-check'

/** How many values in a row may be refused. */
const PATIENCE = 2000

/** The values that fit, or, where none is found, any: what is made of them may replace them, or is refused as a whole. */
export function lenient<Value>(
  arbitrary: fc.Arbitrary<Value>,
  fits: (value: Value) => boolean,
): fc.Arbitrary<Value> {
  let refused = 0
  return arbitrary.filter(value => {
    if (fits(value)) refused = 0
    else refused++
    return refused === 0 || refused > PATIENCE
  })
}

/** No value was found of something that a request needs. */
export class NoValueError extends Error {
  override readonly name = 'NoValueError'
}

/** The values that fit. Throws a NoValueError, which names `what`, where none is found. */
export function fitting<Value>(
  arbitrary: fc.Arbitrary<Value>,
  what: string,
  fits: (value: Value) => boolean,
): fc.Arbitrary<Value> {
  let refused = 0
  return arbitrary.filter(value => {
    const isFit = fits(value)
    refused = isFit ? 0 : refused + 1
    if (refused > PATIENCE)
      throw new NoValueError(
        `no value was found for ${what} that its schema allows: give some as \`values\``,
      )
    return isFit
  })
}
