// Writes documents as YAML. It is written here since `toYAML()` is synchronous: a library for all
// of YAML would have to be loaded by everybody who imports this package, and takes as long to load
// as half of it.

/**
 * Writes JSON as YAML that readers of YAML 1.2 and of 1.1 read as the same value. Readers of 1.1
 * read `2026-11-21` as a date and `off` as false, so only strings that both read as strings are
 * written without quotes.
 */
export function toYaml(value: unknown): string {
  const text = nodeOf(jsonOf(value), '')
  return `${text.startsWith('\n') ? text.slice(1) : text.trimStart()}\n`
}

/** The part after a key or a dash: a blank and a scalar, or the lines of a collection. */
function nodeOf(value: unknown, indent: string): string {
  if (typeof value === 'string') return ` ${textOf(value, indent)}`
  if (typeof value !== 'object' || value === null) return ` ${scalarOf(value)}`
  if (Array.isArray(value)) return value.length === 0 ? ' []' : itemsOf(value, indent)
  const fields = Object.entries(value).flatMap(([name, field]) => {
    const json = jsonOf(field)
    return json === undefined ? [] : [[name, json] as const]
  })
  return fields.length === 0
    ? ' {}'
    : fields.map(([name, field]) => `\n${indent}${fieldOf(name, field, indent)}`).join('')
}

function fieldOf(name: string, value: unknown, indent: string): string {
  const key = isPlain(name) ? name : quoted(name)
  // a longer key needs an explicit indicator (YAML 1.2.2, section 7.4.2)
  const start = key.length <= LONGEST_KEY ? key : `? ${key}\n${indent}`
  return `${start}:${nodeOf(value, `${indent}  `)}`
}

const LONGEST_KEY = 1000

/** The first line of a collection within a list follows the dash. */
function itemsOf(items: readonly unknown[], indent: string): string {
  const inner = `${indent}  `
  return items
    .map(item => {
      const node = nodeOf(jsonOf(item) ?? null, inner)
      return `\n${indent}-${node.startsWith('\n') ? ` ${node.slice(1 + inner.length)}` : node}`
    })
    .join('')
}

/** The value that `JSON.stringify` would write: undefined if none. */
function jsonOf(value: unknown): unknown {
  if (typeof value === 'function' || typeof value === 'symbol') return undefined
  const { toJSON } = Object(value) as { toJSON?: unknown }
  return typeof toJSON === 'function' ? jsonOf(toJSON.call(value)) : value
}

function scalarOf(value: unknown): string {
  if (typeof value !== 'number') return String(value ?? null)
  if (!Number.isFinite(value)) return 'null'
  // in YAML 1.1 a number with an exponent has a point
  return Object.is(value, -0) ? '0' : String(value).replace(/^(-?\d+)(?=e)/, '$1.0')
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
