// Sound applications of shapes that a contract test once had something against, or lost its way in.
import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import * as t from 'io-ts'
import Koa from 'koa'
import {
  type AnyBlueprint,
  Api,
  abort,
  altResponse,
  Blueprint,
  bearer,
  body,
  bytes,
  download,
  events,
  files,
  form,
  int,
  isoDate,
  json,
  list,
  maxItems,
  maximum,
  maxLength,
  minItems,
  minimum,
  nullable,
  operation,
  optional,
  Page,
  paginate,
  path,
  problem,
  query,
  readOnly,
  response,
  secure,
  signed,
  struct,
  Upload,
} from 'koa-smorest'
import { type ContractOptions, contract } from 'koa-smorest/testing'
import { describe, expect, it } from 'vitest'

async function reportOf(blueprint: AnyBlueprint, options: ContractOptions = {}) {
  const app = new Koa()
  app.silent = true
  const api = new Api(app, { OPENAPI_VERSION: '3.1.0', DEBUG: false, TESTING: false })
  const report = await contract(app, api.registerBlueprint(blueprint), { runs: 10, ...options })
  const failures = report.failures.map(({ check, operation, message }) =>
    [check, operation, message].join(' | '),
  )
  const missing = report.coverage.missing.map(one => `${one.operation} ${one.status}`)
  return { failures, missing }
}

type Prepare = NonNullable<ContractOptions['prepare']>[string]

const Word = maxLength(t.string, 10)
const sound = { failures: [], missing: [] }

/** Rooms with members, who are put there under their names, and with signs that nothing lists. */
function rooms() {
  const users = ['ann', 'bob', 'cem']
  const Person = path(struct({ name: t.keyof({ ann: null, bob: null, cem: null }) }))
  const Sign = path(struct({ sign: t.keyof({ open: null, quiet: null }) }))
  const Room = struct({ id: int, title: Word }, 'Room')
  let members = new Map<number, Set<string>>()
  let signs = new Set<string>()
  const reset = () => {
    members = new Map([
      [1, new Set(users)],
      [2, new Set(['ann'])],
      [3, new Set(['ann', 'bob'])],
    ])
    signs = new Set()
  }
  reset()
  const login = bearer('login', { principal: token => users.find(user => user === token) })
  const own = (room: number, user: string) => {
    const found = members.get(room) ?? abort(404)
    return found.has(user) ? found : abort(403)
  }
  const all = new Blueprint('rooms', { urlPrefix: '/rooms' })
  all.get('/', operation(response(t.array(Room))), () =>
    [...members.keys()].map(id => ({ id, title: `Room ${id}` })),
  )
  all.get(
    '/:room<int>/members',
    operation(response(t.array(struct({ name: t.string }))), altResponse(404)),
    (_ctx, { room }) => [...(members.get(room) ?? abort(404))].map(name => ({ name })),
  )
  const word = [secure(login), response({ code: 204 }), altResponse(403), altResponse(404)] as const
  all.put(
    '/:room<int>/members/:name',
    operation(...word, Person),
    (_ctx, { name }, { room, principal }) => void own(room, principal).add(name),
  )
  all.put(
    '/:room<int>/signs/:sign',
    operation(...word, Sign),
    (_ctx, { sign }, { room, principal }) => {
      own(room, principal)
      signs.add(sign)
    },
  )
  return { all, options: { reset, as: { login: users } } }
}

/** Queues, which are known by a name that their path parameter does not have. */
function queues() {
  const Queue = struct({ name: Word, waiting: int }, 'Queue')
  const waiting = new Map([
    ['mail', 2],
    ['video', 0],
  ])
  const all = new Blueprint('queues', { urlPrefix: '/queues' })
  all.get('/', operation(response(t.array(Queue))), () =>
    [...waiting].map(([name, count]) => ({ name, waiting: count })),
  )
  all.get(
    '/:queue',
    operation(path(struct({ queue: Word })), response(Queue), altResponse(404)),
    (_ctx, { queue }) => ({ name: queue, waiting: waiting.get(queue) ?? abort(404) }),
  )
  return all
}

/** Articles that each reader may like; a row says whether the caller does. */
function articles() {
  const readers = ['ann', 'bob']
  const Article = struct({ slug: Word, isLiked: t.boolean }, 'Article')
  let likes = new Set<string>()
  const reset = () => {
    likes = new Set(['a bob', 'b ann'])
  }
  reset()
  const shown = (slug: string, reader: string) => ({
    slug,
    isLiked: likes.has(`${slug} ${reader}`),
  })
  const find = (slug: string) => (['a', 'b'].includes(slug) ? slug : abort(404))
  const login = bearer('login', { principal: token => readers.find(one => one === token) })
  const shared = operation(secure(login))
  const all = new Blueprint('articles', { urlPrefix: '/articles', shared })
  all.get('/', operation(response(t.array(Article))), (_ctx, { principal }) =>
    ['a', 'b'].map(slug => shown(slug, principal)),
  )
  all.get('/:slug', operation(response(Article), altResponse(404)), (_ctx, { slug, principal }) =>
    shown(find(slug), principal),
  )
  all.put(
    '/:slug/like',
    operation(response({ code: 204 }), altResponse(404)),
    (_ctx, { slug, principal }) => void likes.add(`${find(slug)} ${principal}`),
  )
  return { all, options: { reset, as: { login: readers } } }
}

describe('a sound application', () => {
  it('may say in its rows what concerns the caller alone', async () => {
    const { all, options } = articles()
    expect(await reportOf(all, options)).toEqual(sound)
  })

  it('may put one name below several parents, and what nothing lists below one', async () => {
    const { all, options } = rooms()
    expect(await reportOf(all, options)).toEqual(sound)
  })

  it('may know its things by their names', async () => {
    expect(await reportOf(queues())).toEqual(sound)
  })

  it('may refuse nothing but what is not a boolean', async () => {
    const all = new Blueprint('all').get(
      '/',
      operation(query(struct({ open: optional(t.boolean) })), response(t.boolean)),
      (_ctx, { open = false }) => open,
    )
    expect(await reportOf(all)).toEqual(sound)
  })

  it('may ask for numbers of a small range that is far from 0', async () => {
    const late = minimum(maximum(int, 2 ** 40 + 9), 2 ** 40)
    const early = minimum(maximum(int, -(2 ** 40)), -(2 ** 40) - 9)
    const all = new Blueprint('all').get(
      '/',
      operation(query(struct({ late, early })), response(t.array(int))),
      (_ctx, { late, early }) => [late, early],
    )
    expect(await reportOf(all)).toEqual(sound)
  })

  it('may list texts by their beginnings, wait for the words of a search, and echo', async () => {
    const words = ['ant', 'bee', 'bear']
    const Beginning = query(struct({ beginning: optional(Word) }))
    const begin = (beginning: string) => words.filter(word => word.startsWith(beginning))
    const all = new Blueprint('all')
      .get(
        '/words',
        operation(Beginning, response(t.array(t.string))),
        (_ctx, { beginning = '' }) => begin(beginning),
      )
      .get('/search', operation(Beginning, response(t.array(t.string))), (_ctx, { beginning }) =>
        beginning === undefined ? [] : begin(beginning),
      )
      .get(
        '/echo',
        operation(
          query(struct({ tags: optional(list(t.string)) })),
          response(struct({ tags: t.array(t.string) })),
        ),
        (_ctx, { tags = [] }) => ({ tags }),
      )
    const values = { beginning: ['b', 'be'] }
    expect((await reportOf(all, { values })).failures).toEqual([])
  })

  it('may take bodies in a notation of its own, which are given as values', async () => {
    const Job = struct({ title: Word }, 'Job')
    const parse = (text: string) => {
      const [, title] = /^title: (.*)$/.exec(text) ?? []
      return { title }
    }
    const yaml = json(Job, { contentType: 'application/yaml', parse })
    const all = new Blueprint('all')
      .post('/any', operation(body(json(Job), yaml), response(Job)), (_ctx, job) => job)
      .post('/own', operation(yaml, response(Job)), (_ctx, job) => job)
    const values = { 'POST /own body': ['title: Paint'] }
    expect((await reportOf(all, { values })).failures).toEqual([])
    expect((await reportOf(all)).failures).toEqual([
      'no value | POST /own | no value was found for POST /own body that its schema allows: give some as `values`',
    ])
  })

  it('may require several parameters, one of which is given as a value', async () => {
    const Route = query(struct({ from: Word, date: isoDate }))
    const all = new Blueprint('all').get('/trips', operation(Route, response(Word)), () => 'train')
    expect((await reportOf(all, { values: { from: ['Oslo'] } })).failures).toEqual([])
  })

  it('may have no more events', async () => {
    const blueprint = new Blueprint('x').get('/events', operation(events(int)), () => [])
    expect(await reportOf(blueprint)).toMatchObject({ failures: [] })
  })

  it('may begin with its second page', async () => {
    const Row = struct({ id: int }, 'Row')
    const all = new Blueprint('all').get(
      '/rows',
      operation(paginate(Page, { page: 2, pageSize: 5, maxPageSize: 9 }), response(t.array(Row))),
      () => Array.from({ length: 7 }, (_, index) => ({ id: index + 1 })),
    )
    expect((await reportOf(all)).failures).toEqual([])
  })

  it('may take an optional file beside a required one', async () => {
    const Files = struct({ front: Upload, back: optional(Upload) })
    const all = new Blueprint('all').post(
      '/covers',
      operation(form(struct({ title: Word })), files(Files), response(int)),
      (_ctx, _form, { back }) => (back ? 2 : 1),
    )
    for (const seed of [1, 2, 3, 4])
      expect((await reportOf(all, { seed })).failures, `seed ${seed}`).toEqual([])
  })

  it('may take a list of what has to exist', async () => {
    const Line = struct({ pet: int, owner: int, note: optional(Word) }, 'Line')
    const Unknown = problem('unknown', { status: 422 })
    const all = new Blueprint('all').post(
      '/lines',
      operation(
        json(maxItems(minItems(t.array(Line), 1), 40)),
        response(int),
        altResponse(Unknown),
      ),
      (_ctx, lines) =>
        lines.every(({ pet, owner }) => pet < 3 && owner < 3) ? lines.length : abort(Unknown),
    )
    const values = {
      'POST /lines json.pet': [1, 2, 99],
      'POST /lines json.owner': [1, 2, 99],
    }
    for (const seed of [1, 2, 3])
      expect((await reportOf(all, { seed, values })).failures, `seed ${seed}`).toEqual([])
  })
})

describe('the fault of an application', () => {
  it.each([0, 1])('shows in one of several races, whichever it is: %i', async first => {
    let names = new Set<string>()
    let resets = first
    const reset = () => {
      resets++
      names = new Set()
    }
    const Named = struct({ name: maxLength(t.string, 5) }, 'Named')
    const all = new Blueprint('all').post(
      '/names',
      operation(json(Named), response(Named, { code: 201 }), altResponse(409)),
      async (_ctx, named) => {
        if (names.has(named.name)) abort(409)
        // in every other race both are here before one is added
        if (resets % 2 === 0) await sleep(20)
        names.add(named.name)
        return named
      },
    )
    expect((await reportOf(all, { reset })).failures).toEqual([
      expect.stringContaining('law: two at once | POST /names'),
    ])
  })

  it('shows beside an optional field that names what has to exist', async () => {
    const Post = struct(
      { id: readOnly(int), text: maxLength(t.string, 20), replyTo: optional(int) },
      'Post',
    )
    const Unknown = problem('unknown', { status: 422 })
    const all = new Blueprint('all').post(
      '/posts',
      operation(json(Post), response(Post, { code: 201 }), altResponse(Unknown)),
      (_ctx, { text, replyTo }) =>
        replyTo === undefined ? { id: 1, text: text.trim() } : abort(Unknown),
    )
    expect((await reportOf(all)).failures).toEqual([
      expect.stringContaining('law: echo | POST /posts'),
    ])
  })
})

describe('a body of JSON', () => {
  it('may have null for a field that is always shown', async () => {
    const given = { text: optional(nullable(Word)), isLoud: optional(nullable(t.boolean)) }
    const Said = struct({ id: int, text: Word, isLoud: t.boolean })
    let said = { id: 1, text: '', isLoud: false }
    const all = new Blueprint('all')
      .post('/said', operation(json(struct(given)), response(Said)), (_ctx, { text, isLoud }) => {
        said = { id: 1, text: text ?? 'hello', isLoud: isLoud ?? true }
        return said
      })
      .patch('/said', operation(json(struct(given)), response(Said)), (_ctx, { text, isLoud }) => {
        said = { id: 1, text: text ?? said.text, isLoud: isLoud ?? said.isLoud }
        return said
      })
      .get('/said', operation(response(Said)), () => said)
    expect(await reportOf(all, { runs: 30 })).toEqual(sound)
  })

  it('may be about some rows of a list in pages, which the response has', async () => {
    const Row = struct({ id: int, title: Word })
    const Rows = struct({ rows: t.array(Row) })
    const Change = struct({
      rows: maxItems(t.array(struct({ id: int, title: optional(Word) })), 1),
    })
    let rows = [{ id: 1, title: 'a' }]
    const all = new Blueprint('all')
      .get(
        '/rows',
        operation(paginate(Page, { items: 'rows', wrap: rows => ({ rows }) }), response(Rows)),
        () => rows,
      )
      .put('/rows', operation(json(Change), response(Rows), altResponse(404)), (_ctx, given) => {
        const changed = given.rows.map(one => ({
          ...(rows.find(({ id }) => id === one.id) ?? abort(404)),
          ...(one.title !== undefined && { title: one.title }),
        }))
        rows = rows.map(row => changed.find(({ id }) => id === row.id) ?? row)
        return { rows: changed }
      })
    const reset = () => {
      rows = [1, 2, 3].map(id => ({ id, title: 'a' }))
    }
    const values = { 'PUT /rows json.rows.id': [1, 2, 3] }
    expect(await reportOf(all, { reset, values })).toEqual(sound)
  })

  it('is broken, although another media type or a text of `prepare` was accepted', async () => {
    const Said = struct({ text: optional(Word) })
    const partner = signed('partner', {
      secret: 'sesame',
      format: ({ headers, body }) => ({ bytes: body, signatures: [String(headers['x-mac'])] }),
    })
    const all = new Blueprint('all')
      .post('/said', operation(body(json(Said), form(Said)), response({ code: 204 })), () => {})
      .post('/hooks', operation(secure(partner), json(Said), response({ code: 204 })), () => {})
    const sign: Prepare = request => {
      const { body } = request
      if (!body) return request
      const text = 'text' in body ? body.text : JSON.stringify(body.value)
      const mac = createHmac('sha256', 'sesame').update(text).digest('hex')
      const headers = { ...request.headers, 'X-Mac': mac }
      return { ...request, headers, body: { mediaType: body.mediaType, text } }
    }
    for (const seed of [1, 2, 3])
      expect(await reportOf(all, { seed, prepare: { 'POST /hooks': sign } })).toEqual(sound)
  })
})

describe('what is documented of bytes', () => {
  it('is tried with bytes, although a request without them is valid', async () => {
    const file = new Map<number, Uint8Array>()
    const blueprint = new Blueprint('x')
      .put(
        '/files/:fileId<int>',
        operation(bytes(), response({ code: 204 })),
        (_ctx, given, { fileId }) => void file.set(fileId, given.subarray(0, 60_000)),
      )
      .get(
        '/files/:fileId<int>',
        operation(response({ contentType: 'application/octet-stream' }), altResponse(404)),
        (_ctx, { fileId }) => download(file.get(fileId) ?? abort(404)),
      )
    for (const seed of [1, 2, 3, 4])
      expect(
        await reportOf(blueprint, {
          seed,
          values: { fileId: [1] },
          reset: () => void file.set(1, Uint8Array.of(1)),
        }),
      ).toMatchObject({ failures: [expect.stringMatching(/^law: bytes/)] })
  })

  it('is seen: too many, and gzip that breaks off', async () => {
    let kept: Uint8Array = new Uint8Array()
    const all = new Blueprint('all').put(
      '/picture',
      operation(body(bytes({ maxSize: 1000 })), response({ code: 204 })),
      (_ctx, given) => {
        kept = given
      },
    )
    all.get('/picture', operation(response({ contentType: 'application/octet-stream' })), () =>
      Buffer.from(kept),
    )
    for (const seed of [1, 2, 3]) expect(await reportOf(all, { seed })).toEqual(sound)
  })
})
