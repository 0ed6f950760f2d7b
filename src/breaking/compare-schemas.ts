import { canonical, isObject, mapValues } from '../openapi/schema/json.js'
import { type Alternative, type Raw, restricted, type TypeName } from './alternative.js'
import { type Change, change, inside } from './change.js'
import { compareConstraints } from './compare-constraints.js'
import { compareValues } from './compare-values.js'
import { type Level, levelOf, type Way } from './rules.js'
import { type Form, type Schemas, SETS } from './schemas.js'
import { compareSunsets, isOver } from './sunsets.js'

const COSTS: { readonly [L in Level]: number } = { OK: 1, WARN: 100, ERR: 10_000 }

/** How deep two alternatives are compared to find out which has become which. */
const TRIAL_DEPTH = 4

/** The changes in one pair of schemas, and the pairs of components that it refers to. */
interface Compared {
  readonly changes: readonly Change[]
  readonly inside: ReadonlyMap<string, Pair>
}
type Pair = readonly [before: Raw, after: Raw, way: Way]

/** The schemas of two documents, compared in pairs. */
export class SchemaComparison {
  readonly #known = new Map<string, Compared>()
  /** Pairs of schemas without names that are being compared. */
  readonly #open = new Set<string>()
  /**
   * The pairs of components that the present one refers to. They are compared after it: a chain of
   * them can be of any length.
   */
  #inside = new Map<string, Pair>()
  /** How deep a trial has gone; 0 outside of trials. */
  #trial = 0

  constructor(
    private readonly before: Schemas,
    private readonly after: Schemas,
    private readonly today: number,
  ) {}

  /**
   * Lists the changes, harmless ones included, for clients that send (`request`) or read
   * (`response`) such values.
   */
  compare(before: Raw, after: Raw, way: Way): readonly Change[] {
    const pairs = new Map<string, Pair>([[this.#keyOf(before, after, way), [before, after, way]]])
    const changes: Change[] = []
    // a map takes more while it is walked, each pair once
    for (const [key, pair] of pairs) {
      const compared = this.#compared(key, pair)
      changes.push(
        ...compared.changes.map(one =>
          one.way || pair[2] === way ? one : { ...one, way: pair[2] },
        ),
      )
      for (const [inner, innerPair] of compared.inside)
        if (!pairs.has(inner)) pairs.set(inner, innerPair)
    }
    return changes
  }

  #keyOf(before: Raw, after: Raw, way: Way): string {
    return `${way} ${this.before.idOf(before)} ${this.after.idOf(after)}`
  }

  #compared(key: string, [before, after, way]: Pair): Compared {
    const known = this.#known.get(key)
    if (known) return known
    this.#inside = new Map()
    const name = this.after.nameOf(after)
    const found = this.#compareForms(this.before.form(before), this.after.form(after), way)
    const changes = name === undefined ? found : found.map(one => ({ ...one, at: name + one.at }))
    const compared = { changes, inside: this.#inside }
    this.#known.set(key, compared)
    return compared
  }

  /** Whether both allow plain values alone: neither lists nor objects. */
  arePlain(before: Raw, after: Raw): boolean {
    return [this.before.form(before), this.after.form(after)].every(({ alternatives }) =>
      alternatives.every(({ type }) => SCALARS.includes(type)),
    )
  }

  /**
   * Lists the changes for clients that write such a value as a string, for example in a query: 5
   * and "5" are the same there, in a list, too, and, if a list is a repeated name (`isRepeated`), so
   * are a value and a list of it.
   */
  compareText(before: Raw, after: Raw, isRepeated: boolean): readonly Change[] {
    const [old, now] = this.#withoutEqualItems(this.before.form(before), this.after.form(after))
    const lists = now.alternatives.filter(
      ({ type, bounds }) =>
        isRepeated && type === 'array' && (bounds.get('minItems')?.value ?? 0) < 2,
    )
    const accepting = [
      ...now.alternatives.filter(({ type }) => SCALARS.includes(type)),
      ...lists.flatMap(({ items }) => this.after.form(items).alternatives),
    ]
    // an alternative whose type remains is compared with the remaining one
    const isLeft = (one: Alternative) =>
      !SCALARS.includes(one.type) ||
      now.alternatives.some(other => isComparable(one, other)) ||
      !this.#isAccepted(one, accepting)
    const left = old.alternatives.filter(isLeft)
    if (left.length === old.alternatives.length && old === this.before.form(before))
      return this.compare(before, after, 'request')
    this.#inside = new Map()
    const changes = this.#compareForms({ ...old, alternatives: left }, now, 'request')
    const pairs = [...this.#inside.values()]
    return [...changes, ...pairs.flatMap(pair => this.compare(...pair))]
  }

  /** Leaves out the items of a list if they have another type and are written in the same way. */
  #withoutEqualItems(before: Form, after: Form): readonly [before: Form, after: Form] {
    const isList = ({ type }: Alternative) => type === 'array'
    const [list, other] = [before.alternatives.find(isList), after.alternatives.find(isList)]
    const old = list ? this.before.form(list.items).alternatives : []
    const now = other ? this.after.form(other.items).alternatives : []
    const isEqual = old.every(
      one => !now.some(item => isComparable(one, item)) && this.#isAccepted(one, now),
    )
    if (old.length === 0 || !isEqual) return [before, after]
    const bare = (form: Form, replaced: Alternative | undefined) => ({
      ...form,
      alternatives: form.alternatives.map(one => {
        const { source: _, ...rest } = one
        return one === replaced ? { ...rest, items: true } : one
      }),
    })
    return [bare(before, list), bare(after, other)]
  }

  /** Returns whether one of the alternatives takes every value of another one as a string. */
  #isAccepted(one: Alternative, accepting: readonly Alternative[]): boolean {
    return accepting.some(
      other =>
        takesText(other, one) ||
        (isComparable(one, other) && this.#tried(one, other, 'request').cost < COSTS.WARN),
    )
  }

  /** The changes of a schema inside of another; those of components are found later. */
  #compareInside(before: Raw, after: Raw, way: Way): readonly Change[] {
    const key = this.#keyOf(before, after, way)
    if (this.#trial === 0 && this.after.nameOf(after) !== undefined) {
      this.#inside.set(key, [before, after, way])
      return []
    }
    if (this.#trial > TRIAL_DEPTH || this.#open.has(key)) return []
    this.#open.add(key)
    if (this.#trial > 0) this.#trial += 1
    const changes = this.#compareForms(this.before.form(before), this.after.form(after), way)
    if (this.#trial > 0) this.#trial -= 1
    this.#open.delete(key)
    return changes
  }

  #compareForms(before: Form, after: Form, way: Way): readonly Change[] {
    const shown = (text: string | undefined) => text ?? 'none'
    const isSame = before.default === after.default
    const defaults = isSame
      ? []
      : [
          change(
            'default-changed',
            `the default was ${shown(before.default)} and is ${shown(after.default)}`,
          ),
        ]
    const { changes, partners } = this.#pair(before.alternatives, after.alternatives, way)
    return [
      ...defaults,
      ...changes,
      ...compareDiscriminators(before, after, partners),
      ...this.#compareExclusions(before, after, way),
    ]
  }

  /** Finds values that were allowed and fit two members of `oneOf` now, which refuses them. */
  #compareExclusions(before: Form, after: Form, way: Way): readonly Change[] {
    const [old, now] = [before.alternatives, after.alternatives]
    if (way === 'response' || !after.isExclusive || after.discriminator) return []
    if (before.isExclusive && this.#equal(old, now).size === now.length) return []
    const shared = before.isExclusive
      ? []
      : old.flatMap((one, index) =>
          old.slice(index + 1).map(other => this.before.overlap(one, other)),
        )
    for (const value of [...old, ...shared, ...now].filter(one => one !== undefined)) {
      // each document has its own components
      const from = now.includes(value) ? this.after : this.before
      const [first, second] = this.#fitting(value, from, now, this.after)
      const fits = this.#fitting(value, from, old, this.before).length
      if (first && second && (before.isExclusive ? fits === 1 : fits > 0)) {
        const text = `a value that fits both ${described(first)} and ${described(second)} was allowed and is not: only one of oneOf may fit`
        return [change('alternatives-overlap', text)]
      }
    }
    return []
  }

  /** The alternatives that allow all values of another one, each of its own document. */
  #fitting(value: Alternative, from: Schemas, alternatives: readonly Alternative[], to: Schemas) {
    const comparison = new SchemaComparison(from, to, this.today)
    return alternatives.filter(
      one => isComparable(value, one) && comparison.#tried(value, one, 'request').cost < COSTS.WARN,
    )
  }

  /**
   * Finds for each alternative the one that it has become: an equal one, one of the same name, or
   * the most similar.
   */
  #pair(before: readonly Alternative[], after: readonly Alternative[], way: Way) {
    const partners = this.#equal(before, after)
    const changes: Change[] = []
    const left = () => ({
      old: before.filter(one => !partners.has(one)),
      now: after.filter(one => ![...partners.values()].includes(one)),
    })
    const { old, now } = left()
    const [first, second] = [old[0], now[0]]
    if (
      old.length === 1 &&
      now.length === 1 &&
      first &&
      second &&
      (before.length === 1 || isComparable(first, second))
    )
      partners.set(first, second)
    const similar = left().old.flatMap(one =>
      left()
        .now.filter(other => isComparable(one, other))
        .map(other => this.#tried(one, other, way)),
    )
    for (const { old: one, now: other } of similar.toSorted((a, b) => a.cost - b.cost)) {
      if (!partners.has(one) && ![...partners.values()].includes(other)) partners.set(one, other)
    }
    for (const [one, other] of partners) changes.push(...this.#comparePartners(one, other, way))
    const rest = left()
    const isHarmless = (one: Alternative, other: Alternative) =>
      isComparable(one, other) && this.#tried(one, other, way).cost < COSTS.WARN
    for (const one of rest.old.filter(
      gone => !(way === 'request' && after.some(other => isHarmless(gone, other))),
    )) {
      changes.push(change('alternative-removed', `${described(one)} was allowed and is not`))
    }
    for (const one of rest.now.filter(
      added => !(way === 'response' && before.some(other => isHarmless(other, added))),
    )) {
      changes.push(change('alternative-added', `${described(one)} was not allowed and is`))
    }
    return { changes, partners }
  }

  /** Alternatives that allow the same values, and those that are one component. */
  #equal(
    before: readonly Alternative[],
    after: readonly Alternative[],
  ): Map<Alternative, Alternative> {
    const partners = new Map<Alternative, Alternative>()
    if (before.length === 1 && after.length === 1) return partners
    const textsOf = [textOf, ({ references }: Alternative) => [...references].sort().join(' ')]
    for (const text of textsOf) {
      const left = new Map(
        after.filter(one => ![...partners.values()].includes(one)).map(one => [text(one), one]),
      )
      for (const one of before.filter(old => !partners.has(old) && text(old) !== '')) {
        const other = left.get(text(one))
        if (other && isComparable(one, other)) partners.set(one, other)
        if (other) left.delete(text(one))
      }
    }
    return partners
  }

  #comparePartners(before: Alternative, after: Alternative, way: Way): readonly Change[] {
    const isAlone = before.source === undefined || after.source === undefined
    return isAlone
      ? this.#compareAlternatives(before, after, way)
      : this.#compareInside(before.source, after.source, way)
  }

  /** How far apart two alternatives are. */
  #tried(old: Alternative, now: Alternative, way: Way) {
    this.#trial += 1
    const found = this.#compareAlternatives(old, now, way)
    this.#trial -= 1
    return {
      old,
      now,
      cost: found.reduce((sum, one) => sum + COSTS[levelOf(one.rule, one.way ?? way)], 0),
    }
  }

  #compareAlternatives(before: Alternative, after: Alternative, way: Way): readonly Change[] {
    if (!isComparable(before, after))
      return [change('type-changed', `the type was ${before.type} and is ${after.type}`)]
    const types = this.#compareTypes(before, after)
    const old = before.type === 'any' ? restricted(before, after.type) : before
    const now = after.type === 'any' ? restricted(after, before.type) : after
    return [
      ...types,
      ...compareValues(old, now),
      ...this.#compareItems(old, now, way),
      ...this.#compareObjects(old, now, way),
      ...compareConstraints(old.constraints, now.constraints, {
        way,
        isSame: (was, is) => this.before.isSame(was, is, this.after),
        compare: (was, is, inner) => this.#compareInside(was, is, inner),
      }),
    ]
  }

  #compareTypes(before: Alternative, after: Alternative): readonly Change[] {
    if (before.type === after.type || (before.values && after.values)) return []
    const isNarrower =
      before.type === 'any' || (before.type === 'number' && after.type === 'integer')
    // values of a list have types of their own
    if (isNarrower ? after.values : before.values) return []
    return [
      change(
        isNarrower ? 'type-narrower' : 'type-wider',
        `the type was ${before.type} and is ${after.type}`,
      ),
    ]
  }

  #compareItems(before: Alternative, after: Alternative, way: Way): readonly Change[] {
    const length = Math.max(before.prefix.length, after.prefix.length)
    const places = Array.from({ length }, (_, index) =>
      inside(
        `[${index}]`,
        this.#compareInside(
          before.prefix[index] ?? before.items,
          after.prefix[index] ?? after.items,
          way,
        ),
      ),
    )
    return [...places.flat(), ...inside('[]', this.#compareInside(before.items, after.items, way))]
  }

  #compareObjects(before: Alternative, after: Alternative, way: Way): readonly Change[] {
    const [old, now] = [
      shownProperties(before, this.before, way),
      shownProperties(after, this.after, way),
    ]
    const [first, second] = [before.additional, after.additional]
    const changes = [...this.#compareAdditional(first, second, way, '.*')]
    for (const pattern of new Set([...before.patterned.keys(), ...after.patterned.keys()])) {
      const [was, is] = [before.patterned.get(pattern), after.patterned.get(pattern)]
      changes.push(...this.#compareAdditional(was ?? first, is ?? second, way, `./${pattern}/`))
    }
    for (const [name, raw] of old) {
      const other = now.get(name)
      const found =
        other === undefined
          ? [propertyRemoved(before, after, name, way, isOver(this.before.form(raw), this.today))]
          : [
              ...compareSunsets(this.before.form(raw), this.after.form(other)),
              ...withoutDefault(this.#compareInside(raw, other, way), before.required.has(name)),
            ]
      const [was, is] = [before.required.has(name), after.required.has(name)]
      if (other !== undefined && was !== is) {
        changes.push(
          ...inside(`.${name}`, [
            is
              ? change('property-became-required', 'is required now')
              : change('property-became-optional', 'is optional now'),
          ]),
        )
      }
      changes.push(...inside(`.${name}`, found))
    }
    for (const name of [...now.keys()].filter(added => !old.has(added))) {
      const found = after.required.has(name)
        ? change('required-property-added', 'is new, and required')
        : change('property-added', 'is new')
      changes.push(...inside(`.${name}`, [found]))
    }
    return changes
  }

  #compareAdditional(before: Raw, after: Raw, way: Way, step: string): readonly Change[] {
    if (before === false || after === false) {
      if (before === after) return []
      return inside(step === '.*' ? '' : step, [
        before === false
          ? change(
              'additional-properties-accepted',
              'properties that are not declared were refused and are accepted',
            )
          : change(
              'additional-properties-refused',
              'properties that are not declared were accepted and are refused',
            ),
      ])
    }
    return inside(step, this.#compareInside(before, after, way))
  }
}

const SCALARS: readonly TypeName[] = ['boolean', 'integer', 'number', 'string']

/** Returns whether an alternative allows every value of another one that is written as a string. */
function takesText(taking: Alternative, { type, values }: Alternative): boolean {
  const { bounds, patterns, formats, constraints } = taking
  const sets = [bounds, patterns, formats, constraints]
  if (taking.type !== 'string' || !SCALARS.includes(type)) return false
  if (sets.some(({ size }) => size > 0)) return false
  if (taking.values === undefined) return true
  const texts = values?.keys() ?? (type === 'boolean' ? ['true', 'false'] : undefined)
  return (
    type !== 'string' &&
    texts !== undefined &&
    [...texts].every(text => taking.values?.has(canonical(text)))
  )
}

function isComparable(before: Alternative, after: Alternative): boolean {
  const types = [before.type, after.type]
  return (
    before.type === after.type ||
    types.includes('any') ||
    (types.includes('integer') && types.includes('number'))
  )
}

/** An alternative as a string; components are named, not opened. */
function textOf({ source: _, references, ...said }: Alternative): string {
  const listed = (_key: string, value: unknown) => {
    if (value instanceof Map) return Object.fromEntries(value)
    return value instanceof Set ? [...value].map(item => canonical(item)).sort() : value
  }
  return canonical(sortedSets(JSON.parse(JSON.stringify(said, listed))))
}

/** Lists whose order means nothing, in one order. */
function sortedSets(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) {
    const items = value.map(item => sortedSets(item))
    return SETS.includes(key) ? items.sort((a, b) => (canonical(a) < canonical(b) ? -1 : 1)) : items
  }
  return mapValues(value, (inner, name) => sortedSets(inner, name))
}

function described({ type, values, references }: Alternative): string {
  const [reference] = references
  if (reference !== undefined) return reference.slice(reference.lastIndexOf('/') + 1)
  if (values) return [...values.keys()].join(', ')
  return type === 'any'
    ? 'a value of any type'
    : type === 'null'
      ? 'null'
      : `a value of the type ${type}`
}

/**
 * The properties that go this way: requests have no read-only ones, responses no write-only ones.
 */
function shownProperties(
  { properties, required, additional }: Alternative,
  schemas: Schemas,
  way: Way,
): ReadonlyMap<string, Raw> {
  const undeclared = [...required]
    .filter(name => !properties.has(name))
    .map((name): [string, Raw] => [name, additional])
  const isShown = (raw: Raw) =>
    isObject(raw) && !schemas.form(raw)[way === 'request' ? 'readOnly' : 'writeOnly']
  return new Map([...properties, ...undeclared].filter(([, raw]) => raw === true || isShown(raw)))
}

/**
 * The changes of a value without that of its own default, which counts for nothing if clients always
 * had to send the value.
 */
export function withoutDefault(changes: readonly Change[], wasRequired: boolean) {
  return wasRequired
    ? changes.filter(({ rule, at }) => rule !== 'default-changed' || at !== '')
    : changes
}

function propertyRemoved(
  before: Alternative,
  after: Alternative,
  name: string,
  way: Way,
  isOver: boolean,
): Change {
  if (isOver) return change('property-removed-after-sunset', 'is gone, as x-sunset announced')
  const isRequired = before.required.has(name)
  if (way === 'request') {
    return after.additional === false
      ? change(
          'closed-property-removed',
          'is no longer accepted: properties that are not declared are refused',
        )
      : change(isRequired ? 'required-property-removed' : 'property-removed', 'is no longer read')
  }
  return isRequired
    ? change('required-property-removed', 'was always there and is not')
    : change('property-removed', 'is no longer there')
}

/**
 * Compares which value selects which alternative; `partners` maps each alternative to its
 * successor.
 */
function compareDiscriminators(
  before: Form,
  after: Form,
  partners: ReadonlyMap<Alternative, Alternative>,
): readonly Change[] {
  const [old, now] = [before.discriminator, after.discriminator]
  if (!old && !now) return []
  if (!old) return [change('discriminator-added', `${now?.property} tells alternatives apart now`)]
  if (!now)
    return [change('discriminator-removed', `${old.property} no longer tells alternatives apart`)]
  if (old.property !== now.property) {
    const text = `alternatives were told apart by ${old.property} and are by ${now.property}`
    return [change('discriminator-changed', text)]
  }
  const behind = ({ alternatives }: Form, reference: string) =>
    alternatives.find(({ references }) => references.has(reference))
  const changes: Change[] = []
  for (const [value, reference] of old.mapping) {
    const target = now.mapping.get(value)
    const was = behind(before, reference)
    const became = was && partners.get(was)
    const is = target === undefined ? undefined : behind(after, target)
    // a value that is gone altogether is an alternative removed
    const isSame = was ? became === is : reference === target
    if (!isSame)
      changes.push(
        change(
          'discriminator-changed',
          `${old.property} "${value}" no longer means ${reference.slice(reference.lastIndexOf('/') + 1)}`,
        ),
      )
  }
  for (const value of now.mapping.keys()) {
    if (!old.mapping.has(value))
      changes.push(change('discriminator-value-added', `${now.property} "${value}" is new`))
  }
  return changes
}
