/**
 * Where random cases begin: printed in the title of every property, and repeated with
 * `PROPERTY_SEED`.
 */
export const seed = Number(process.env.PROPERTY_SEED ?? Date.now() % 2 ** 31)

/** How many cases: half of `few` in `npm test`, ten times as many as `few` in `npm run prove`. */
export function cases(few: number): number {
  return Math.ceil((few * Number(process.env.PROPERTY_RUNS ?? 1000)) / 2000)
}

/** Time enough for all of them, in ms. */
export const PATIENCE = 1_800_000
