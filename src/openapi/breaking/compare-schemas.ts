import { isObject } from '../schema/json.js'
import { type Alternative, type Raw, restricted } from './alternative.js'
import { type Change, change, inside } from './change.js'
import { compareValues } from './compare-values.js'
import { type Level, levelOf, type Way } from './rules.js'
import type { Discriminator, Form, Schemas } from './schemas.js'

const COSTS: { readonly [L in Level]: number } = { OK: 1, WARN: 100, ERR: 10_000 }

/** The schemas of two documents, compared in pairs. */
export class SchemaComparison {
  readonly #known = new Map<string, readonly Change[]>()
  /** Pairs that are being compared, with how deep they stand. A pair inside itself is taken as unchanged: its changes are found outside. */
  readonly #open = new Map<string, number>()
  /** The outermost open pair that what was just compared has relied on. */
  #relied = Number.POSITIVE_INFINITY

  constructor(
    private readonly before: Schemas,
    private readonly after: Schemas,
  ) {}

  /** What has changed, harmless changes included, for clients that send (`request`) or read (`response`) such values. */
  compare(before: Raw, after: Raw, way: Way): readonly Change[] {
    const key = `${way} ${this.before.idOf(before)} ${this.after.idOf(after)}`
    const [known, depth] = [this.#known.get(key), this.#open.get(key)]
    if (known) return this.#named(after, known)
    if (depth !== undefined) {
      this.#relied = Math.min(this.#relied, depth)
      return []
    }
    const outside = this.#relied
    this.#relied = Number.POSITIVE_INFINITY
    this.#open.set(key, this.#open.size)
    const changes = this.#compareForms(this.before.form(before), this.after.form(after), way)
    this.#open.delete(key)
    // what relied on a pair further out may be incomplete, and is compared again where it stands alone
    if (this.#relied >= this.#open.size) this.#known.set(key, changes)
    this.#relied = Math.min(outside, this.#relied >= this.#open.size ? Number.POSITIVE_INFINITY : this.#relied)
    return this.#named(after, changes)
  }

  #named(raw: Raw, changes: readonly Change[]): readonly Change[] {
    const name = this.after.nameOf(raw)
    return name === undefined
      ? changes
      : changes.map(found => (found.isAnchored ? found : { ...found, at: name + found.at, isAnchored: true }))
  }

  #compareForms(before: Form, after: Form, way: Way): readonly Change[] {
    const shown = (text: string | undefined) => text ?? 'none'
    const isSame = before.default === after.default
    const defaults = isSame ? [] : [change('default-changed', `the default was ${shown(before.default)} and is ${shown(after.default)}`)]
    const { changes, partners } = this.#pair(before.alternatives, after.alternatives, way)
    return [...defaults, ...changes, ...compareDiscriminators(before, after, partners)]
  }

  /** Finds for each alternative the one that it has become: equal ones first, then the most similar. */
  #pair(before: readonly Alternative[], after: readonly Alternative[], way: Way) {
    const partners = new Map<Alternative, Alternative>()
    const changes: Change[] = []
    const [first, second] = [before[0], after[0]]
    const all =
      before.length === 1 && after.length === 1 && first && second
        ? [this.#candidate(first, second, way)]
        : before.flatMap(old => after.filter(now => isComparable(old, now)).map(now => this.#candidate(old, now, way)))
    const taken = new Set<Alternative>()
    for (const { old, now, found } of all.toSorted((left, right) => left.cost - right.cost)) {
      if (partners.has(old) || taken.has(now)) continue
      partners.set(old, now)
      taken.add(now)
      changes.push(...found)
    }
    const isHarmless = (cost: number) => cost < COSTS.WARN
    const isAccepted = (old: Alternative) => all.some(pair => pair.old === old && isHarmless(pair.cost))
    const isKnown = (now: Alternative) => all.some(pair => pair.now === now && isHarmless(pair.cost))
    for (const old of before.filter(one => !partners.has(one) && !(way === 'request' && isAccepted(one)))) {
      changes.push(change('alternative-removed', `${described(old)} was allowed and is not`))
    }
    for (const now of after.filter(one => !taken.has(one) && !(way === 'response' && isKnown(one)))) {
      changes.push(change('alternative-added', `${described(now)} was not allowed and is`))
    }
    return { changes, partners }
  }

  #candidate(old: Alternative, now: Alternative, way: Way) {
    const isAlone = old.source === undefined || now.source === undefined
    const found = isAlone ? this.#compareAlternatives(old, now, way) : this.compare(old.source, now.source, way)
    const cost = found.reduce((sum, { rule }) => sum + COSTS[levelOf(rule, way)], 0)
    return { old, now, found, cost }
  }

  #compareAlternatives(before: Alternative, after: Alternative, way: Way): readonly Change[] {
    if (!isComparable(before, after)) return [change('type-changed', `the type was ${before.type} and is ${after.type}`)]
    const types = this.#compareTypes(before, after)
    const old = before.type === 'any' ? restricted(before, after.type) : before
    const now = after.type === 'any' ? restricted(after, before.type) : after
    return [...types, ...compareValues(old, now), ...this.#compareItems(old, now, way), ...this.#compareObjects(old, now, way)]
  }

  #compareTypes(before: Alternative, after: Alternative): readonly Change[] {
    if (before.type === after.type || (before.values && after.values)) return []
    const isNarrower = before.type === 'any' || (before.type === 'number' && after.type === 'integer')
    // values of a list have types of their own
    if (isNarrower ? after.values : before.values) return []
    return [change(isNarrower ? 'type-narrower' : 'type-wider', `the type was ${before.type} and is ${after.type}`)]
  }

  #compareItems(before: Alternative, after: Alternative, way: Way): readonly Change[] {
    const length = Math.max(before.prefix.length, after.prefix.length)
    const places = Array.from({ length }, (_, index) =>
      inside(`[${index}]`, this.compare(before.prefix[index] ?? before.items, after.prefix[index] ?? after.items, way)),
    )
    return [...places.flat(), ...inside('[]', this.compare(before.items, after.items, way))]
  }

  #compareObjects(before: Alternative, after: Alternative, way: Way): readonly Change[] {
    const [old, now] = [shownProperties(before, this.before, way), shownProperties(after, this.after, way)]
    const [first, second] = [before.additional, after.additional]
    const changes = [...this.#compareAdditional(first, second, way)]
    for (const [name, raw] of old) {
      const other = now.get(name)
      const found = other === undefined ? [propertyRemoved(before, after, name, way)] : this.compare(raw, other, way)
      const [was, is] = [before.required.has(name), after.required.has(name)]
      if (other !== undefined && was !== is) {
        changes.push(
          ...inside(`.${name}`, [
            is ? change('property-became-required', 'is required now') : change('property-became-optional', 'is optional now'),
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

  #compareAdditional(before: Raw, after: Raw, way: Way): readonly Change[] {
    if (before === false || after === false) {
      if (before === after) return []
      return [
        before === false
          ? change('additional-properties-accepted', 'properties that are not declared were refused and are accepted')
          : change('additional-properties-refused', 'properties that are not declared were accepted and are refused'),
      ]
    }
    return inside('.*', this.compare(before, after, way))
  }
}

function isComparable(before: Alternative, after: Alternative): boolean {
  const types = [before.type, after.type]
  return before.type === after.type || types.includes('any') || (types.includes('integer') && types.includes('number'))
}

function described({ type, values, references }: Alternative): string {
  const [reference] = references
  if (reference !== undefined) return reference.slice(reference.lastIndexOf('/') + 1)
  if (values) return [...values.keys()].join(', ')
  return type === 'any' ? 'a value of any type' : type === 'null' ? 'null' : `a value of the type ${type}`
}

/** The properties that go this way: requests have no read-only ones, responses no write-only ones. */
function shownProperties({ properties, required, additional }: Alternative, schemas: Schemas, way: Way): ReadonlyMap<string, Raw> {
  const undeclared = [...required].filter(name => !properties.has(name)).map((name): [string, Raw] => [name, additional])
  const isShown = (raw: Raw) => isObject(raw) && !schemas.form(raw)[way === 'request' ? 'readOnly' : 'writeOnly']
  return new Map([...properties, ...undeclared].filter(([, raw]) => raw === true || isShown(raw)))
}

function propertyRemoved(before: Alternative, after: Alternative, name: string, way: Way): Change {
  const isRequired = before.required.has(name)
  if (way === 'request') {
    return after.additional === false
      ? change('closed-property-removed', 'is no longer accepted: properties that are not declared are refused')
      : change(isRequired ? 'required-property-removed' : 'property-removed', 'is no longer read')
  }
  return isRequired ? change('required-property-removed', 'was always there and is not') : change('property-removed', 'is no longer there')
}

/** Which value stands for which alternative; `partners` tells what each alternative has become. */
function compareDiscriminators(before: Form, after: Form, partners: ReadonlyMap<Alternative, Alternative>): readonly Change[] {
  const [old, now] = [before.discriminator, after.discriminator]
  if (!old && !now) return []
  if (old?.property !== now?.property || !old || !now) {
    const named = (discriminator: Discriminator | undefined) => discriminator?.property ?? 'nothing'
    return [change('discriminator-changed', `alternatives were told apart by ${named(old)} and are by ${named(now)}`)]
  }
  const behind = ({ alternatives }: Form, reference: string) => alternatives.find(({ references }) => references.has(reference))
  const changes: Change[] = []
  for (const [value, reference] of old.mapping) {
    const target = now.mapping.get(value)
    const was = behind(before, reference)
    const became = was && partners.get(was)
    const is = target === undefined ? undefined : behind(after, target)
    // what is gone altogether is an alternative removed
    const isSame = was ? became === is : reference === target
    if (!isSame)
      changes.push(
        change(
          'discriminator-changed',
          `${old.property} "${value}" no longer stands for ${reference.slice(reference.lastIndexOf('/') + 1)}`,
        ),
      )
  }
  for (const value of now.mapping.keys()) {
    if (!old.mapping.has(value)) changes.push(change('discriminator-value-added', `${now.property} "${value}" is new`))
  }
  return changes
}
