import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import { text as consume } from 'node:stream/consumers'
import { BODIES } from './scenarios.mjs'

const ID = '00000000-0000-4000-8000-00000000002a'
const ITEM = `/pets/${ID}`

/**
 * Asks a server everything that is measured, and what borders on it. Gives what has to be the same
 * for all: statuses, bodies as JSON, page headers, which faults are named. Words of messages and
 * spellings of entity tags are a server's own.
 */
export async function answersOf(server, setup) {
  const ask = asker(server.port)
  const item = await ask('GET', ITEM)
  if (setup === 'upstream') return { item: item.facts, ...upstreamFacts(item) }
  if (setup === 'routes')
    return { item: item.facts, other: (await ask('GET', `/resource498/${ID}`)).facts }
  const { id, ...values } = item.body
  const put = headers => ask('PUT', ITEM, headers, values)
  const current = { 'If-Match': item.etag }
  return {
    item: item.facts,
    unknown: (await ask('GET', '/pets/unknown')).facts,
    notModified: (await ask('GET', ITEM, { 'If-None-Match': item.etag })).facts,
    modified: (await ask('GET', ITEM, { 'If-None-Match': '"another"' })).facts,
    list10: (await ask('GET', '/pets?kind=dog&page=3&page_size=10')).facts,
    list100: (await ask('GET', '/pets?page=100&page_size=100')).facts,
    listByDefault: (await ask('GET', '/pets')).facts,
    beyond: (await ask('GET', '/pets?page=20000')).facts,
    refusedList: (await ask('GET', '/pets?kind=wolf')).facts,
    post: (await ask('POST', '/pets', {}, BODIES.valid)).facts,
    refused: (await ask('POST', '/pets', {}, BODIES.faulty)).facts,
    put: (await put(current)).facts,
    putAgain: (await put(current)).facts,
    stale: (await put({ 'If-Match': '"another"' })).facts,
    unconditional: (await put({})).facts,
    refusedPut: (await ask('PUT', ITEM, current, BODIES.faulty)).facts,
  }
}

const asker = port => async (method, path, headers, values) => {
  const answer = await request(
    port,
    { method, path, headers: { ...headers, Origin: 'http://localhost' } },
    values,
  )
  const { etag, 'x-pagination': pagination = 'null' } = answer.headers
  const body = answer.text && JSON.parse(answer.text)
  const facts = {
    status: answer.status,
    body: comparable(body, method),
    pagination: JSON.parse(pagination),
    isTagged: isTag(etag, answer.status),
  }
  return { body, etag, headers: answer.headers, facts }
}

/** By node:http, as `fetch` adds `Cache-Control: no-cache` to what is conditional. */
async function request(port, { method, path, headers }, values) {
  const sent = http.request({
    port,
    host: '127.0.0.1',
    method,
    path,
    headers: { ...headers, ...(values && { 'Content-Type': 'application/json' }) },
  })
  sent.end(values && JSON.stringify(values))
  const [answer] = await once(sent, 'response')
  return { status: answer.statusCode, headers: answer.headers, text: await consume(answer) }
}

/** Without what is each server's own: the id of a new pet, the words of messages. */
function comparable(body, method) {
  if (!body.errors) return method === 'POST' ? { ...body, id: typeof body.id } : body
  const named = Object.entries(body.errors).map(([location, fields]) => [
    location,
    Object.keys(fields).sort(),
  ])
  return { code: body.code, status: body.status, errors: Object.fromEntries(named) }
}

// some tag their errors too, which means nothing
const isTag = (etag, status) => (status < 400 ? /^"[^"]+"$/.test(etag) : undefined)

function upstreamFacts({ headers }) {
  return {
    origin: headers['access-control-allow-origin'],
    hasRequestId: /^[0-9a-f-]{36}$/.test(headers['x-request-id']),
  }
}

const STATUSES = {
  item: 200,
  notModified: 304,
  list10: 200,
  list100: 200,
  post: 201,
  refused: 422,
  put: 200,
  stale: 412,
  other: 200,
}

/**
 * Throws where a server answers another than the first does, or the first otherwise than it must.
 */
export async function verify(servers, setup) {
  const [first, ...others] = servers
  const expected = await answersOf(first, setup)
  for (const [name, { status }] of Object.entries(expected)) {
    if (name in STATUSES) assert.equal(status, STATUSES[name], `${first.peer.name}: ${name}`)
  }
  for (const server of others) {
    const answers = await answersOf(server, setup)
    for (const name of Object.keys(expected))
      assert.deepEqual(
        answers[name],
        expected[name],
        `${server.peer.name} answers ${name} otherwise than ${first.peer.name}`,
      )
  }
}
