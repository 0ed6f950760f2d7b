import * as t from 'io-ts'
import { altResponse, Blueprint, operation, redirect, reply, response } from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { serveBlueprints } from '../support/client.js'
import { serveEveryWay, WAYS } from '../support/every-way.js'

const Pet = t.strict({ name: t.string }, 'Pet')

describe('redirect()', () => {
  const blueprint = () =>
    new Blueprint('redirects')
      .get('/303', operation(response({ code: 303 })), () => redirect('/pets/7', 303))
      .get('/302', operation(response(Pet), altResponse(302)), () => redirect('../pets'))
      .get('/later', operation(response(Pet), altResponse(308)), async () =>
        redirect(new URL('https://pets.example/7'), 308),
      )
      .get('/typed', operation(response({ code: 303 })), ctx => {
        ctx.type = 'json'
        return redirect('/pets/7', 303)
      })
      .get('/by-reply', operation(response({ code: 303 })), () =>
        reply(undefined, { Location: '/pets/7' }),
      )
      .get('/by-koa', operation(response({ code: 302, contentType: 'text/html' })), ctx =>
        ctx.redirect('/pets/7'),
      )
      .get(
        '/by-fetch',
        operation(response({ code: 303 })),
        () => new Response(null, { status: 303, headers: { Location: '/pets/7' } }),
      )

  it.each(WAYS)('sends the status and Location without a body, %s', async way => {
    const { [way]: request } = await serveEveryWay({ blueprint })
    for (const [path, status, location] of [
      ['/303', 303, '/pets/7'],
      ['/302', 302, '../pets'],
      ['/later', 308, 'https://pets.example/7'],
      ['/typed', 303, '/pets/7'],
      ['/by-reply', 303, '/pets/7'],
      ['/by-fetch', 303, '/pets/7'],
    ] as const) {
      const response = await request('GET', path)
      const { headers } = response
      expect({
        path,
        status: response.status,
        text: response.text,
        location: headers.get('Location'),
        length: headers.get('Content-Length'),
        type: headers.get('Content-Type'),
      }).toEqual({ path, status, text: '', location, length: '0', type: null })
    }
    expect(await request('GET', '/by-koa')).toMatchObject({
      status: 302,
      text: expect.stringContaining('/pets/7'),
    })
  })

  it('percent-encodes what a URL cannot contain, and nothing twice', () => {
    const locationOf = (text: string) => (redirect(text).headers as { Location: string }).Location
    expect(locationOf('/a%20b/é?q=a b&r=%zz#f')).toBe('/a%20b/%C3%A9?q=a%20b&r=%25zz#f')
    expect(locationOf('/\\evil.example/\ud800\r\nX: 1')).toBe(
      '/%5Cevil.example/%EF%BF%BD%0D%0AX:%201',
    )
  })

  it.each([200, 304, 305, 404, 302.5])('refuses %d, which is not a status of a redirect', code => {
    expect(() => redirect('/', code as 302)).toThrow(
      new TypeError(
        `redirect() takes one of the statuses 300, 301, 302, 303, 307, 308, not ${code}`,
      ),
    )
  })

  it('is documented with its Location, which development demands', async () => {
    const headers = {
      location: { description: 'The new pet', schema: { type: 'string' } },
    } as const
    const blueprint = new Blueprint('documented')
      .get('/own', operation(response({ code: 303, headers })), () => redirect('/', 303))
      .get('/usual', operation(response({ code: 303 })), () => redirect('/', 303))
      .get('/missing', operation(response({ code: 303 })), () => undefined)
      .get('/undeclared', operation(response(Pet)), () => redirect('/', 303))
    const { request, api, errors } = await serveBlueprints(blueprint, { DEBUG: true })
    expect(await request('GET', '/usual')).toMatchObject({ status: 303 })
    await request('GET', '/missing')
    await request('GET', '/undeclared')
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringContaining('lacks the header field Location'),
      expect.stringContaining('303 is not documented: add altResponse(303'),
    ])
    const { paths } = api.spec.latest as {
      paths: Record<string, { get: { responses: Record<number, object> } }>
    }
    expect(paths['/usual']?.get.responses[303]).toEqual({
      description: 'See Other',
      headers: {
        Location: {
          description: 'Where to go',
          required: true,
          schema: { type: 'string', format: 'uri-reference' },
        },
      },
    })
    expect(paths['/own']?.get.responses[303]).toEqual({ description: 'See Other', headers })
  })
})
