import type { IncomingMessage } from 'node:http'

/** What is read of a body that nobody wants: so many bytes, for so many milliseconds. */
const BYTES = 1024 * 1024
const PATIENCE = 1000

/**
 * Lets the rest of an unwanted body pass, so that the answer meets a client that has finished sending, and what follows on
 * the connection is a request. Resolves to false where it is too long to wait for: the connection should be closed then.
 */
export function drain(req: IncomingMessage): Promise<boolean> {
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
