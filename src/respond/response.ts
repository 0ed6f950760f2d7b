// The last step of an operation: passes status, header fields and body to Node, through Koa or
// directly.
import { Readable } from 'node:stream'
import type {
  Context,
  Exchange,
  ResultStream,
  SelectedRepresentation,
} from '../feature-api/exchange.js'
import type { Route } from '../feature-api/feature.js'
import type { CompleteResponse, Step, StepResult } from '../feature-api/step.js'
import { combineCacheControl } from '../http/cache-control.js'
import { isFinalStatus, NO_CONTENT } from '../http/framing.js'
import { isJsonType } from '../http/media-type.js'
import { droppedByNotModified, repeatedByNotModified } from '../http/not-modified.js'
import { shown } from '../names.js'
import {
  applyEveryHeader,
  giveNothingToKoa,
  type IsAlone,
  JSON_TYPE,
  joined,
  setField,
  writeDirectly,
} from './fast-response.js'
import { bodyOf, breakOff, dropStream } from './stream.js'
import { reportFault } from './thrown.js'

/**
 * Returns the last step before a value is sent: it writes the body, wrapped by
 * `prepareResponseContent` of the Blueprint if it is JSON.
 */
export function bodyStep({
  place,
  attributes: { prepareResponseContent: prepare },
}: Pick<Route, 'place' | 'attributes'>): Step {
  return exchange => {
    exchange.status ||= 200
    // the method's status has been checked in settle, the descriptor's at registration
    if (!isFinalStatus(exchange.status))
      throw new RangeError(
        `${place}: a feature set the status ${shown(exchange.status)}, a response has one from 200 to 599`,
      )
    const text = exchange.stream === undefined && hasBody(exchange) ? exchange.text : undefined
    const { representation } = exchange
    if (representation && text !== undefined) {
      represent(exchange, representation, JSON.parse(text), place)
      return
    }
    exchange.body =
      prepare && text !== undefined && isJsonType(exchange.mediaType ?? JSON_TYPE)
        ? JSON.stringify(prepare(JSON.parse(text)))
        : text
  }
}

/** After how many milliseconds a client that takes nothing of a representation is disconnected. */
const STALL = 60_000

/**
 * Writes the selected representation of a value; an iterable becomes the stream of the response.
 */
function represent(
  exchange: Exchange,
  { mediaType, write }: SelectedRepresentation,
  value: unknown,
  place: string,
): void {
  const written: unknown = write(value, exchange)
  exchange.mediaType = mediaType
  if (typeof written === 'string' || written instanceof Uint8Array) exchange.body = written
  else if (typeof Object(written)[Symbol.asyncIterator] === 'function')
    exchange.stream = { mediaType, body: written as AsyncIterable<string>, stall: STALL }
  else
    throw new TypeError(
      `${place}: write() of the representation ${mediaType} must return a string, a Uint8Array or an async iterable of them, not ${shown(written)}`,
    )
}

/**
 * Sends a value: directly if nothing else can see the response, otherwise through Koa, for
 * middleware to see. The bytes are the same.
 */
export function sendValue(exchange: Exchange, isAlone: IsAlone): StepResult {
  if (exchange.stream) {
    if (!NO_CONTENT.has(exchange.status)) return sendStream(exchange, exchange.stream)
    dropStream(exchange)
  }
  const { ctx, status, body, bytes, mediaType = JSON_TYPE } = exchange
  setFields(exchange)
  // Koa frames a 205 differently from Node, and the error boundary sees cookies only behind Koa
  if (body instanceof Uint8Array) {
    writeThroughKoa(ctx, status, Buffer.from(body.buffer, body.byteOffset, body.length), mediaType)
  } else if (status !== 205 && isAlone(ctx) && !ctx.res.hasHeader('Set-Cookie')) {
    applyEveryHeader(exchange)
    // a Blueprint may have wrapped the string, so that the bytes are out of date
    writeDirectly(
      ctx,
      status,
      bytes !== undefined && body === exchange.text ? bytes : body,
      mediaType,
    )
  } else writeThroughKoa(ctx, status, body, mediaType)
  return undefined
}

function sendStream(exchange: Exchange, stream: ResultStream): StepResult {
  const { ctx, status } = exchange
  const refusal = exchange.beginStream()
  if (refusal) {
    dropStream(exchange)
    return refusal
  }
  setFields(exchange)
  ctx.response.status = status
  setField(ctx, 'Content-Type', stream.mediaType)
  ctx.response.body = bodyOf(exchange, stream)
  // from here on Koa has it
  exchange.stream = undefined
  return undefined
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
    // several features and the application may add to Vary
    if (name === 'vary') ctx.vary(values.join(', '))
    else ctx.set(name, values.length === 1 ? (values[0] as string) : values)
  }
}

function hasBody({ status, result }: Exchange): boolean {
  if (NO_CONTENT.has(status)) return false
  // a redirect needs only its Location
  return result !== undefined || status < 300 || status >= 400
}

/** Sends a raw response of a method: a stream, a buffer, a `Response`. */
export function sendRaw(exchange: Exchange): void {
  const { ctx, status, mediaType } = exchange
  setOwnFields(exchange)
  if (status === 304) {
    writeNotModified(ctx)
    return
  }
  if (mediaType) setField(ctx, 'Content-Type', mediaType)
  if (ctx.body instanceof Readable) breakOffWith(ctx, ctx.body)
  if (ctx.status !== status) ctx.status = status
}

/**
 * Middleware that wraps a stream, as koa-compress does, may not notice that it fails: the response
 * would never end.
 */
function breakOffWith(ctx: Context, stream: Readable): void {
  stream.once('error', error => {
    // Koa itself sees what it sends
    if (ctx.body === stream || ctx.res.writableEnded) return
    reportFault(ctx, error)
    breakOff(ctx)
  })
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

/**
 * Sets the header fields of a value's response. Fields that the method has set are kept, except
 * those that would frame another body.
 */
function setFields(exchange: Exchange): void {
  const { ctx, status } = exchange
  // nothing is set yet as a rule, and then nothing has to be looked for
  if (status !== 304)
    for (const name of OTHER_FRAMING) if (ctx.res.hasHeader(name)) ctx.remove(name)
  setOwnFields(exchange)
  if (status === 304) dropFieldsOf304(ctx)
}

/**
 * Sets the header fields of the features. Cache-Control and Vary are combined with what the method,
 * middleware and other features have set; the ages are those of the last feature.
 */
function setOwnFields(exchange: Exchange): void {
  const { ctx } = exchange
  for (const [name, value] of fieldsOf(exchange)) {
    const lower = name.toLowerCase()
    const isList = lower === 'cache-control' || lower === 'vary'
    const present = isList ? ctx.res.getHeader(name) : undefined
    if (present === undefined) setField(ctx, name, value)
    else if (lower === 'vary') setField(ctx, name, joined(name, present, value))
    else setField(ctx, name, combineCacheControl(value, String(present)))
  }
}

/** A string is framed by its length, and Node refuses to send a Trailer with it. */
const OTHER_FRAMING = ['Transfer-Encoding', 'Trailer']

function writeThroughKoa(
  ctx: Context,
  status: number,
  text: string | Buffer | undefined,
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
