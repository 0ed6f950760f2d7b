import { connect } from 'node:net'
import { STAFF_LINE } from '../credentials.js'

// Clients that take their time, in a process of their own: half of them never end their header
// fields, half bring a body byte by byte, until the server closes them.

/** What slow clients have lived to see. */
export interface SlowClients {
  readonly opened: number
  /** How many the server has closed. */
  readonly closed: number
  /** How long the longest of them lived, in ms. */
  readonly longestLife: number
}

const [port, count, spread] = process.argv.slice(2).map(Number) as [number, number, number]
const HEAD = `POST /pets/ HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${STAFF_LINE}\r\n`
let [opened, closed, longestLife] = [0, 0, 0]

function start(index: number): void {
  const hasHead = index % 2 === 0
  const began = performance.now()
  const socket = connect(port, '127.0.0.1', () =>
    socket.write(hasHead ? `${HEAD}Content-Length: 5000\r\n\r\n` : HEAD),
  )
  const drip = setInterval(() => socket.write(hasHead ? ' ' : 'X'), 1000)
  opened += 1
  socket.resume().on('error', () => undefined)
  socket.on('close', () => {
    clearInterval(drip)
    closed += 1
    longestLife = Math.max(longestLife, performance.now() - began)
  })
}

for (let index = 0; index < count; index++) setTimeout(start, (index * spread) / count, index)
process.on('message', () => process.send?.({ opened, closed, longestLife } satisfies SlowClients))
