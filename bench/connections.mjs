import { once } from 'node:events'
import { Server } from 'node:http'
import { Duplex } from 'node:stream'

const CONNECTIONS = 8

let server
const { listen } = Server.prototype
// every framework listens with node:http in the end
Server.prototype.listen = function (...given) {
  server = this
  return listen.apply(this, given)
}

/**
 * A connection without a kernel: what is pushed is read by the server, what it writes is `written`.
 */
class Connection extends Duplex {
  remoteAddress = '127.0.0.1'
  written = () => {}

  _read() {}
  _write(chunk, _encoding, done) {
    done()
    this.written(chunk)
  }
  _writev(chunks, done) {
    done()
    for (const { chunk } of chunks) this.written(chunk)
  }
  setTimeout() {
    return this
  }
  setNoDelay() {}
  setKeepAlive() {}
  destroySoon() {
    this.destroy()
  }
}

let connections = []

/**
 * Hands requests to the server of this process, in turn, on eight connections; rejects where a
 * status is not the one expected.
 */
export async function answer(requests, count, status) {
  if (!server.listening) await once(server, 'listening')
  connections = connections.filter(connection => !connection.destroyed)
  while (connections.length < CONNECTIONS) {
    const connection = new Connection()
    connections.push(connection)
    server.emit('connection', connection)
  }
  const begin = `HTTP/1.1 ${status} `
  let [sent, answered] = [0, 0]
  await new Promise((resolve, reject) => {
    for (const connection of connections) {
      const next = () => sent < count && connection.push(requests[sent++ % requests.length])
      connection.written = chunk => {
        const head = chunk.latin1Slice(0, begin.length)
        if (!head.startsWith('HTTP/1.1 ')) return
        if (head !== begin) reject(new Error(`${head} instead of ${begin}`))
        answered += 1
        if (answered >= count) setImmediate(resolve)
        else setImmediate(next)
      }
      next()
    }
  })
}
