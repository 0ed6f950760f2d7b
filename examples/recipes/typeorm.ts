import { branches, type Seekable } from 'koa-smorest'

/** The part of a `SelectQueryBuilder` of TypeORM that a keyset uses. */
export interface TypeOrmQuery<Row> {
  readonly alias: string
  clone(): TypeOrmQuery<Row>
  andWhere(condition: string, parameters?: Readonly<Record<string, unknown>>): unknown
  addOrderBy(column: string, order: 'ASC' | 'DESC', nulls?: 'NULLS FIRST' | 'NULLS LAST'): unknown
  limit(count: number): unknown
  getMany(): Promise<Row[]>
}

/**
 * A query of TypeORM, without an order, that `keyset` can walk:
 * `typeOrmRows(pets.createQueryBuilder('pet').where(filter))`. Fields are properties of the entity.
 */
export function typeOrmRows<Row>(query: TypeOrmQuery<Row>): Seekable<Row> {
  const column = (field: string) => `${query.alias}.${field}`
  return {
    async seek({ orderBy, after, limit }) {
      const found: Row[] = []
      for (const conditions of branches({ orderBy, after })) {
        if (found.length >= limit) break
        const part = query.clone()
        for (const [index, condition] of conditions.entries()) {
          const name = `keyset${index}`
          if ('value' in condition)
            part.andWhere(`${column(condition.field)} ${condition.operator} :${name}`, {
              [name]: condition.value,
            })
          else part.andWhere(`${column(condition.field)} ${condition.operator.toUpperCase()}`)
        }
        for (const { field, direction, nulls } of orderBy)
          part.addOrderBy(
            column(field),
            direction === 'asc' ? 'ASC' : 'DESC',
            nulls && (nulls === 'first' ? 'NULLS FIRST' : 'NULLS LAST'),
          )
        part.limit(limit - found.length)
        found.push(...(await part.getMany()))
      }
      return found
    },
  }
}
