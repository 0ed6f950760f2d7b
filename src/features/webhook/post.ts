// Requests to URLs that others have chosen. fetch cannot check the address that it connects to, and
// a name that is looked up before may have another address when fetch looks it up again.
import type { lookup } from 'node:dns'
import type { IncomingMessage } from 'node:http'
import { isIP, type LookupFunction } from 'node:net'
import { NO_CONTENT } from '../../http/failure.js'
import { isPublicAddress } from '../../http/ip-address.js'

export interface Post {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Milliseconds until the response must be there. */
  readonly timeout: number
  /** Whether it may be sent to addresses that are not public. */
  readonly allowPrivate: boolean
  /** Finds the addresses of a name. Default: that of `node:dns`. */
  readonly lookup?: typeof lookup
}

/** How many bytes of the body of a response are kept. */
const KEPT = 65_536

/**
 * Sends a POST to an http or https URL and returns the response, whatever its status; a redirect is
 * not followed. The body of the response ends after 64 KiB, or when the time is over. Rejects if
 * the address is not public, nothing answers, or the time is over before the response has begun.
 */
export async function post(
  url: URL,
  { headers, body, timeout, allowPrivate, lookup }: Post,
): Promise<Response> {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new TypeError(`the URL must begin with http: or https:, not with ${url.protocol}`)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  // node:net looks up names only
  if (!allowPrivate && isIP(host) && !isPublicAddress(host)) throw notPublic(host)
  // few applications send webhooks, and loading TLS and DNS would slow down every start
  const { request } = await (url.protocol === 'https:' ? import('node:https') : import('node:http'))
  const find = lookup ?? (await import('node:dns')).lookup
  const sent = request(url, {
    method: 'POST',
    headers: { ...headers, 'Content-Length': Buffer.byteLength(body) },
    // a connection of its own: one that is kept may have been made with allowPrivate
    agent: false,
    lookup: (allowPrivate ? find : onlyPublic(find)) as LookupFunction,
  })
  const timer = setTimeout(
    () => sent.destroy(new Error(`there was no response within ${timeout} ms`)),
    timeout,
  )
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      sent.on('error', reject).once('response', resolve).end(body)
    })
    const { statusCode: status = 0, statusMessage: statusText = '', rawHeaders } = response
    const text = await beginningOf(response)
    return new Response(NO_CONTENT.has(status) ? null : text, {
      status,
      statusText,
      headers: pairsOf(rawHeaders),
    })
  } finally {
    clearTimeout(timer)
    sent.destroy()
  }
}

/**
 * Reads the part of a body that is kept; one that breaks off ends there, since its status is known.
 */
async function beginningOf(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      size += chunk.length
      if (size >= KEPT) break
    }
  } catch {}
  return Buffer.concat(chunks).subarray(0, KEPT)
}

/** A lookup that fails if one of the addresses is not public. */
function onlyPublic(find: typeof lookup): LookupFunction {
  return (hostname, options, callback) =>
    find(hostname, { ...options, all: true }, (error, addresses = []) => {
      const closed = addresses.find(({ address }) => !isPublicAddress(address))
      const [first] = addresses
      if (error) callback(error, [])
      else if (closed) callback(notPublic(`${closed.address}, an address of ${hostname},`), [])
      else if (options.all) callback(null, addresses)
      else callback(null, first?.address ?? '', first?.family)
    })
}

const notPublic = (address: string): Error =>
  new Error(`${address} is not a public address: allowPrivate: true sends to it all the same`)

const pairsOf = (raw: readonly string[]): [string, string][] =>
  raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? '']] : []))
