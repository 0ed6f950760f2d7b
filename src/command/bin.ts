#!/usr/bin/env node
import { commandLine } from './command-line.js'

const code = await commandLine(process.argv.slice(2), {
  out: text => void process.stdout.write(`${text}\n`),
  error: text => void process.stderr.write(`${text}\n`),
})
// a module that starts a server would keep the process; what was written must be out first
await Promise.all(
  [process.stdout, process.stderr].map(stream => new Promise(done => stream.write('', done))),
)
process.exit(code)
