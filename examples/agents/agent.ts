import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

/** What every tool returns: a response. */
export interface Result {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** A client of tools that has the token of its user. */
export class Agent {
  readonly #client = new Client(
    { name: 'agent', version: '1' },
    { versionNegotiation: { mode: 'auto' } },
  )

  async connect(url: URL, token: string): Promise<this> {
    const headers = { Authorization: `Bearer ${token}` }
    await this.#client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
    return this
  }

  /** What a model would choose from. */
  async tools(): Promise<readonly string[]> {
    const { tools } = await this.#client.listTools()
    return tools.map(({ name, title }) => `${name}: ${title}`)
  }

  async call(name: string, given: Readonly<Record<string, unknown>> = {}): Promise<Result> {
    const { structuredContent } = await this.#client.callTool({ name, arguments: given })
    return structuredContent as unknown as Result
  }

  /** Changes what it has read, and reads again if somebody else was faster. */
  async rename(jobId: string, title: string): Promise<Result> {
    const { headers } = await this.call('readJob', { jobId })
    const given = { jobId, 'If-Match': headers.ETag, body: { title } }
    const renamed = await this.call('renameJob', given)
    return renamed.status === 412 ? this.rename(jobId, title) : renamed
  }

  async close(): Promise<void> {
    await this.#client.close()
  }
}
