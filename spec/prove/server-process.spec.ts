import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { root } from '../architecture/source.js'

/** An experiment that starts a server, tells its process, and dies. */
const EXPERIMENT = `
  import { startServer } from './prove/server-process.ts'
  const { process: server } = await startServer({ onEnd() {} }, 'servers/counting.ts')
  process.stdout.write(String(server.pid), () => process.kill(process.pid, 'SIGKILL'))`

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('the server of an experiment', () => {
  it('ends if the experiment dies', { timeout: 30_000 }, async () => {
    const args = ['--import', 'tsx', '--input-type=module', '--eval', EXPERIMENT]
    const experiment = spawn(process.execPath, args, { cwd: root, stdio: 'pipe' })
    let pid = ''
    experiment.stdout.on('data', text => (pid += text))
    await once(experiment, 'exit')
    expect(pid).toMatch(/^\d+$/)
    try {
      for (let waited = 0; waited < 100 && isAlive(Number(pid)); waited++) await sleep(50)
      expect(isAlive(Number(pid))).toBe(false)
    } finally {
      if (isAlive(Number(pid))) process.kill(Number(pid), 'SIGKILL')
    }
  })
})
