import createClient, { type Middleware } from 'openapi-fetch'

/** What a scripted server sends, and what it was sent. */
export type Script = (request: Request) => Response | Promise<Response>

/**
 * Paths without types, for specs of what is sent: each has every method, any parameters and any
 * body.
 */
interface AnyOperation {
  parameters: {
    query?: Record<string, unknown>
    header?: Record<string, string>
    path?: Record<string, string | number>
  }
  requestBody?: { content: { 'application/json': unknown } }
  responses: { 200: { content: { 'application/json': unknown } } }
}
type AnyPath = Record<
  'get' | 'put' | 'post' | 'patch' | 'delete' | 'head' | 'options',
  AnyOperation
>
export type AnyPaths = Record<'/pets/' | '/pets/{id}', AnyPath>

/** A client whose server is a function; `requests` are those that reached it. */
export function scripted(script: Script, ...middleware: readonly Middleware[]) {
  const requests: Request[] = []
  const client = createClient<AnyPaths>({
    baseUrl: 'http://shop.test',
    fetch: async request => {
      // what was sent is looked at when its body is used up
      requests.push(request.clone())
      const response = await script(request)
      return Object.defineProperty(response, 'url', { value: request.url })
    },
  })
  client.use(...middleware)
  return { client, requests }
}

/** A response with a JSON body. */
export function jsonResponse(
  body: unknown,
  headers: Record<string, string> = {},
  status = 200,
): Response {
  return Response.json(body, { status, headers })
}

export const notModified = (headers: Record<string, string> = {}) =>
  new Response(null, { status: 304, headers })
