import type { IncomingMessage } from 'node:http'

/**
 * Whether a header field was sent on more than one line; the name is in lower case. Node keeps the
 * first line of some fields, and another reader of the same request may keep the last.
 */
export function isRepeated({ rawHeaders }: IncomingMessage, name: string): boolean {
  let lines = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const field = rawHeaders[index] as string
    if (field.length === name.length && field.toLowerCase() === name && ++lines > 1) return true
  }
  return false
}
