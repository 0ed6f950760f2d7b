import type { Server } from 'node:http'
import { Duplex } from 'node:stream'

/**
 * A connection that exists in this process only: it brings the bytes in the pieces that it is
 * given, and keeps what is written to it.
 */
class FakeSocket extends Duplex {
  readonly #written: Buffer[] = []

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#written.push(chunk)
    done()
  }

  /** What a server asks of a connection, and which means nothing here. */
  setTimeout(): this {
    return this
  }
  setNoDelay(): this {
    return this
  }
  setKeepAlive(): this {
    return this
  }

  get received(): Buffer {
    return Buffer.concat(this.#written)
  }
}

/**
 * Delivers a request, which ends its connection, in pieces, each in a turn of its own; gives the
 * bytes of the answer.
 */
export async function deliver(server: Server, pieces: readonly Buffer[]): Promise<Buffer> {
  const socket = new FakeSocket()
  const ended = new Promise<void>(resolve => socket.once('finish', resolve).once('close', resolve))
  server.emit('connection', socket)
  for (const piece of pieces) {
    if (piece.length > 0) socket.push(piece)
    await new Promise(setImmediate)
  }
  await ended
  socket.destroy()
  return socket.received
}
