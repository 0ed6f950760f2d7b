// Sends a result that flows: what a step of `encode` has set as `exchange.stream`.
import { Readable } from 'node:stream'
import { abortRequest, isAbort, isClosed } from '../feature-api/abort-signal.js'
import { type Context, type Exchange, hold, type ResultStream } from '../feature-api/exchange.js'
import { errorOf } from './thrown.js'

/**
 * Ends a response that cannot be completed, so that its client sees that something is missing.
 * Every later error that Koa reports for that response is a consequence. Over HTTP/2
 * `res.destroy()` would complete it.
 */
export function breakOff(ctx: Context): void {
  ctx.onerror = () => undefined
  const { stream } = ctx.res as { stream?: { close(code: number): void } }
  if (stream) stream.close(INTERNAL_ERROR)
  else ctx.res.destroy()
}

/** RFC 9113, section 7. */
const INTERNAL_ERROR = 2

/** Ends a stream that is not going to be sent. */
export function dropStream(exchange: Exchange): void {
  const { stream } = exchange
  if (stream === undefined) return
  exchange.stream = undefined
  new Flow(exchange, stream).destroy()
}

/** Returns the body to give to Koa. Middleware may wrap it, as koa-compress does. */
export function bodyOf(exchange: Exchange, stream: ResultStream): Readable {
  ignoreDisconnects(exchange.ctx)
  return new Flow(exchange, stream)
}

/** The codes that Koa reports if a client leaves during a stream. */
const DISCONNECTED = new Set<unknown>(['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE'])

/** A client may leave a stream at any time: nothing has failed, so nothing is logged. */
export function ignoreDisconnects(ctx: Context): void {
  const { onerror } = ctx
  ctx.onerror = error => {
    const { code } = Object(error) as { readonly code?: unknown }
    // in memory the connection is closed by an AbortError; one of the method's own is a failure
    const isLeft = code === 'ABORT_ERR' && isClosed(ctx.res)
    if (!isLeft && !DISCONNECTED.has(code)) onerror.call(ctx, error)
  }
}

/** Strings that are ready together are written together, up to this length. */
const BATCH = 16 * 1024

/** Streams with strings to write at the end of the turn: an event often goes to many of them. */
let waiting: Flow[] = []

function flushAll(): void {
  const flows = waiting
  waiting = []
  for (const flow of flows) flow.flush()
}

/** Reads the body of a stream as fast as the client reads, and writes it in batches. */
class Flow extends Readable {
  readonly #exchange: Exchange
  readonly #stream: ResultStream
  readonly #iterator: AsyncIterator<string | Uint8Array>
  readonly #letGo: () => void
  #response: NodeJS.WritableStream | undefined = undefined
  /** Strings that wait for the end of the turn. */
  #batch = ''
  /** The client has not taken what it was sent. */
  #isFull = false
  #isReading = false
  /** The iterator has ended: there is nothing to return or to break off. */
  #isDone = false
  #stalled: NodeJS.Timeout | undefined = undefined
  #isIdle = false
  readonly #idling: NodeJS.Timeout | undefined

  constructor(exchange: Exchange, stream: ResultStream) {
    super({ highWaterMark: BATCH })
    this.#exchange = exchange
    this.#stream = stream
    this.#letGo = hold(exchange)
    this.#iterator = stream.body[Symbol.asyncIterator]()
    const { idle } = stream
    this.#idling = idle && setInterval(() => this.#fillIn(idle.text), idle.after)
    const { signal } = exchange
    if (signal.aborted) this.#stop()
    else signal.addEventListener('abort', this.#stop, { once: true })
  }

  /**
   * Koa pipes the body into its response. If nobody else reads it, the pieces are written there
   * without the buffer of a Readable (docs/decisions/0034).
   */
  override pipe<Target extends NodeJS.WritableStream>(
    target: Target,
    options?: { end?: boolean },
  ): Target {
    if (target !== (this.#exchange.ctx.res as unknown) || this.readableFlowing !== null)
      return super.pipe(target, options)
    this.#response = target.on('drain', () => this._read())
    if (options?.end !== false) this.once('end', () => target.end())
    this._read()
    return target
  }

  override _read(): void {
    this.#isFull = false
    clearTimeout(this.#stalled)
    if (!this.#isReading) void this.#readAll()
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    clearTimeout(this.#stalled)
    clearInterval(this.#idling)
    if (!this.#isDone) {
      // first the signal, which ends what the iterator waits for
      abortRequest(this.#exchange.ctx)
      void this.#return()
    }
    callback(error)
  }

  async #readAll(): Promise<void> {
    this.#isReading = true
    try {
      while (!this.#isFull && !this.#isDone && !this.destroyed) {
        const { done, value } = await this.#iterator.next()
        // it may have been ended meanwhile
        if (this.#isDone) break
        if (done) {
          this.#letGo()
          this.#complete()
        } else this.#write(value)
      }
    } catch (error) {
      this.#fail(error)
    }
    this.#isReading = false
  }

  #write(piece: string | Uint8Array): void {
    if (typeof piece !== 'string') {
      this.flush()
      this.#push(piece)
      return
    }
    if (this.#batch.length + piece.length > BATCH) this.flush()
    if (this.#batch === '' && waiting.push(this) === 1) setImmediate(flushAll)
    this.#batch += piece
    if (this.#batch.length >= BATCH) this.flush()
  }

  /** Writes the strings that wait. */
  flush(): void {
    const batch = this.#batch
    this.#batch = ''
    if (batch !== '') this.#push(batch)
  }

  /** A client that has not taken what it was sent needs no more. */
  #fillIn(text: string): void {
    if (this.#isIdle && !this.#isFull && this.#batch === '') this.#push(text)
    this.#isIdle = true
  }

  #push(piece: string | Uint8Array): void {
    this.#isIdle = false
    if (this.destroyed || (this.#response?.write(piece) ?? this.push(piece))) return
    this.#isFull = true
    clearTimeout(this.#stalled)
    const { stall } = this.#stream
    if (stall !== undefined) this.#stalled = setTimeout(this.#giveUp, stall)
  }

  #complete(): void {
    this.#isDone = true
    this.#exchange.signal.removeEventListener('abort', this.#stop)
    clearInterval(this.#idling)
    this.flush()
    if (!this.destroyed) this.push(null)
    // for its `end`, if nobody reads
    if (this.#response) this.resume()
  }

  /**
   * The client can only be shown that the response is incomplete. The pieces before the failure are
   * sent first, and with them the head: without it, a client could not tell this from a network
   * that is down.
   */
  #fail(thrown: unknown): void {
    if (this.#isDone) return
    this.#isDone = true
    this.#letGo()
    if (this.destroyed) return
    this.#report(thrown)
    this.flush()
    setImmediate(() => this.#breakOff())
  }

  /** The signal has aborted: the client has gone, or the Api has stopped. */
  readonly #stop = (): void => {
    if (this.#isDone || this.destroyed || !this.#exchange.isStopped) return
    if (this.#stream.isEndless) {
      void this.#return()
      this.#complete()
    } else this.#breakOff()
  }

  readonly #giveUp = (): void => {
    abortRequest(this.#exchange.ctx)
    this.#breakOff()
  }

  // before the stream is destroyed: whatever reads it would complete the response
  #breakOff(): void {
    breakOff(this.#exchange.ctx)
    this.destroy()
  }

  async #return(): Promise<void> {
    try {
      await this.#iterator.return?.()
    } catch (thrown) {
      this.#report(thrown)
    } finally {
      this.#letGo()
    }
  }

  #report(thrown: unknown): void {
    const { ctx } = this.#exchange
    if (!isAbort(ctx, thrown)) ctx.app.emit('error', errorOf(thrown), ctx)
  }
}
