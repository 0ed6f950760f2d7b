// Operations as tools of the Model Context Protocol: `koa-smorest/mcp`, over
// `@modelcontextprotocol/server` and `light-my-request`, which an application installs itself.
import type { RequestListener } from 'node:http'
import * as t from 'io-ts'
// an application would use the same, so that the package is not cut into more files for this one
import {
  Api,
  Blueprint,
  type Context,
  doc,
  type Feature,
  json,
  MethodView,
  open,
  operation,
  Refusal,
  RegistrationError,
  type Settings,
} from '../index.js'
import { shown } from '../names.js'
import type { JsonObject } from '../openapi/schema/json.js'
import { func, required, requireOptions, string } from '../options.js'
import { operationsOf } from './described.js'
import { isForeign } from './origin.js'
import { loadPeers, respond, type Served } from './serve.js'
import { type Choose, toolsOf } from './tools.js'

export type { Choose, ToolAnnotations, ToolOperation, ToolOptions } from './tools.js'

/** Options of `mcp`. */
export interface McpOptions {
  /** The path of the endpoint: `/mcp`. */
  readonly path: string
  /**
   * Is asked about each documented operation: whether it is a tool. An object gives the tool
   * another name, title or description, or other hints.
   */
  readonly tools: Choose
}

/**
 * Serves chosen operations as tools of the Model Context Protocol:
 * `mcp(api, { path: '/mcp', tools: operation => operation.tags.includes('agents') })`. Call it
 * after `registerBlueprint`: operations that are registered later are not tools.
 *
 * A tool takes the operation's parameters by name and its `body`, and returns
 * `{ status, headers, body }`. A call passes through the whole application with the Authorization,
 * the API keys and the address of its caller, never with cookies.
 *
 * Throws a RegistrationError for operations that do not use JSON, names that two tools have, names
 * that no tool can have, and a path that an operation has. Needs the optional peers
 * @modelcontextprotocol/server and light-my-request; if one is not installed, the process ends with
 * an error that names the command to install it.
 */
export function mcp(api: Api<Settings>, options: McpOptions): void {
  if (!(api instanceof Api))
    throw new TypeError(`mcp(): its first argument must be an Api, not ${shown(api)}`)
  requireOptions('mcp()', options, {
    path: required({
      text: 'a path without parameters, such as "/mcp"',
      fits: value => string.fits(value) && /^\/[^:<]*$/.test(String(value)),
    }),
    tools: required(func),
  })
  const { path } = options
  const document = api.spec.latest as JsonObject
  const operations = operationsOf(document)
  const faults: string[] = []
  const credentials = credentialFields(document)
  const tools = toolsOf(document, operations, credentials, options.tools, fault =>
    faults.push(fault),
  )
  if (faults.length > 0) throw new RegistrationError(`mcp() at ${path}`, faults)
  if (tools.length === 0)
    api.warn(
      `mcp() at ${path} has no tools: tools() has chosen none of ${operations.length} operations. Call mcp() after registerBlueprint()`,
    )
  let listener: RequestListener | undefined
  const served: Served = {
    settings: api.settings,
    tools,
    credentials,
    // when the application is complete
    listener: () => {
      listener ??= api.app.callback() as RequestListener
      return listener
    },
  }
  // it is awaited nowhere until a request comes, so a missing peer ends the process at its start
  const peers = loadPeers()
  class Mcp extends MethodView {
    static post = operation(
      doc({ hidden: true, responses: RESPONSES }),
      open(),
      guarded(api, served),
      json(t.unknown),
    )
    async post(ctx: Context, message: unknown, { signal }: { signal: AbortSignal }) {
      const response = await respond(await peers, served, ctx, message, signal)
      // nobody is there to be told that the call was cancelled
      signal.throwIfAborted()
      return response
    }
  }
  const blueprint = new Blueprint('mcp')
  // to the compiler any string may have parameters
  blueprint.route(path as '/mcp', Mcp)
  api.registerBlueprint(blueprint)
}

/** The responses of the protocol, for the check of responses in development. */
const RESPONSES = {
  200: {
    description: 'A message, or a stream of them',
    content: { 'application/json': {}, 'text/event-stream': {} },
  },
  202: { description: 'A notification was received' },
}

/**
 * The header fields, in lower case, that security schemes of a document read, but never cookies.
 */
function credentialFields({ components }: JsonObject): ReadonlySet<string> {
  const { securitySchemes = {} } = Object(components) as {
    securitySchemes?: Record<string, { type?: string; in?: string; name?: string }>
  }
  const keys = Object.values(securitySchemes).flatMap(({ type, in: location, name = '' }) =>
    type === 'apiKey' && location === 'header' ? [name.toLowerCase()] : [],
  )
  return new Set(['authorization', ...keys].filter(name => name !== 'cookie'))
}

/**
 * Refuses pages of other origins, and, if nobody may call any tool without credentials, requests
 * that have none: clients of the protocol ask their users for credentials then.
 */
function guarded(
  { spec }: Api<Settings>,
  { tools, credentials }: Served,
): Feature<Record<never, never>> {
  const isSecured = tools.length > 0 && tools.every(({ operation }) => operation.isSecured)
  const challenges = [
    ...new Set(tools.flatMap(({ operation: { method, path } }) => spec.challengesOf(method, path))),
  ]
  return {
    on: () => [
      {
        stage: 'access',
        step({ ctx }) {
          if (isForeign(ctx))
            return new Refusal(403, { message: 'Pages of other origins may not call tools.' })
          const hasCredentials = [...credentials].some(name => ctx.req.headers[name] !== undefined)
          if (isSecured && !hasCredentials)
            return new Refusal(401, { headers: { 'WWW-Authenticate': challenges } })
          return undefined
        },
      },
    ],
  }
}
