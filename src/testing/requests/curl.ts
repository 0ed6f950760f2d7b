// A request as a command for bash that anybody can run: what a failure shows. Called for every failure of a contract test.
import { FilePart, FormParts, type Sendable, textOf } from './request-case.js'

/** How long a body may be that stands in a command; of what is longer the end is left out. */
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
        : [textPart(body, headers['Content-Encoding'])]
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

/** What writes a text that is too long for an argument: what is repeated in it is counted. */
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
  return `-F ${quoted(`${name}=@`)}<(printf %s ${quoted(value.text)})${quoted(`;filename=file;type=${value.type}`)}`
}

/** A text as one word of bash. */
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
