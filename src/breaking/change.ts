import type { RuleId, Way } from './rules.js'

export interface Change {
  readonly rule: RuleId
  readonly text: string
  /** The place in the schema: `Pet.owner.name`, from the innermost component on. */
  readonly at: string
  /** The way that decides its level, if it is not that of the schema: inside `not`. */
  readonly way?: Way
}

/** A change right here. */
export function change(rule: RuleId, text: string): Change {
  return { rule, text, at: '' }
}

/** The changes, one step further out. */
export function inside(step: string, changes: readonly Change[]): readonly Change[] {
  return changes.map(found => ({ ...found, at: step + found.at }))
}
