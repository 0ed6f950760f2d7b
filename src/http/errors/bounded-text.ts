// The messages of errors come from anywhere and may have any size. They are written value by value
// under a budget, so that nothing in them (cycles, BigInt) can keep an error from being sent.

import { textInJson } from '../json-string.js'

const DEPTH = 32
const CHARACTERS = 64 * 1024

/** The budget for writing one error. */
export class Budget {
  #characters = CHARACTERS

  /** As much of a string as the budget allows. */
  take(text: string): string {
    const taken = text.slice(0, Math.max(0, this.#characters))
    this.#characters -= taken.length
    return taken
  }

  /** The same as JSON. */
  quote(text: string): string {
    return `"${textInJson(this.take(text))}"`
  }

  /**
   * Writes messages as JSON, in the documented form: a list of strings, or an object of messages by
   * name or index. A leaf of any other type is written as a string. Values that are not messages
   * are left out; undefined if that leaves nothing. Anything beyond the budget or 32 levels is cut
   * off.
   */
  messages(value: unknown, depth = DEPTH): string | undefined {
    this.#characters -= 4
    if (value == null || typeof value === 'function' || typeof value === 'symbol') return undefined
    if (typeof value !== 'object') return `[${this.quote(String(value))}]`
    return depth === 0 ? undefined : this.#messagesIn(value, depth - 1)
  }

  #messagesIn(value: object, depth: number): string {
    if (Array.isArray(value)) return this.#list(value, depth)
    let text = ''
    this.eachEntry(value, (key, item) => {
      const messages = this.messages(item, depth)
      if (messages !== undefined) text += `${text && ','}${this.quote(key)}:${messages}`
    })
    return `{${text}}`
  }

  /** A list of which some items may be objects, or nothing that can be shown. */
  #list(value: object, depth: number): string {
    let isFlat = true
    const found: (readonly [index: string, messages: string])[] = []
    this.eachEntry(value, (index, item) => {
      const messages = this.messages(item, depth)
      if (messages === undefined) return
      if (typeof item === 'object') isFlat = false
      found.push([index, messages])
    })
    // each string was written as a list of its own
    if (isFlat) return `[${found.map(([, messages]) => messages.slice(1, -1)).join()}]`
    return `{${found.map(([index, messages]) => `${this.quote(index)}:${messages}`).join()}}`
  }

  /** Visits the own enumerable entries of an object, as long as something is left of the budget. */
  eachEntry(value: object, visit: (key: string, item: unknown) => void): void {
    for (const key in value) {
      if (this.#characters <= 0) return
      if (Object.hasOwn(value, key)) visit(key, (value as Record<string, unknown>)[key])
    }
  }
}
