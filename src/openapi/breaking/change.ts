import type { RuleId } from './rules.js'

/** One change of a schema. */
export interface Change {
  readonly rule: RuleId
  readonly text: string
  /** Where in the schema: `Pet.owner.name`, from the innermost component on. */
  readonly at: string
}

/** A change right here. */
export function change(rule: RuleId, text: string): Change {
  return { rule, text, at: '' }
}

/** The changes, one step further out. */
export function inside(step: string, changes: readonly Change[]): readonly Change[] {
  return changes.map(found => ({ ...found, at: step + found.at }))
}
