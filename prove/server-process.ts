import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Scope } from './experiment.js'
import type { Blocked, Measurement } from './probe.js'

/** A server under test, in a process of its own. */
export interface ServerProcess {
  readonly port: number
  readonly url: string
  readonly process: ChildProcess
  /** Asks the process what it looks like. */
  measure(): Promise<Measurement>
  /** Asks how long its event loop was blocked since it was last asked. */
  blocked(): Promise<Blocked>
  /** Sends a signal and waits for the end: the exit code, or the signal that ended it. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>
  /**
   * Ends a server that is no longer needed; rejects where there were unhandled rejections or
   * warnings in it.
   */
  stop(): Promise<void>
}

const PATIENCE = 120_000

/**
 * Starts a file below `prove/` as a server; it says `process.send({ port })` when it listens. It is
 * ended with the experiment, and an unhandled rejection or a warning in it is a miss.
 */
export async function startServer(
  scope: Scope,
  file: string,
  env: Record<string, string> = {},
): Promise<ServerProcess> {
  const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))
  const child = spawn(
    process.execPath,
    ['--expose-gc', '--import', 'tsx', '--import', path('probe.ts'), path(file)],
    {
      env: { ...process.env, NODE_ENV: 'production', ...env },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    },
  )
  // also where it never says that it listens
  scope.onEnd(() => child.kill('SIGKILL'))
  const ended = once(child, 'exit').then(
    ([code, signal]) => (code ?? signal) as number | NodeJS.Signals,
  )
  const port = await new Promise<number>((resolve, reject) => {
    setTimeout(reject, PATIENCE, new Error(`${file} did not start in ${PATIENCE} ms`)).unref()
    child.on('message', message => isListening(message) && resolve(message.port))
    void ended.then(code => reject(new Error(`${file} ended with ${code} before it listened`)))
  })
  const ask = async <Answer>(question: string) => {
    const answer = once(child, 'message', { signal: AbortSignal.timeout(PATIENCE) })
    child.send(question)
    return (await answer)[0] as Answer
  }
  const measure = () => ask<Measurement>('measure')
  const blocked = () => ask<Blocked>('blocked')
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal)
    return ended
  }
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const { unhandledRejections, warnings } = await measure()
    await end('SIGKILL')
    if (unhandledRejections + warnings > 0)
      throw new Error(`${file}: ${unhandledRejections} unhandled rejections, ${warnings} warnings`)
  }
  scope.onEnd(stop)
  return { port, url: `http://127.0.0.1:${port}`, process: child, measure, blocked, end, stop }
}

function isListening(message: unknown): message is { port: number } {
  return typeof (message as { port?: unknown }).port === 'number'
}
