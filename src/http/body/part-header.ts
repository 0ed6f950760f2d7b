import { isUtf8 } from 'node:buffer'
import { Refusal } from '../failure.js'
import { TOKEN } from '../token.js'

/** The header of a part of a multipart/form-data body (RFC 7578, section 4). */
export interface PartHeader {
  readonly name: string
  /** `undefined` for a field; any string, even an empty one, for a file. */
  readonly filename: string | undefined
  /** The Content-Type field as sent, `undefined` without one. */
  readonly type: string | undefined
}

const FIELD = new RegExp(`^(${TOKEN}):[ \\t]*([^\\0\\r\\n]*)$`)

/**
 * Parses the header of a part: its lines without the empty one at their end, as Latin-1, so that no
 * byte is lost. Nothing that is malformed or given twice is skipped, because two parsers that skip
 * different things see two different bodies: it is a Refusal with 400. Header fields that form data
 * has no use for are ignored (RFC 7578, section 4.8).
 */
export function parsePartHeader(text: string): PartHeader | Refusal {
  const fields = new Map<string, string>()
  for (const line of text === '' ? [] : text.split('\r\n')) {
    const [, name, value] = FIELD.exec(line) ?? []
    if (name === undefined || value === undefined)
      return refuse('A header field of a part is malformed.')
    const key = name.toLowerCase()
    if (!KNOWN.has(key)) continue
    if (fields.has(key)) return refuse(`A part has two ${name} fields.`)
    fields.set(key, value.trimEnd())
  }
  const encoding = fields.get('content-transfer-encoding')?.toLowerCase() ?? 'binary'
  if (!UNENCODED.has(encoding))
    return refuse('The Content-Transfer-Encoding of a part must be 7bit, 8bit or binary.')
  const names = parseDisposition(fields.get('content-disposition') ?? '')
  if (names?.name === undefined) return refuse('A part of the body has no valid name.')
  return {
    name: names.name,
    filename: names.filename,
    type: fields.get('content-type') || undefined,
  }
}

const KNOWN = new Set(['content-disposition', 'content-type', 'content-transfer-encoding'])
/**
 * The encodings that change nothing; others are deprecated for form data, and nobody sends them
 * (RFC 7578, section 4.7).
 */
const UNENCODED = new Set(['7bit', '8bit', 'binary'])

const FORM_DATA = /^form-data[ \t]*(?=;|$)/i
// Browsers send a backslash unchanged, other clients put one before each quote of a name.
const PARAMETER = /;[ \t]*([\w*-]+)[ \t]*=[ \t]*(?:"((?:\\"|[^"])*)"[ \t]*(?=;|$)|([^;"]*))/y

/** The two names of a part (RFC 7578, section 4.2), or `undefined` if they are malformed. */
function parseDisposition(text: string): { name?: string; filename?: string } | undefined {
  const found: { name?: string; filename?: string } = {}
  const start = FORM_DATA.exec(text)?.[0].length ?? 0
  if (start === 0) return undefined
  for (let index = start; index < text.length; index = PARAMETER.lastIndex) {
    PARAMETER.lastIndex = index
    const [matched, parameter, quoted, token] = PARAMETER.exec(text) ?? []
    if (matched === undefined) return /^;[ \t]*$/.test(text.slice(index)) ? found : undefined
    const key = (parameter as string).toLowerCase()
    if (key !== 'name' && key !== 'filename') continue
    const value = unescapeName(quoted ?? (token as string).trim())
    if (value === undefined || key in found) return undefined
    found[key] = value
  }
  return found
}

const ESCAPED: Record<string, string> = { '\\"': '"', '%22': '"', '%0D': '\r', '%0A': '\n' }

/**
 * Undoes what browsers do to a name (HTML Standard, multipart/form-data encoding), and the `\"` of
 * other clients.
 */
function unescapeName(latin1: string): string | undefined {
  const bytes = Buffer.from(latin1, 'latin1')
  return isUtf8(bytes)
    ? bytes.toString().replace(/\\"|%22|%0D|%0A/g, text => ESCAPED[text] as string)
    : undefined
}

function refuse(message: string): Refusal {
  return new Refusal(400, { message })
}
