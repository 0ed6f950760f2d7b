// Checks query parameters that filter: the list has exactly the rows with the field's value, or a
// part of all rows.
import { brief, schemaOf } from '../judge/echo.js'
import type { Run } from '../judge/run.js'
import { isObject } from '../requests/alike.js'
import type { DescribedOperation, Json, Parameter } from '../requests/document.js'
import { type RequestCase, textOf } from '../requests/request-case.js'
import type { Outcome } from '../send/session.js'
import { broken, type Law } from './law.js'
import { identityOf, isOfPages, wholeList } from './paging.js'

/** How many values of a field are looked for. */
const VALUES = 3

/** A list with its rows, and the field that a parameter is about. */
interface Filtered {
  readonly parameter: Parameter
  readonly field: string
  readonly schema: Json
  readonly rows: readonly Row[]
}

type Row = Readonly<Record<string, unknown>>

/** A filter request, and the rows it must return. */
interface Question {
  readonly value: unknown
  readonly isWanted: (row: Row) => boolean
  /** Whether rows may be missing: the rules of a search are unknown. */
  readonly isLoose?: boolean
}

export const filtersSelect: Law = async (run, operation) => {
  const items = run.parts.checks.echo.alike.itemsOf(schemaOf(operation, 200))
  if (operation.method !== 'GET' || !items) return
  const { path, whole } = await fullest(run, operation)
  const all = whole?.rows ?? []
  const rows = all.filter(isObject)
  const fields = run.parts.checks.echo.alike.fieldsOf(items)
  for (const parameter of operation.parameters) {
    const { name } = parameter
    if (parameter.in !== 'query' || parameter.required || isOfPages(run, operation, name)) continue
    const found = fieldFor(run, parameter, fields)
    const asked = found && { parameter, rows, ...found, schema: fields[found.field] as Json }
    const questions = asked ? questionsOf(run, asked) : []
    for (const question of questions) await ask(run, operation, path, rows, parameter, question)
    // without a row it is a search that waits for its words, or an echo of what is sent
    if (!found && all.length > 0) await askForPart(run, operation, path, all, parameter)
  }
}

/** How many parents are looked at to find a list with rows. */
const PARENTS = 4

/** The list of the parent with the most rows: one row shows nothing of a filter. */
async function fullest(run: Run, operation: DescribedOperation) {
  const paths = (await run.parts.resources.of(operation)).slice(0, PARENTS)
  let found: { path: RequestCase['path']; whole: Awaited<ReturnType<typeof wholeList>> } | undefined
  for (const path of paths.length > 0 ? paths : [{}]) {
    const whole = await wholeList(run, operation, path)
    if (!found?.whole || (whole?.rows.length ?? 0) > found.whole.rows.length)
      found = { path, whole }
  }
  return found as NonNullable<typeof found>
}

/** The field of the rows that a parameter names, and which side of it is meant. */
function fieldFor(
  run: Run,
  { name, schema }: Parameter,
  fields: Readonly<Record<string, Json>>,
): { readonly field: string; readonly bound: 'min' | 'max' | undefined } | undefined {
  const itemOf = (one: Json) => (run.parts.document.resolve(one).items as Json | undefined) ?? one
  const isAbout = (field: string) =>
    field in fields && isSameKind(run, itemOf(schema), itemOf(fields[field] as Json))
  // `tag` selects by `tags`
  const named =
    isDateOf(run, schema) && isBoundary(name) ? undefined : [name, `${name}s`].find(isAbout)
  if (named !== undefined) return { field: named, bound: undefined }
  const [, bound, rest = ''] = /^(min|max)_?([A-Za-z].*)$/.exec(name) ?? []
  const field = rest && rest[0]?.toLowerCase() + rest.slice(1)
  return bound && isAbout(field) ? { field, bound: bound as 'min' | 'max' } : undefined
}

const isDateOf = (run: Run, schema: Json): boolean =>
  ['date', 'date-time'].includes(String(run.parts.document.resolve(schema).format))

/** Whether values of a field can be sent for a parameter: an enumeration has words, as a string. */
function isSameKind(run: Run, parameter: Json, field: Json): boolean {
  const isWord = (one: Json) => {
    const { type, format } = run.parts.document.resolve(one)
    return type === 'string' && format === undefined
  }
  const { alike } = run.parts.checks.echo
  return alike.isSameKind(parameter, field) || (isWord(parameter) && isWord(field))
}

/** The values that a field of a row has: one, or those of a list. */
const valuesIn = (row: Row, field: string): readonly unknown[] => {
  const value = row[field]
  return Array.isArray(value) ? value : [value]
}

function questionsOf(run: Run, asked: Filtered & { bound: 'min' | 'max' | undefined }): Question[] {
  const { field, rows, schema, bound, parameter } = asked
  const { alike } = run.parts.checks.echo
  const { items } = run.parts.document.resolve(schema) as { items?: Json }
  const plain = run.parts.document.resolve(items ?? schema)
  const { enum: words, pattern } = run.parts.document.resolve(parameter.schema)
  const values: unknown[] = rows.flatMap(row => valuesIn(row, field)).filter(one => one != null)
  const distinct = [...new Map(values.map(one => [JSON.stringify(one), one])).values()]
  const isFit = (value: unknown): boolean =>
    run.parts.cases.judge.faultOf(parameter.schema, value) === undefined ||
    run.parts.cases.judge.faultOf(parameter.schema, [value]) === undefined
  const fit = distinct.filter(value => !Array.isArray(value) && !isObject(value) && isFit(value))
  if (bound) {
    const sorted = [...fit].sort(compare)
    const middle = sorted[Math.floor(sorted.length / 2)]
    const isWanted = (row: Row) =>
      row[field] !== null &&
      row[field] !== undefined &&
      (bound === 'min' ? compare(row[field], middle) >= 0 : compare(row[field], middle) <= 0)
    return middle === undefined ? [] : [{ value: middle, isWanted }]
  }
  const isText =
    plain.type === 'string' &&
    plain.format === undefined &&
    (plain.enum ?? words) === undefined &&
    (plain.pattern ?? pattern) === undefined
  // a row may match a search by a string that it does not show
  if (isText)
    return fit
      .filter(value => value !== '')
      .slice(0, VALUES)
      .map(value => ({
        value,
        isWanted: row =>
          valuesIn(row, field).some(one =>
            String(one).toLowerCase().includes(String(value).toLowerCase()),
          ),
        isLoose: true,
      }))
  const unused = ((plain.enum ?? []) as readonly unknown[]).filter(one => !distinct.includes(one))
  const booleans = plain.type === 'boolean' ? [true, false] : []
  const all = [...new Set([...fit, ...unused, ...booleans])].slice(0, Math.max(VALUES, 5))
  return all
    .filter(value => value !== null)
    .map(value => ({
      value,
      isWanted: row => valuesIn(row, field).some(one => alike.isEqual(items ?? schema, one, value)),
    }))
}

async function ask(
  run: Run,
  operation: DescribedOperation,
  path: RequestCase['path'],
  rows: readonly Row[],
  { name, schema }: Parameter,
  { value, isWanted, isLoose = false }: Question,
): Promise<void> {
  const isList = run.parts.document.resolve(schema).type === 'array'
  const found = await wholeList(run, operation, path, { [name]: isList ? [value] : value })
  if (!found) return
  const fail = (message: string) => broken(run, operation, 'filter', message, found.last)
  const got = found.rows.filter(isObject)
  const wrong = got.find(row => !isWanted(row))
  if (wrong) return fail(`${name}=${value} selects ${brief(wrong)}`)
  const ids = new Set(got.map(identityOf))
  const lost = rows.find(
    row => isWanted(row) && !ids.has(identityOf(row)) && (!isLoose || isSame(row, value)),
  )
  if (lost) return fail(`${name}=${value} leaves out ${brief(lost)}`)
  if (found.total !== undefined && found.total !== got.length)
    fail(`${name}=${value} selects ${got.length} rows, and the total is ${found.total}`)
}

/** Whether a field of a row has exactly this value: any search finds it. */
const isSame = (row: Row, value: unknown): boolean => Object.values(row).flat().includes(value)

/** Names of parameters that show more of a list, or show it otherwise. */
const WIDENING = /^(?:include|with|show|expand|embed|fields|all|archived|deleted|lang|unit)/i

/** Any other parameter selects a part of the list; a date has the rest on its other side. */
async function askForPart(
  run: Run,
  operation: DescribedOperation,
  path: RequestCase['path'],
  all: readonly unknown[],
  parameter: Parameter,
): Promise<void> {
  const { name, schema } = parameter
  if (WIDENING.test(name) || run.parts.document.resolve(schema).default !== undefined) return
  const ids = new Set(all.map(identityOf))
  const split = dividing(run, all.filter(isObject), schema)
  const known = (run.good.get(operation.name) ?? []).flatMap(({ query }) =>
    name in query ? [query[name]] : [],
  )
  for (const value of split ? [split.value] : known.slice(0, 1)) {
    const found = await wholeList(run, operation, path, { [name]: value })
    if (!found) continue
    const fail = (message: string, outcome: Outcome) =>
      broken(run, operation, 'filter', message, outcome)
    const foreign = found.rows.find(row => !ids.has(identityOf(row)))
    if (foreign !== undefined)
      return fail(
        `${name}=${textOf(value)} selects ${brief(foreign)}, which is not in the list`,
        found.last,
      )
    const got = found.rows.filter(isObject)
    if (split && isBoundary(name) && !split.fields.some(field => isOneSided(got, field, value)))
      return fail(`${name}=${textOf(value)} selects rows on both sides of it`, found.last)
  }
}

const isBoundary = (name: string): boolean =>
  /^(?:from|until|to|since|before|after|start|end)|(?:from|until|since|before|after)$/i.test(name)

/** A value between those of the rows, and the fields that it divides. */
function dividing(
  run: Run,
  rows: readonly Row[],
  schema: Json,
): { readonly value: string; readonly fields: readonly string[] } | undefined {
  if (!isDateOf(run, schema)) return undefined
  const isMoment = (value: unknown) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value) && !Number.isNaN(Date.parse(value))
  const names = Object.keys(rows[0] ?? {}).filter(name => rows.some(row => isMoment(row[name])))
  const times = names.flatMap(name => rows.map(row => row[name]).filter(isMoment)) as string[]
  const sorted = [...new Set(times.map(time => Date.parse(time)))].sort((a, b) => a - b)
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted.at(-1)]
  if (low === undefined || high === undefined || low === high) return undefined
  const iso = new Date(Math.floor((low + high) / 2)).toISOString()
  const isDay = run.parts.document.resolve(schema).format === 'date'
  const value = isDay ? iso.slice(0, 10) : iso
  const fields = names.filter(name => !isOneSided(rows, name, value))
  return fields.length > 0 ? { value, fields: names } : undefined
}

/** Whether all rows have this field on one side of a moment, or on it. */
function isOneSided(rows: readonly Row[], field: string, value: unknown): boolean {
  const moment = Date.parse(String(value))
  const sides = rows.flatMap(row =>
    typeof row[field] === 'string' ? [Math.sign(Date.parse(row[field]) - moment)] : [],
  )
  return !(sides.includes(1) && sides.includes(-1))
}

function compare(left: unknown, right: unknown): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right
  const [one, other] = [Number(left), Number(right)]
  if (!Number.isNaN(one) && !Number.isNaN(other)) return one - other
  return String(left) < String(right) ? -1 : String(left) > String(right) ? 1 : 0
}
