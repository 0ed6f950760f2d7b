import { isObject } from '../openapi/schema/json.js'
import type { Raw } from './alternative.js'
import { type Change, change, inside } from './change.js'
import { compareBound } from './compare-values.js'
import { ALTERNATIVES, type Constraint, entriesOf, keywordOf } from './constraints.js'
import { otherWay, type Way } from './rules.js'

interface Comparison {
  readonly way: Way
  readonly isSame: (before: Raw, after: Raw) => boolean
  readonly compare: (before: Raw, after: Raw, way: Way) => readonly Change[]
}

export function compareConstraints(
  before: ReadonlyMap<string, Constraint>,
  after: ReadonlyMap<string, Constraint>,
  comparison: Comparison,
): readonly Change[] {
  const added = [...after].filter(([text]) => !before.has(text)).map(([, one]) => one)
  const changes: Change[] = []
  for (const [text, was] of before) {
    if (after.has(text)) continue
    const index = added.findIndex(one => nameOf(one) === nameOf(was))
    const [is] = index < 0 ? [] : added.splice(index, 1)
    changes.push(
      ...(is ? compareConstraint(was, is, comparison) : [lone('removed', was, 'is gone')]),
    )
  }
  return [...changes, ...added.map(one => lone('added', one, 'is new'))]
}

function lone(what: 'added' | 'removed', constraint: Constraint, text: string): Change {
  return isComparable(constraint)
    ? change(`constraint-${what}`, `${nameOf(constraint)} ${text}`)
    : notCompared(constraint)
}

function isComparable(constraint: Constraint): boolean {
  return !('$dynamicRef' in constraint || ALTERNATIVES in constraint)
}

function notCompared(constraint: Constraint): Change {
  const name =
    ALTERNATIVES in constraint ? 'a combination of many alternatives' : nameOf(constraint)
  return change('not-compared', `${name} has changed; whether that breaks clients is not known`)
}

function compareConstraint(was: Constraint, is: Constraint, comparison: Comparison) {
  const { way, isSame, compare } = comparison
  const keyword = keywordOf(was)
  const sub = (key: string, there = was[key], now = is[key]) =>
    inside(`(${key})`, compare(asRaw(there), asRaw(now), way))
  const changed = change('constraint-changed', `${nameOf(was)} has changed`)
  if (!isComparable(was)) return [notCompared(was)]
  switch (keyword) {
    case 'not': {
      // a schema that allows less refuses less
      const turned = otherWay(way)
      const found = compare(asRaw(was.not), asRaw(is.not), turned)
      return inside('(not)', found).map(one => ({ ...one, way: one.way ?? turned }))
    }
    case 'if':
      return isSame(asRaw(was.if), asRaw(is.if)) ? [...sub('then'), ...sub('else')] : [changed]
    case 'contains': {
      const isBounded = was.maxContains !== undefined || is.maxContains !== undefined
      if (isBounded && !isSame(asRaw(was.contains), asRaw(is.contains))) return [changed]
      const bound = (value: unknown) =>
        typeof value === 'number' ? { value, exclusive: false } : undefined
      return [
        ...sub('contains'),
        ...compareBound('minContains', bound(was.minContains ?? 1), bound(is.minContains ?? 1)),
        ...compareBound('maxContains', bound(was.maxContains), bound(is.maxContains)),
      ]
    }
    case 'dependentSchemas': {
      const [[name = '', there] = [], [, now] = []] = [was, is].map(
        ({ dependentSchemas }) => entriesOf(dependentSchemas)[0],
      )
      return sub(name, there, now)
    }
    case 'contentEncoding':
    case 'contentMediaType':
      return [change('constraint-changed', `${keyword} was ${was[keyword]} and is ${is[keyword]}`)]
    default:
      return sub(keyword)
  }
}

function nameOf(constraint: Constraint): string {
  const keyword = keywordOf(constraint)
  const [[name, needed] = []] = keyword.startsWith('dependent')
    ? entriesOf(constraint[keyword])
    : []
  if (name === undefined) return keyword
  return `${keyword} of "${name}"${typeof needed === 'string' ? `: "${needed}"` : ''}`
}

function asRaw(value: unknown): Raw {
  return isObject(value) || value === false ? value : true
}
