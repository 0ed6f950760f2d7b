import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type Koa from 'koa'
import { afterAll } from 'vitest'

/** What a call gives: the content of the result, and whether it is an error. */
export interface Called {
  readonly isError: boolean
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  // what a spec expects of a body is said by its assertions
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly body?: any
}

const closing: (() => unknown)[] = []
// clients first
afterAll(async () => {
  for (const close of closing.reverse()) await close()
})

/** Serves an application on a port of this machine; returns the URL of its tools. */
export async function served(app: Koa): Promise<URL> {
  const server: Server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => {
    server.closeAllConnections()
    return new Promise(resolve => server.close(resolve))
  })
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`)
}

/** Connects a client of the protocol, which sends these header fields with each request. */
export async function connected(
  url: URL,
  headers: Readonly<Record<string, string>> = {},
  mode: 'auto' | 'legacy' = 'auto',
) {
  const client = new Client({ name: 'spec', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
  closing.push(() => client.close())
  return {
    client,
    async call(name: string, given: Readonly<Record<string, unknown>> = {}): Promise<Called> {
      const { isError = false, structuredContent } = await client.callTool({
        name,
        arguments: given,
      })
      return { isError, ...(structuredContent as unknown as Omit<Called, 'isError'>) }
    },
  }
}
