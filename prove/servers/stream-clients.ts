import { get } from 'node:http'
import { events } from 'koa-smorest/client'
import createClient from 'openapi-fetch'

// Clients of an event stream, in a process of their own: those of `/ticks` are the library's and
// notice what they miss, others take what comes.

/** What the clients have received. */
export interface StreamClientsLook {
  /** Clients that have received an event. */
  readonly begun: number
  readonly received: number
  /** Ticks that are missing, or that have come twice. */
  readonly wrong: number
  /** The last tick that all have. */
  readonly last: number
}

interface Paths {
  '/ticks': { get: { responses: { 200: { content: { 'text/event-stream': string } } } } }
}

const [port = '', path = '', count = ''] = process.argv.slice(2)
const lasts = new Map<number, number>()
let [received, wrong] = [0, 0]

async function follow(index: number): Promise<void> {
  const client = createClient<Paths>({ baseUrl: `http://127.0.0.1:${port}` })
  for await (const item of events(client, '/ticks')) {
    const { data } = item as { data: number }
    const last = lasts.get(index)
    if (last !== undefined && data !== last + 1) wrong++
    lasts.set(index, data)
    received++
  }
}

for (let index = 0; index < Number(count); index++)
  if (path === '/ticks') void follow(index)
  else
    get({ host: '127.0.0.1', port, path, agent: false }, response =>
      response.on('data', () => {
        lasts.set(index, 0)
        received++
      }),
    ).on('error', () => undefined)

process.on('message', () =>
  process.send?.({
    begun: lasts.size,
    received,
    wrong,
    last: Math.min(...lasts.values()),
  } satisfies StreamClientsLook),
)
process.on('disconnect', () => process.exit())
