// Methods of strings that every supported Node has, and the types of ES2023 lack.

interface Text {
  isWellFormed(): boolean
  toWellFormed(): string
}

/**
 * Returns whether a string has no lone surrogates. UTF-8 cannot encode them: each would be hashed
 * as U+FFFD, so two strings would have the same tag.
 */
export function isWellFormed(text: string): boolean {
  return (text as unknown as Text).isWellFormed()
}

/** The string with U+FFFD for each lone surrogate. */
export function wellFormed(text: string): string {
  return (text as unknown as Text).toWellFormed()
}
