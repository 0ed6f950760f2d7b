// Writes documents as YAML. It is written here since `toYAML()` is synchronous: a library for all
// of YAML would have to be loaded by everybody who imports this package, and takes as long to load
// as half of it.

/**
 * Writes JSON as YAML that readers of YAML 1.2 and of 1.1 read as the same value. Readers of 1.1
 * read `2026-11-21` as a date and `off` as false, so only strings that both read as strings are
 * written without quotes.
 */
export function toYaml(value: unknown): string {
  const text = nodeOf(JSON.parse(JSON.stringify(value)), '')
  return `${text.startsWith('\n') ? text.slice(1) : text.trimStart()}\n`
}

/** The part after a key or a dash: a blank and a scalar, or the lines of a collection. */
function nodeOf(value: unknown, indent: string): string {
  if (typeof value === 'string') return ` ${textOf(value, indent)}`
  // in YAML 1.1 a number with an exponent has a point
  if (typeof value !== 'object' || value === null)
    return ` ${String(value).replace(/^(-?\d+)(?=e)/, '$1.0')}`
  if (Array.isArray(value)) return itemsOf(value, indent) || ' []'
  return fieldsOf(value, indent) || ' {}'
}

function fieldsOf(object: object, indent: string): string {
  return Object.entries(object)
    .map(([name, value]) => {
      const key = isPlain(name) ? name : quoted(name)
      return `\n${indent}${key}:${nodeOf(value, `${indent}  `)}`
    })
    .join('')
}

/** The first line of a collection within a list follows the dash. */
function itemsOf(items: readonly unknown[], indent: string): string {
  const inner = `${indent}  `
  return items
    .map(item => {
      const node = nodeOf(item, inner)
      return `\n${indent}-${node.startsWith('\n') ? ` ${node.slice(1 + inner.length)}` : node}`
    })
    .join('')
}

function textOf(text: string, indent: string): string {
  if (isPlain(text)) return text
  if (indent === '' || !LINES.test(text)) return quoted(text)
  const lines = text.split('\n')
  const hasEnd = lines.at(-1) === ''
  if (hasEnd) lines.pop()
  return `${hasEnd ? '|' : '|-'}\n${lines.map(line => (line === '' ? '' : indent + line)).join('\n')}`
}

/** Strings that no reader mistakes for another type, and that no indicator ends. */
const PLAIN = /^[\w$/](?<!\d)(?:[\w !"$%&'()*+,\-./;<=>?@[\]^`{|}~]|:(?! |$))*(?<! )$/
/** A version such as 3.1.0, which is not a number. */
const VERSION = /^\d+(?:\.\d+){2,}$/
/** The words that YAML 1.1 or 1.2 reads as a boolean or null. */
const WORD = /^(?:y|yes|n|no|on|off|true|false|null)$/i

function isPlain(text: string): boolean {
  return (PLAIN.test(text) && !WORD.test(text)) || VERSION.test(text)
}

/** Several lines that need no escapes, with a visible first and last one. */
const LINES =
  /^[^\s\p{C}\u2028\u2029][^\p{C}\u2028\u2029]*\n(?:[^\p{C}\u2028\u2029]*\n)*(?:[^\p{C}\u2028\u2029]*[^\s\p{C}\u2028\u2029]\n?)$/u

/** JSON, with what YAML does not take for printable escaped. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(/[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g, character => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
