// CSV as a representation of lists: `koa-smorest/csv`, over csv-stringify.
import { stringify } from 'csv-stringify/sync'
import type { Shape } from './codec/shape/shape.js'
import { fieldsOf } from './codec/traits/fields-of.js'
import { rowsOf } from './feature-api/envelope.js'
import type { Representation } from './feature-api/feature.js'
import { flag, type Rules, requireOptions, strings } from './options.js'

/** Options of `csv`. */
export interface CsvOptions {
  /** The names of the columns on the wire, in order. Default: all fields of the response. */
  readonly columns?: readonly string[]
  /**
   * Whether strings that a spreadsheet would run as a formula are sent unchanged. Default false:
   * those that begin with `=`, `+`, `-`, `@`, a tab or a carriage return get an apostrophe in
   * front.
   */
  readonly formulas?: boolean
}

/**
 * CSV (RFC 4180), as a representation beside JSON:
 * `response(t.array(Job), { also: [csv({ columns: ['id', 'title'] })] })`. The first line has the
 * names of the columns, also if there are no rows; lines end in CRLF. `null` and absent fields are
 * empty, booleans `true` and `false`, objects and lists JSON. For a wrapped page it has only the
 * rows; a value that is not a list is one row. A column that the response does not have is a fault
 * at registration. Throws a TypeError for wrong options.
 */
export function csv(options: CsvOptions = {}): Representation<object, 'text/csv'> {
  requireOptions('csv()', options, RULES)
  const { columns, formulas = false } = options
  const table = (
    names: readonly string[],
    rows: readonly unknown[],
    numbers: ReadonlySet<string> = new Set(),
  ): string => {
    const records = rows.map(row =>
      names.map(name => cellOf(Object(row)[name], formulas || numbers.has(name))),
    )
    return stringify([[...names], ...records], {
      record_delimiter: '\r\n',
      // it quotes line breaks only if they are the delimiter, and a lone one would begin a row
      quoted_match: /[\r\n]/,
    })
  }
  return {
    mediaType: 'text/csv',
    write(value) {
      const rows: readonly unknown[] = Array.isArray(value) ? value : [value]
      return table(columns ?? [...new Set(rows.flatMap(row => Object.keys(Object(row))))], rows)
    },
    on(route) {
      const rows = rowsOf(route)
      const objects = rows.row && fieldsOf(rows.row)
      const known = new Set(
        objects?.flat().flatMap(({ name, access }) => (access === 'write' ? [] : name)),
      )
      if (!objects) route.fault('csv: the response must be a list of objects')
      // a record has no fields of its own, and any name
      else if (objects.every(fields => fields.length > 0)) {
        const unknown = columns?.filter(name => !known.has(name)) ?? []
        for (const name of unknown)
          route.fault(
            `csv: the response has no field "${name}" for a column: the fields are ${[...known].join(', ')}`,
          )
      } else if (!columns)
        route.fault('csv: the response declares no fields, so columns must be given')
      const fields = objects?.flat() ?? []
      const numbers = new Set(
        [...known].filter(name =>
          fields.every(field => field.name !== name || isNumber(field.shape)),
        ),
      )
      return value => table(columns ?? [...known], rows.in(value), numbers)
    },
  }
}

const RULES: Rules<CsvOptions> = { columns: strings, formulas: flag }

/** Whether all strings are numbers: those of `decimal` and `int64.asBigInt`. */
function isNumber(shape: Shape): boolean {
  switch (shape.kind) {
    case 'scalar':
      return shape.isNumber ?? shape.type !== 'string'
    case 'constrained':
    case 'refined':
      return isNumber(shape.base)
    case 'union':
      return shape.members.every(isNumber)
    default:
      return false
  }
}

/** The first characters by which a spreadsheet recognizes a formula. */
const FORMULA = /^[=+\-@\t\r]/

function cellOf(value: unknown, formulas: boolean): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return !formulas && FORMULA.test(value) ? `'${value}` : value
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
