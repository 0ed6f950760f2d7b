import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { serveBlueprints } from '../support/client.js'
import { requestBytes, sendOne, type WireAnswer } from '../support/wire.js'
import { ORDER, orders } from './order.js'
import { things } from './things.js'

const { port } = await serveBlueprints([orders, things()], { DEBUG: false, TESTING: false })

interface Request {
  readonly method: string
  readonly target: string
  readonly lines: readonly string[]
  readonly body?: string
}

const JSON_TYPE = 'Content-Type: application/json'
const order = (body: string): Request => ({
  method: 'POST',
  target: '/orders',
  lines: [JSON_TYPE, 'Accept: */*', 'X-Other: 1'],
  body,
})
const get = (target: string, ...lines: string[]): Request => ({
  method: 'GET',
  target,
  lines: ['Accept: */*', ...lines],
})

/** Requests of all kinds, none of which changes anything. */
const REQUESTS: Readonly<Record<string, Request>> = {
  'a valid body': order(JSON.stringify(ORDER)),
  'a body that does not fit': order('{"name":7}'),
  'what is not JSON': order('{"name":'),
  'another media type': { ...order('x'), lines: ['Content-Type: text/plain'] },
  'a valid query': get('/search?kind=new&n=3&ids=1,2'),
  'a query that does not fit': get('/search?kind=other'),
  'a thing': get('/things/1'),
  'a thing that is known': get('/things/1', 'If-None-Match: "x", "1"'),
  'a thing that is not as it should be': get('/things/1', 'If-Match: "x"'),
  'no thing': get('/things/9'),
  'nothing at all': get('/nowhere'),
  'another method': { method: 'PUT', target: '/orders', lines: [JSON_TYPE], body: '{}' },
  'a false tag': {
    method: 'PUT',
    target: '/things/1',
    lines: [JSON_TYPE, 'If-Match: "x"'],
    body: '{"name":"a"}',
  },
  'no tag': { method: 'PUT', target: '/things/1', lines: [JSON_TYPE], body: '{"name":"a"}' },
}

const bytesOf = ({ method, target, lines, body }: Request) =>
  requestBytes(method, target, lines, body)
const withLines = (request: Request, change: (line: string) => string): Buffer =>
  bytesOf({ ...request, lines: request.lines.map(change) })

function chunked({ method, target, lines, body = '' }: Request): Buffer {
  const chunks = [...body]
    .map(character => `${Buffer.byteLength(character).toString(16)}\r\n${character}\r\n`)
    .join('')
  return Buffer.concat([
    requestBytes(method, target, [...lines, 'Transfer-Encoding: chunked']),
    Buffer.from(`${chunks}0\r\n\r\n`),
  ])
}

function compressed({ method, target, lines, body = '' }: Request): Buffer {
  return requestBytes(method, target, [...lines, 'Content-Encoding: gzip'], gzipSync(body))
}

/** Ways to say the same. Those for bodies do not change a request without one. */
const WAYS: Readonly<Record<string, (request: Request) => Buffer>> = {
  'names of fields in other cases': request =>
    withLines(request, line => line.replace(/^[^:]+/, name => name.toUpperCase())),
  'fields in another order': request =>
    bytesOf({ ...request, lines: [...request.lines].reverse() }),
  'more white space': request => withLines(request, line => `${line.replace(': ', ': \t  ')} \t`),
  'fields that mean nothing': request =>
    bytesOf({ ...request, lines: ['X-More: 1', 'Cookie: a=b', ...request.lines] }),
  'the connection to be closed': request =>
    bytesOf({ ...request, lines: [...request.lines, 'Connection: close'] }),
  'the whole URL as target': request =>
    bytesOf({ ...request, target: `http://127.0.0.1${request.target}` }),
  'the body in chunks': request =>
    request.body === undefined ? bytesOf(request) : chunked(request),
  'the body compressed': request =>
    request.body === undefined ? bytesOf(request) : compressed(request),
}

/** What an answer says: its date and its connection are of the moment. */
function essence({ status, headers, text }: WireAnswer): unknown {
  const passing = new Set(['date', 'connection', 'keep-alive'])
  return { status, headers: [...headers].filter(([name]) => !passing.has(name)), text }
}

describe.each(Object.entries(REQUESTS))('P8: %s', (_name, request) => {
  it.each(Object.entries(WAYS))('has the same response with %s', async (_way, bytesIn) => {
    expect(essence(await sendOne(port, bytesIn(request)))).toEqual(
      essence(await sendOne(port, bytesOf(request))),
    )
  })
})

describe('P8: HEAD', () => {
  const gets = Object.entries(REQUESTS).filter(([, { method }]) => method === 'GET')
  it.each(gets)('of %s has the response of GET, without the body', async (_name, request) => {
    const [got, headed] = [
      await sendOne(port, bytesOf(request)),
      await sendOne(port, bytesOf({ ...request, method: 'HEAD' })),
    ]
    expect(headed.text).toBe('')
    expect(essence({ ...headed, text: got.text })).toEqual(essence(got))
  })
})
