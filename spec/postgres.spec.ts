import { postgresStore } from 'koa-smorest/postgres'
import { expect, it } from 'vitest'

// what it does on a database is in spec/pet-shop/orders.spec.ts

it('refuses options that it does not know, and tables that are not a name', () => {
  const refused = [{ tabel: 'x' }, { table: 'x; drop table pets' }, { table: 'a.b.c' }].map(
    options => {
      try {
        return postgresStore({} as never, options as never)
      } catch (error) {
        return (error as Error).message
      }
    },
  )
  expect(refused).toEqual([
    'postgresStore(): there is no option "tabel", the options are table',
    'postgresStore(): table must be the name of a table, such as outcomes or app.outcomes, not "x; drop table pets"',
    'postgresStore(): table must be the name of a table, such as outcomes or app.outcomes, not "a.b.c"',
  ])
})

it.each([
  [undefined, 'undefined'],
  ['postgres://localhost', '"postgres://localhost"'],
])('refuses %j, which is not a pool', (pool, shown) => {
  expect(() => postgresStore(pool as never)).toThrow(
    new TypeError(`postgresStore(): its first argument must be a Pool of pg, not ${shown}`),
  )
})

it('has the statements that create its table, in a schema as well', () => {
  const { sql } = postgresStore({} as never, { table: 'app.done' })
  expect(sql.split('\n')).toEqual(
    expect.arrayContaining([
      'CREATE TABLE IF NOT EXISTS "app"."done" (',
      'CREATE INDEX IF NOT EXISTS "app_done_expiry" ON "app"."done" (expires_at);',
    ]),
  )
})
