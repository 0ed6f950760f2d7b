// The last step of an operation: passes status, header fields and text to Node, through Koa or directly.
import type { Context, Exchange } from '../contract/exchange.js'
import type { Route } from '../contract/feature.js'
import type { CompleteResponse, Step } from '../contract/step.js'
import { isJsonType } from '../http/media-type.js'
import { droppedByNotModified, repeatedByNotModified } from '../http/not-modified.js'
import { isFinalStatus, NO_CONTENT } from '../http/status.js'
import { shown } from '../names.js'
import {
  applyEveryHeader,
  giveNothingToKoa,
  type IsAlone,
  JSON_TYPE,
  setField,
  writeDirectly,
} from './fast-response.js'

/** Returns the last step before a value is sent: it writes the text, wrapped by `prepareResponseContent` of the Blueprint if it is JSON. */
export function bodyStep({ place, attributes: { prepareResponseContent: prepare } }: Route): Step {
  return exchange => {
    exchange.status ||= 200
    // the method's is checked where it is taken, and the descriptor's at registration
    if (!isFinalStatus(exchange.status))
      throw new RangeError(
        `${place}: a feature set the status ${shown(exchange.status)}, a response has one from 200 to 599`,
      )
    const text = hasBody(exchange) ? exchange.text : undefined
    exchange.body =
      prepare && text !== undefined && isJsonType(exchange.mediaType ?? JSON_TYPE)
        ? JSON.stringify(prepare(JSON.parse(text)))
        : text
  }
}

/** Sends a value: directly if nothing else can see the response, otherwise through Koa, for middleware to see. The bytes are the same. */
export function sendValue(exchange: Exchange, isAlone: IsAlone): void {
  const { ctx, status, body, bytes, mediaType = JSON_TYPE } = exchange
  setFields(exchange)
  // Koa frames a 205 otherwise than Node does
  if (status !== 205 && isAlone(ctx)) {
    applyEveryHeader(exchange)
    // a Blueprint may have wrapped the text of which the bytes are
    writeDirectly(
      ctx,
      status,
      bytes !== undefined && body === exchange.text ? bytes : body,
      mediaType,
    )
  } else writeThroughKoa(ctx, status, body, mediaType)
}

/** Sends a complete response, such as one that was kept. */
export function sendComplete(ctx: Context, { status, headers, body }: CompleteResponse): void {
  if (body === null) giveNothingToKoa(ctx, status)
  else {
    ctx.status = status
    ctx.body = typeof body === 'string' ? body : Buffer.from(body)
    // Koa has inferred one
    ctx.remove('Content-Type')
  }
  const fields = new Map<string, string[]>()
  for (const [name, value] of headers)
    fields.set(name.toLowerCase(), [...(fields.get(name.toLowerCase()) ?? []), value])
  for (const [name, values] of fields) {
    // what the response varies by is said by whoever has a part in it
    if (name === 'vary') ctx.vary(values.join(', '))
    else ctx.set(name, values.length === 1 ? (values[0] as string) : values)
  }
}

function hasBody({ status, result }: Exchange): boolean {
  if (NO_CONTENT.has(status)) return false
  // a redirect says all with its Location
  return result !== undefined || status < 300 || status >= 400
}

/** Sends a raw response of a method: a stream, a buffer, a `Response`. */
export function sendRaw(exchange: Exchange): void {
  const { ctx, status, mediaType } = exchange
  for (const [name, value] of fieldsOf(exchange)) setField(ctx, name, value)
  if (status === 304) {
    writeNotModified(ctx)
    return
  }
  if (mediaType) setField(ctx, 'Content-Type', mediaType)
  if (ctx.status !== status) ctx.status = status
}

/** Turns a response into a 304: no content, and no header fields that would describe it. */
export function writeNotModified(ctx: Context): void {
  ctx.response.status = 304
  ctx.response.body = null
  dropFieldsOf304(ctx)
}

function dropFieldsOf304({ res, response }: Context): void {
  for (const name of droppedByNotModified(res.getHeaderNames())) response.remove(name)
}

/** Sets the header fields of a value's response. Fields that the method has set are kept, except those that would frame another body. */
function setFields(exchange: Exchange): void {
  const { ctx, status } = exchange
  // nothing is set yet as a rule, and then nothing has to be looked for
  if (status !== 304)
    for (const name of OTHER_FRAMING) if (ctx.res.hasHeader(name)) ctx.remove(name)
  for (const [name, value] of fieldsOf(exchange)) setField(ctx, name, value)
  if (status === 304) dropFieldsOf304(ctx)
}

/** A text is framed by its length, and Node refuses to send a Trailer with it. */
const OTHER_FRAMING = ['Transfer-Encoding', 'Trailer']

function writeThroughKoa(
  ctx: Context,
  status: number,
  text: string | undefined,
  mediaType: string,
): void {
  if (text === undefined) {
    giveNothingToKoa(ctx, status)
    return
  }
  ctx.response.status = status
  setField(ctx, 'Content-Type', mediaType)
  ctx.response.body = text
}

function fieldsOf({ status, headers }: Exchange): Readonly<Exchange['headers']> {
  return status === 304 ? repeatedByNotModified(headers) : headers
}
