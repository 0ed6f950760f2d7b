import { setImmediate as pause } from 'node:timers/promises'
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  abort,
  altResponse,
  Blueprint,
  bearer,
  type Context,
  email,
  etag,
  type InputOf,
  idempotent,
  int,
  isoDate,
  isoDateTime,
  json,
  MethodView,
  maximum,
  maxLength,
  memoryStore,
  minimum,
  minLength,
  nullable,
  type OutputOf,
  operation,
  optional,
  Page,
  paginate,
  partial,
  pattern,
  pick,
  problem,
  query,
  readOnly,
  reply,
  response,
  type Store,
  secure,
  struct,
  withDefault,
} from 'koa-smorest'
import type { ContractOptions } from 'koa-smorest/testing'

// Subscriptions to plans: each shop sees its own; they are paused, resumed, cancelled, and invoiced.

export const faults = [
  'keys are forgotten',
  'keys are shared by all shops',
  'cancel cancels all of that customer',
  'cancel is not saved',
  'cancelled twice is fine',
  'resume sets the quantity back',
  'resume answers with the old status',
  'status filter ignored',
  'plan filter is a beginning',
  'startsFrom excludes its day',
  'metadata are replaced by those of before',
  'names of metadata in lower case',
  'quantity is 0 by default',
  'days shift by one',
  'no trial is the usual trial',
  'addresses in lower case',
  'invoices of another subscription are found',
  'invoices of other shops are read',
  'subscriptions of other shops are listed',
  'subscriptions of other shops are changed',
  'cancel minds no shop',
  'paid twice is fine',
  'paying pays all of them',
  'plans are kept after their change',
  'everybody changes plans',
  'references may be taken twice',
  'references are checked a moment too early',
  'Location lacks the id',
  'a stale tag is fine',
  'subscriptions of one day in any order',
  'a customer with a plus crashes',
  'the note of a pause is lost',
] as const

type Shop = { id: string; admin: boolean; token: string }
const shops: readonly Shop[] = [
  { id: 'head-office', admin: true, token: 'sesame-of-head-office' },
  { id: 'cork', admin: false, token: 'sesame-of-cork' },
  { id: 'oslo', admin: false, token: 'sesame-of-oslo' },
]

const Code = pattern(maxLength(t.string, 20), /^[a-z]+$/)
const Plan = struct(
  {
    code: readOnly(Code),
    name: maxLength(minLength(t.string, 1), 50),
    cents: maximum(minimum(int, 0), 10_000_000),
    interval: t.keyof({ month: null, year: null }),
    trialDays: withDefault(maximum(minimum(int, 0), 90), 14),
    version: readOnly(int),
  },
  'Plan',
)
type Plan = OutputOf<typeof Plan>
type NewPlan = InputOf<typeof Plan>

const State = t.keyof({ active: null, paused: null, cancelled: null })
const Subscription = struct(
  {
    id: readOnly(int),
    plan: t.keyof({ basic: null, basicplus: null, team: null }),
    customer: email,
    reference: optional(maxLength(minLength(t.string, 1), 40)),
    quantity: withDefault(maximum(minimum(int, 1), 1000), 1),
    trialDays: optional(maximum(minimum(int, 0), 90)),
    starts: isoDate,
    metadata: withDefault(t.record(t.string, t.string), () => ({})),
    status: readOnly(State),
    pausedFor: readOnly(nullable(t.string)),
    version: readOnly(int),
  },
  'Subscription',
)
type Subscription = OutputOf<typeof Subscription>
type NewSubscription = InputOf<typeof Subscription>
const Changes = partial(pick(Subscription, ['quantity', 'metadata', 'customer']), 'Changes')
type Changes = InputOf<typeof Changes>
type Stored = Subscription & { shop: string }

const Invoice = struct(
  { number: int, cents: int, due: isoDate, paidAt: nullable(isoDateTime.asDate) },
  'Invoice',
)
type Invoice = OutputOf<typeof Invoice>
const Pause = struct({ note: maxLength(t.string, 100) }, 'Pause')
const Filter = struct({
  status: optional(State),
  plan: optional(Code),
  startsFrom: optional(isoDate),
})

const Conflict = problem('reference-taken', { status: 409 })
const WrongState = problem('wrong-state', { status: 409, data: t.strict({ now: State }) })
const Paid = problem('already-paid', { status: 409 })

export function subscriptions(is: (fault: (typeof faults)[number]) => boolean) {
  const plans = new Map<string, Plan>()
  const all = new Map<number, Stored>()
  const invoices = new Map<number, Invoice[]>()
  const keptPlans = new Map<string, Plan>()
  let last = 0

  const invoiced = (id: number, cents: number): void => {
    invoices.set(id, [
      { number: 1, cents, due: '2026-02-01', paidAt: null },
      { number: 2, cents, due: '2026-03-01', paidAt: null },
    ])
  }
  const reset = () => {
    plans.clear()
    all.clear()
    invoices.clear()
    keptPlans.clear()
    memory = memoryStore()
    last = 0
    for (const [code, name, cents] of [
      ['basic', 'Basic', 900],
      ['basicplus', 'Basic+', 1900],
      ['team', 'Team', 9900],
    ] as const)
      plans.set(code, { code, name, cents, interval: 'month', trialDays: 14, version: 1 })
    for (const [shop, plan, customer, quantity, starts, status] of [
      ['cork', 'basic', 'Mary@example.ie', 1, '2026-01-01', 'active'],
      ['cork', 'basicplus', 'Mary@example.ie', 3, '2026-01-15', 'paused'],
      ['oslo', 'team', 'kari@example.no', 20, '2026-01-15', 'active'],
      ['oslo', 'basic', 'ola@example.no', 2, '2025-06-01', 'cancelled'],
      ['head-office', 'team', 'boss@example.com', 5, '2026-03-01', 'active'],
    ] as const) {
      all.set(++last, {
        id: last,
        shop,
        plan,
        customer,
        quantity,
        starts,
        status,
        metadata: { source: 'shop' },
        pausedFor: status === 'paused' ? 'Holidays' : null,
        version: 1,
      })
      invoiced(last, 900 * quantity)
    }
  }

  const login = bearer('login', {
    principal: token => shops.find(shop => shop.token === token),
    identify: shop => (is('keys are shared by all shops') ? 'shop' : shop.id),
  })
  let memory = memoryStore()
  const store: Store = {
    begin: (key, ...rest) =>
      memory.begin(is('keys are forgotten') ? `${key}${Math.random()}` : key, ...rest),
    finish: (...run) => memory.finish(...run),
    release: (...run) => memory.release(...run),
  }

  reset()

  const mine = (shop: Shop, { shop: owner }: Stored) => shop.admin || shop.id === owner
  const find = (id: number, shop: Shop, open = false): Stored => {
    const found = all.get(id)
    return found && (open || mine(shop, found)) ? found : abort(404)
  }
  const save = (next: Stored): Stored => {
    const saved = { ...next, version: next.version + 1 }
    all.set(next.id, saved)
    return saved
  }
  const stored = <A extends Changes>(given: A): A => {
    const next = { ...given }
    if (is('addresses in lower case') && next.customer) next.customer = next.customer.toLowerCase()
    if (is('names of metadata in lower case') && next.metadata)
      next.metadata = Object.fromEntries(
        Object.entries(next.metadata).map(([name, text]) => [name.toLowerCase(), text]),
      )
    if (is('a customer with a plus crashes') && next.customer?.includes('+'))
      throw new Error('mail: bad address')
    return next
  }

  type Caller = { principal: Shop }
  class Plans extends MethodView {
    static get = operation('The plans', response(t.array(Plan)))
    get() {
      return [...plans.values()]
    }
  }
  class PlanByCode extends MethodView {
    static shared = operation(
      etag({
        load: (_ctx, { code }: { code: string }) => plans.get(code),
        tag: plan => plan.version,
        requireIfMatch: false,
      }),
    )
    static get = operation('A plan', response(Plan))
    get(_ctx: Context, { current }: { current: Plan }) {
      if (!is('plans are kept after their change')) return current
      const kept = keptPlans.get(current.code) ?? current
      keptPlans.set(current.code, kept)
      return kept
    }

    static put = operation(
      'Change a plan',
      secure(login, { allow: shop => shop.admin || is('everybody changes plans') }),
      json(Plan),
      response(Plan),
    )
    put(_ctx: Context, plan: NewPlan, { current }: { current: Plan }) {
      const next: Plan = { ...plan, code: current.code, version: current.version + 1 }
      plans.set(next.code, next)
      return next
    }
  }

  class Subscriptions extends MethodView {
    static shared = operation(secure(login))

    static get = operation(
      'List the subscriptions, the latest first',
      query(Filter),
      paginate(Page),
      response(t.array(Subscription)),
    )
    get(
      _ctx: Context,
      { status, plan, startsFrom }: InputOf<typeof Filter>,
      { principal }: Caller,
    ): Subscription[] {
      return [...all.values()]
        .filter(
          each =>
            (mine(principal, each) || is('subscriptions of other shops are listed')) &&
            (!status || each.status === status || is('status filter ignored')) &&
            (!plan ||
              (is('plan filter is a beginning')
                ? each.plan.startsWith(plan)
                : each.plan === plan)) &&
            (!startsFrom ||
              each.starts > startsFrom ||
              (each.starts === startsFrom && !is('startsFrom excludes its day'))),
        )
        .sort(
          (a, b) =>
            (a.starts < b.starts ? 1 : a.starts > b.starts ? -1 : 0) ||
            (is('subscriptions of one day in any order') ? Math.random() - 0.5 : b.id - a.id),
        )
    }

    static post = operation(
      'Subscribe',
      idempotent({ store, keep: '1h' }),
      json(Subscription),
      response(Subscription, { code: 201 }),
      altResponse(Conflict),
    )
    async post(_ctx: Context, wanted: NewSubscription, { principal }: Caller) {
      const { reference } = wanted
      const isTaken =
        reference !== undefined &&
        !is('references may be taken twice') &&
        [...all.values()].some(each => each.reference === reference && each.shop === principal.id)
      if (is('references are checked a moment too early')) await pause()
      if (isTaken) abort(Conflict)
      const next: Stored = {
        ...stored(wanted),
        id: ++last,
        shop: principal.id,
        status: 'active',
        pausedFor: null,
        version: 1,
      }
      if (is('quantity is 0 by default') && wanted.quantity === 1) next.quantity = 0
      if (is('days shift by one'))
        next.starts = new Date(Date.parse(wanted.starts) - 3_600_000).toISOString().slice(0, 10)
      if (is('no trial is the usual trial') && wanted.trialDays !== undefined)
        next.trialDays = wanted.trialDays || 14
      all.set(next.id, next)
      invoiced(next.id, (plans.get(next.plan)?.cents ?? 0) * next.quantity)
      return reply(next, 201, {
        Location: is('Location lacks the id') ? '/subscriptions/' : `/subscriptions/${next.id}`,
      })
    }
  }

  const tag = (each: Stored) => each.version
  class SubscriptionById extends MethodView {
    static shared = operation(secure(login))

    static get = operation(
      'Find a subscription',
      etag({
        load: (_ctx, { id, principal }: { id: number } & Caller) => find(id, principal),
        tag,
      }),
      response(Subscription),
    )
    get(_ctx: Context, { current }: { current: Stored }) {
      return current
    }

    static patch = operation(
      'Change a subscription',
      etag({
        load: (_ctx, { id, principal }: { id: number } & Caller) =>
          find(id, principal, is('subscriptions of other shops are changed')),
        tag: each => (is('a stale tag is fine') ? null : tag(each)),
      }),
      json(Changes),
      response(Subscription),
    )
    patch(_ctx: Context, changes: Changes, { current }: { current: Stored }) {
      const next = { ...current, ...stored(changes) }
      if (is('metadata are replaced by those of before')) next.metadata = current.metadata
      return save(next)
    }
  }

  const blueprint = new Blueprint('subscriptions')
    .route('/plans', Plans)
    .route('/plans/:code<string(maxlength=20)>', PlanByCode)
    .route('/subscriptions', Subscriptions)
    .route('/subscriptions/:id<int>', SubscriptionById)

  const action = [altResponse(404), altResponse(WrongState)] as const
  blueprint.post(
    '/subscriptions/:id<int>/cancel',
    operation('Cancel', secure(login), response(Subscription), ...action),
    (_ctx, { id, principal }) => {
      const current = find(id, principal, is('cancel minds no shop'))
      if (current.status === 'cancelled' && !is('cancelled twice is fine'))
        abort(WrongState, { now: current.status })
      if (is('cancel cancels all of that customer'))
        for (const each of [...all.values()])
          if (each.customer === current.customer && each.id !== id)
            save({ ...each, status: 'cancelled' })
      const next: Stored = { ...current, status: 'cancelled' }
      return is('cancel is not saved') ? next : save(next)
    },
  )
  blueprint.post(
    '/subscriptions/:id<int>/pause',
    operation('Pause', secure(login), json(Pause), response(Subscription), ...action),
    (_ctx, { note }, { id, principal }) => {
      const current = find(id, principal)
      if (current.status !== 'active') abort(WrongState, { now: current.status })
      return save({
        ...current,
        status: 'paused',
        pausedFor: is('the note of a pause is lost') ? '' : note,
      })
    },
  )
  blueprint.post(
    '/subscriptions/:id<int>/resume',
    operation('Resume', secure(login), response(Subscription), ...action),
    (_ctx, { id, principal }) => {
      const current = find(id, principal)
      if (current.status !== 'paused') abort(WrongState, { now: current.status })
      const next = save({
        ...current,
        status: 'active',
        pausedFor: null,
        quantity: is('resume sets the quantity back') ? 1 : current.quantity,
      })
      return is('resume answers with the old status') ? { ...next, status: current.status } : next
    },
  )

  const invoice = (id: number, number: number, shop: Shop): Invoice => {
    if (!is('invoices of other shops are read') || !all.has(id)) find(id, shop)
    const list = is('invoices of another subscription are found')
      ? [...invoices.values()].flat()
      : (invoices.get(id) ?? [])
    return list.find(each => each.number === number) ?? abort(404)
  }
  blueprint
    .get(
      '/subscriptions/:id<int>/invoices',
      operation('Its invoices', secure(login), response(t.array(Invoice)), altResponse(404)),
      (_ctx, { id, principal }) => {
        find(id, principal)
        return invoices.get(id) ?? []
      },
    )
    .get(
      '/subscriptions/:id<int>/invoices/:number<int>',
      operation('An invoice', secure(login), response(Invoice), altResponse(404)),
      (_ctx, { id, number, principal }) => invoice(id, number, principal),
    )
    .post(
      '/subscriptions/:id<int>/invoices/:number<int>/pay',
      operation(
        'Pay an invoice',
        secure(login),
        response(Invoice),
        altResponse(404),
        altResponse(Paid),
      ),
      (_ctx, { id, number, principal }) => {
        find(id, principal)
        const found = (invoices.get(id) ?? []).find(each => each.number === number) ?? abort(404)
        if (found.paidAt && !is('paid twice is fine')) abort(Paid)
        const paidAt = new Date()
        for (const each of invoices.get(id) ?? [])
          if (each === found || is('paying pays all of them')) each.paidAt = paidAt
        return found
      },
    )

  const app = new Koa()
  app.silent = true
  const api = new Api(app, { OPENAPI_VERSION: '3.1.0' }).registerBlueprint(blueprint)
  const options: ContractOptions = {
    reset,
    as: { login: ['sesame-of-head-office', 'sesame-of-cork', 'sesame-of-oslo'] },
    unreachable: { 'POST /subscriptions 409 idempotency-running': 'the first one is done at once' },
  }
  return { app, api, options }
}
