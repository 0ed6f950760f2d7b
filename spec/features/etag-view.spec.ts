import * as t from 'io-ts'
import {
  Blueprint,
  type Context,
  etag,
  type Feature,
  json,
  MethodView,
  operation,
  optional,
  response,
  struct,
} from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { tagOfData } from '../../src/features/etag/data-tag.js'
import { type Served, serveBlueprints } from '../support/client.js'

interface Employee {
  readonly id: number
  readonly name: string
  readonly salary?: number
}
const Employee = struct({ id: t.number, name: t.string, salary: optional(t.number) }, 'Employee')
const NewName = t.strict({ name: t.string }, 'NewName')
const ann: Employee = { id: 1, name: 'Ann', salary: 50_123 }

/** Who asks, as an access feature says it. */
const caller: Feature<{ named: { role: string } }> = {
  on: () => [
    {
      stage: 'access',
      step({ ctx, named }) {
        named.role = ctx.get('X-Role')
      },
    },
  ],
}
const shown = ({ salary, ...rest }: Employee, { role }: { role: string }): Employee =>
  role === 'admin' && salary !== undefined ? { ...rest, salary } : rest

/** A view whose salary is for admins, over its own employee. */
function employees() {
  let stored = ann
  class EmployeeById extends MethodView {
    static shared = operation(caller, etag({ load: () => stored, view: shown }))
    static get = operation(response(Employee))
    get(_ctx: Context, named: { current: Employee; role: string }) {
      return shown(named.current, named)
    }
    static put = operation(json(NewName), response(Employee))
    put(_ctx: Context, { name }: { name: string }, named: { current: Employee; role: string }) {
      stored = { ...named.current, name }
      return shown(stored, named)
    }
    static patch = operation(json(NewName), response(Employee))
    patch(_ctx: Context, { name }: { name: string }, { current }: { current: Employee }) {
      stored = { ...current, name }
      return stored
    }
  }
  return new Blueprint('employees').route('/', EmployeeById)
}

const tagFor = async ({ request }: Served, role: string) =>
  (await request('GET', '/', { headers: { 'X-Role': role } })).headers.get('ETag') as string

describe('the tag of what a caller is shown', () => {
  it('is made of the view and of nothing else', async () => {
    const served = await serveBlueprints(employees())
    expect(await tagFor(served, 'user')).toBe(tagOfData({ id: 1, name: 'Ann' }))
    expect(await tagFor(served, 'admin')).toBe(tagOfData(ann, Employee))
  })

  it('is a 304 for its own caller only', async () => {
    const served = await serveBlueprints(employees())
    const ask = async (role: string, tag: string) =>
      (await served.request('GET', '/', { headers: { 'X-Role': role, 'If-None-Match': tag } }))
        .status
    const [user, admin] = [await tagFor(served, 'user'), await tagFor(served, 'admin')]
    expect({ own: await ask('user', user), others: await ask('user', admin) }).toEqual({
      own: 304,
      others: 200,
    })
  })

  it.each(['PUT', 'PATCH'])(
    'lets its caller change the representation, again and again (%s)',
    async method => {
      const served = await serveBlueprints(employees())
      let tag = await tagFor(served, 'user')
      for (const name of ['Bea', 'Cem']) {
        const headers = { 'X-Role': 'user', 'If-Match': tag }
        const changed = await served.request(method, '/', { headers, json: { name } })
        tag = changed.headers.get('ETag') as string
        expect({ status: changed.status, tag }).toEqual({
          status: 200,
          tag: await tagFor(served, 'user'),
        })
      }
    },
  )

  it('stops the change of a caller who has seen another version of it', async () => {
    const served = await serveBlueprints(employees())
    const headers = { 'X-Role': 'user', 'If-Match': await tagFor(served, 'admin') }
    expect((await served.request('PUT', '/', { headers, json: { name: 'Bea' } })).status).toBe(412)
  })

  it('may be a version, which is told what the view is told', async () => {
    const seen: unknown[] = []
    const tag = (current: Employee, named: { role: string }) => {
      seen.push({ current, role: named.role })
      return `${named.role}-7`
    }
    const versioned = new Blueprint('versioned').get(
      '/',
      operation(caller, etag({ load: () => ann, view: shown, tag }), response(Employee)),
      (_ctx, named) => shown(named.current, named),
    )
    expect(await tagFor(await serveBlueprints(versioned), 'user')).toBe('"user-7"')
    expect(seen).toEqual([{ current: ann, role: 'user' }])
  })
})

describe('the tag of a write', () => {
  const Note = struct({ title: t.string, text: optional(t.string) }, 'Note')
  const Copy = struct({ title: t.string, text: optional(t.string) }, 'Copy')
  type Note = { readonly title: string; readonly text?: string }

  async function tagsOf(codec: typeof Note, options: { view?: (note: Note) => Note } = {}) {
    let stored: Note = { title: 'Tea', text: 'Green' }
    class NoteById extends MethodView {
      static shared = operation(etag({ load: () => stored, ...options }))
      static get = operation(response(Note))
      get(_ctx: Context, { current }: { current: Note }) {
        return options.view?.(current) ?? current
      }
      static put = operation(json(Note), response(codec))
      put(_ctx: Context, note: Note) {
        stored = note
        return stored
      }
    }
    const { request } = await serveBlueprints(new Blueprint('notes').route('/', NoteById))
    const read = async () => (await request('GET', '/')).headers.get('ETag') as string
    const headers = { 'If-Match': await read() }
    const { status, headers: sent } = await request('PUT', '/', {
      headers,
      json: { title: 'Mate' },
    })
    return { status, written: sent.get('ETag'), read: await read() }
  }

  it('is that of the GET, though the client left out an optional field', async () => {
    const tag = tagOfData({ title: 'Mate' })
    expect(await tagsOf(Note)).toEqual({ status: 200, written: tag, read: tag })
  })

  it('is that of the view of what was written', async () => {
    const view = ({ title }: Note): Note => ({ title: `${title}!` })
    const tag = tagOfData({ title: 'Mate!' })
    expect(await tagsOf(Note, { view })).toEqual({ status: 200, written: tag, read: tag })
  })

  it('is missing if the GET has another codec, however alike', async () => {
    expect(await tagsOf(Copy)).toMatchObject({ status: 200, written: null })
  })
})

describe('a GET that returns something other than its view', () => {
  const without = new Blueprint('without')
  const { salary, ...restricted } = ann
  without.get('/less', operation(etag({ load: () => ann }), response(Employee)), () => restricted)
  without.get(
    '/view',
    operation(caller, etag({ load: () => ann, view: shown }), response(Employee)),
    (_ctx, { current }) => current,
  )
  without.get('/raw', operation(etag({ load: () => ann }), response(Employee)), ctx => {
    ctx.body = Buffer.from('{"id":1,"name":"Ann"}')
    ctx.type = 'json'
    return undefined as never
  })
  without.get('/copy', operation(etag({ load: () => ann }), response(Employee)), () => ({ ...ann }))
  without.get(
    '/version',
    operation(etag({ load: () => ann, tag: () => 3 }), response(Employee)),
    () => restricted,
  )
  const wrong = ['/less', '/view', '/raw']

  it.each(wrong)('is sent without a tag, and never as a 304, with a warning: %s', async path => {
    const { request, api } = await serveBlueprints(without, { DEBUG: false, TESTING: false })
    const warnings: string[] = []
    api.warn = text => warnings.push(text)
    const { status, headers } = await request('GET', path, { headers: { 'If-None-Match': '*' } })
    expect({ status, tag: headers.get('ETag') }).toEqual({ status: 200, tag: null })
    expect(warnings).toEqual([
      expect.stringMatching(
        /GET \/\w+\): the method returned something other than what the (view|loader) of etag/,
      ),
    ])
  })

  it.each(wrong)('is an error in development and tests: %s', async path => {
    const { request, errors } = await serveBlueprints(without, { TESTING: true })
    expect((await request('GET', path)).status).toBe(500)
    expect(errors.at(-1)?.message).toContain('etag({ load, view: (current, named) => … })')
  })

  it('is none if it has the same text, or if the application says the version', async () => {
    const { request } = await serveBlueprints(without, { TESTING: true })
    expect((await request('GET', '/copy')).headers.get('ETag')).toBe(tagOfData(ann, Employee))
    expect((await request('GET', '/version')).headers.get('ETag')).toBe('"3"')
  })

  it('is none for a HEAD, which sends nothing', async () => {
    class Asked extends MethodView {
      static shared = operation(etag({ load: () => ann }), response(Employee))
      static get = operation()
      get() {
        return ann
      }
      static head = operation()
      head() {
        return restricted
      }
    }
    const { request } = await serveBlueprints(new Blueprint('asked').route('/', Asked), {
      TESTING: true,
    })
    expect((await request('HEAD', '/')).headers.get('ETag')).toBe(tagOfData(ann, Employee))
  })
})
