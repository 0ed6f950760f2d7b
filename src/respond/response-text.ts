// Encodes the value of a declared response as a string: with its codec, as JSON, or, for other
// media types, unchanged.
import * as t from 'io-ts'
import { naming, writerOf } from '../codec/encode/encode.js'
import type { Context, Exchange } from '../feature-api/exchange.js'
import type { ErrorForms } from '../http/errors/error-forms.js'
import type { FailureDetails } from '../http/failure.js'
import { isInRange, isJsonType, parseMediaType, sentAs } from '../http/media-type.js'

/** Sets how the result of an exchange is written as a string, and its media type. */
export type Encoding = (exchange: Exchange) => void

/** The declaration that a response is encoded by. */
interface Encoded {
  readonly codec: t.Mixed | undefined
  /** The declared media type; undefined means JSON. */
  readonly contentType: string | undefined
  /** For messages: `Pets.get (GET /pets/), response 200`. */
  readonly where: string
}

/** Returns the encoding of a response declared with a codec, a media type, both or neither. */
export function encodingOf({ codec, contentType, where }: Encoded): Encoding {
  const write = codec
    ? naming(where, writerOf(codec))
    : (value: unknown) => JSON.stringify(value ?? null)
  if (contentType === undefined || isJsonType(contentType)) {
    const mediaType = contentType === 'application/json' ? undefined : contentType
    return exchange => {
      exchange.writer = write
      exchange.codec = codec
      exchange.mediaType ??= mediaType
    }
  }
  return textAs(contentType, codec ? value => unquoted(write(value)) : undefined)
}

/** The form of a value returned with an error status for which no codec is declared. */
const ERROR = t.intersection([
  t.type({ code: t.number, status: t.string }),
  t.partial({ message: t.string, errors: t.unknown }),
])

/** Returns the encoding of such a value: it is written in the error form of the Api. */
export function errorEncoding(forms: ErrorForms, where: string): Encoding {
  const write = naming(where, writerOf(ERROR))
  return exchange => {
    const { ctx, status, isRaw } = exchange
    if (isRaw) return
    const { form, contentType } = forms.choose(ctx.req.headers.accept)
    if (forms.isNegotiated) ctx.vary('Accept')
    exchange.mediaType = contentType
    exchange.writer = value =>
      form.text({ ...(JSON.parse(write(value)) as FailureDetails), code: status })
  }
}

/**
 * A string, or a value that its codec encodes to a string, is sent unchanged; any other value
 * without a codec is sent as JSON.
 */
function textAs(contentType: string, write: ((value: unknown) => string) | undefined): Encoding {
  const raw = contentType.includes('*') ? undefined : contentType
  const usual = sentAs(raw ?? 'text/plain')
  return exchange => {
    if (exchange.isRaw) {
      exchange.mediaType ??= raw
    } else if (write || typeof exchange.result === 'string') {
      exchange.writer = write ?? String
      exchange.mediaType = ownType(exchange.ctx, contentType) ?? usual
    } else {
      exchange.writer = value => JSON.stringify(value ?? null)
    }
  }
}

/**
 * Returns the Content-Type that the method has set, if it is within the declared range: it may be
 * more specific.
 */
function ownType(ctx: Context, range: string): string | undefined {
  const own = ctx.response.get('Content-Type')
  const parsed = own ? parseMediaType(own) : undefined
  return parsed && isInRange(range.toLowerCase(), parsed.essence) ? own : undefined
}

/** Returns the string that JSON represents; JSON of anything else is returned unchanged. */
function unquoted(json: string): string {
  return json.startsWith('"') ? JSON.parse(json) : json
}
