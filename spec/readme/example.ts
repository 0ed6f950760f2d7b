import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import ts from 'typescript'
import type { Block, Page } from './page.js'
import { transcriptFaults } from './transcript.js'

/**
 * Code of a page that listens on port 3000, and the `console` blocks between it and the next such
 * code.
 */
export interface Example {
  readonly code: Block
  readonly transcript: readonly Block[]
}

const LISTEN = /\.listen\(3000\b/

/** The runnable blocks of a page. */
export function examplesOf({ blocks }: Page): readonly Example[] {
  const starts = blocks.filter(block => block.language === 'ts' && LISTEN.test(block.text))
  return starts.map((code, index) => {
    const following = blocks.slice(
      blocks.indexOf(code),
      starts[index + 1] && blocks.indexOf(starts[index + 1] as Block),
    )
    return { code, transcript: following.filter(({ language }) => language === 'console') }
  })
}

/**
 * Runs an example as a process of its own, on a port that is free, and plays its transcript. Gives
 * what differs. `folder` is where its imports are looked up; `options` are node's own.
 */
export async function exampleFaults(
  example: Example,
  folder: string,
  options: readonly string[] = [],
): Promise<string[]> {
  const port = await freePort()
  const target = {
    module: ts.ModuleKind.ESNext,
    target: ts.ScriptTarget.ES2022,
    verbatimModuleSyntax: true,
  }
  const code = ts
    .transpile(example.code.text, target)
    .replace(LISTEN, `.listen(${port}, '127.0.0.1'`)
  const child = spawn(process.execPath, [...options, '--input-type=module', '--eval', code], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exited = once(child, 'exit')
  let complaints = ''
  child.stderr.on('data', chunk => {
    complaints += chunk
  })
  try {
    while (!(await answers(port))) {
      if (child.exitCode !== null)
        return [`${example.code.page}:${example.code.line} does not run\n${complaints}`]
      await sleep(50)
    }
    const faults: string[] = []
    for (const block of example.transcript) faults.push(...(await transcriptFaults(block, port)))
    return faults
  } finally {
    child.kill()
    await exited
  }
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address
    ? address.port
    : Promise.reject(new Error('No port is free'))
}
