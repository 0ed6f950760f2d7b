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

const asModule = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`

/** Looks up what examples import in the working directory. */
const RESOLVE = asModule(`
  import { pathToFileURL } from 'node:url'
  const folder = pathToFileURL(process.cwd() + '/').href
  export const resolve = (specifier, context, next) =>
    next(specifier, context.parentURL?.startsWith('data:') ? { ...context, parentURL: folder } : context)`)

/**
 * Runs the code of each message, and sends the parent the port that it has got, and not that of
 * another server in it, or why it does not run.
 */
const HOST = `
  import { register } from 'node:module'
  import { Server } from 'node:net'
  const { listen } = Server.prototype
  Server.prototype.listen = function (...given) {
    if (given[0].isExample)
      this.once('listening', () => process.send({ port: this.address().port }))
    return listen.apply(this, given)
  }
  register(${JSON.stringify(RESOLVE)})
  process.on('message', code => {
    import(code).catch(error => process.send({ complaint: error.stack }))
  })`

/** A process in which examples run, each on a port that is free. */
export interface ExampleProcess {
  /** Runs an example and plays its transcript. Returns what differs. */
  faultsOf(example: Example): Promise<readonly string[]>
  end(): Promise<void>
}

/** Starts a process for examples. `folder` is where their imports are looked up. */
export function startExamples(folder: string): ExampleProcess {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', HOST], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  const exited = once(child, 'exit')
  let complaints = ''
  child.stderr?.on('data', chunk => {
    complaints += chunk
  })
  return {
    async faultsOf({ code, transcript }) {
      const target = {
        module: ts.ModuleKind.ESNext,
        target: ts.ScriptTarget.ES2022,
        verbatimModuleSyntax: true,
      }
      const program = ts
        .transpile(code.text, target)
        .replace(LISTEN, ".listen({ port: 0, host: '127.0.0.1', isExample: true }")
      child.send(asModule(program))
      const [{ port, complaint }] = await Promise.race([
        once(child, 'message'),
        exited.then(() => [{ complaint: complaints }]),
      ])
      if (port === undefined) return [`${code.page}:${code.line} does not run\n${complaint}`]
      const faults: string[] = []
      for (const block of transcript) faults.push(...(await transcriptFaults(block, port)))
      return faults
    },
    async end() {
      child.kill('SIGKILL')
      await exited
    },
  }
}
