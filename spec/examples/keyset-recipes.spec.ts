// Both ORMs are played by lists in memory, which do what their queries say.
import * as t from 'io-ts'
import { Blueprint, int, keyset, nullable, operation, response, struct } from 'koa-smorest'
import { expect, it } from 'vitest'
import { type PrismaPage, prismaRows } from '../../examples/recipes/prisma.js'
import { type TypeOrmQuery, typeOrmRows } from '../../examples/recipes/typeorm.js'
import { serveBlueprints } from '../support/client.js'

const Thing = struct({ id: int, price: int, born: nullable(int) })
type Thing = t.TypeOf<typeof Thing>
const THINGS: readonly Thing[] = Array.from({ length: 23 }, (_, id) => ({
  id,
  price: (id * 7) % 5,
  born: id % 3 === 0 ? null : id % 4,
}))

type Holds = (row: Thing) => boolean
interface Order {
  readonly field: string
  readonly isDown: boolean
  readonly nullsFirst: boolean
}

function select(holds: readonly Holds[], orders: readonly Order[], count: number): Thing[] {
  const value = (row: Thing, { field }: Order) => row[field as keyof Thing]
  const compare = (one: Thing, other: Thing) => {
    for (const order of orders) {
      const [left, right] = [value(one, order), value(other, order)]
      if (left === right) continue
      if (left === null || right === null) return (left === null) === order.nullsFirst ? -1 : 1
      return left < right === order.isDown ? 1 : -1
    }
    return 0
  }
  return THINGS.filter(row => holds.every(hold => hold(row)))
    .toSorted(compare)
    .slice(0, count)
}

async function findMany({ where, orderBy, take }: PrismaPage): Promise<Thing[]> {
  const holds = where.AND.flatMap(one =>
    Object.entries(one).map(([field, test]): Holds => {
      const is = (row: Thing) => row[field as keyof Thing]
      if (test === null) return row => is(row) === null
      const { equals, lt, gt, not } = test as Record<string, number | null>
      if (not === null) return row => is(row) !== null
      if (equals !== undefined) return row => is(row) === equals
      return row => {
        const own = is(row)
        return own !== null && (lt !== undefined ? own < Number(lt) : own > Number(gt))
      }
    }),
  )
  const orders = orderBy.flatMap(one =>
    Object.entries(one).map(([field, order]) => {
      const { sort, nulls } =
        typeof order === 'string'
          ? { sort: order, nulls: 'last' }
          : (order as { sort: string; nulls: string })
      return { field, isDown: sort === 'desc', nullsFirst: nulls === 'first' }
    }),
  )
  return select(holds, orders, take)
}

class Query implements TypeOrmQuery<Thing> {
  readonly alias = 'thing'
  readonly #holds: Holds[] = []
  readonly #orders: Order[] = []
  #count = 0
  clone() {
    return new Query()
  }
  andWhere(condition: string, parameters: Readonly<Record<string, unknown>> = {}) {
    const [, field = '', operator = '', name = ''] =
      /^thing\.(\w+) (=|<|>|IS NULL|IS NOT NULL)(?: :(\w+))?$/.exec(condition) ?? []
    const value = Number(parameters[name])
    const tests: Readonly<Record<string, (own: number | null) => boolean>> = {
      '=': own => own === value,
      '<': own => own !== null && own < value,
      '>': own => own !== null && own > value,
      'IS NULL': own => own === null,
      'IS NOT NULL': own => own !== null,
    }
    this.#holds.push(row => tests[operator]?.(row[field as keyof Thing]) ?? false)
  }
  addOrderBy(column: string, order: string, nulls?: string) {
    const field = column.replace('thing.', '')
    this.#orders.push({ field, isDown: order === 'DESC', nullsFirst: nulls === 'NULLS FIRST' })
  }
  limit(count: number) {
    this.#count = count
  }
  async getMany() {
    return select(this.#holds, this.#orders, this.#count)
  }
}

const sorts = { id: ['id'], price: ['-price'], mixed: ['born', '-price'], born: ['-born'] } as const

it.each([
  ['Prisma', () => prismaRows(findMany)],
  ['TypeORM', () => typeOrmRows(new Query())],
])('rows of %s are walked once, forwards and backwards', async (_name, rows) => {
  for (const nulls of ['first', 'last'] as const) {
    const paged = keyset({ unique: 'id', sorts, nulls: { born: nulls } })
    const things = new Blueprint('things').get(
      '/',
      operation(paged, response(t.array(Thing))),
      rows,
    )
    const { request } = await serveBlueprints(things)
    for (const sort of Object.keys(sorts)) {
      const walk = async (start: string, relation: string) => {
        const pages: Thing[][] = []
        let last = ''
        for (let target: string | undefined = start; target; ) {
          last = target
          const { body, headers } = await request('GET', `/${target}`)
          pages.push(body)
          const link = new RegExp(`<([^>]+)>; rel="${relation}"`)
          target = link.exec(headers.get('Link') ?? '')?.[1]
        }
        return { pages, last }
      }
      const { pages, last } = await walk(`?page_size=4&sort=${sort}`, 'next')
      const ids = pages.flat().map(({ id }) => id)
      expect(ids.toSorted((one, other) => one - other)).toEqual(THINGS.map(({ id }) => id))
      const back = (await walk(last, 'prev')).pages.toReversed().flat()
      expect(back.map(({ id }) => id)).toEqual(ids)
    }
  }
})
