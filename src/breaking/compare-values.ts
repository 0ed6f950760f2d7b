// Compares the values of one alternative, keyword by keyword; objects and arrays are compared in
// compare-schemas.ts.
import { type Alternative, type Bound, type BoundName, compareBounds } from './alternative.js'
import { type Change, change } from './change.js'
import type { RuleId } from './rules.js'

export function compareValues(before: Alternative, after: Alternative): readonly Change[] {
  return [
    ...compareLists(before, after),
    ...compareAllBounds(before, after),
    ...compareMultiples(before, after),
    ...compareUnique(before, after),
    ...compareTexts('pattern', before.patterns, after.patterns),
    ...compareTexts('format', before.formats, after.formats),
  ]
}

function compareLists(
  { values: before }: Alternative,
  { values: after }: Alternative,
): readonly Change[] {
  if (!before && !after) return []
  const list = (values: ReadonlyMap<string, unknown>) => [...values.keys()].join(', ')
  if (!before) return after ? [change('enum-added', `only ${list(after)} is allowed`)] : []
  if (!after) return [change('enum-removed', `only ${list(before)} was allowed, and any value is`)]
  const removed = [...before.keys()].filter(value => !after.has(value))
  const added = [...after.keys()].filter(value => !before.has(value))
  if (before.size === 1 && after.size === 1 && removed.length === 1) {
    return [change('const-changed', `the only value was ${removed[0]} and is ${added[0]}`)]
  }
  return [
    ...removed.map(value => change('enum-value-removed', `${value} is no longer a value`)),
    ...added.map(value => change('enum-value-added', `${value} is a new value`)),
  ]
}

function compareAllBounds(before: Alternative, after: Alternative): readonly Change[] {
  const names = new Set([...before.bounds.keys(), ...after.bounds.keys()])
  return [...names].flatMap(name =>
    compareBound(name, before.bounds.get(name), after.bounds.get(name)),
  )
}

/** Clients reserve room by these bounds: removing one is worse than removing another bound. */
const LENGTHS: readonly BoundName[] = ['maxLength', 'minLength', 'minItems']

export function compareBound(
  name: BoundName,
  before: Bound | undefined,
  after: Bound | undefined,
): readonly Change[] {
  const shown = ({ value, exclusive }: Bound) =>
    exclusive ? `${value} (exclusive)` : String(value)
  if (!before)
    return after ? [change('bound-set', `${name} is ${shown(after)} and was not limited`)] : []
  if (!after)
    return [
      change(
        LENGTHS.includes(name) ? 'length-bound-removed' : 'bound-removed',
        `${name} was ${shown(before)} and is not limited`,
      ),
    ]
  const order = compareBounds(name, before, after)
  const text = `${name} was ${shown(before)} and is ${shown(after)}`
  return order === 0 ? [] : [change(order > 0 ? 'bound-tighter' : 'bound-looser', text)]
}

function compareMultiples(
  { multiples: before }: Alternative,
  { multiples: after }: Alternative,
): readonly Change[] {
  const old = [...before].filter(value => !after.has(value))
  const now = [...after].filter(value => !before.has(value))
  const [was, is] = [old[0], now[0]]
  if (was === undefined)
    return now.map(value => change('multiple-of-added', `has to be a multiple of ${value}`))
  if (is === undefined)
    return old.map(value => change('bound-removed', `had to be a multiple of ${value}`))
  const text = `had to be a multiple of ${was} and has to be one of ${is}`
  if (isMultiple(is, was)) return [change('bound-tighter', text)]
  return [change(isMultiple(was, is) ? 'bound-looser' : 'multiple-of-changed', text)]
}

function isMultiple(value: number, of: number): boolean {
  const quotient = value / of
  return Math.abs(quotient - Math.round(quotient)) < 1e-9
}

function compareUnique(
  { unique: before }: Alternative,
  { unique: after }: Alternative,
): readonly Change[] {
  if (before === after) return []
  return [
    after
      ? change('unique-items-added', 'items have to be different')
      : change('bound-removed', 'items had to be different'),
  ]
}

function compareTexts(
  keyword: 'pattern' | 'format',
  before: ReadonlySet<string>,
  after: ReadonlySet<string>,
): readonly Change[] {
  const removed = [...before].filter(text => !after.has(text))
  const added = [...after].filter(text => !before.has(text))
  const rule = (what: 'added' | 'changed' | 'removed'): RuleId => `${keyword}-${what}`
  if (removed.length === 1 && added.length === 1)
    return [change(rule('changed'), `the ${keyword} was ${removed[0]} and is ${added[0]}`)]
  return [
    ...removed.map(text => change(rule('removed'), `the ${keyword} ${text} is gone`)),
    ...added.map(text => change(rule('added'), `the ${keyword} ${text} is new`)),
  ]
}
