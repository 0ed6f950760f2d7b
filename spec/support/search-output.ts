// `.ci/run` gives it what the whole suite has written: no credential may stand there, whichever
// process wrote it.
import { readFileSync } from 'node:fs'
import { leakIn } from './credential-leaks.js'

const leaks = readFileSync(0, 'utf8')
  .split('\n')
  .flatMap(line => leakIn(line) ?? [])
for (const leak of leaks) console.error(`A credential stands in the output of the tests: …${leak}…`)
process.exitCode = leaks.length > 0 ? 1 : 0
