import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const ATTACK = fileURLToPath(new URL('attack.mjs', import.meta.url))

/** What an attack has found. */
export interface Found {
  readonly passed: number
  readonly failed: number
  /** All that it has printed. */
  readonly report: string
}

/**
 * Lets attack.mjs loose on a server, whose document is below `/docs`, with options such as
 * `--seed=2`.
 */
export async function attack(url: string, options: readonly string[]): Promise<Found> {
  const child = spawn(
    process.execPath,
    [ATTACK, url, `${url}/docs/openapi.json`, '--strict', ...options],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const report = await text(child.stdout)
  const [, passed, failed] = /(\d+) passed, (\d+) failed\s*$/.exec(report) ?? []
  if (passed === undefined)
    throw new Error(
      `the attack on ${url} did not come to its end: ${report} ${await text(child.stderr)}`,
    )
  return { passed: Number(passed), failed: Number(failed), report }
}
