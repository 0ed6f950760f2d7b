import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { alias: { 'koa-smorest': fileURLToPath(new URL('./src/index.ts', import.meta.url)) } },
  test: {
    globalSetup: 'spec/support/vendored-pages.ts',
    include: ['spec/**/*.spec.ts'],
    env: { NODE_ENV: 'test' },
    testTimeout: 15_000,
    hookTimeout: 60_000,
  },
})
