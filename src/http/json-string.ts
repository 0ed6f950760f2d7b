/** Characters that JSON has to escape, and surrogates, which may be unpaired. */
const ESCAPED = /[^ !#-[\]-\ud7ff\ue000-\uffff]/

/** Up to this length a loop is faster than a regular expression. */
const SHORT = 12

/**
 * Escapes a string for JSON, without quotes; calls `JSON.stringify` only if there is something to
 * escape.
 */
export function textInJson(text: string): string {
  return (text.length > SHORT ? ESCAPED.test(text) : hasEscaped(text))
    ? JSON.stringify(text).slice(1, -1)
    : text
}

function hasEscaped(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit < 0x20 || unit === 0x22 || unit === 0x5c || (unit >= 0xd800 && unit <= 0xdfff))
      return true
  }
  return false
}
