import type { Server } from 'node:http'
import { deliver } from './fake-socket.js'

/** What a connection brings at once. */
const PIECE = 64 * 1024

/**
 * Delivers a request, which ends its connection, to a server of this process, and returns how long
 * the longest turn of the event loop took until the response was there, in ms. What else the
 * machine does is left out: a turn takes no longer than the process was at work.
 */
export async function longestTurn(server: Server, bytes: Buffer): Promise<number> {
  const pieces: Buffer[] = []
  for (let start = 0; start < bytes.length; start += PIECE)
    pieces.push(bytes.subarray(start, start + PIECE))
  let isOver = false
  const response = deliver(server, pieces).finally(() => {
    isOver = true
  })
  let longest = 0
  while (!isOver) {
    const [began, work] = [performance.now(), process.cpuUsage()]
    await new Promise(setImmediate)
    const { user, system } = process.cpuUsage(work)
    longest = Math.max(longest, Math.min(performance.now() - began, (user + system) / 1000))
  }
  await response
  return longest
}
