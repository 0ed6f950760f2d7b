import { TOKEN } from './token.js'

/** A media type (RFC 9110, section 8.3.1). */
export interface MediaType {
  /** `application/json`, in lower case. */
  readonly essence: string
  /** The values as written, unquoted, by the parameter's name in lower case. */
  readonly parameters: ReadonlyMap<string, string>
}

const ESSENCE = new RegExp(`${TOKEN}/${TOKEN}`, 'y')
const PARAMETER = new RegExp(
  `[ \\t]*;[ \\t]*(?:(${TOKEN})=(?:(${TOKEN})|"((?:[^"\\\\]|\\\\.)*)"))?`,
  'y',
)

/** The last result: successive requests usually send the same media type. */
let last: { readonly text: string; readonly mediaType: MediaType | undefined } | undefined

/**
 * Reads the value of a Content-Type field. Malformed, or with a parameter given twice: `undefined`.
 */
export function parseMediaType(text: string): MediaType | undefined {
  if (last?.text !== text) last = { text, mediaType: readMediaType(text) }
  return last.mediaType
}

function readMediaType(text: string): MediaType | undefined {
  ESSENCE.lastIndex = 0
  const essence = ESSENCE.exec(text)?.[0].toLowerCase()
  if (essence === undefined) return undefined
  const parameters = new Map<string, string>()
  for (let index = essence.length; index < text.length; index = PARAMETER.lastIndex) {
    PARAMETER.lastIndex = index
    const [matched, name, token, quoted] = PARAMETER.exec(text) ?? []
    if (matched === undefined) return undefined
    if (name === undefined) continue
    if (parameters.has(name.toLowerCase())) return undefined
    parameters.set(name.toLowerCase(), token ?? (quoted as string).replace(/\\(.)/g, '$1'))
  }
  return { essence, parameters }
}

/** The essence of a media type that a program has declared, without its parameters. */
export function essenceOf(declared: string): string {
  return readMediaType(declared)?.essence ?? declared.toLowerCase()
}

/** Whether it is `application/json` or ends in `+json`. */
export function isJson({ essence }: MediaType): boolean {
  return essence === 'application/json' || essence.endsWith('+json')
}

/** Returns whether the value of a Content-Type field is JSON. */
export function isJsonType(contentType: string): boolean {
  const parsed = parseMediaType(contentType)
  return parsed !== undefined && isJson(parsed)
}

/** Adds the charset to a declared media type of text or JSON. */
export function sentAs(contentType: string): string {
  const isText = /^(?:text\/|application\/json$)/i.test(contentType)
  return isText && !parseMediaType(contentType)?.parameters.has('charset')
    ? `${contentType}; charset=utf-8`
    : contentType
}

/** Returns whether a body of this type can be decoded: its charset is UTF-8, or it names none. */
export function isUtf8Type({ parameters }: MediaType): boolean {
  return /^utf-?8$/i.test(parameters.get('charset') ?? 'utf-8')
}

/**
 * Whether a media type, without parameters, is of a range such as `image/*`; both in lower case.
 */
export function isInRange(range: string, essence: string): boolean {
  const [wanted = ''] = range.split(';')
  return (
    wanted.trim() === essence ||
    wanted === '*/*' ||
    (wanted.endsWith('/*') && essence.startsWith(wanted.slice(0, -1)))
  )
}
