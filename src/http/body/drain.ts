import type { IncomingMessage } from 'node:http'
import { hasEnded } from './request-body.js'

/** How many bytes of an unwanted body are read, and for how many milliseconds. */
const BYTES = 1024 * 1024
const PATIENCE = 1000

/**
 * Reads the rest of a refused body and throws it away, so that the client has finished sending when
 * the response arrives, and the next bytes on the connection are a request. Resolves to false if
 * the rest is too long to wait for: the connection should be closed.
 */
export function drain(req: IncomingMessage): Promise<boolean> {
  // an 'end' that has passed does not come again
  if (hasEnded(req)) return Promise.resolve(true)
  if (Number(req.headers['content-length']) > BYTES) return Promise.resolve(false)
  return new Promise(resolve => {
    let left = BYTES
    const settle = (isDrained: boolean) => {
      clearTimeout(timer)
      req.off('data', count).off('end', end).off('close', end).off('error', end)
      resolve(isDrained)
    }
    const end = () => settle(true)
    const count = (chunk: Buffer) => {
      left -= chunk.length
      if (left < 0) settle(false)
    }
    const timer = setTimeout(settle, PATIENCE, false)
    req.on('data', count).on('end', end).on('close', end).on('error', end).resume()
  })
}
