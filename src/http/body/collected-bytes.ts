/**
 * Bytes that arrive in chunks. They are copied into one buffer that doubles, because Node makes an
 * object of 350 bytes of each chunk, and a client may send chunks of one byte. The first chunk is
 * kept without a copy: most bodies are one chunk.
 */
export class CollectedBytes {
  #buffer: Buffer = Buffer.alloc(0)
  #size = 0

  get size(): number {
    return this.#size
  }

  /** All bytes so far. Bytes that are added later do not change them. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#size)
  }

  add(chunk: Buffer): void {
    const size = this.#size + chunk.length
    if (this.#size === 0) this.#buffer = chunk
    else {
      if (size > this.#buffer.length) {
        const larger = Buffer.allocUnsafeSlow(Math.max(size, 2 * this.#buffer.length))
        this.#buffer.copy(larger, 0, 0, this.#size)
        this.#buffer = larger
      }
      chunk.copy(this.#buffer, this.#size)
    }
    this.#size = size
  }
}
