import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COMMA,
  endOfString,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  skipSpace,
} from './json-text.js'

// JSON.parse of 1 MiB that is nothing but names or brackets takes 50 to 100 ms, and nothing else runs meanwhile. A long text is parsed
// in pieces instead, each by JSON.parse itself, with a turn of the event loop after each. A piece is a run of members or items between
// two commas; a member that is longer than a piece is entered, and parsed in pieces too.

/** The length in characters that JSON.parse handles in less than 10 ms, whatever the text. */
export const PIECE = 64 * 1024

/** An object or list that has been entered, as far as it is parsed. */
interface Open {
  readonly value: Record<string, unknown> | unknown[]
  readonly isList: boolean
  /** Its name in the object around it; anything in a list. */
  readonly name: string
  isEmpty: boolean
}

/**
 * Parses a JSON text, as JSON.parse does, in pieces of about so many characters. Rejects with a SyntaxError where it is not JSON. There
 * must be no `__proto__` in it.
 */
export async function parseInPieces(text: string, length = PIECE): Promise<unknown> {
  const start = skipSpace(text, 0)
  if (text[start] !== '{' && text[start] !== '[') return JSON.parse(text)
  const parser = new PieceParser(text, start, length)
  while (!parser.isDone) {
    await new Promise(setImmediate)
    parser.parsePiece()
  }
  return parser.value
}

class PieceParser {
  readonly #text: string
  readonly #length: number
  /** From the outermost to the innermost. */
  readonly #open: Open[] = []
  /** Where the next piece begins. */
  #position: number
  value: unknown
  isDone = false

  constructor(text: string, start: number, length: number) {
    this.#text = text
    this.#length = length
    this.#position = start
    this.#enter(start, '')
  }

  parsePiece(): void {
    const end = this.#findEnd()
    if (end.kind === 'too long') this.#enter(end.index, this.#nameBefore(end.index))
    else if (end.kind === 'comma') {
      if (!this.#take(end.index)) throw new SyntaxError('nothing before a comma')
      this.#position = end.index + 1
    } else {
      const { isEmpty } = this.#innermost
      if (!this.#take(end.index) && !isEmpty) throw new SyntaxError('nothing after a comma')
      this.#leave(end.index)
    }
  }

  get #innermost(): Open {
    return this.#open.at(-1) as Open
  }

  #enter(bracket: number, name: string): void {
    const isList = this.#text[bracket] === '['
    this.#open.push({ value: isList ? [] : {}, isList, name, isEmpty: true })
    this.#position = bracket + 1
  }

  /** Parses what stands between the position and an index, and adds it to the innermost value; false where nothing stands there. */
  #take(end: number): boolean {
    const { value, isList } = this.#innermost
    const piece = this.#parse(this.#text.slice(this.#position, end), isList)
    let isEmpty = true
    if (isList) {
      for (const item of piece as unknown[]) (value as unknown[]).push(item)
      isEmpty = (piece as unknown[]).length === 0
    } else {
      Object.assign(value, piece)
      for (const _name in piece as object) {
        isEmpty = false
        break
      }
    }
    this.#innermost.isEmpty &&= isEmpty
    return !isEmpty
  }

  #parse(members: string, isList: boolean): unknown {
    return JSON.parse(isList ? `[${members}]` : `{${members}}`)
  }

  /** The name of the value that begins with a bracket, after checking what stands before it. */
  #nameBefore(bracket: number): string {
    const { isList } = this.#innermost
    // a text in the place of the value, which nothing before it can become a part of
    const parsed = this.#parse(`${this.#text.slice(this.#position, bracket)}""`, isList)
    return isList ? '' : (Object.keys(parsed as object)[0] as string)
  }

  /** Closes the innermost value, and all around it that end directly after it. */
  #leave(bracket: number): void {
    for (let index = bracket; ; ) {
      const { value, isList, name } = this.#open.pop() as Open
      if (this.#text[index] !== (isList ? ']' : '}'))
        throw new SyntaxError('brackets that do not match')
      index = skipSpace(this.#text, index + 1)
      if (this.#open.length === 0) {
        if (index < this.#text.length) throw new SyntaxError('something after the end')
        this.value = value
        this.isDone = true
        return
      }
      const around = this.#innermost
      if (around.isList) (around.value as unknown[]).push(value)
      else (around.value as Record<string, unknown>)[name] = value
      around.isEmpty = false
      if (this.#text[index] === ',') {
        this.#position = index + 1
        return
      }
    }
  }

  /** The end of the next piece: a comma of the innermost value, its bracket, or the bracket of a member that is too long. */
  #findEnd(): { readonly kind: 'comma' | 'bracket' | 'too long'; readonly index: number } {
    const text = this.#text
    const most = this.#position + this.#length
    let level = 0
    let comma = -1
    let opening = -1
    for (let index = this.#position; index < text.length; index++) {
      const code = text.charCodeAt(index)
      if (code === QUOTE) index = endOfString(text, index)
      else if (code === OPEN_LIST || code === OPEN_OBJECT) {
        if (level === 0) opening = index
        level += 1
      } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
        if (level === 0) return { kind: 'bracket', index }
        level -= 1
      } else if (code === COMMA && level === 0) comma = index
      if (index >= most && comma !== -1) return { kind: 'comma', index: comma }
      if (index >= most && level > 0) return { kind: 'too long', index: opening }
    }
    throw new SyntaxError('the end is missing')
  }
}
