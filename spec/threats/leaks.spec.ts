import { describe, expect, it } from 'vitest'
import { CANARY, calls, UNSAYABLE } from './application.js'
import { serveThreats } from './served.js'

const { errors, post, request } = await serveThreats()

const send = (path: string, value: unknown) => post(path, JSON.stringify(value))

describe('what is not declared', () => {
  it('T09: does not get to the method', async () => {
    const before = calls.count
    for (const name of ['isAdmin', 'id', 'role']) {
      expect((await send('/closed', { name: 'Ann', [name]: true })).body.errors).toEqual({ json: { [name]: ['Unknown field.'] } })
    }
    expect(calls.count).toBe(before)
  })

  it('T10: neither at any depth, nor through unions and intersections', async () => {
    const more = { isAdmin: true }
    const nested = {
      items: [{ a: 1, ...more }],
      either: { kind: 'b', b: 'x', ...more },
      both: { a: 1, b: 2, ...more },
    }
    const { status, body } = await send('/shapes', nested)
    const unknown = { isAdmin: ['Unknown field.'] }
    expect({ status, json: body.errors.json }).toEqual({ status: 422, json: { items: { 0: unknown }, either: unknown, both: unknown } })
    expect((await send('/excluded', nested)).body).toEqual({ items: [{ a: 1 }], either: { kind: 'b', b: 'x' }, both: { a: 1, b: 2 } })
  })

  it('T11: nor a field that is only read', async () => {
    expect((await send('/person', { name: 'Ann', id: 7 })).body.errors).toEqual({ json: { id: [expect.any(String)] } })
  })

  it('T12: never leaves, whatever else the value holds', async () => {
    for (const path of ['/leak', '/leak/list?page_size=1']) {
      const { status, text, headers } = await request('GET', path)
      expect(status).toBe(200)
      expect(text + JSON.stringify([...headers])).not.toMatch(new RegExp(`${CANARY}|password|secret`))
    }
    expect((await request('GET', '/leak')).body).toEqual({ id: 1, owner: { name: 'Ann' }, tags: [{ text: 'x' }] })
  })
})

describe('a result that is not as declared', () => {
  it('T13: is a bare 500, told once and without its value', async () => {
    const before = errors.length
    const { status, text } = await request('GET', '/misfit')
    expect({ status, text }).toEqual({ status: 500, text: '{"code":500,"status":"Internal Server Error"}' })
    expect(errors.slice(before).map(error => error.message)).toEqual([expect.stringMatching(/\bname\b/)])
    expect(String(errors.at(-1)?.stack)).not.toContain(CANARY)
  })

  it('T14: loses no field to a member of a union that has fewer', async () => {
    expect((await request('GET', '/union')).body).toEqual({ name: 'Tom', lives: 9 })
  })

  it.each(Object.keys(UNSAYABLE))('T15: is JSON of an error where JSON cannot say it: %s', async what => {
    const { status, body, headers } = await request('GET', `/unsayable/${what}`)
    expect({ status, body }).toEqual({ status: 500, body: { code: 500, status: 'Internal Server Error' } })
    expect(headers.get('Content-Type')).toBe('application/json; charset=utf-8')
  })

  it('T15: is never anything but JSON where no codec says what it is', async () => {
    for (const what of Object.keys(UNSAYABLE)) {
      const { headers, text } = await request('GET', `/unsayable-plain/${what}`)
      expect(headers.get('Content-Type')).toBe('application/json; charset=utf-8')
      expect(() => JSON.parse(text)).not.toThrow()
    }
  })
})
