import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** The package's entry points, as its own specs and examples import them. */
const entries = [
  { find: /^koa-smorest$/, replacement: fileURLToPath(new URL('./src/index.ts', import.meta.url)) },
  { find: /^koa-smorest\/(jwt|kysely)$/, replacement: fileURLToPath(new URL('./src/$1.ts', import.meta.url)) },
  { find: /^koa-smorest\/(client|testing)$/, replacement: fileURLToPath(new URL('./src/$1/index.ts', import.meta.url)) },
]

export default defineConfig({
  resolve: { alias: entries },
  test: {
    globalSetup: 'spec/support/vendored-pages.ts',
    include: ['spec/**/*.spec.ts'],
    env: { NODE_ENV: 'test' },
    testTimeout: 15_000,
    hookTimeout: 60_000,
  },
})
