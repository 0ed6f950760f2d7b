// A method that pages or streams may also return a response that is declared beside the main one.
import * as t from 'io-ts'
import {
  altResponse,
  Blueprint,
  events,
  type Feature,
  int,
  keyset,
  lines,
  operation,
  Page,
  paginate,
  reply,
  response,
  struct,
} from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { serveBlueprints } from '../support/client.js'

const Job = struct({ id: int }, 'Job')
const State = struct({ state: t.string }, 'State')
const wait = { 'Retry-After': '5' }
const headers = { 'Retry-After': { required: true, schema: { type: 'string' } } } as const

const MAIN: [title: string, features: readonly Feature[]][] = [
  ['lines', [lines(Job)]],
  ['events', [events(Job)]],
  ['paginate', [paginate(Page), response(t.array(Job))]],
  ['keyset', [keyset({ unique: 'id' }), response(t.array(Job))]],
]

describe.each(MAIN)('beside %s', (_, features) => {
  /** What GET / responds with whatever order the features have, if its method returns this. */
  async function received(other: Feature, returned: unknown) {
    const views = (['/first', '/last'] as const).map((path, isLast) =>
      new Blueprint(path).get(
        path,
        operation(...(isLast ? [...features, other] : [other, ...features])) as never,
        () => returned as never,
      ),
    )
    const { request, errors } = await serveBlueprints(views, { TESTING: true })
    const [{ status, text, headers }, last] = [
      await request('GET', '/first'),
      await request('GET', '/last'),
    ]
    expect([last.status, last.text, errors]).toEqual([status, text, []])
    return [status, text, headers.get('Retry-After')]
  }

  it.each([202, 404])('a %s is encoded by its own codec', async status => {
    const value = { state: 'waiting', secret: 'x' }
    expect(await received(altResponse(status, State), reply(value, status, wait))).toEqual([
      status,
      '{"state":"waiting"}',
      '5',
    ])
  })

  it('a 202 has no content', async () => {
    const accepted = altResponse(202, { content: false, headers })
    expect(await received(accepted, reply(undefined, 202, wait))).toEqual([202, '', '5'])
  })

  it('a 204 has no content', async () => {
    expect(await received(altResponse(204), reply(undefined, 204, wait))).toEqual([204, '', '5'])
  })
})
