import { describe, expect, it } from 'vitest'
import { CANARY, calls, UNSAYABLE } from './application.js'
import { serveThreats } from './served.js'

const { errors, post, request } = await serveThreats()

const send = (path: string, value: unknown) => post(path, JSON.stringify(value))

describe('a field that is not declared', () => {
  it('never reaches the method (T09)', async () => {
    const before = calls.count
    for (const name of ['isAdmin', 'id', 'role']) {
      expect((await send('/closed', { name: 'Ann', [name]: true })).body.errors).toEqual({
        json: { [name]: ['Unknown field.'] },
      })
    }
    expect(calls.count).toBe(before)
  })

  it('never reaches the method at any depth, in unions and intersections either (T10)', async () => {
    const more = { isAdmin: true }
    const nested = {
      items: [{ a: 1, ...more }],
      either: { kind: 'b', b: 'x', ...more },
      both: { a: 1, b: 2, ...more },
    }
    const { status, body } = await send('/shapes', nested)
    const unknown = { isAdmin: ['Unknown field.'] }
    expect({ status, json: body.errors.json }).toEqual({
      status: 422,
      json: { items: { 0: unknown }, either: unknown, both: unknown },
    })
    expect((await send('/excluded', nested)).body).toEqual({
      items: [{ a: 1 }],
      either: { kind: 'b', b: 'x' },
      both: { a: 1, b: 2 },
    })
  })

  it('is refused like one that is read-only (T11)', async () => {
    expect((await send('/person', { name: 'Ann', id: 7 })).body.errors).toEqual({
      json: { id: [expect.any(String)] },
    })
  })

  it('is never sent, whatever else the result has (T12)', async () => {
    for (const path of ['/leak', '/leak/list?page_size=1']) {
      const { status, text, headers } = await request('GET', path)
      expect(status).toBe(200)
      expect(text + JSON.stringify([...headers])).not.toMatch(
        new RegExp(`${CANARY}|password|secret`),
      )
    }
    expect((await request('GET', '/leak')).body).toEqual({
      id: 1,
      owner: { name: 'Ann' },
      tags: [{ text: 'x' }],
    })
  })
})

describe('a result that does not match its codec', () => {
  it('is a bare 500, and is emitted once, without its value (T13)', async () => {
    const before = errors.length
    const { status, text } = await request('GET', '/misfit')
    expect({ status, text }).toEqual({
      status: 500,
      text: '{"code":500,"status":"Internal Server Error"}',
    })
    expect(errors.slice(before).map(error => error.message)).toEqual([
      expect.stringMatching(/\bname\b/),
    ])
    expect(String(errors.at(-1)?.stack)).not.toContain(CANARY)
  })

  it('is not one that a member of a union with fewer fields would match: no field is lost (T14)', async () => {
    expect((await request('GET', '/union')).body).toEqual({ name: 'Tom', lives: 9 })
  })

  it.each(Object.keys(UNSAYABLE))(
    'is a bare 500 if JSON cannot express it: %s (T15)',
    async what => {
      const { status, body, headers } = await request('GET', `/unsayable/${what}`)
      expect({ status, body }).toEqual({
        status: 500,
        body: { code: 500, status: 'Internal Server Error' },
      })
      expect(headers.get('Content-Type')).toBe('application/json; charset=utf-8')
    },
  )

  it('is JSON even without a codec (T15)', async () => {
    for (const what of Object.keys(UNSAYABLE)) {
      const { headers, text } = await request('GET', `/unsayable-plain/${what}`)
      expect(headers.get('Content-Type')).toBe('application/json; charset=utf-8')
      expect(() => JSON.parse(text)).not.toThrow()
    }
  })
})
