// Scans JSON texts before they are parsed.

export const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [
  34, 92, 44, 91, 93, 123, 125,
]

/** The index of the quote that ends the string which begins at `start`, or of the text's end. */
export function endOfString(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === QUOTE) return index
    if (code === BACKSLASH) index += 1
  }
  return text.length
}

/** The index of the first character from `start` on that is not white space. */
export function skipSpace(text: string, start: number): number {
  let index = start
  while (SPACE.has(text.charCodeAt(index))) index += 1
  return index
}

const SPACE = new Set([32, 9, 10, 13])
