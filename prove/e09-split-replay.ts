import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { Exchange, Variables } from '../spec/conformance/exchange.js'
import { toRequest } from '../spec/conformance/request.js'
import { createServer as createReference } from '../spec/reference/server.js'
import { items, pets } from '../spec/reference/state.js'
import { requestBytes } from '../spec/support/wire.js'
import { experiment, scale } from './experiment.js'
import { deliver } from './fake-socket.js'

// 300 recorded requests to the reference application, each cut in two at every byte: the answer is
// the same, but for its date.

const REQUESTS = 300
const LONGEST = 600
/** What a client says of itself. */
const CLIENT = {
  'User-Agent': 'prove/1',
  Accept: 'application/json',
  'Accept-Language': 'en, de',
  'X-Request-Id': '0123456789abcdef',
  Connection: 'close',
}
/**
 * How many answers to requests that change nothing are waited for at once; some of `/etags/` count
 * how often they are read.
 */
const WIDTH = 16

await experiment('E9', 'split replay', async scope => {
  const answer = createReference().callback()
  const server = createServer((request, response) => void answer(request, response))
  const send = async (...pieces: Buffer[]) => {
    pets.reset()
    items.reset()
    return (await deliver(server, pieces)).toString('latin1').replace(/\r\nDate: [^\r]+/, '')
  }
  const requests = recordedRequests()
  let deliveries = 0
  const different: string[] = []
  for (const bytes of requests) {
    const whole = await send(bytes)
    const cuts = Array.from(
      { length: Math.ceil((bytes.length - 1) / scale) },
      (_, index) => 1 + index * scale,
    )
    deliveries += cuts.length
    const width = /^(?:GET|HEAD|OPTIONS) (?!\S*\/etags\/)/.test(bytes.toString('latin1', 0, 40))
      ? WIDTH
      : 1
    while (cuts.length > 0) {
      const some = cuts.splice(0, width)
      const answers = await Promise.all(
        some.map(cut => send(bytes.subarray(0, cut), bytes.subarray(cut))),
      )
      for (const [index, answered] of answers.entries()) {
        if (answered !== whole)
          different.push(`${bytes.toString('latin1', 0, 60)} at ${some[index]}`)
      }
    }
  }
  scope.figure('requests', requests.length, { atLeast: REQUESTS })
  scope.figure('deliveries', deliveries, { atLeast: 60_000 / scale })
  scope.figure('answers that differ', different.length, { exactly: 0 })
  scope.figure('the first that differ', different.slice(0, 3).join('; '))
})

/** Recorded requests as bytes, of every kind, the connection to be closed after each. */
function recordedRequests(): Buffer[] {
  const file = new URL('../spec/conformance/exchanges.visible.json', import.meta.url)
  const exchanges = JSON.parse(readFileSync(file, 'utf8')) as Exchange[]
  const variables: Variables = new Map()
  const all = exchanges.map(({ request }) => {
    const { method, path, headers, body } = toRequest(request, variables)
    const lines = Object.entries({ ...CLIENT, ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    )
    return requestBytes(method, path, lines, body && Buffer.from(body))
  })
  const short = all.filter(({ length }) => length <= LONGEST)
  // one of every few, so that all kinds are there
  return Array.from(
    { length: REQUESTS },
    (_, index) => short[Math.floor((index * short.length) / REQUESTS)] as Buffer,
  )
}
