import { type Change, change } from './change.js'
import { momentOf } from './rules.js'

/** An operation, a parameter or a property, which can be deprecated. */
export interface Retiring {
  readonly deprecated: boolean
  /** `x-sunset` */
  readonly sunset: unknown
}

/** Whether it may be gone: its sunset was announced and has passed. */
export function isOver({ deprecated, sunset }: Retiring, today: number): boolean {
  const moment = momentOf(sunset)
  return deprecated && moment !== undefined && moment <= today
}

/** A sunset is a promise: it may move away, but not come nearer. */
export function compareSunsets(before: Retiring, after: Retiring): readonly Change[] {
  if (!after.deprecated) return []
  const [was, is] = [momentOf(before.sunset), momentOf(after.sunset)]
  if (is === undefined && after.sunset !== undefined && after.sunset !== before.sunset)
    return [
      change('sunset-invalid', `x-sunset must be a day such as 2027-05-01, not ${after.sunset}`),
    ]
  if (was === undefined || !before.deprecated) return []
  if (is === undefined)
    return [change('sunset-removed', `x-sunset was ${before.sunset} and is gone`)]
  return is < was
    ? [change('sunset-earlier', `x-sunset was ${before.sunset} and is ${after.sunset}`)]
    : []
}
