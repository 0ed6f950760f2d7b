import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import { readSources, root } from '../architecture/source.js'

it('the client is less than 9.5 kB in a browser, minified, and has nothing of the server', async () => {
  const { metafile, outputFiles } = await build({
    entryPoints: [join(root, 'src/client/index.ts')],
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'esm',
    metafile: true,
    write: false,
  })
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
