// A WHATWG `Response` as the result of a method: `return fetch(…)` passes another server's response on.
import { Readable } from 'node:stream'
import type { ReadableStream as WebStream } from 'node:stream/web'
import type { Context } from '../contract/exchange.js'
import { HOP_BY_HOP } from '../http/framing.js'
import { isFinalStatus } from '../http/status.js'
import { giveNothingToKoa } from './fast-response.js'

/** Copies status, header fields and body of a `Response` to Koa, without the framing of its own connection. */
export function giveToKoa(ctx: Context, response: Response, place: string): void {
  if (response.bodyUsed || response.body?.locked)
    throw new TypeError(
      `${place}: the method returned a Response whose body was read already: return its clone(), or a new Response`,
    )
  if (!isFinalStatus(response.status))
    throw new RangeError(
      `${place}: the method returned a Response of status ${response.status}, as Response.error() does: return a new Response with one from 200 to 599, or call abort(502)`,
    )
  const listed = listedIn(response.headers.get('Connection'))
  if (response.body === null) giveNothingToKoa(ctx, response.status)
  else ctx.status = response.status
  for (const [name, value] of response.headers) {
    // the iterator gives every Set-Cookie its own line; Koa's setter would join them
    if (!HOP_BY_HOP.has(name) && !listed.has(name) && !isOfOtherBytes(name, response))
      ctx.append(name, value)
  }
  if (response.body !== null) ctx.body = streamOf(response.body)
}

/**
 * A stream that Koa releases: of a web stream that nobody reads to its end (a HEAD request, a 304, an error in its place) it lets the
 * source wait for ever, and it takes one for an object of two bytes when it says how long the response to HEAD would be.
 */
export function streamOf(stream: ReadableStream): Readable {
  return Readable.fromWeb(stream as WebStream)
}

/** Returns the names that a Connection field lists as hop-by-hop. */
function listedIn(connection: string | null): ReadonlySet<string> {
  return new Set((connection ?? '').split(',').map(name => name.trim().toLowerCase()))
}

/**
 * Returns whether a field describes the bytes as received: `fetch` has decoded them (only it sets `url`), and their number is unknown until
 * they have passed. A Response that a method created from compressed bytes keeps its Content-Encoding.
 */
function isOfOtherBytes(name: string, { url }: Response): boolean {
  return name === 'content-length' || (name === 'content-encoding' && url !== '')
}
