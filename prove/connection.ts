import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** An answer as bytes: the head as text, the body as it came. */
export interface RawAnswer {
  readonly status: number
  readonly head: string
  readonly body: Buffer
}

/**
 * A connection that is kept: one request after the other, as bytes. It reads answers whose length
 * is known.
 */
export class Connection {
  readonly socket: Socket
  readonly #port: number
  #received: Buffer = Buffer.alloc(0)
  #waiting:
    | { resolve: (answer: RawAnswer) => void; reject: (error: Error) => void; hasBody: boolean }
    | undefined

  private constructor(port: number) {
    this.#port = port
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true })
    this.socket.on('data', chunk => this.#take(chunk))
    this.socket.on('error', error => this.#fail(error))
    this.socket.on('close', () => this.#fail(new Error('the server has closed the connection')))
  }

  static async open(port: number): Promise<Connection> {
    const connection = new Connection(port)
    await once(connection.socket, 'connect')
    return connection
  }

  get isOpen(): boolean {
    return this.socket.readyState === 'open'
  }

  /**
   * Sends a request and waits for its answer; `hasBody` is false where the answer has none,
   * whatever its length says.
   */
  send(bytes: Buffer, hasBody = true): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject, hasBody }
      this.socket.write(bytes)
    })
  }

  /** This connection, or another to the same server where this one is closed. */
  async again(): Promise<Connection> {
    return this.isOpen ? this : Connection.open(this.#port)
  }

  close(): void {
    this.socket.destroy()
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
    const end = this.#received.indexOf('\r\n\r\n')
    if (end === -1 || !this.#waiting) return
    const head = this.#received.toString('latin1', 0, end + 2)
    const length = this.#waiting.hasBody
      ? Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
      : 0
    if (this.#received.length < end + 4 + length) return
    const body = this.#received.subarray(end + 4, end + 4 + length)
    this.#received = this.#received.subarray(end + 4 + length)
    const { resolve } = this.#waiting
    this.#waiting = undefined
    resolve({ status: Number(head.slice(9, 12)), head, body })
  }

  #fail(error: Error): void {
    this.#waiting?.reject(error)
    this.#waiting = undefined
  }
}
