import type { Knex } from 'knex'
import { branches, type Seekable } from 'koa-smorest'

/**
 * A query of Knex that `keyset` can walk. `columns` has the column of each field whose column has
 * another name.
 */
export function knexRows<Row extends object>(
  query: Knex.QueryBuilder<Row, Row[]>,
  columns: Readonly<Record<string, string>> = {},
): Seekable<Row> {
  const column = (field: string) => columns[field] ?? field
  return {
    async seek({ orderBy, after, limit }) {
      const found: Row[] = []
      for (const conditions of branches({ orderBy, after })) {
        if (found.length >= limit) break
        const part = query.clone().limit(limit - found.length)
        for (const condition of conditions) {
          if ('value' in condition)
            part.whereRaw(`?? ${condition.operator} ?`, [
              column(condition.field),
              condition.value as Knex.Value,
            ])
          else part.whereRaw(`?? ${condition.operator}`, [column(condition.field)])
        }
        for (const { field, direction, nulls } of orderBy)
          part.orderByRaw(`?? ${nulls ? `${direction} nulls ${nulls}` : direction}`, [
            column(field),
          ])
        found.push(...((await part) as Row[]))
      }
      return found
    },
  }
}
