// A request as a bash command that anybody can run, printed with a failure. Called for every
// failure of a contract test.
import { FilePart, FormParts, type Sendable, textOf } from './request-case.js'

/**
 * The longest body, in characters, that is shown whole in a command; the end of a longer one is
 * omitted.
 */
const LONGEST = 4000

/** The request as a command; credentials are left to the reader. */
export function curlOf(
  { method, target, headers, body }: Sendable,
  isSecret: (field: string) => boolean,
): string {
  const shown = Object.entries(headers).map(
    ([name, value]) => `-H ${quoted(`${name}: ${isSecret(name) ? '…' : value}`)}`,
  )
  const data =
    body === undefined
      ? []
      : body instanceof FormParts
        ? body.parts.map(formPart)
        : [
            typeof body === 'string'
              ? textPart(body, headers['Content-Encoding'])
              : `--data-binary @${bytesOf(body)}`,
          ]
  return [
    'curl',
    ...(method === 'HEAD' ? ['-I'] : ['-X', method]),
    quoted(`http://localhost${target}`),
    ...shown,
    ...data,
  ].join(' ')
}

function textPart(body: string, coding: string | undefined): string {
  const isShort = body.length <= 2000
  if (isShort && coding === undefined)
    return `${body.startsWith('@') ? '--data-raw' : '-d'} ${quoted(body)}`
  const text = isShort ? `printf %s ${quoted(body)}` : longText(body)
  return `--data-binary @<(${coding === undefined ? text : `{ ${text}; } | ${coding}`})`
}

/** The commands that print a string too long for an argument; runs of one character are counted. */
function longText(body: string): string {
  const pieces = body.match(/([\s\S])\1{199,}|(?:(?!([\s\S])\2{199})[\s\S])+/gu) ?? []
  const commands = pieces.map(piece => {
    const [first = ''] = piece
    const isRun = piece.length >= 200 && piece === first.repeat(piece.length)
    return isRun
      ? `head -c ${piece.length} /dev/zero | tr '\\0' ${quoted(first)}`
      : `printf %s ${quoted(piece)}`
  })
  const whole = commands.join('; ')
  return whole.length > LONGEST ? `${whole.slice(0, LONGEST)}…` : whole
}

function formPart([name, value]: FormParts['parts'][number]): string {
  if (!(value instanceof FilePart)) return `--form-string ${quoted(`${name}=${textOf(value)}`)}`
  return `-F ${quoted(`${name}=@`)}${typeof value.content === 'string' ? `<(printf %s ${quoted(value.content)})` : bytesOf(value.content)}${quoted(`;filename=file;type=${value.type}`)}`
}

/** A file with these bytes, as far as a command can hold them. */
function bytesOf(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString('base64')
  return `<(printf %s ${quoted(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text)} | base64 -d)`
}

/** A string as one word of bash. */
function quoted(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a terminal does not show
  if (!/[\u0000-\u001f\u007f]/.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll("'", "\\'")
    .replaceAll(
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the same
      /[\u0000-\u001f\u007f]/g,
      character => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
    )
  return `$'${escaped}'`
}
