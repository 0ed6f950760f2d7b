import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** The package's entry points, as its own specs and examples import them. */
const entries = [
  { find: /^koa-smorest$/, replacement: fileURLToPath(new URL('./src/index.ts', import.meta.url)) },
  {
    find: /^koa-smorest\/(csv|kysely|postgres|redis)$/,
    replacement: fileURLToPath(new URL('./src/$1.ts', import.meta.url)),
  },
  {
    find: /^koa-smorest\/(client|jwt|mcp|standard|testing)$/,
    replacement: fileURLToPath(new URL('./src/$1/index.ts', import.meta.url)),
  },
]

/**
 * Specs whose requests take another way in production: there responses are written past Koa, and
 * are not checked against the document. What sets DEBUG and TESTING itself, and what has nothing to
 * do with HTTP, runs once.
 */
const SPEAKING_HTTP = [
  'spec/{conditional,conformance,feature-api,features,mcp,respond}/**/*.spec.ts',
  'spec/{blueprint,errors,matched-route,settings,url}.spec.ts',
  // the others are served as in production, whatever NODE_ENV is
  'spec/properties/pages.spec.ts',
  'spec/threats/header-fields.spec.ts',
]

/**
 * Among them, what is about documents, registration, stores and pure functions, and what sets DEBUG
 * and TESTING for all of its servers.
 */
const SILENT = [
  'spec/conformance/documents.spec.ts',
  'spec/feature-api/{needs,several-errors}.spec.ts',
  'spec/features/idempotent/interleavings.spec.ts',
  'spec/features/{other-responses,query-method,registration-faults,response}.spec.ts',
  'spec/features/{representations,streams}/types.spec.ts',
  'spec/features/secure/{documents,guards,remote-keys}.spec.ts',
  'spec/features/webhook/{callback,post}.spec.ts',
  'spec/mcp/{peers,secure,tools}.spec.ts',
  'spec/respond/{application,bystanders,fetch-response,http2,unsendable,whose-fault}.spec.ts',
]

/**
 * What takes minutes, which `npm run long` runs, and CI: other versions of the compiler, `contract`
 * on whole applications, pages in a browser, and tools of others that judge documents.
 */
const LONG = [
  'spec/types/compilers.spec.ts',
  'spec/package/declarations.spec.ts',
  'spec/testing/{planted,effects,meaning,unseen}.spec.ts',
  'spec/{reference,pet-shop}/contract.spec.ts',
  'spec/readme/testing.spec.ts',
  'spec/pet-shop/pages.spec.ts',
  'spec/client/rivals.spec.ts',
  'spec/openapi/{authorize,judges}.spec.ts',
]

export default defineConfig({
  resolve: { alias: entries },
  test: {
    // files of one worker share the modules that they import, whose evaluation would otherwise be
    // half of the suite
    isolate: false,
    // by default one core is left alone, which of two is half of them
    maxWorkers: '100%',
    globalSetup: 'spec/support/vendored-pages.ts',
    setupFiles: 'spec/support/watch-leaks.ts',
    testTimeout: 30_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'test',
          include: ['spec/**/*.spec.ts'],
          exclude: LONG,
          env: { NODE_ENV: 'test' },
        },
      },
      {
        extends: true,
        test: { name: 'long', include: LONG, env: { NODE_ENV: 'test' } },
      },
      {
        extends: true,
        test: {
          name: 'production',
          include: SPEAKING_HTTP,
          exclude: SILENT,
          env: { NODE_ENV: 'production' },
        },
      },
    ],
  },
})
