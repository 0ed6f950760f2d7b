import { once } from 'node:events'
import { connect } from 'node:net'

/** The bytes of a request, with its body as JSON. */
export function requestBytes(method, path, headers = {}, body = undefined) {
  const text = body === undefined ? '' : JSON.stringify(body)
  const fields = {
    Host: 'localhost',
    Accept: 'application/json',
    ...headers,
    ...(text && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
  }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`)
}

const CONNECTIONS = 32
/** After so many ms connections are made anew: Node closes idle ones after 5 s. */
const IDLE = 3000

/**
 * Sends requests over 32 keep-alive connections, on each the next when the last is answered. It
 * reads no more of an answer than its status and its end, so that it costs less than any server.
 * It never sleeps: the kernel charges the server that writes for waking it, which took a quarter of
 * an item on a virtual machine, and more of a slower server, whose load sleeps more often.
 */
export class LoadClient {
  #port
  #connections = []
  #lastUsed = 0

  constructor(port) {
    this.#port = port
  }

  /**
   * Sends `count` requests, the given ones in turn; rejects where a status is not the one expected.
   */
  async send(requests, count, status) {
    // Servers close what has been idle for some seconds, perhaps just now.
    if (performance.now() - this.#lastUsed > IDLE) this.close()
    while (this.#connections.length < CONNECTIONS)
      this.#connections.push(await Connection.open(this.#port))
    let sent = 0
    const next = () => (sent < count ? requests[sent++ % requests.length] : undefined)
    let isSending = true
    const poll = () => isSending && setImmediate(poll)
    poll()
    try {
      await Promise.all(this.#connections.map(connection => connection.run(next, status)))
    } finally {
      isSending = false
    }
    this.#lastUsed = performance.now()
  }

  close() {
    for (const connection of this.#connections) connection.close()
    this.#connections = []
  }
}

class Connection {
  #socket
  #next
  #status
  #settle
  #head = ''
  #remaining = 0

  static async open(port) {
    const connection = new Connection(port)
    await once(connection.#socket, 'connect')
    return connection
  }

  constructor(port) {
    const buffer = Buffer.allocUnsafe(128 * 1024)
    this.#socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: { buffer, callback: this.#read },
    })
    this.#socket.on('close', () =>
      this.#settle?.reject(
        new Error(
          `the server has closed the connection in the middle of ${this.#head || 'nothing'}`,
        ),
      ),
    )
    this.#socket.on('error', error => this.#settle?.reject(error))
  }

  close() {
    this.#socket.destroy()
  }

  run(next, status) {
    this.#next = next
    this.#status = status
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
      this.#write()
    })
  }

  #write() {
    const request = this.#next()
    if (request) return this.#socket.write(request)
    this.#settle.resolve()
    this.#settle = undefined
  }

  #read = (size, buffer) => {
    if (this.#remaining === 0) size -= this.#readHead(buffer.latin1Slice(0, size))
    this.#remaining -= size
    if (this.#remaining === 0 && this.#head === '') this.#write()
    return true
  }

  /**
   * Reads the head, which may come in pieces; gives how much of the text it was, and leaves in
   * `#remaining` how long the body is.
   */
  #readHead(text) {
    const earlier = this.#head.length
    const head = this.#head + text
    const end = head.indexOf('\r\n\r\n')
    if (end === -1) {
      this.#head = head
      return text.length
    }
    this.#head = ''
    const status = Number(head.slice(9, 12))
    if (status !== this.#status) throw new Error(`${status} instead of ${this.#status}: ${head}`)
    const length = /\r\ncontent-length: (\d+)/i.exec(head.slice(0, end + 2))?.[1]
    if (length === undefined && status !== 304)
      throw new Error(`the client reads answers of a known length only: ${head}`)
    this.#remaining = Number(length ?? 0)
    return end + 4 - earlier
  }
}

/**
 * Sends requests within the server's process, without sockets: what is measured is the server's
 * code and Node's, and nothing of the kernel.
 */
export class InnerClient {
  #ask

  constructor(ask) {
    this.#ask = ask
  }

  async send(requests, count, status) {
    await this.#ask({ requests, count, status })
  }

  close() {}
}
