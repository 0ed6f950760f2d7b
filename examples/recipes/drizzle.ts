import { and, type Column, eq, gt, isNotNull, isNull, lt, type SQL, sql } from 'drizzle-orm'
import { branches, type Condition, type Seekable } from 'koa-smorest'

/**
 * A query of Drizzle that `keyset` can walk. `columns` has the column of each field that a list is
 * sorted by.
 */
export function drizzleRows<Row>(
  columns: Readonly<Record<string, Column>>,
  select: (where: SQL | undefined, orderBy: SQL[], limit: number) => Promise<Row[]>,
): Seekable<Row> {
  const column = (field: string) => columns[field] as Column
  const conditionOf = (condition: Condition): SQL => {
    if (!('value' in condition))
      return condition.operator === 'is null'
        ? isNull(column(condition.field))
        : isNotNull(column(condition.field))
    const { field, operator, value } = condition
    return { '=': eq, '<': lt, '>': gt }[operator](column(field), value)
  }
  return {
    async seek(request) {
      const orderBy = request.orderBy.map(
        ({ field, direction, nulls }) =>
          sql`${column(field)} ${sql.raw(nulls ? `${direction} nulls ${nulls}` : direction)}`,
      )
      const found: Row[] = []
      for (const conditions of branches(request)) {
        if (found.length < request.limit)
          found.push(
            ...(await select(
              and(...conditions.map(conditionOf)),
              orderBy,
              request.limit - found.length,
            )),
          )
      }
      return found
    },
  }
}
