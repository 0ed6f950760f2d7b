// koa-smorest openapi breaking
import { breaking, type Finding } from '../breaking/breaking.js'
import { DocumentError } from '../breaking/references.js'
import { momentOf } from '../breaking/rules.js'
import { type Allowance, allows, readAllowList } from './allow-list.js'
import { annotation } from './annotation.js'
import { readDocument } from './read-document.js'
import { formatOf, type Options, type Output, UsageError } from './usage.js'

/** A finding, and the entry that allows it. */
interface Judged {
  readonly finding: Finding
  readonly allowance: Allowance | undefined
}

export async function breakingCommand(
  old: string,
  now: string,
  options: Options,
  { out, error }: Output,
): Promise<number> {
  const format = formatOf(options.format, ['text', 'json', 'github'])
  const today = momentOf(options.today ?? new Date())
  if (today === undefined) throw new UsageError(`--today ${options.today}: write a day, 2027-05-01`)
  const allowances = options.allow === undefined ? [] : await readAllowList(options.allow)
  const findings = await compared(old, now, options, today)
  const judged = findings.map(finding => ({
    finding,
    allowance: allowances.find(allowance => allows(allowance, finding)),
  }))
  const unused = allowances.filter(
    allowance => !findings.some(finding => allows(allowance, finding)),
  )
  const left = judged.filter(({ allowance }) => !allowance).map(({ finding }) => finding)
  const errors = left.filter(({ level }) => level === 'ERR').length

  if (format === 'json') out(JSON.stringify(asJson(judged), null, 2))
  else
    for (const group of groupsOf(left))
      out(format === 'text' ? asText(group) : asAnnotation(group, now))
  for (const { rule, operation } of unused) {
    error(
      `${options.allow} allows ${rule.join(', ')}${operation ? ` of ${operation.join(', ')}` : ''}, which is not found: remove the entry`,
    )
  }
  if (format !== 'json') out(summary(errors, left.length - errors, judged.length - left.length))
  return errors > 0 ? 1 : 0
}

async function compared(
  old: string,
  now: string,
  options: Options,
  today: number,
): Promise<readonly Finding[]> {
  const [before, after] = [await readDocument(old, options), await readDocument(now, options)]
  // a document that cannot be compared with itself is the one at fault
  const check = (document: unknown, name: string) => {
    try {
      breaking(document, document)
    } catch (error) {
      if (error instanceof DocumentError) throw new UsageError(`${name}: ${error.message}`)
      throw error
    }
  }
  check(before, old)
  check(after, now)
  return breaking(before, after, { today })
}

/** Findings with the same message and place, and the operations that they concern. */
interface Group {
  readonly finding: Finding
  readonly places: readonly string[]
}

function groupsOf(findings: readonly Finding[]): readonly Group[] {
  const groups = new Map<string, { finding: Finding; places: string[] }>()
  for (const finding of findings) {
    const { rule, level, operation, where, at, text } = finding
    // a finding inside a component is the same wherever it is used
    const key = JSON.stringify([level, rule, at, text, ...(at === '' ? [operation, where] : [])])
    const group = groups.get(key) ?? { finding, places: [] }
    group.places.push([operation, where].filter(Boolean).join(', '))
    groups.set(key, group)
  }
  return [...groups.values()].sort(
    (left, right) => Number(left.finding.level !== 'ERR') - Number(right.finding.level !== 'ERR'),
  )
}

const MOST_PLACES = 3

function asText({ finding: { level, rule, at, text }, places }: Group): string {
  const [first = '', ...others] = places
  const shown = others.slice(0, MOST_PLACES - 1)
  const more = others.length > shown.length ? [`and ${others.length - shown.length} more`] : []
  const subject = at === '' ? '' : `${at} `
  return [
    `${level.padEnd(5)}${first}`,
    ...[...shown, ...more].map(place => `     ${place}`),
    `     ${subject}${text}  [${rule}]`,
  ].join('\n')
}

function asAnnotation({ finding: { level, rule, at, text }, places }: Group, now: string): string {
  const more = places.length > 1 ? ` and ${places.length - 1} more` : ''
  const message = [`${places[0]}${more}`, [at, text].filter(Boolean).join(' ')]
    .filter(Boolean)
    .join(': ')
  return annotation(level === 'ERR' ? 'error' : 'warning', now, rule, message)
}

function asJson(judged: readonly Judged[]) {
  const findings = judged.map(({ finding: { operation = null, ...finding }, allowance }) => ({
    ...finding,
    operation,
    allowed: allowance ? { reason: allowance.reason, date: allowance.date } : null,
  }))
  const left = findings.filter(({ allowed }) => allowed === null)
  const errors = left.filter(({ level }) => level === 'ERR').length
  return {
    errors,
    warnings: left.length - errors,
    allowed: findings.length - left.length,
    findings,
  }
}

function summary(errors: number, warnings: number, allowed: number): string {
  const count = (number: number, word: string) =>
    `${number === 0 ? 'no' : number} ${word}${number === 1 ? '' : 's'}`
  return `${count(errors, 'error')}, ${count(warnings, 'warning')}${allowed > 0 ? `, ${allowed} allowed` : ''}`
}
