// Kysely's queries as collections (koa-smorest/kysely): `keyset` walks them, `paginate` counts and
// slices them. kysely is an optional peer, so nothing else imports this file.
import { type Expression, type ReferenceExpression, type SelectQueryBuilder, sql } from 'kysely'
import type { OrderKey, Seekable, SeekRequest } from './feature-api/seekable.js'
import type { Sliceable } from './feature-api/signature.js'
import { branches, type Condition } from './features/keyset/seek.js'
import { HttpException } from './http/failure.js'
import { shown } from './names.js'

/** The columns of fields whose names differ from those of their columns. */
export type Columns<DB, TB extends keyof DB, O> = {
  readonly [Field in keyof O]?: ReferenceExpression<DB, TB>
}

/** The rows of a query, not yet read. */
export interface Rows<Row> extends Seekable<Row>, Sliceable<Row> {
  seek(request: SeekRequest): Promise<readonly Row[]>
  slice(start: number, end: number): Promise<readonly Row[]>
  count(): Promise<number>
  /** The same rows, each turned into an item. A keyset reads its keys from the items. */
  map<Item>(make: (row: Row) => Item): Rows<Item>
}

/**
 * The rows of a Kysely query as a collection that `keyset` can walk, and that `paginate` can count
 * and slice: the method returns it without reading it. A field is the column of its name, or the
 * one in `columns`: `rows(query, { born: 'birth_date' })`; a query of several tables needs one for
 * each key. The query's own order serves `paginate` only. Throws TypeError for a query that is
 * grouped, distinct, combined or limited: wrap it, `db.selectFrom(query.as('rows')).selectAll()`.
 */
export function rows<DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  columns: Columns<DB, TB, O> = {},
): Rows<O> {
  if (
    typeof Object(query).toOperationNode !== 'function' ||
    typeof Object(query).execute !== 'function'
  )
    throw new TypeError(
      `rows() takes a query of Kysely, db.selectFrom(…), that is not executed, not ${shown(query)}`,
    )
  return collectionOf(
    query as AnyQuery,
    factsOf(query as AnyQuery),
    columns as Record<string, unknown>,
    undefined,
  )
}

/**
 * An instant as an RFC 3339 string in UTC with microseconds, which PostgreSQL stores and a `Date`
 * does not: `select(instant('pets.created').as('created'))`. As a column of a key,
 * `rows(query, { created: instant('pets.created') })`, it sorts and compares by the column itself,
 * so that its index is used.
 */
export function instant(reference: string) {
  if (typeof reference !== 'string')
    throw new TypeError(`instant() takes the name of a column, not ${shown(reference)}`)
  const column = sql.ref(reference)
  const text = sql<string>`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
  instants.set(text, column)
  return text
}

const instants = new WeakMap<object, Expression<unknown>>()

type AnyQuery = SelectQueryBuilder<
  Record<string, Record<string, unknown>>,
  string,
  Record<string, unknown>
>

/** Parts of a query with which its rows cannot be sought or counted by adding conditions to it. */
const UNFIT = {
  groupBy: 'groups its rows',
  having: 'groups its rows',
  distinctOn: 'is distinct',
  frontModifiers: 'is distinct',
  setOperations: 'combines queries',
  limit: 'is limited',
  offset: 'is limited',
  fetch: 'is limited',
  top: 'is limited',
} as const
const UNFIT_PARTS = Object.keys(UNFIT) as readonly (keyof typeof UNFIT)[]

/**
 * The facts about a query: whether its columns need the name of a table, and whether it has an
 * order.
 */
interface Facts {
  readonly isJoined: boolean
  readonly isOrdered: boolean
}

function factsOf(query: AnyQuery): Facts {
  const node = query.toOperationNode() as unknown as QueryNode
  for (const part of UNFIT_PARTS)
    if (node[part] !== undefined)
      throw new TypeError(
        `rows(): the query ${UNFIT[part]}: wrap it, rows(db.selectFrom(query.as('rows')).selectAll())`,
      )
  const isJoined =
    (node.joins !== undefined && node.joins.length > 0) ||
    (node.from !== undefined && node.from.froms.length > 1)
  return { isJoined, isOrdered: node.orderBy !== undefined }
}

interface QueryNode extends Readonly<Record<keyof typeof UNFIT, unknown>> {
  readonly from?: { readonly froms: readonly unknown[] }
  readonly joins?: readonly unknown[]
  readonly orderBy?: unknown
}

/** `make` turns rows into items; without it they are items already. */
function collectionOf<Item>(
  query: AnyQuery,
  facts: Facts,
  columns: Readonly<Record<string, unknown>>,
  make: ((row: unknown) => Item) | undefined,
): Rows<Item> {
  const itemsOf = (found: readonly unknown[]) =>
    make ? found.map(row => make(row)) : (found as readonly Item[])
  return {
    async seek(request) {
      return itemsOf(await seek(query, facts, columns, request))
    },
    async slice(start, end) {
      return itemsOf(
        await query
          .offset(start)
          .limit(end - start)
          .execute(),
      )
    },
    async count() {
      const counted = query
        .clearSelect()
        .clearOrderBy()
        .select(({ fn }) => fn.countAll<string | number | bigint>().as('count'))
      const { count } = await counted.executeTakeFirstOrThrow()
      return Number(count)
    },
    map: next =>
      collectionOf(query, facts, columns, make ? row => next(make(row)) : row => next(row as Item)),
  }
}

function seek(
  query: AnyQuery,
  facts: Facts,
  columns: Readonly<Record<string, unknown>>,
  request: SeekRequest,
): Promise<readonly unknown[]> {
  const { orderBy, after, limit } = request
  const columnOf = columnsOf(facts, columns)
  let ordered = facts.isOrdered ? query.clearOrderBy() : query
  for (const key of orderBy) ordered = inOrderOf(ordered, key, columnOf(key.field))
  if (after === undefined) return ordered.limit(limit).execute()
  const found = isOneComparison(orderBy)
    ? behind(ordered, orderBy, after, columnOf).limit(limit).execute()
    : inBranches(ordered, request, columnOf)
  return found.catch(refuseForged)
}

/** The rows of one branch after another, until there are enough. */
async function inBranches(
  ordered: AnyQuery,
  request: SeekRequest,
  columnOf: ColumnOf,
): Promise<readonly unknown[]> {
  const found: unknown[] = []
  for (const conditions of branches(request)) {
    if (found.length === request.limit) break
    const branch = conditions.reduce(
      (narrowed, condition) => narrow(narrowed, condition, columnOf(condition.field)),
      ordered,
    )
    found.push(...(await branch.limit(request.limit - found.length).execute()))
  }
  return found
}

/**
 * A value that the codec takes and the column does not (SQLSTATE class 22) can only come from a
 * cursor that was made up.
 */
function refuseForged(error: unknown): never {
  if (/^22/.test(String((error as { code?: unknown } | null)?.code)))
    throw new HttpException({
      code: 422,
      errors: { query: { cursor: ['Not a cursor of this list.'] } },
      cause: error,
    })
  throw error
}

/** A column by its name, or an expression. */
type Column = string | Expression<unknown>
type ColumnOf = (field: string) => Column

function columnsOf({ isJoined }: Facts, columns: Readonly<Record<string, unknown>>): ColumnOf {
  return field => {
    const column = Object.hasOwn(columns, field) ? columns[field] : undefined
    if (column === undefined && isJoined)
      throw new TypeError(
        `rows(): name the column of ${field}, since the query has several tables: rows(query, { ${field}: 'table.column' })`,
      )
    if (column === undefined || typeof column === 'string') return column ?? field
    return instants.get(column as object) ?? (column as Expression<unknown>)
  }
}

function inOrderOf(query: AnyQuery, { direction, nulls }: OrderKey, column: Column): AnyQuery {
  if (nulls === undefined) return query.orderBy(column, direction)
  return query.orderBy(column, order => {
    const sorted = direction === 'asc' ? order.asc() : order.desc()
    return nulls === 'first' ? sorted.nullsFirst() : sorted.nullsLast()
  })
}

/**
 * If all keys have one direction and none is null, a single comparison of rows is enough, and one
 * index range finds it.
 */
function isOneComparison(orderBy: readonly OrderKey[]): boolean {
  return orderBy.every(
    ({ direction, nulls }) => direction === orderBy[0]?.direction && nulls === undefined,
  )
}

/** The rows behind a row, by that one comparison. */
function behind(
  query: AnyQuery,
  orderBy: readonly OrderKey[],
  after: readonly unknown[],
  columnOf: ColumnOf,
): AnyQuery {
  const [first] = orderBy
  const operator = first?.direction === 'asc' ? '>' : '<'
  if (first && orderBy.length === 1)
    return query.where(columnOf(first.field), operator, valueOnTheWire(after[0]))
  const columns = sql.join(orderBy.map(({ field }) => expressionOf(columnOf(field))))
  const values = sql.join(after.map(valueOnTheWire))
  return query.where(
    operator === '>'
      ? sql<boolean>`(${columns}) > (${values})`
      : sql<boolean>`(${columns}) < (${values})`,
  )
}

function expressionOf(column: Column): Expression<unknown> {
  return typeof column === 'string' ? sql.ref(column) : column
}

function narrow(query: AnyQuery, condition: Condition, column: Column): AnyQuery {
  if ('value' in condition)
    return query.where(column, condition.operator, valueOnTheWire(condition.value))
  return query.where(column, condition.operator === 'is null' ? 'is' : 'is not', null)
}

/** A day: a driver would send a Date in the time zone of its process. */
function valueOnTheWire(value: unknown): unknown {
  return value instanceof Date ? value.toISOString().replace(/T.*/, '') : value
}
