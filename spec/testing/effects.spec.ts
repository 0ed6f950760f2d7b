// What a write leaves behind where it should not, and what it takes away: each law of this with an
// application that breaks it, and the same one when it is sound.
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  abort,
  altResponse,
  Blueprint,
  bearer,
  etag,
  idempotent,
  int,
  json,
  keyset,
  maxItems,
  maximum,
  maxLength,
  memoryStore,
  minItems,
  minimum,
  minLength,
  operation,
  optional,
  path,
  problem,
  readOnly,
  reply,
  response,
  type Store,
  secure,
  struct,
} from 'koa-smorest'
import { contract } from 'koa-smorest/testing'
import { describe, expect, it } from 'vitest'

type Is = (fault: string) => boolean

const Word = maxLength(t.string, 12)
const Short = problem('short', { status: 409 })
const Renewed = problem('renewed', { status: 409 })
const NotThere = problem('not-there', { status: 422 })

/** Accounts, and transfers between them, one or many at a time. */
function accounts(is: Is) {
  const Account = struct({ id: int, cents: int }, 'Account')
  const Transfer = struct(
    { id: readOnly(int), from: int, to: int, cents: maximum(minimum(int, 40), 100) },
    'Transfer',
  )
  let cents = new Map<number, number>()
  let done: t.TypeOf<typeof Transfer>[] = []
  let refused: number[] = []
  const reset = () => {
    cents = new Map([1, 2, 3].map(id => [id, 150]))
    done = []
    refused = []
  }
  reset()
  const move = (one: { from: number; to: number; cents: number }) => {
    const [from, to] = [cents.get(one.from), cents.get(one.to)]
    if (from === undefined || to === undefined) return abort(NotThere)
    if (is('money leaves before it is counted')) cents.set(one.from, from - one.cents)
    if (from < one.cents) return abort(Short)
    cents.set(one.from, from - one.cents)
    cents.set(one.to, (cents.get(one.to) ?? 0) + one.cents)
    const made = { ...one, id: done.length + 1 }
    done.push(made)
    return made
  }
  const all = new Blueprint('accounts')
  all.get('/accounts', operation(response(t.array(Account))), () =>
    [...cents].map(([id, each]) => ({ id, cents: each })),
  )
  all.get('/refused', operation(response(t.array(int))), () => refused)
  all.get('/transfers', operation(response(t.array(Transfer))), () => done)
  const words = [altResponse(Short), altResponse(NotThere)] as const
  const logged = <Result>(work: () => Result): Result => {
    try {
      return work()
    } catch (error) {
      refused.push(refused.length)
      throw error
    }
  }
  all.post(
    '/transfers',
    operation(json(Transfer), response(Transfer, { code: 201 }), ...words),
    (_ctx, one) => logged(() => move(one)),
  )
  all.post(
    '/transfers/bulk',
    operation(
      json(maxItems(minItems(t.array(Transfer), 1), 20)),
      response(t.array(Transfer), { code: 201 }),
      ...words,
    ),
    (_ctx, list) =>
      logged(() => {
        const [before, count] = [new Map(cents), done.length]
        try {
          return list.map(move)
        } catch (error) {
          if (!is('half of many is kept')) {
            cents = before
            done.length = count
          }
          throw error
        }
      }),
  )
  return { all, options: { reset, values: { from: [1, 2, 3, 9], to: [1, 2, 3] } } }
}

/** Loans, which can be renewed until they are returned. */
function loans(is: Is) {
  const Loan = struct({ id: int, days: int, isBack: t.boolean }, 'Loan')
  type Loan = t.TypeOf<typeof Loan>
  let all = new Map<number, Loan>()
  const reset = () => {
    all = new Map([1, 2].map(id => [id, { id, days: 14, isBack: false }]))
  }
  reset()
  const found = (id: number) => all.get(id) ?? abort(404)
  const kept = (loan: Loan) => {
    all.set(loan.id, loan)
    return loan
  }
  const missing = altResponse(404)
  const blueprint = new Blueprint('loans', { urlPrefix: '/loans' })
  blueprint.get('/', operation(response(t.array(Loan))), () => [...all.values()])
  blueprint.get('/:loan<int>', operation(response(Loan), missing), (_ctx, { loan }) => found(loan))
  blueprint.post('/:loan<int>/return', operation(response(Loan), missing), (_ctx, { loan }) =>
    kept({ ...found(loan), isBack: true }),
  )
  blueprint.post(
    '/:loan<int>/renew',
    operation(response(Loan), missing, altResponse(Renewed)),
    (_ctx, { loan }) => {
      const old = found(loan)
      if (old.isBack && !is('what is back can be renewed')) abort(Renewed)
      return kept({ ...old, days: old.days + 14 })
    },
  )
  return { all: blueprint, options: { reset, complete: true } }
}

/** Boxes of a size and with labels, in pages, which are added and replaced. */
function boxes(is: Is) {
  const Size = struct({ width: int, depth: optional(int) }, 'Size')
  const Box = struct(
    { id: readOnly(int), name: Word, size: Size, labels: t.record(t.string, Word) },
    'Box',
  )
  type Box = t.TypeOf<typeof Box>
  let all = new Map<number, Box>()
  const reset = () => {
    all = new Map([1, 2, 3].map(id => [id, { id, name: 'b', size: { width: 1 }, labels: {} }]))
  }
  reset()
  const blueprint = new Blueprint('boxes', { urlPrefix: '/boxes' })
  blueprint.get('/', operation(keyset({ unique: 'id' }), response(t.array(Box))), () => {
    const rows = [...all.values()]
    if (is('the list has other names'))
      return rows.map(row => ({ ...row, name: row.name.slice(0, 1) }))
    return is('the list has a row twice') ? [...rows, ...rows.slice(0, 1)] : rows
  })
  blueprint.post('/', operation(json(Box), response(Box, { code: 201 })), (_ctx, box) => {
    const made = { ...box, id: all.size + 1 }
    all.set(made.id, made)
    return made
  })
  blueprint.get(
    '/:box<int>',
    operation(response(Box), altResponse(404)),
    (_ctx, { box }) => all.get(box) ?? abort(404),
  )
  blueprint.put(
    '/:box<int>',
    operation(json(Box), response(Box), altResponse(404)),
    (_ctx, given, { box }) => {
      const old = all.get(box) ?? abort(404)
      const made = { ...given, id: box }
      if (is('sizes are merged')) made.size = { ...old.size, ...given.size }
      if (is('labels are merged')) made.labels = { ...old.labels, ...given.labels }
      all.set(box, made)
      return made
    },
  )
  return { all: blueprint, options: { reset } }
}

/** Teams, and their members, which only a list shows. */
function teams(is: Is) {
  const names = ['ann', 'bob', 'cem'] as const
  const Member = path(struct({ name: t.keyof({ ann: null, bob: null, cem: null }) }))
  const Named = struct({ name: t.string }, 'Named')
  let members = new Map<number, string[]>()
  const reset = () => {
    members = new Map([
      [1, [...names]],
      [2, ['ann']],
    ])
  }
  reset()
  const of = (team: number) => members.get(team) ?? abort(404)
  const missing = altResponse(404)
  const all = new Blueprint('teams', { urlPrefix: '/teams' })
  all.get('/', operation(response(t.array(struct({ id: int })))), () =>
    [...members.keys()].map(id => ({ id })),
  )
  all.get('/:team<int>/members', operation(response(t.array(Named)), missing), (_ctx, { team }) =>
    of(team).map(name => ({ name })),
  )
  all.put(
    '/:team<int>/members/:name',
    operation(Member, response({ code: 204 }), missing),
    (_ctx, { name }, { team }) => {
      if (!of(team).includes(name) || is('who joins twice is there twice')) of(team).push(name)
    },
  )
  all.delete(
    '/:team<int>/members/:name',
    operation(Member, response({ code: 204 }), missing),
    (_ctx, { name }, { team }) => {
      if (!of(team).includes(name)) abort(404)
      members.set(team, is('all leave together') ? [] : of(team).filter(each => each !== name))
    },
  )
  return { all, options: { reset } }
}

/** Orders, of which no more than three are taken at once. */
function orders(is: Is) {
  const Order = struct({ count: maximum(minimum(int, 1), 9) }, 'Order')
  const kept = memoryStore()
  const forgetful: Store = {
    begin: (...given) => kept.begin(...given),
    release: run => kept.release(run),
    finish: (run, outcome) =>
      outcome.failed ? kept.release(run).then(() => true) : kept.finish(run, outcome),
  }
  let asked = 0
  const all = new Blueprint('orders').post(
    '/orders',
    operation(
      idempotent({ store: is('a refusal is forgotten') ? forgetful : kept }),
      json(Order),
      response(Order, { code: 201 }),
      altResponse(Short),
    ),
    (_ctx, order) => {
      if (order.count > 3) abort(409, { message: `No. ${++asked}` })
      return order
    },
  )
  return { all, options: {} }
}

/** Rooms of two callers, with names that nobody else has, and labels, which a PUT creates. */
function rooms(is: Is) {
  const Room = struct(
    { id: readOnly(int), name: minLength(Word, 1), note: optional(maxLength(t.string, 40)) },
    'Room',
  )
  type Room = t.TypeOf<typeof Room> & { owner: string; isUsed: boolean }
  const Label = struct({ color: Word }, 'Label')
  let all = new Map<number, Room>()
  let labels = new Map<string, t.TypeOf<typeof Label>>()
  let remembered: string | undefined
  const reset = () => {
    all = new Map(
      ['ann', 'ann', 'ann', 'bob'].map((owner, index) => {
        const id = index + 1
        return [id, { id, name: `room ${id}`, owner, isUsed: id === 1 }]
      }),
    )
    labels = new Map()
    remembered = undefined
  }
  reset()
  const login = bearer('login', {
    principal: token => {
      const name = ['ann', 'bob'].find(one => token === `${one}-sesame`)
      if (is('the caller is remembered')) remembered ??= name
      return name && (remembered ?? name)
    },
  })
  const found = (id: number, principal: string, mayAll = false) => {
    const room = all.get(id)
    return room && (room.owner === principal || mayAll) ? room : abort(404)
  }
  const missing = altResponse(404)
  const blueprint = new Blueprint('rooms', { shared: operation(secure(login)) })
  blueprint.get('/rooms', operation(response(t.array(Room))), (_ctx, { principal }) =>
    [...all.values()].filter(({ owner }) => owner === principal),
  )
  blueprint.get('/rooms/:room<int>', operation(response(Room), missing), (_ctx, named) =>
    found(named.room, named.principal),
  )
  blueprint.put(
    '/rooms/:room<int>',
    operation(json(Room), response(Room), missing, altResponse(409)),
    (_ctx, given, named) => {
      const { id, owner, isUsed } = found(named.room, named.principal)
      const made = { ...given, id, owner, isUsed }
      if (is('names are normalised')) made.name = made.name.normalize('NFC')
      const isTaken = [...all.values()].some(one => one.name === given.name && one.id !== id)
      if (isTaken && !is('a name is kept although it is taken')) abort(409)
      for (const [other, one] of is('a note is for all') ? all : [])
        if (given.note !== undefined) all.set(other, { ...one, note: given.note })
      all.set(id, made)
      if (is('a PUT adds a row')) {
        const added = all.size + 1
        all.set(added, { ...made, id: added, name: `copy ${added}` })
      }
      return isTaken ? abort(409) : made
    },
  )
  blueprint.delete(
    '/rooms/:room<int>',
    operation(response({ code: 204 }), missing, altResponse(409)),
    (_ctx, named) => {
      const room = found(named.room, named.principal, is('anybody deletes rooms'))
      if (room.isUsed) abort(409)
      all.delete(room.id)
    },
  )
  const load = (_ctx: object, { label }: { label: string }) => labels.get(label)
  const tag = ({ color }: t.TypeOf<typeof Label>) => `c${Buffer.from(color).toString('hex')}`
  const read = operation(etag({ load, tag }), response(Label))
  blueprint.get('/labels/:label', read, (_ctx, { current }) => current)
  blueprint.put(
    '/labels/:label',
    operation(
      etag({ load, tag, create: true }),
      json(Label),
      response(Label),
      altResponse(201, Label),
    ),
    (_ctx, given, { label, current }) => {
      labels.set(is('labels are in lower case') ? label.toLowerCase() : label, given)
      return reply(given, current ? 200 : 201)
    },
  )
  return { all: blueprint, options: { reset, as: { login: ['ann-sesame', 'bob-sesame'] } } }
}

const APPLICATIONS = { accounts, loans, boxes, teams, orders, rooms }

async function failuresOf(
  name: keyof typeof APPLICATIONS,
  fault?: string,
  { seed = 1, runs = 20 } = {},
) {
  const app = new Koa()
  app.silent = true
  const { all, options } = APPLICATIONS[name](one => one === fault)
  const api = new Api(app, { OPENAPI_VERSION: '3.1.0', DEBUG: false, TESTING: false })
  const { failures } = await contract(app, api.registerBlueprint(all), {
    runs,
    seed,
    ...options,
  })
  return failures.map(({ check, operation }) => `${check} | ${operation}`)
}

describe('contract finds that', () => {
  it.each([
    ['accounts', 'half of many is kept', 'law: a refusal changes nothing | POST /transfers/bulk'],
    [
      'accounts',
      'money leaves before it is counted',
      'law: a refusal changes nothing | POST /transfers',
    ],
    ['loans', 'what is back can be renewed', 'coverage | POST /loans/{loan}/renew'],
    ['boxes', 'sizes are merged', 'law: PUT replaces | PUT /boxes/{box}'],
    ['boxes', 'labels are merged', 'law: PUT replaces | PUT /boxes/{box}'],
    ['boxes', 'the list has other names', 'law: list | POST /boxes/'],
    ['boxes', 'the list has a row twice', 'law: all pages together are the list | GET /boxes/'],
    [
      'teams',
      'who joins twice is there twice',
      'law: PUT twice | PUT /teams/{team}/members/{name}',
    ],
    ['orders', 'a refusal is forgotten', 'law: a repeated key changes nothing | POST /orders'],
    ['teams', 'all leave together', 'law: list | DELETE /teams/{team}/members/{name}'],
    [
      'rooms',
      'a name is kept although it is taken',
      'law: a refusal changes nothing | PUT /rooms/{room}',
    ],
    ['rooms', 'a PUT adds a row', 'law: PUT twice | PUT /rooms/{room}'],
    ['rooms', 'a note is for all', 'law: neighbours | PUT /rooms/{room}'],
    ['rooms', 'anybody deletes rooms', 'law: others | DELETE /rooms/{room}'],
    ['rooms', 'the caller is remembered', 'law: others | GET /rooms'],
    ['rooms', 'labels are in lower case', 'law: creation by PUT | PUT /labels/{label}'],
  ] as const)('in %s %s', { timeout: 60_000 }, async (name, fault, expected) => {
    expect(await failuresOf(name, fault)).toContain(expected)
  })

  it('in rooms names are normalised, with the first request', async () => {
    const expected = 'law: echo | PUT /rooms/{room}'
    expect(await failuresOf('rooms', 'names are normalised', { runs: 2 })).toContain(expected)
  })

  it.each(['accounts', 'loans', 'boxes', 'teams', 'orders', 'rooms'] as const)(
    '%s are sound',
    { timeout: 60_000 },
    async name => {
      for (const seed of [1, 2, 3]) expect(await failuresOf(name, undefined, { seed })).toEqual([])
    },
  )
})
