// A rule of all specs of security: no credential that was sent comes back in a response, or stands
// in a log or an emitted error.
import { inspect } from 'node:util'
import { afterAll, expect } from 'vitest'
import { serveBlueprints as serve } from '../../support/client.js'
import { ask as send } from './requests.js'

const METHODS = ['log', 'info', 'warn', 'error', 'debug'] as const
const STREAMS = ['stdout', 'stderr'] as const

/**
 * `ask` and `serveBlueprints` as they are, but for what they remember; what was written and emitted
 * is searched at the end of the file.
 */
export function watchCredentials(): {
  readonly ask: typeof send
  readonly serveBlueprints: typeof serve
} {
  const sent = new Set<string>()
  const emitted: (readonly Error[])[] = []
  const { written, stop } = recordOutput()
  afterAll(() => {
    stop()
    const shown = [
      ...written,
      ...emitted.flat().map(error => inspect(error, { depth: 8, showHidden: true })),
    ].join('\n')
    expect(leaksIn(shown, sent)).toEqual([])
    expect(sent.size).toBeGreaterThan(0)
  })
  return {
    async ask(port, path, lines = [], ...rest) {
      const credentials = credentialsIn(path, lines)
      for (const credential of credentials) sent.add(credential)
      const verdict = await send(port, path, lines, ...rest)
      expect({ path, leaks: leaksIn(JSON.stringify(verdict), credentials) }).toEqual({
        path,
        leaks: [],
      })
      return verdict
    },
    async serveBlueprints(...given) {
      const served = await serve(...given)
      emitted.push(served.errors)
      return served
    },
  }
}

/**
 * What is written to the console and to the streams of the process, which it reaches all the same.
 */
function recordOutput(): { readonly written: readonly string[]; readonly stop: () => void } {
  const written: string[] = []
  const undo: (() => void)[] = []
  for (const name of METHODS) {
    const method = console[name]
    console[name] = (...values: unknown[]) => {
      written.push(inspect(values, { depth: 8 }))
      method.apply(console, values)
    }
    undo.push(() => Object.assign(console, { [name]: method }))
  }
  for (const name of STREAMS) {
    const stream = process[name]
    const { write } = stream
    stream.write = ((...values: Parameters<typeof write>) => {
      written.push(String(values[0]))
      return write.apply(stream, values)
    }) as typeof write
    undo.push(() => Object.assign(stream, { write }))
  }
  return {
    written,
    stop() {
      for (const one of undo) one()
    },
  }
}

/**
 * The secrets of a request: what stands behind the scheme of Authorization, in a key's field, a
 * cookie or the query.
 */
function credentialsIn(path: string, lines: readonly string[]): readonly string[] {
  const values = lines.flatMap(line => {
    const [, name = '', value = ''] = /^([^:]+):\s*(.*)$/.exec(line) ?? []
    if (/^authorization$/i.test(name)) return partsOf(value)
    return /^(?:x-key|cookie)$/i.test(name)
      ? value.split(/;\s*/).map(pair => pair.replace(/^[^=]+=/, ''))
      : []
  })
  const query = [...new URL(path, 'http://localhost').searchParams.values()]
  // shorter ones stand in words
  return [...values, ...query].filter(value => value.length >= 6)
}

/**
 * The credentials, and what they say when they are taken apart: the password of Basic, payload and
 * signature of a token.
 */
function partsOf(value: string): readonly string[] {
  const [scheme = '', ...rest] = value.split(' ')
  const credentials = rest.join(' ')
  const [, password = ''] = /^basic$/i.test(scheme)
    ? (/:(.*)$/s.exec(Buffer.from(credentials, 'base64').toString()) ?? [])
    : []
  return [credentials, password, ...credentials.split('.').slice(1)]
}

function leaksIn(text: string, credentials: Iterable<string>): readonly string[] {
  return [...credentials].filter(credential => text.includes(credential))
}
