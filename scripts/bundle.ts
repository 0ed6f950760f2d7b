// Writes the JavaScript of the package to dist, beside the types that the compiler writes: one file
// for each entry point, and chunks for what they share, so that a class is the same one in all of
// them (docs/decisions/0029). `npm run build` runs it.
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))

/** How the package is built. */
export const options = {
  absWorkingDir: root,
  entryPoints: [
    'src/index.ts',
    'src/client/index.ts',
    'src/csv.ts',
    'src/jwt/index.ts',
    'src/kysely.ts',
    'src/mcp/index.ts',
    'src/postgres.ts',
    'src/redis.ts',
    'src/standard/index.ts',
    'src/testing/index.ts',
    'src/command/bin.ts',
  ],
  outbase: 'src',
  outdir: 'dist',
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20.20',
  sourcemap: true,
  // the sources are in the package
  sourcesContent: false,
  logLevel: 'warning',
} as const satisfies BuildOptions

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  rmSync(`${root}dist/chunks`, { recursive: true, force: true })
  await build(options)
}
