import type { RuleId } from './rules.js'

/** One change of a schema. */
export interface Change {
  readonly rule: RuleId
  readonly text: string
  /** Where in the schema: `Pet.owner.name`, from the innermost component on. */
  readonly at: string
  /** Whether `at` begins with a component, so that it is the same wherever the component is used. */
  readonly isAnchored: boolean
}

/** A change right here. */
export function change(rule: RuleId, text: string): Change {
  return { rule, text, at: '', isAnchored: false }
}

/** The changes, one step further out. */
export function inside(step: string, changes: readonly Change[]): readonly Change[] {
  return changes.map(found => (found.isAnchored ? found : { ...found, at: step + found.at }))
}
