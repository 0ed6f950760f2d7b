import {
  canonical,
  isObject,
  type JsonObject,
  mapSubschemas,
  mapValues,
  omit,
  pick,
} from '../openapi/schema/json.js'
import {
  type Alternative,
  alternativeOf,
  both,
  isOfType,
  type Raw,
  type TypeName,
  union,
} from './alternative.js'
import { ALTERNATIVES } from './constraints.js'
import type { References } from './references.js'
import type { Retiring } from './sunsets.js'

/** The values that a schema allows, independent of its notation. */
export interface Form extends Retiring {
  /** A value has to be allowed by one of them; none allows nothing. */
  readonly alternatives: readonly Alternative[]
  /** Whether a value that two alternatives allow is refused (`oneOf`). */
  readonly isExclusive: boolean
  readonly readOnly: boolean
  readonly writeOnly: boolean
  readonly default: string | undefined
  readonly discriminator: Discriminator | undefined
}

interface Discriminator {
  readonly property: string
  /**
   * Values and the references that they select, including those implied by the names of components.
   */
  readonly mapping: ReadonlyMap<string, string>
}

/** How many alternatives a schema is taken apart into; what has more is compared as a whole. */
const MOST_ALTERNATIVES = 200

const COMBINING = ['$ref', 'allOf', 'anyOf', 'oneOf']
/** Lists whose order means nothing. */
export const SETS = ['enum', 'required', 'type', 'allOf', 'anyOf', 'oneOf']

const ANYTHING: Form = formOf([alternativeOf({}, 'any')])
const NOTHING = formOf([])

function formOf(alternatives: readonly Alternative[]): Form {
  return {
    alternatives,
    isExclusive: false,
    readOnly: false,
    writeOnly: false,
    default: undefined,
    discriminator: undefined,
    deprecated: false,
    sunset: undefined,
  }
}

/**
 * The schemas of one document: brings each into a form in which schemas of two documents can be
 * compared.
 */
export class Schemas {
  readonly #forms = new Map<JsonObject, Form>()
  readonly #open = new Set<JsonObject>()
  readonly #ids = new Map<JsonObject, number>()
  /** Schemas made of several, by the numbers of their parts: a recursion through them ends. */
  readonly #conjunctions = new Map<string, Raw>()
  readonly #parts = new Map<JsonObject, readonly JsonObject[]>()

  constructor(
    readonly references: References,
    /** Whether the document is of OpenAPI 3.0. */
    readonly is30: boolean,
  ) {}

  /** The name of the component that a schema refers to, and nothing else. */
  nameOf(raw: Raw): string | undefined {
    if (
      !isObject(raw) ||
      typeof raw.$ref !== 'string' ||
      !(this.is30 || this.#own(raw).length === 0)
    )
      return undefined
    return /^#\/components\/schemas\/([^/]+)$/.exec(raw.$ref)?.[1]
  }

  /** Two schemas are the same if their ids are equal. */
  idOf(raw: Raw): string {
    if (!isObject(raw)) return String(raw)
    let target: Raw = raw
    while (this.nameOf(target) !== undefined)
      target = this.references.target(String((target as JsonObject).$ref)) as Raw
    if (!isObject(target)) return String(target)
    const id = this.#ids.get(target) ?? this.#ids.size
    this.#ids.set(target, id)
    return String(id)
  }

  form(raw: Raw): Form {
    return this.#form(raw) ?? ANYTHING
  }

  /** Whether two schemas, each of its own document, mean the same. */
  isSame(raw: Raw, other: Raw, others: Schemas): boolean {
    const text = (schemas: Schemas, given: Raw) =>
      isObject(given) ? schemas.#canonical(given) : String(given)
    return text(this, raw) === text(others, other)
  }

  /** The values that both alternatives allow; undefined if there are none. */
  overlap(first: Alternative, second: Alternative): Alternative | undefined {
    const common = both(first, second, this.#conjunction)
    const isImpossible = (name: string) => {
      const raw = common?.properties.get(name)
      return raw !== undefined && this.form(raw).alternatives.length === 0
    }
    return common && [...common.required].some(isImpossible) ? undefined : common
  }

  /**
   * The same string for schemas that differ only in descriptions, the order of keys, and the order
   * of lists in which it has no meaning.
   */
  #canonical = (schema: JsonObject): string => canonical(this.#sorted(schema, new Set()))

  #sorted(schema: unknown, passed: ReadonlySet<string>): unknown {
    if (!isObject(schema)) return schema
    const { $ref } = schema
    if (typeof $ref === 'string' && $ref.startsWith('#') && !passed.has($ref)) {
      return this.#sorted(this.references.target($ref), new Set([...passed, $ref]))
    }
    return mapValues(
      mapSubschemas(omit(schema, TEXTS), inner => this.#sorted(inner, passed)),
      (value, keyword) =>
        SETS.includes(keyword) && Array.isArray(value) ? value.map(canonical).sort() : value,
    )
  }

  /** The form; undefined of a schema inside itself, which neither allows nor refuses more. */
  #form(raw: Raw): Form | undefined {
    if (!isObject(raw)) return raw ? ANYTHING : NOTHING
    const known = this.#forms.get(raw)
    if (known || this.#open.has(raw)) return known
    this.#open.add(raw)
    const form = this.#build(raw)
    this.#open.delete(raw)
    this.#forms.set(raw, form)
    return form
  }

  #build(raw: JsonObject): Form {
    const { $ref } = raw
    const referred = typeof $ref === 'string' ? this.#referred($ref) : undefined
    if (referred !== undefined && (this.is30 || this.#own(raw).length === 0)) return referred
    const parts = [
      this.#ownForm(raw),
      referred,
      ...listOf(raw.allOf)
        .map(part => this.#form(part))
        .sort(byDefault),
      ...(['anyOf', 'oneOf'] as const).map(keyword =>
        keyword in raw ? this.#either(listOf(raw[keyword]), keyword === 'oneOf') : undefined,
      ),
    ].filter(part => part !== undefined)
    const combined = parts.reduce((first, second) => this.#both(first, second, raw))
    const isNullable =
      this.is30 &&
      raw.nullable === true &&
      raw.type === undefined &&
      COMBINING.some(keyword => keyword in raw)
    const alternatives = isNullable ? withNull(combined.alternatives) : combined.alternatives
    return {
      ...combined,
      alternatives,
      discriminator: discriminatorOf(raw) ?? combined.discriminator,
    }
  }

  #referred($ref: string): Form | undefined {
    const target = this.references.target($ref)
    const form = this.#form(isObject(target) ? target : target !== false)
    if (form === undefined) return undefined
    const tagged = form.alternatives.map(alternative => ({
      ...alternative,
      references: union(alternative.references, new Set([$ref])),
    }))
    return { ...form, alternatives: tagged }
  }

  /** The keywords of a schema that constrain values, except those that combine other schemas. */
  #own(raw: JsonObject): readonly string[] {
    return Object.keys(raw).filter(
      key => key !== '$ref' && !TEXTS.includes(key) && !key.startsWith('x-'),
    )
  }

  #ownForm(raw: JsonObject): Form {
    const own = omit(raw, COMBINING)
    const alternatives = this.#typesOf(own)
      .map(type => alternativeOf(type === 'null' && this.is30 ? {} : own, type, this.#canonical))
      .filter(({ values }) => values?.size !== 0)
    return {
      alternatives,
      readOnly: raw.readOnly === true,
      writeOnly: raw.writeOnly === true,
      isExclusive: false,
      default: 'default' in raw ? canonical(raw.default) : undefined,
      discriminator: undefined,
      deprecated: raw.deprecated === true,
      sunset: raw['x-sunset'],
    }
  }

  #typesOf(own: JsonObject): readonly TypeName[] {
    const { type, nullable } = own
    if (type !== undefined) {
      const named = [
        ...(Array.isArray(type) ? type : [type]),
        ...(this.is30 && nullable === true ? ['null'] : []),
      ] as TypeName[]
      return [...new Set(named)].filter(name => name !== 'integer' || !named.includes('number'))
    }
    const values = 'const' in own ? [own.const] : own.enum
    if (!Array.isArray(values)) return ['any']
    const types = (['null', 'boolean', 'string', 'array', 'object'] as const).filter(name =>
      values.some(value => isOfType(value, name)),
    )
    const numbers = values.filter(value => typeof value === 'number')
    return [
      ...types,
      ...(numbers.length === 0
        ? []
        : [numbers.every(Number.isInteger) ? ('integer' as const) : ('number' as const)]),
    ]
  }

  #either(members: readonly Raw[], isOneOf: boolean): Form | undefined {
    const found = members.map(member => {
      const alternatives = this.#form(member)?.alternatives
      return alternatives?.length === 1
        ? alternatives.map(only => ({ ...only, source: member }))
        : alternatives
    })
    const known = found.filter(alternatives => alternatives !== undefined)
    if (known.length === 0) return undefined
    // alternatives of one type inside of one member may overlap
    const isFlat = known.every(one => new Set(one.map(({ type }) => type)).size === one.length)
    return {
      ...formOf(withoutRepetition(known.flat())),
      isExclusive: isOneOf && isFlat && known.length > 1,
    }
  }

  #both(first: Form, second: Form, raw: JsonObject): Form {
    const [left, right] = [first.alternatives, second.alternatives]
    const tooMany = left.length * right.length > MOST_ALTERNATIVES
    const whole = () => [
      alternativeOf({ [ALTERNATIVES]: this.#canonical(pick(raw, COMBINING)) }, 'any'),
    ]
    const pairs = left.flatMap(one => right.map(other => both(one, other, this.#conjunction)))
    return {
      alternatives: tooMany ? whole() : pairs.filter(alternative => alternative !== undefined),
      isExclusive:
        (first.isExclusive && right.length === 1) || (second.isExclusive && left.length === 1),
      readOnly: first.readOnly || second.readOnly,
      writeOnly: first.writeOnly || second.writeOnly,
      default: first.default ?? second.default,
      discriminator: first.discriminator ?? second.discriminator,
      deprecated: first.deprecated || second.deprecated,
      sunset: first.sunset ?? second.sunset,
    }
  }

  #conjunction = (first: Raw, second: Raw): Raw => {
    if (!isObject(first)) return first ? second : false
    if (!isObject(second)) return second ? first : false
    const partsOf = (raw: JsonObject) => this.#parts.get(raw) ?? [raw]
    const parts = new Map(
      [...partsOf(first), ...partsOf(second)].map(part => [this.idOf(part), part]),
    )
    const [only, ...others] = parts.values()
    if (only !== undefined && others.length === 0) return only
    const key = [...parts.keys()].sort().join('&')
    const known = this.#conjunctions.get(key)
    if (known !== undefined) return known
    const made = { allOf: [...parts.values()] }
    this.#conjunctions.set(key, made)
    this.#parts.set(made, made.allOf)
    return made
  }
}

/** Keywords for readers only. */
const TEXTS = [
  'title',
  'description',
  'example',
  'examples',
  'deprecated',
  'externalDocs',
  'xml',
  '$comment',
  '$schema',
  '$id',
  '$defs',
]

/** So that the order of `allOf` does not decide which default counts. */
function byDefault(first: Form | undefined, second: Form | undefined): number {
  const [left, right] = [first?.default ?? '', second?.default ?? '']
  return left < right ? -1 : Number(left > right)
}

function listOf(value: unknown): readonly Raw[] {
  return Array.isArray(value)
    ? value.filter((item): item is Raw => isObject(item) || typeof item === 'boolean')
    : []
}

function withNull(alternatives: readonly Alternative[]): readonly Alternative[] {
  return alternatives.some(({ type }) => type === 'null' || type === 'any')
    ? alternatives
    : [...alternatives, alternativeOf({}, 'null')]
}

/** Lists of values of one type are one list, and null is there once. */
function withoutRepetition(alternatives: readonly Alternative[]): readonly Alternative[] {
  const kept = new Map<string, Alternative>()
  for (const [index, alternative] of alternatives.entries()) {
    const { type, values } = alternative
    const isScalar = !['any', 'array', 'object'].includes(type)
    const isPlain =
      alternative.constraints.size === 0 &&
      (values !== undefined || ['null', 'boolean'].includes(type))
    const key = isScalar && isPlain ? `${type} ${values !== undefined}` : String(index)
    const same = kept.get(key)
    if (!same) kept.set(key, alternative)
    else if (values && same.values) {
      const references = union(same.references, alternative.references)
      const { source: _, ...rest } = same
      kept.set(key, { ...rest, values: new Map([...same.values, ...values]), references })
    }
  }
  return [...kept.values()]
}

function discriminatorOf({ discriminator, anyOf, oneOf }: JsonObject): Discriminator | undefined {
  if (!isObject(discriminator) || typeof discriminator.propertyName !== 'string') return undefined
  const asReference = (target: unknown) =>
    /[#/]/.test(String(target)) ? String(target) : `#/components/schemas/${target}`
  const given = Object.entries(isObject(discriminator.mapping) ? discriminator.mapping : {})
  const mapping = new Map(given.map(([value, target]) => [value, asReference(target)]))
  for (const member of [...listOf(oneOf), ...listOf(anyOf)]) {
    const $ref = isObject(member) && typeof member.$ref === 'string' ? member.$ref : undefined
    if ($ref !== undefined && ![...mapping.values()].includes($ref))
      mapping.set($ref.slice($ref.lastIndexOf('/') + 1), $ref)
  }
  return { property: discriminator.propertyName, mapping }
}
