import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const program = fileURLToPath(new URL('traced-application.ts', import.meta.url))

async function serverSpans(...options: string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', program, ...options],
    {
      env: { ...process.env, NODE_ENV: 'production' },
      timeout: 60_000,
    },
  )
  return JSON.parse(stdout)
}

describe('OpenTelemetry, with its instrumentation of http and koa and nothing else', () => {
  it.each([
    ['Koa', 'behind middleware'],
    ['Application', 'alone'],
  ])(
    'names a span by the rule of its operation, and by none for 404, 405 and OPTIONS: %s %s',
    { timeout: 90_000 },
    async (...options) => {
      expect(await serverSpans(...options)).toEqual([
        { name: 'GET /pets/:petId', route: '/pets/:petId', status: 200 },
        { name: 'HEAD /pets/:petId', route: '/pets/:petId', status: 200 },
        { name: 'POST /pets/:petId/toys', route: '/pets/:petId/toys', status: 422 },
        { name: 'GET /pets/gone', route: '/pets/gone', status: 410 },
        { name: 'GET /pets/broken', route: '/pets/broken', status: 500 },
        { name: 'GET', status: 404 },
        { name: 'PUT', status: 405 },
        { name: 'OPTIONS', status: 200 },
      ])
    },
  )
})
