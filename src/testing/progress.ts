// Tells on standard error how far a contract test is, so that nobody waits in the dark.

/** After how many seconds an operation is named that is still at work. */
const LONG = 15

export class Progress {
  readonly #of: number
  readonly #isTerminal = process.stderr.isTTY === true
  readonly #timer: NodeJS.Timeout
  #step = 0
  #operation = ''
  #since = performance.now()
  #told = LONG

  constructor(steps: number) {
    this.#of = steps
    this.#timer = setInterval(() => this.#tick(), 1000).unref()
  }

  /** The next step is about this operation. */
  at(operation: string): void {
    this.#step++
    this.#operation = operation
    this.#since = performance.now()
    this.#told = LONG
    if (this.#isTerminal) this.#show(`contract ${this.#step}/${this.#of}: ${operation}`)
  }

  end(): void {
    clearInterval(this.#timer)
    if (this.#isTerminal) this.#show('')
  }

  #tick(): void {
    const seconds = Math.floor((performance.now() - this.#since) / 1000)
    if (this.#isTerminal && seconds > 0)
      this.#show(`contract ${this.#step}/${this.#of}: ${this.#operation} (${seconds} s)`)
    else if (seconds >= this.#told) {
      this.#told *= 2
      process.stderr.write(`contract: ${this.#operation} has taken ${seconds} s so far\n`)
    }
  }

  #show(text: string): void {
    process.stderr.write(`\r\x1b[K${text}`)
  }
}
