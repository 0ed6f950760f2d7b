// Collections that a keyset walks: arrays, which are sorted and cut here, and whatever can seek by itself, a database above all.
import type { OrderKey, Seekable, SeekRequest } from '../../contract/seekable.js'
import type { Key } from './sort.js'

/** The order turned round: what stood first stands last, rows without a value included. */
export function reversed<K extends OrderKey>(keys: readonly K[]): readonly K[] {
  return keys.map(key => ({
    ...key,
    direction: key.direction === 'asc' ? 'desc' : 'asc',
    ...(key.nulls && { nulls: key.nulls === 'first' ? 'last' : 'first' }),
  }))
}

/** An array as a collection that can be walked. */
export function seekableArray<Row extends object>(rows: readonly Row[], keys: readonly Key[]): Seekable<Row> {
  return {
    seek({ after, limit }) {
      const valuesOf = (row: Row) => keys.map(({ field }) => (row as Readonly<Record<string, unknown>>)[field])
      const sorted = rows.map(row => ({ row, values: valuesOf(row) })).sort((left, right) => inOrder(keys, left.values, right.values))
      const behind = after ? sorted.filter(({ values }) => inOrder(keys, values, after) > 0) : sorted
      return behind.slice(0, limit).map(({ row }) => row)
    },
  }
}

function inOrder(keys: readonly Key[], left: readonly unknown[], right: readonly unknown[]): number {
  for (const [index, key] of keys.entries()) {
    const order = inOrderOf(key, left[index] ?? null, right[index] ?? null)
    if (order !== 0) return order
  }
  return 0
}

function inOrderOf({ compare, direction, nulls }: Key, left: unknown, right: unknown): number {
  if (left === null || right === null) {
    if (left === right) return 0
    return (left === null) === (nulls === 'first') ? -1 : 1
  }
  const order = compare(left as never, right as never)
  return direction === 'asc' ? order : -order
}

/** One condition of a branch: `null` values are told by `is null`, others are compared. */
export type Condition =
  | { readonly field: string; readonly operator: '=' | '<' | '>'; readonly value: unknown }
  | { readonly field: string; readonly operator: 'is null' | 'is not null' }

/**
 * The rows behind a row, as conditions for a query builder: each branch is a list of conditions that all hold, and the branches
 * are asked one after another, in this order, each in the order of the request, until there are enough rows. One query that
 * joins them by OR reads the whole index. Without `after` there is one branch without conditions.
 */
export function branches({ orderBy, after }: Pick<SeekRequest, 'orderBy' | 'after'>): readonly (readonly Condition[])[] {
  if (after === undefined) return [[]]
  // the longest equal prefix first: its rows are the nearest ones
  return orderBy.flatMap((_key, index) => {
    const prefix = orderBy.length - 1 - index
    const equal = orderBy.slice(0, prefix).map((key, place) => equals(key, after[place]))
    return behind(orderBy[prefix] as OrderKey, after[prefix]).map(condition => [...equal, condition])
  })
}

function equals({ field }: OrderKey, value: unknown): Condition {
  return value === null || value === undefined ? { field, operator: 'is null' } : { field, operator: '=', value }
}

/** The rows that stand behind a value in the order of one key: those beyond it, and then those without a value. */
function behind({ field, direction, nulls }: OrderKey, value: unknown): readonly Condition[] {
  if (value === null || value === undefined) return nulls === 'first' ? [{ field, operator: 'is not null' }] : []
  const beyond: Condition = { field, operator: direction === 'asc' ? '>' : '<', value }
  return nulls === 'last' ? [beyond, { field, operator: 'is null' }] : [beyond]
}
