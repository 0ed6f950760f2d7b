// Setup of every spec file: fails the test in which a credential was written to the console or a
// stream, or came back in a response.
import { subscribe } from 'node:diagnostics_channel'
import { inspect } from 'node:util'
import { afterAll, afterEach, expect } from 'vitest'
import { checkMarked, search, takeLeaks } from './credential-leaks.js'

/**
 * What is written in the place of a credential: `.ci/run` searches the output of processes that
 * specs have started.
 */
const WITHHELD = '[withheld: a credential]\n'

const installed = Symbol.for('koa-smorest.spec.watching')
const place = globalThis as { [installed]?: boolean }

// files of one worker share its globals
if (!place[installed]) {
  place[installed] = true
  for (const name of ['log', 'info', 'warn', 'error', 'debug', 'trace'] as const) {
    const method = console[name]
    console[name] = (...values: unknown[]) => {
      const text = values
        .map(value => (typeof value === 'string' ? value : inspect(value, { depth: 8 })))
        .join(' ')
      if (search(`console.${name}`, text)) method.call(console, WITHHELD)
      else method.apply(console, values)
    }
  }
  for (const stream of [process.stdout, process.stderr]) {
    const { write } = stream
    stream.write = ((...values: Parameters<typeof write>) => {
      if (search(stream === process.stdout ? 'stdout' : 'stderr', String(values[0])))
        values[0] = WITHHELD
      return write.apply(stream, values)
    }) as typeof write
  }
  // what fetch receives, in memory as well; an application may give out tokens, so only the mark is
  // looked for
  for (const name of ['text', 'json', 'arrayBuffer'] as const) {
    const read = Response.prototype[name] as () => Promise<unknown>
    Reflect.set(Response.prototype, name, async function (this: Response) {
      const body = await read.call(this)
      const text =
        body instanceof ArrayBuffer
          ? Buffer.from(body).toString('latin1')
          : typeof body === 'string'
            ? body
            : JSON.stringify(body)
      search(`the body of ${this.url}`, text ?? '', { tokens: false })
      return body
    })
  }
  subscribe('undici:request:headers', message => searchExchange(message as Exchange))
}

/** What Node's fetch publishes when the header fields of a response have come. */
interface Exchange {
  readonly request: { readonly path: string; readonly headers: string | readonly string[] }
  readonly response: { readonly statusCode: number; readonly headers: readonly Buffer[] }
}

function searchExchange({ request, response }: Exchange): void {
  search(`the header fields of ${request.path}`, response.headers.map(String).join('\n'), {
    tokens: false,
  })
  if (response.statusCode >= 400) return
  const lines =
    typeof request.headers === 'string' ? request.headers.split(/: |\r\n/) : request.headers
  for (let index = 0; index + 1 < lines.length; index += 2)
    if (/^(?:authorization|x-key)$/i.test(lines[index] as string))
      checkMarked(lines[index] as string, lines[index + 1] as string)
}

const none = () => expect(takeLeaks()).toEqual([])
afterEach(none)
// what was written between the tests, or by hooks
afterAll(none)
