import { rowsOf } from '../../feature-api/envelope.js'
import type { Representation } from '../../feature-api/feature.js'

/**
 * JSON of each row on a line of its own, as a representation of a list:
 * `response(t.array(Job), { also: [jsonLines] })`. A wrapped page is sent as its rows alone, and a
 * value that is not a list as one line. For rows that are not in memory, see `lines`.
 */
export const jsonLines: Representation<unknown, 'application/jsonl'> = {
  mediaType: 'application/jsonl',
  write: value => linesOf(Array.isArray(value) ? value : [value]),
  on(route) {
    const rows = rowsOf(route)
    return value => linesOf(rows.in(value))
  },
}

const linesOf = (rows: readonly unknown[]): string =>
  rows.map(row => `${JSON.stringify(row)}\n`).join('')
