// `npm run build && node --import tsx bench/language-server.mjs [OPERATIONS]`: how long the language
// server of TypeScript takes for the diagnostics of one file with 100 operations, each with types of
// its own: when the file is opened, and after a key. Builds nothing.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { OPERATIONS_OF_A_RESOURCE, serverOf } from '../spec/types/client-programs.ts'

const KEYS = 10
const OPERATIONS = Number(process.argv[2] ?? 100)
const root = fileURLToPath(new URL('..', import.meta.url))

// below the package, so that io-ts and Koa are found
mkdirSync(join(root, 'node_modules/.cache'), { recursive: true })
const folder = mkdtempSync(join(root, 'node_modules/.cache/language-server-'))
mkdirSync(join(folder, 'node_modules'))
symlinkSync(root, join(folder, 'node_modules/koa-smorest'), 'dir')

const server = spawn(process.execPath, [
  createRequire(import.meta.url).resolve('typescript/lib/tsserver.js'),
  '--disableAutomaticTypingAcquisition',
])
let sequence = 0
const send = (command, given) =>
  server.stdin.write(
    `${JSON.stringify({ seq: ++sequence, type: 'request', command, arguments: given })}\n`,
  )

const file = join(folder, 'server.ts')
const text = serverOf(Math.ceil(OPERATIONS / OPERATIONS_OF_A_RESOURCE))
send('compilerOptionsForInferredProjects', {
  options: { strict: true, module: 'nodenext', target: 'es2022', skipLibCheck: true },
})
send('open', { file, fileContent: text })

const output = createInterface({ input: server.stdout })[Symbol.asyncIterator]()

/** The milliseconds until all diagnostics of the file are there. */
async function diagnostics() {
  const begin = performance.now()
  send('geterr', { files: [file], delay: 0 })
  for (;;) {
    const { value: line } = await output.next()
    if (!line.startsWith('{')) continue
    const { event, body } = JSON.parse(line)
    if (event === 'semanticDiag' && body.diagnostics.length > 0)
      throw new Error(`the program has a fault: ${body.diagnostics[0].text}`)
    if (event === 'requestCompleted') return performance.now() - begin
  }
}

try {
  console.log(`${OPERATIONS} operations, opened: ${(await diagnostics()).toFixed()} ms`)
  const lines = text.split('\n')
  const line = lines.findLastIndex(line => line.includes("operation('List'"))
  const offset = lines[line].indexOf("'List'") + 2
  const times = []
  for (let key = 0; key < KEYS; key++) {
    const place = { line: line + 1, offset, endLine: line + 1, endOffset: offset }
    send('change', { file, ...place, insertString: 'x' })
    times.push(await diagnostics())
  }
  times.sort((left, right) => left - right)
  const [least, median, most] = [times[0], times[KEYS / 2], times.at(-1)]
  console.log(
    `after a key: ${median.toFixed()} ms (median of ${KEYS}, ${least.toFixed()} to ${most.toFixed()})`,
  )
} finally {
  server.kill()
  rmSync(folder, { recursive: true, force: true })
}
