import type { Answer } from '../support/client.js'
import type { Exchange, ExpectedAnswer, HeaderRule, Variables } from './exchange.js'

/**
 * What differs between an answer and the recorded one it is closest to; nothing where it is as one
 * of them.
 */
export function differencesFrom(
  exchange: Exchange,
  answer: Answer,
  variables: Variables,
): readonly string[] {
  const { response, head, compare } = exchange
  const all = [response, ...(head ? [head] : [])].map(expected => {
    if (answer.status !== expected.status)
      return [`status: ${answer.status}, not ${expected.status}`]
    return compare === 'status-only'
      ? []
      : [
          ...headerDifferences(expected, answer, variables),
          ...bodyDifferences(expected, answer, compare),
        ]
  })
  return all.find(differences => differences.length === 0) ?? (all[0] as string[])
}

function headerDifferences(
  { headers = {} }: ExpectedAnswer,
  answer: Answer,
  variables: Variables,
): string[] {
  return Object.entries(headers).flatMap(([name, rule]) => {
    const value = answer.headers.get(name)
    if (rule.absent) return value === null ? [] : [`${name}: ${value}, where there should be none`]
    if (value === null) return [`${name}: missing`]
    return isAsRuled(rule, value, variables)
      ? []
      : [`${name}: ${value}, not ${JSON.stringify(rule)}`]
  })
}

function isAsRuled(rule: HeaderRule, value: string, variables: Variables): boolean {
  return (
    (rule.media_type === undefined ||
      value.split(';')[0]?.trim().toLowerCase() === rule.media_type) &&
    (rule.equals === undefined || value === rule.equals) &&
    (rule.pattern === undefined || new RegExp(rule.pattern).test(value)) &&
    (rule.equals_var === undefined || value === variables.get(rule.equals_var)) &&
    (rule.differs_from_var === undefined || value !== variables.get(rule.differs_from_var)) &&
    (rule.set === undefined ||
      value
        .split(/\s*,\s*/)
        .sort()
        .join() === [...rule.set].sort().join()) &&
    (rule.json === undefined || valueDifferences(rule.json, JSON.parse(value), '').length === 0)
  )
}

function bodyDifferences(
  expected: ExpectedAnswer,
  { text, body }: Answer,
  compare: Exchange['compare'],
): string[] {
  const { body_empty, body_text, body_contains = [] } = expected
  return [
    ...(body_empty && text !== '' ? [`body: ${text}, where there should be none`] : []),
    ...(body_text !== undefined && text !== body_text ? [`body: ${text}, not ${body_text}`] : []),
    ...body_contains.filter(part => !text.includes(part)).map(part => `body: has no ${part}`),
    ...('body' in expected
      ? valueDifferences(expected.body, body, 'body', compare === 'shape' ? isFreeText : undefined)
      : []),
  ]
}

type IsFree = (path: string, actual: unknown) => boolean

/** Below `errors`, any non-empty list of texts is as good as another; so is any `message`. */
const isFreeText: IsFree = (path, actual) => {
  if (path === 'body.message') return isText(actual)
  return (
    path.startsWith('body.errors.') &&
    Array.isArray(actual) &&
    actual.length > 0 &&
    actual.every(isText)
  )
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

/** Where two JSON values differ: same keys, in any order, same items, same scalars. */
function valueDifferences(
  expected: unknown,
  actual: unknown,
  path: string,
  isFree: IsFree = () => false,
): string[] {
  if (kindOf(expected) === kindOf(actual) && isFree(path, actual)) return []
  if (kindOf(expected) !== kindOf(actual) || typeof expected !== 'object' || expected === null) {
    return expected === actual
      ? []
      : [`${path}: ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`]
  }
  const [left, right] = [expected, actual] as Record<string, unknown>[]
  const keys = new Set([...Object.keys(left ?? {}), ...Object.keys(right ?? {})])
  return [...keys].flatMap(key =>
    valueDifferences(left?.[key], right?.[key], `${path}.${key}`, isFree),
  )
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
}
