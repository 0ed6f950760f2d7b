import type { Finding } from '../breaking/breaking.js'
import { momentOf, RULES } from '../breaking/rules.js'
import { isObject } from '../openapi/schema/json.js'
import { parsed, readText } from './read-document.js'
import { UsageError } from './usage.js'

/**
 * A change that was accepted, with the reason and the date. A property that it lacks matches
 * everything.
 */
export interface Allowance {
  readonly rule: readonly string[]
  readonly operation: readonly string[] | undefined
  readonly where: readonly string[] | undefined
  readonly at: readonly string[] | undefined
  readonly reason: string
  readonly date: string
}

const KEYS = ['rule', 'operation', 'where', 'at', 'reason', 'date']

/**
 * Reads a list of changes that are allowed. Everything in it has to be right: a misspelt entry
 * would allow too much or nothing.
 */
export async function readAllowList(file: string): Promise<readonly Allowance[]> {
  const entries = parsed(await readText(file), file) ?? []
  if (!Array.isArray(entries))
    throw new UsageError(`${file} is not a list of { rule, operation, where, at, reason, date }`)
  return entries.map((entry, index) => allowanceOf(entry, `${file}, entry ${index + 1}`))
}

function allowanceOf(entry: unknown, name: string): Allowance {
  if (!isObject(entry))
    throw new UsageError(`${name}: an entry is { rule, operation, where, at, reason, date }`)
  const unknown = Object.keys(entry).find(key => !KEYS.includes(key))
  if (unknown !== undefined)
    throw new UsageError(`${name}: there is no "${unknown}"; an entry has ${KEYS.join(', ')}`)
  const { reason, date } = entry
  const rule = textsOf(entry, 'rule', name) ?? []
  const unknownRule = rule.find(id => !Object.hasOwn(RULES, id))
  if (rule.length === 0)
    throw new UsageError(`${name}: "rule" is missing, the rule that is not kept`)
  if (unknownRule !== undefined) throw new UsageError(`${name}: there is no rule "${unknownRule}"`)
  if (typeof reason !== 'string' || reason.trim() === '')
    throw new UsageError(`${name}: "reason" is missing: why may clients break?`)
  if (typeof date !== 'string' || momentOf(date) === undefined) {
    throw new UsageError(`${name}: "date" is missing, the day on which it was decided: 2027-05-01`)
  }
  const [operation, where, at] = ['operation', 'where', 'at'].map(key => textsOf(entry, key, name))
  return { rule, operation, where, at, reason, date }
}

function textsOf(
  entry: { readonly [key: string]: unknown },
  key: string,
  name: string,
): readonly string[] | undefined {
  const value = entry[key]
  if (value === undefined) return undefined
  const texts = Array.isArray(value) ? value : [value]
  if (texts.some(text => typeof text !== 'string'))
    throw new UsageError(`${name}: "${key}" must be a string or a list of strings`)
  return texts
}

/** Whether an entry is about a finding. */
export function allows({ rule, operation, where, at }: Allowance, finding: Finding): boolean {
  const has = (texts: readonly string[] | undefined, text: string) =>
    texts === undefined || texts.includes(text)
  return (
    has(rule, finding.rule) &&
    has(operation, finding.operation ?? '') &&
    has(where, finding.where) &&
    has(at, finding.at)
  )
}
