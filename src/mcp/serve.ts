// Speaks the protocol: each request has a server of its own, which lists tools and calls them.
import type { RequestListener } from 'node:http'
import type { Context } from '../feature-api/exchange.js'
import { errorForms } from '../http/errors/error-forms.js'
import { suggestion } from '../names.js'
import { missingPeer } from '../peers.js'
import { errorOf } from '../respond/thrown.js'
import type { Settings } from '../settings.js'
import {
  type Arguments,
  asSecureAs,
  bodyOf,
  call,
  callerOf,
  type Misuse,
  misuseOf,
  type Result,
  type Send,
} from './call.js'
import type { Tool } from './tools.js'

/** The data that the tools of an Api are served from. */
export interface Served {
  readonly settings: Settings
  readonly tools: readonly Tool[]
  /** The fields that credentials are sent in, in lower case. */
  readonly credentials: ReadonlySet<string>
  /** The whole application. */
  readonly listener: () => RequestListener
}

/** The optional peers, loaded. */
interface Peers {
  readonly protocol: typeof import('@modelcontextprotocol/server')
  readonly inject: typeof import('light-my-request').default
}

/** Loads the optional peers. Rejects with an error that names the command to install them. */
export async function loadPeers(): Promise<Peers> {
  const [protocol, { default: inject }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('light-my-request'),
  ]).catch(missingPeer('mcp()', 'npm install @modelcontextprotocol/server light-my-request'))
  return { protocol, inject }
}

/** Responds to one message of a client, which has been read already. */
export function respond(
  peers: Peers,
  served: Served,
  ctx: Context,
  message: unknown,
  signal: AbortSignal,
): Promise<Response> {
  const { createMcpHandler, Server, ProtocolError, ProtocolErrorCode } = peers.protocol
  const { API_TITLE = 'API', API_VERSION = '1' } = served.settings
  const { tools } = served
  const serverOf = () => {
    const server = new Server(
      { name: String(API_TITLE), version: String(API_VERSION) },
      { capabilities: { tools: {} } },
    )
    server.setRequestHandler('tools/list', () => ({ tools: tools.map(({ listed }) => listed) }))
    server.setRequestHandler('tools/call', async ({ params: { name, arguments: given = {} } }) => {
      const tool = tools.find(({ listed }) => listed.name === name)
      if (!tool) {
        const names = tools.map(({ listed }) => listed.name)
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          `There is no tool ${JSON.stringify(name)}${suggestion(name, names)}`,
        )
      }
      try {
        return shownToModel(await resultOf(tool, given))
      } catch (error) {
        if (!signal.aborted) ctx.app.emit('error', errorOf(error), ctx)
        // its message may tell a client too much
        throw new ProtocolError(ProtocolErrorCode.InternalError, 'The call has failed')
      }
    })
    return server
  }
  const resultOf = async (tool: Tool, given: Arguments): Promise<Result> => {
    const misuse = misuseOf(tool, given)
    if (misuse) return refusalOf(misuse, served.settings)
    const caller = callerOf(ctx, served.credentials)
    const send: Send = options =>
      inMemory(peers, asSecureAs(ctx, served.listener()), options, signal)
    return call(tool, given, caller, send)
  }
  // tools never change, so nobody needs to wait for news of them
  const handler = createMcpHandler(serverOf, { maxSubscriptions: 0 })
  return handler.fetch(requestOf(ctx, signal), { parsedBody: message })
}

/** A client that leaves ends the call. */
async function inMemory(
  { inject }: Peers,
  listener: RequestListener,
  options: Parameters<Send>[0],
  signal: AbortSignal,
): ReturnType<Send> {
  signal.throwIfAborted()
  const left = new AbortController()
  // a signal that is aborted while the injection begins would break it
  const leave = () => setImmediate(() => left.abort())
  signal.addEventListener('abort', leave, { once: true })
  try {
    return await inject(listener as Parameters<typeof inject>[0], {
      ...options,
      signal: left.signal,
    })
  } finally {
    signal.removeEventListener('abort', leave)
  }
}

/** Writes a call that is not carried out like an error of the Api. */
function refusalOf(
  { message, location, messages }: Misuse,
  { API_ERRORS, API_PROBLEM_BASE }: Settings,
): Result {
  const { form } = errorForms(API_ERRORS, API_PROBLEM_BASE).choose('application/json')
  const text = form.text({ code: 422, message, errors: { [location]: messages } })
  return { status: 422, headers: {}, body: bodyOf(text, form.mediaType) }
}

function shownToModel(result: Result) {
  return {
    content: [{ type: 'text' as const, text: JSON.stringify(result) }],
    structuredContent: { ...result },
    ...(result.status >= 400 && { isError: true }),
  }
}

/** Returns a request with the fields that the protocol is about, and with no credentials. */
function requestOf(ctx: Context, signal: AbortSignal): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(ctx.req.headers))
    if (name === 'accept' || name === 'content-type' || name.startsWith('mcp-'))
      headers.set(name, String(value))
  return new Request(`http://localhost${ctx.path}`, { method: 'POST', headers, signal })
}
