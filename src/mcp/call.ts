// Carries out the call of a tool: as a request to the whole application, in memory.
import type { RequestListener } from 'node:http'
import type inject from 'light-my-request'
import type { Context } from '../feature-api/exchange.js'
import { isJsonType } from '../http/media-type.js'
import { isObject } from '../openapi/schema/json.js'
import type { DescribedParameter } from './described.js'
import { FORWARDED, type Tool } from './tools.js'

/** The arguments of a call by name, as a model has written them. */
export type Arguments = Readonly<Record<string, unknown>>

/** The result for a model: a response. */
export interface Result {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Absent if the response has no content. */
  readonly body?: unknown
}

/** Why a call is not carried out: messages by argument, and a sentence for the model. */
export interface Misuse {
  readonly message: string
  readonly location: 'arguments' | 'path' | 'headers'
  readonly messages: Readonly<Record<string, readonly string[]>>
}

/** Returns why a call cannot be carried out; undefined if the operation is to judge it. */
export function misuseOf({ parameters, mediaType }: Tool, given: Arguments): Misuse | undefined {
  const names = [...parameters.keys(), ...(mediaType === undefined ? [] : ['body'])]
  const unknown = Object.keys(given).filter(name => !names.includes(name))
  if (unknown.length > 0)
    return {
      message:
        names.length > 0
          ? `The arguments of this tool are ${names.join(', ')}.`
          : 'This tool has no arguments.',
      location: 'arguments',
      messages: Object.fromEntries(unknown.map(name => [name, ['Unknown field.']])),
    }
  for (const { name, in: location } of parameters.values()) {
    const value = given[name] ?? undefined
    if (location === 'path' && value === undefined)
      return {
        message: `The argument ${name} is missing.`,
        location,
        messages: { [name]: ['Missing data for required field.'] },
      }
    if (location === 'path' && UNSAFE_SEGMENTS.has(textOf(value)))
      return refused('path', name, value)
    // no request over a connection can have it
    if (location === 'header' && value !== undefined && /[\0\r\n]/.test(textOf(value)))
      return refused('headers', name, value)
  }
  return undefined
}

/** As segments they would lead to another path (RFC 3986, section 5.2.4). */
const UNSAFE_SEGMENTS = new Set(['', '.', '..'])

const refused = (location: Misuse['location'], name: string, value: unknown): Misuse => ({
  message: `The argument ${name} cannot be sent.`,
  location,
  messages: { [name]: [`May not be ${JSON.stringify(value)}.`] },
})

/** Sends requests to an application in memory. */
export type Send = (options: inject.InjectOptions) => Promise<inject.Response>

/** Calls a tool with the credentials and the address of its caller. */
export async function call(
  tool: Tool,
  given: Arguments,
  caller: inject.InjectOptions,
  send: Send,
): Promise<Result> {
  const { operation, parameters, mediaType } = tool
  const own: Record<string, string> = { accept: 'application/json' }
  const pairs: string[] = []
  for (const [name, parameter] of parameters) {
    const value = given[name]
    if (value === undefined || value === null) continue
    if (parameter.in === 'header') own[name.toLowerCase()] = textOf(value)
    if (parameter.in === 'query') pairs.push(...queryPairs(parameter, value))
  }
  const path = operation.path.replace(/\{([^{}]+)\}/g, (_whole, name: string) =>
    encodeURIComponent(textOf(given[name])),
  )
  const hasBody = mediaType !== undefined && given.body !== undefined
  if (hasBody) own['content-type'] = mediaType
  const response = await send({
    ...caller,
    method: operation.method as NonNullable<inject.InjectOptions['method']>,
    url: pairs.length > 0 ? `${path}?${pairs.join('&')}` : path,
    headers: { ...own, ...caller.headers },
    ...(hasBody && { payload: JSON.stringify(given.body) }),
  })
  return resultOf(tool, response)
}

function resultOf(
  { fields }: Tool,
  { statusCode, headers, payload }: Pick<inject.Response, 'statusCode' | 'headers' | 'payload'>,
): Result {
  const kept = Array.from(fields, ([field, name]) => [name, headers[field]] as const)
  return {
    status: statusCode,
    headers: Object.fromEntries(
      kept.flatMap(([name, value]) =>
        value === undefined ? [] : [[name, [value].flat().join(', ')]],
      ),
    ),
    ...(payload !== '' && { body: bodyOf(payload, String(headers['content-type'] ?? '')) }),
  }
}

/**
 * Returns the value of a body. Middleware may send something else than JSON, which stays a string.
 */
export function bodyOf(payload: string, contentType: string): unknown {
  return isJsonType(contentType) ? JSON.parse(payload) : payload
}

/** Writes a parameter of a query as documented (OpenAPI 3.2, section 4.12.2). */
function queryPairs(parameter: DescribedParameter, value: unknown): readonly string[] {
  const { name, style = 'form', explode = style === 'form', content } = parameter
  if (content) return [pair(name, JSON.stringify(value))]
  if (style === 'deepObject') return deepPairs(name, value)
  return Array.isArray(value) && explode
    ? value.map(item => pair(name, textOf(item)))
    : [pair(name, textOf(value))]
}

function deepPairs(name: string, value: unknown): readonly string[] {
  if (Array.isArray(value))
    return value.flatMap((item, index) =>
      deepPairs(`${name}[${isObject(item) ? index : ''}]`, item),
    )
  return isObject(value)
    ? Object.entries(value).flatMap(([key, inner]) => deepPairs(`${name}[${key}]`, inner))
    : [pair(name, textOf(value))]
}

const pair = (name: string, value: string): string =>
  `${encodeURIComponent(name)}=${encodeURIComponent(value)}`

/** Writes a value that is not sent as JSON; lists are separated by commas. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(',')
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}

/** The part of a call that is its caller's: credentials, host and address. */
export function callerOf(ctx: Context, credentials: ReadonlySet<string>): inject.InjectOptions {
  const { proxyIpHeader = '' } = ctx.app as { proxyIpHeader?: string }
  const names = new Set([...credentials, ...FORWARDED, proxyIpHeader.toLowerCase(), 'host'])
  const headers: Record<string, string> = {}
  const { rawHeaders } = ctx.req
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] as string).toLowerCase()
    const value = rawHeaders[index + 1] as string
    // credentials that are sent twice must not look like one
    if (names.has(name)) headers[name] = name in headers ? `${headers[name]}, ${value}` : value
  }
  headers.host ??= ctx.host
  const { remoteAddress } = ctx.req.socket
  return { headers, ...(remoteAddress !== undefined && { remoteAddress }) }
}

/**
 * Returns a listener to whose application the calls of an encrypted connection are encrypted, too.
 */
export function asSecureAs(ctx: Context, listener: RequestListener): RequestListener {
  if (!('encrypted' in ctx.req.socket)) return listener
  return (req, res) => {
    Object.defineProperty(req.socket, 'encrypted', { value: true })
    listener(req, res)
  }
}
