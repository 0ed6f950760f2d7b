import { readFile } from 'node:fs/promises'
import type Koa from 'koa'

const FILES: Readonly<Record<string, readonly [file: string, type: string]>> = {
  '/': ['index.html', 'text/html; charset=utf-8'],
  '/orders.js': ['orders.js', 'text/javascript; charset=utf-8'],
  '/orders.css': ['orders.css', 'text/css; charset=utf-8'],
}

/** Koa middleware that serves a page on which orders arrive. */
export async function webPage(ctx: Koa.Context, next: Koa.Next): Promise<void> {
  const [file, type] = Object.hasOwn(FILES, ctx.path) ? (FILES[ctx.path] ?? []) : []
  if (!file || !type || !/^(GET|HEAD)$/.test(ctx.method)) return await next()
  ctx.set({
    'Content-Type': type,
    'Content-Security-Policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-cache',
  })
  ctx.body = await readFile(new URL(`web/${file}`, import.meta.url))
}
