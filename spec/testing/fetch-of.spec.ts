import { Readable } from 'node:stream'
import * as t from 'io-ts'
import Koa from 'koa'
import { Api, Application, Blueprint, lines, operation } from 'koa-smorest'
import { fetchOf } from 'koa-smorest/testing'
import { describe, expect, it } from 'vitest'

const app = new Koa()
let closed: Promise<unknown> | undefined
app.use(async ctx => {
  switch (ctx.path) {
    case '/echo': {
      const chunks: Buffer[] = []
      for await (const chunk of ctx.req) chunks.push(chunk)
      ctx.body = {
        method: ctx.method,
        url: ctx.url,
        host: ctx.host,
        type: ctx.get('Content-Type'),
        body: Buffer.concat(chunks).toString(),
      }
      return
    }
    case '/cookies':
      ctx.cookies.set('a', '1')
      ctx.cookies.set('b', '2')
      ctx.body = 'set'
      return
    case '/status':
      ctx.status = Number(ctx.query.code)
      if (ctx.query.code !== '205') ctx.body = null
      ctx.status = Number(ctx.query.code)
      return
    case '/stream':
      ctx.body = Readable.from(
        (async function* () {
          yield 'first'
          await new Promise(resolve => setTimeout(resolve, 30))
          yield 'second'
        })(),
      )
      return
    case '/endless':
      closed = new Promise(resolve => ctx.res.once('close', () => resolve('closed')))
      ctx.body = Readable.from(
        (async function* () {
          for (;;) {
            yield 'more'
            await new Promise(resolve => setTimeout(resolve, 5))
          }
        })(),
      )
      return
    default:
      ctx.body = 'found'
  }
})
app.on('error', () => undefined)
const fetch = fetchOf(app)

describe('fetchOf', () => {
  it('sends method, path, query, header fields and body', async () => {
    const response = await fetch('http://shop:8080/echo?q=a%20b', {
      method: 'POST',
      body: '{"n":1}',
      headers: { 'Content-Type': 'application/json' },
    })
    expect(await response.json()).toEqual({
      method: 'POST',
      url: '/echo?q=a%20b',
      host: 'shop:8080',
      type: 'application/json',
      body: '{"n":1}',
    })
    expect({ status: response.status, url: response.url }).toEqual({
      status: 200,
      url: 'http://shop:8080/echo?q=a%20b',
    })
  })

  it('takes a Request, a URL and a path, and sends forms', async () => {
    const form = new FormData()
    form.set('file', new Blob(['text']), 'a.txt')
    const sent = (await (
      await fetch(new Request('http://shop/echo', { method: 'PUT', body: form }))
    ).json()) as Record<string, string>
    expect(sent.type).toMatch(/^multipart\/form-data; boundary=/)
    expect(sent.body).toContain('filename="a.txt"')
    expect(await (await fetch(new URL('http://shop/x'))).text()).toBe('found')
    expect((await fetch('/echo')).url).toBe('http://localhost/echo')
  })

  it('gives each cookie a field of its own', async () => {
    expect((await fetch('/cookies')).headers.getSetCookie()).toEqual([
      'a=1; path=/; httponly',
      'b=2; path=/; httponly',
    ])
  })

  it.each([204, 205, 304])('has no body with %i', async code => {
    const response = await fetch(`/status?code=${code}`)
    expect({ status: response.status, body: response.body }).toEqual({ status: code, body: null })
  })

  it('has no body with HEAD, but the fields of GET', async () => {
    const [head, get] = [await fetch('/x', { method: 'HEAD' }), await fetch('/x')]
    expect({ body: head.body, length: head.headers.get('Content-Length') }).toEqual({
      body: null,
      length: get.headers.get('Content-Length'),
    })
  })

  it('streams', async () => {
    const chunks: string[] = []
    for await (const chunk of (await fetch('/stream')).body as unknown as AsyncIterable<Uint8Array>)
      chunks.push(Buffer.from(chunk).toString())
    expect(chunks).toEqual(['first', 'second'])
  })

  it('ends the response of the server when its body is cancelled', async () => {
    const response = await fetch('/endless')
    await response.body?.cancel()
    await expect(closed).resolves.toBe('closed')
  })

  it('throws for a signal that is aborted before, and closes the connection for one that is aborted after', async () => {
    await expect(fetch('/x', { signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow(
      'before',
    )
    const controller = new AbortController()
    const response = await fetch('/endless', { signal: controller.signal })
    expect(response.status).toBe(200)
    controller.abort()
    await expect(closed).resolves.toBe('closed')
    await expect(response.text()).rejects.toThrow()
  })

  it('leaves a stream of the library without an error on the app', async () => {
    for (const leave of ['cancel', 'abort'] as const)
      for (const kind of [Koa, Application]) {
        const served = new kind()
        const errors: unknown[] = []
        served.on('error', error => errors.push(error))
        const gone: boolean[] = []
        const blueprint = new Blueprint('streams').get(
          '/',
          operation(lines(t.string)),
          async function* (_ctx, { signal }) {
            yield 'first'
            await new Promise(resolve => signal.addEventListener('abort', resolve))
            gone.push(true)
          },
        )
        new Api(served as Koa, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(blueprint)
        const controller = new AbortController()
        const response = await fetchOf(served as Koa)('/', { signal: controller.signal })
        const reader = response.body?.getReader()
        await reader?.read()
        if (leave === 'cancel') await reader?.cancel()
        else controller.abort()
        await expect.poll(() => gone).toEqual([true])
        await new Promise(resolve => setTimeout(resolve, 20))
        expect(errors).toEqual([])
      }
  })

  it('rejects for a signal that is aborted at any moment before the response', async () => {
    for (let ticks = 0; ticks < 12; ticks++) {
      const controller = new AbortController()
      const asked = fetch('/endless', { method: 'POST', body: 'x', signal: controller.signal })
      for (let tick = 0; tick < ticks; tick++) await undefined
      controller.abort()
      const outcome = await asked
        .then(response => response.text())
        .catch((error: Error) => error.name)
      expect(outcome).toBe('AbortError')
    }
  })
})
