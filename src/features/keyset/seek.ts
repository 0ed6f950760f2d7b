// Collections for keysets: arrays, which are sorted and sliced here, and anything that can seek by
// itself, typically a database.

import type { OrderKey, Seekable, SeekRequest } from '../../feature-api/seekable.js'
import { optionsIn } from '../../names.js'
import { type Key, valueIn } from './sort.js'

/** Makes an array seekable, whatever its order. */
export function seekableArray<Row extends object>(
  rows: readonly Row[],
  keys: readonly Key[],
): Seekable<Row> {
  const all = rows as readonly Fields[]
  return {
    seek({ after, limit }) {
      const behind = after
        ? all.filter(row => inOrder(keys, row, (_key, index) => after[index] ?? null) > 0)
        : [...all]
      const sorted = behind.sort((left, right) => inOrder(keys, left, key => valueIn(key, right)))
      return sorted.slice(0, limit) as unknown as readonly Row[]
    },
  }
}

type Fields = Readonly<Record<string, unknown>>

/** Compares a row with the values of another one, which may no longer exist. */
function inOrder(
  keys: readonly Key[],
  row: Fields,
  otherValue: (key: Key, index: number) => unknown,
): number {
  for (const [index, key] of keys.entries()) {
    const order = inOrderOf(key, valueIn(key, row), otherValue(key, index))
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

/** A condition of a branch: `null` values are tested with `is null`, others are compared. */
export type Condition =
  | { readonly field: string; readonly operator: '=' | '<' | '>'; readonly value: unknown }
  | { readonly field: string; readonly operator: 'is null' | 'is not null' }

/**
 * Returns the rows after a row, as conditions for a query builder: each branch is a list of
 * conditions that all have to hold. Query the branches one after another, in this order, each in
 * the order of the request, until there are enough rows: one query that joins them with OR would
 * read the whole index. Without `after` there is one branch without conditions.
 */
export function branches(
  request: Pick<SeekRequest, 'orderBy' | 'after'>,
): readonly (readonly Condition[])[] {
  const { orderBy, after } = optionsIn(request) as typeof request
  if (!Array.isArray(orderBy))
    throw new TypeError('branches() takes what seek() was given, { orderBy, after }')
  if (after === undefined) return [[]]
  // the longest equal prefix first: its rows are the nearest ones
  return orderBy.flatMap((_key, index) => {
    const prefix = orderBy.length - 1 - index
    const equal = orderBy.slice(0, prefix).map((key, place) => equals(key, after[place]))
    return behind(orderBy[prefix] as OrderKey, after[prefix]).map(condition => [
      ...equal,
      condition,
    ])
  })
}

function equals({ field }: OrderKey, value: unknown): Condition {
  return value === null || value === undefined
    ? { field, operator: 'is null' }
    : { field, operator: '=', value }
}

/**
 * Returns the conditions for the rows after a value of one key: those beyond it, then those without
 * a value.
 */
function behind({ field, direction, nulls }: OrderKey, value: unknown): readonly Condition[] {
  if (value === null || value === undefined)
    return nulls === 'first' ? [{ field, operator: 'is not null' }] : []
  const beyond: Condition = { field, operator: direction === 'asc' ? '>' : '<', value }
  return nulls === 'last' ? [beyond, { field, operator: 'is null' }] : [beyond]
}
