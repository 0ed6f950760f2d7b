import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as t from 'io-ts'
import {
  Api,
  Application,
  Blueprint,
  type Context,
  events,
  int,
  lines,
  operation,
  struct,
} from 'koa-smorest'

// Streams with koa-smorest and by hand. The events of `/ticks` are the tenths of a second, so that
// a server that starts again has those that it missed; those of `/bursts` come when they are asked
// for.

/** What is left of streams, and what they have cost. */
export interface StreamsLook {
  readonly generators: number
  readonly listeners: number
  readonly timers: number
  readonly sockets: number
  readonly cpuMs: number
}

const Row = struct({ id: int, title: t.string, done: t.boolean, tags: t.array(t.string) }, 'Row')
const row = (id: number) => ({ id, title: `Row ${id}`, done: id % 2 === 0, tags: ['a', 'b'] })

const TICK = 100
const now = () => Math.floor(Date.now() / TICK)

let generators = 0

/** Who waits for a burst: all have the same promise. */
let burst = deferred<number>()
function deferred<T>() {
  let resolve: (value: T) => void = () => undefined
  const promise = new Promise<T>(give => {
    resolve = give
  })
  return { promise, resolve }
}

/** Waits, for at most a tick; a signal ends it. */
function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const give = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', give)
      resolve()
    }, TICK)
    signal.addEventListener('abort', give, { once: true })
  })
}

type Named = { readonly lastEventId?: number; readonly signal: AbortSignal }

const streams = new Blueprint('streams')
  .get(
    '/ticks',
    operation(events(int, { id: int, heartbeat: '1s', retry: '200ms' })),
    async function* (_: Context, { lastEventId = now() - 1, signal }: Named) {
      generators++
      try {
        for (let tick = lastEventId + 1; ; tick++) {
          while (tick > now()) await pause(signal)
          yield { data: tick, id: tick }
        }
      } finally {
        generators--
      }
    },
  )
  .get('/bursts', operation(events(Row)), async function* (_: Context) {
    generators++
    try {
      for (;;) yield row(await burst.promise)
    } finally {
      generators--
    }
  })
  .get('/lines', operation(lines(Row)), function* (ctx: Context) {
    const count = Number(ctx.get('X-Count'))
    for (let id = 0; id < count; id++) yield row(id)
  })

const app = new Application()
const api = new Api(app, { OPENAPI_VERSION: '3.2.0' }).registerBlueprint(streams)
const handle = app.callback()

const watching = new Set<ServerResponse>()

async function linesByHand(response: ServerResponse, count: number): Promise<void> {
  response.writeHead(200, { 'Content-Type': 'application/jsonl' })
  let batch = ''
  for (let id = 0; id < count; id++) {
    batch += `${JSON.stringify(row(id))}\n`
    if (batch.length < 16 * 1024) continue
    if (!response.write(batch)) await once(response, 'drain')
    batch = ''
  }
  response.end(batch)
}

const server = createServer((request, response) => {
  if (request.url === '/by-hand/bursts') {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(':\n\n')
    watching.add(response)
    response.on('close', () => watching.delete(response))
  } else if (request.url === '/by-hand/lines')
    void linesByHand(response, Number(request.headers['x-count']))
  else void handle(request, response)
})
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1')
await once(server, 'listening')
process.send?.({ port: (server.address() as AddressInfo).port })

process.on('message', (message: unknown) => {
  if (message === 'look') {
    const { user, system } = process.cpuUsage()
    const resources = process.getActiveResourcesInfo()
    const count = (name: string) => resources.filter(resource => resource === name).length
    process.send?.({
      generators,
      listeners: watching.size,
      timers: count('Timeout'),
      sockets: count('TCPSocketWrap'),
      cpuMs: (user + system) / 1000,
    } satisfies StreamsLook)
  }
  if (typeof message === 'number') {
    const { resolve } = burst
    burst = deferred()
    resolve(message)
    for (const response of watching) response.write(`data: ${JSON.stringify(row(message))}\n\n`)
  }
})
process.on('SIGTERM', () => {
  api.stop()
  server.close(() => process.exit(0))
  server.closeIdleConnections()
})
