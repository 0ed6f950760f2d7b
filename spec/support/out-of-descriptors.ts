// Inflates a body without a free file descriptor, and again when there are some.
import { closeSync, openSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { inflate } from '../../src/http/body/bytes.js'

const attempt = async () =>
  console.log(
    await inflate(gzipSync('hello'), 'gzip', 100).then(String, error =>
      /EMFILE|too many open files/.test(String(error)) ? 'EMFILE' : error,
    ),
  )
await import('node:module')
const open: number[] = []
try {
  for (;;) open.push(openSync('/dev/null', 'r'))
} catch {
  // none is free
}
await attempt()
for (const descriptor of open) closeSync(descriptor)
await attempt()
