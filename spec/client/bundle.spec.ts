import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { type BuildOptions, build } from 'esbuild'
import { expect, it } from 'vitest'
import { readSources, root } from '../architecture/source.js'

const options = {
  entryPoints: [join(root, 'src/client/index.ts')] as string[],
  bundle: true as boolean,
  minify: true as boolean,
  platform: 'browser' as const,
  format: 'esm' as const,
  metafile: true as const,
  write: false as const,
} satisfies BuildOptions

it('the client is less than 9.5 kB in a browser, minified, and has nothing of the server', async () => {
  const { metafile, outputFiles } = await build(options)
  expect(outputFiles[0]?.contents.length).toBeLessThan(9500)
  expect(Object.keys(metafile.inputs).filter(path => !path.startsWith('src/client/'))).toEqual([])
  expect(Object.values(metafile.outputs).flatMap(output => output.imports)).toEqual([])
})

it('the client imports nothing but its own files, and types of openapi-fetch', () => {
  const imports = readSources().flatMap(({ path, imports }) =>
    path.startsWith('client/') ? imports : [],
  )
  const foreign = imports.filter(({ target, specifier, manner }) =>
    target === undefined
      ? specifier !== 'openapi-fetch' || manner !== 'type'
      : !target.startsWith('client/'),
  )
  expect(foreign).toEqual([])
})

// milliseconds are measured by `npm run prove -- E16`: here others are busy on the same machine
it('the client is imported in less than twice the time of an empty module', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'koa-smorest-client-'))
  try {
    // in one file, as the package has it
    const { outputFiles } = await build(options)
    await writeFile(join(folder, 'index.js'), outputFiles[0]?.contents ?? '')
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    await writeFile(join(folder, 'empty.js'), 'export {}')
    const run = async (file: string) => {
      const url = pathToFileURL(join(folder, file)).href
      const program = `const began = performance.now(); await import('${url}'); console.log(performance.now() - began)`
      return Number(
        (await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]))
          .stdout,
      )
    }
    const [empty, client]: [number[], number[]] = [[], []]
    for (let count = 0; count < 10 && !(Math.min(...client) < 2 * Math.min(...empty)); count++) {
      empty.push(await run('empty.js'))
      client.push(await run('index.js'))
    }
    expect(Math.min(...client)).toBeLessThan(2 * Math.min(...empty))
  } finally {
    await rm(folder, { recursive: true })
  }
})
