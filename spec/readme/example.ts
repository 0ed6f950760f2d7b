import { spawn } from 'node:child_process'
import { once } from 'node:events'
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

/** Sends the parent the port that the example has got, and not that of another server in it. */
const TELL_PORT = `data:text/javascript,${encodeURIComponent(`
  import { Server } from 'node:net'
  const { listen } = Server.prototype
  Server.prototype.listen = function (...given) {
    if (given[0].isExample) this.once('listening', () => process.send(this.address().port))
    return listen.apply(this, given)
  }`)}`

/**
 * Runs an example as a process of its own, on a port that is free, and plays its transcript. Gives
 * what differs. `folder` is where its imports are looked up; `options` are node's own.
 */
export async function exampleFaults(
  example: Example,
  folder: string,
  options: readonly string[] = [],
): Promise<string[]> {
  const target = {
    module: ts.ModuleKind.ESNext,
    target: ts.ScriptTarget.ES2022,
    verbatimModuleSyntax: true,
  }
  const code = ts
    .transpile(example.code.text, target)
    .replace(LISTEN, ".listen({ port: 0, host: '127.0.0.1', isExample: true }")
  const child = spawn(
    process.execPath,
    [...options, '--import', TELL_PORT, '--input-type=module', '--eval', code],
    { cwd: folder, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] },
  )
  const exited = once(child, 'exit')
  let complaints = ''
  child.stderr?.on('data', chunk => {
    complaints += chunk
  })
  try {
    const [port] = await Promise.race([once(child, 'message'), exited.then(() => [])])
    if (typeof port !== 'number')
      return [`${example.code.page}:${example.code.line} does not run\n${complaints}`]
    const faults: string[] = []
    for (const block of example.transcript) faults.push(...(await transcriptFaults(block, port)))
    return faults
  } finally {
    child.kill()
    await exited
  }
}
