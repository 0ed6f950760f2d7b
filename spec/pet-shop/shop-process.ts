import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { search } from '../support/credential-leaks.js'
import { SECRETS_IN_ENVIRONMENT } from './credentials.js'

/** A line of the shop's log, as far as the specs look at it. */
export interface LogLine {
  readonly level: string
  readonly pid: number
  readonly msg: string
  readonly url?: string
  readonly key?: string
  readonly worker?: number
  readonly req?: { readonly id: string; readonly method: string; readonly url: string }
  readonly res?: { readonly statusCode: number }
  readonly err?: { readonly message: string; readonly stack: string }
}

/** The pet shop as a process of its own, as `npm start` starts it. */
export interface ShopProcess {
  readonly url: string
  /** All that it has logged so far. */
  readonly lines: readonly LogLine[]
  /** Sends SIGTERM and gives the exit code. */
  stop(): Promise<number | null>
}

/**
 * Starts the shop on a port that is free, with its data in `folder`, and waits until it is ready.
 */
export async function startShop(
  folder: string,
  environment: NodeJS.ProcessEnv,
): Promise<ShopProcess> {
  const main = fileURLToPath(new URL('../../examples/pet-shop/main.ts', import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', main], {
    env: {
      ...process.env,
      DATABASE_URL: '',
      DATA: folder,
      HOST: '127.0.0.1',
      PORT: '0',
      LOG: 'info',
      ...SECRETS_IN_ENVIRONMENT,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const lines: LogLine[] = []
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', code => reject(new Error(`The shop ended with ${code}`)))
    createInterface(child.stdout).on('line', text => {
      search('the log of the shop', text)
      const line: LogLine = JSON.parse(text)
      lines.push(line)
      if (line.msg === 'ready' && line.url !== undefined) resolve(line.url)
    })
  })
  return {
    url,
    lines,
    stop: async () => {
      child.kill('SIGTERM')
      await exited
      return child.exitCode
    },
  }
}
