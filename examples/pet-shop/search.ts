import { Page, paginate } from 'koa-smorest'
import type { Database } from './database.js'

/** The pages of a search. The database reads all rows before a page to skip them, so nobody may ask for one as far as they like. */
export const pages = paginate(Page, { maxPage: 10_000 })

/** The rows of a search, not yet read: the pager counts them and fetches only the page that is asked for. */
export interface Search<Row> {
  count(): Promise<number>
  /** Rows from index `first` up to, not including, `end`. */
  slice(first: number, end: number): Promise<readonly Row[]>
}

/** What a search needs besides its rows' columns. `$1` in a condition stands for the value at its side. */
export interface SearchOptions {
  readonly columns: string
  readonly table: string
  /** SQL conditions with their values; those whose value is undefined do not count. */
  readonly where: readonly (readonly [condition: string, value: unknown])[]
  readonly orderBy: string
}

/** A search in one table. Only values come from outside: columns, conditions and order are the program's own text. */
export function search<Row extends object>(database: Database, { columns, table, where, orderBy }: SearchOptions): Search<Row> {
  const given = where.filter(([, value]) => value !== undefined)
  const values = given.map(([, value]) => value)
  const conditions = given.map(([condition], index) => condition.replaceAll('$1', `$${index + 1}`))
  const from = `FROM ${table} ${conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''}`
  const [limit, offset] = [`$${values.length + 1}`, `$${values.length + 2}`]
  return {
    async count() {
      const { rows } = await database.query<{ count: number }>(`SELECT count(*) ${from}`, values)
      return rows[0]?.count ?? 0
    },
    async slice(first, end) {
      const text = `SELECT ${columns} ${from} ORDER BY ${orderBy}, id LIMIT ${limit} OFFSET ${offset}`
      const { rows } = await database.query<Row>(text, [...values, end - first, first])
      return rows
    },
  }
}
