// One of the alternatives that a schema allows: values of one type, and their constraints. JSON
// Schema has many ways to write the same schema; in this form two schemas can be compared keyword
// by keyword.
import { canonical, isObject, type JsonObject } from '../openapi/schema/json.js'
import { type Constraint, constraintsOf, keywordOf } from './constraints.js'

/** A schema as the document has it. */
export type Raw = JsonObject | boolean

export type TypeName =
  | 'any'
  | 'null'
  | 'boolean'
  | 'integer'
  | 'number'
  | 'string'
  | 'array'
  | 'object'

export interface Bound {
  readonly value: number
  readonly exclusive: boolean
}

export interface Alternative {
  readonly type: TypeName
  /** The only values that are allowed, by their canonical string. */
  readonly values: ReadonlyMap<string, unknown> | undefined
  readonly bounds: ReadonlyMap<BoundName, Bound>
  readonly multiples: ReadonlySet<number>
  readonly unique: boolean
  readonly patterns: ReadonlySet<string>
  readonly formats: ReadonlySet<string>
  readonly properties: ReadonlyMap<string, Raw>
  readonly required: ReadonlySet<string>
  /** The schemas of `patternProperties` by their patterns. */
  readonly patterned: ReadonlyMap<string, Raw>
  readonly additional: Raw
  readonly prefix: readonly Raw[]
  readonly items: Raw
  /** `not`, `if`, `contains` and the like, by their canonical string. */
  readonly constraints: ReadonlyMap<string, Constraint>
  /** The references through which it was found, to which a discriminator points. */
  readonly references: ReadonlySet<string>
  /** The schema of this alternative alone, if it is one of several. */
  readonly source?: Raw
}

const LOWER_BOUNDS = ['minimum', 'minLength', 'minItems', 'minProperties'] as const
const UPPER_BOUNDS = ['maximum', 'maxLength', 'maxItems', 'maxProperties'] as const
export type BoundName =
  | (typeof LOWER_BOUNDS)[number]
  | (typeof UPPER_BOUNDS)[number]
  | 'minContains'
  | 'maxContains'

/** The types that each keyword applies to; keywords without a type apply to all. */
const SUBJECTS: { readonly [keyword: string]: readonly TypeName[] } = {
  ...about(
    ['string'],
    'minLength',
    'maxLength',
    'pattern',
    'contentEncoding',
    'contentMediaType',
    'contentSchema',
  ),
  ...about(['string', 'number', 'integer'], 'format'),
  ...about(
    ['number', 'integer'],
    'minimum',
    'maximum',
    'exclusiveMinimum',
    'exclusiveMaximum',
    'multipleOf',
  ),
  ...about(['array'], 'items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems'),
  ...about(['array'], 'contains', 'minContains', 'maxContains', 'unevaluatedItems'),
  ...about(
    ['object'],
    'properties',
    'required',
    'additionalProperties',
    'minProperties',
    'maxProperties',
    'patternProperties',
  ),
  ...about(
    ['object'],
    'propertyNames',
    'dependentRequired',
    'dependentSchemas',
    'unevaluatedProperties',
  ),
}

function about(
  types: readonly TypeName[],
  ...keywords: string[]
): { readonly [keyword: string]: readonly TypeName[] } {
  return Object.fromEntries(keywords.map(keyword => [keyword, types]))
}

/** Returns whether a keyword applies to values of a type. */
function concerns(keyword: string, type: TypeName): boolean {
  return type === 'any' || SUBJECTS[keyword] === undefined || SUBJECTS[keyword].includes(type)
}

/** Patterns that every string fits. */
const ANY_TEXT = ['', '.*', '^', '$']

/**
 * The alternative that the keywords of a schema allow for one type; `text` writes constraints as
 * strings.
 */
export function alternativeOf(
  schema: JsonObject,
  type: TypeName,
  text: (schema: JsonObject) => string = canonical,
): Alternative {
  const said = Object.fromEntries(
    Object.entries(schema).filter(([keyword]) => concerns(keyword, type)),
  )
  const values = valuesOf(said, type)
  return {
    type,
    values,
    bounds: boundsOf(said, type),
    multiples: new Set(
      typeof said.multipleOf === 'number' && !(type === 'integer' && said.multipleOf === 1)
        ? [said.multipleOf]
        : [],
    ),
    unique: said.uniqueItems === true,
    patterns: new Set(
      typeof said.pattern === 'string' && !ANY_TEXT.includes(said.pattern) ? [said.pattern] : [],
    ),
    formats: new Set(typeof said.format === 'string' ? [said.format] : []),
    properties: schemasOf(said.properties),
    patterned: schemasOf(said.patternProperties),
    required: new Set(Array.isArray(said.required) ? said.required.map(String) : []),
    additional: asRaw(said.additionalProperties),
    prefix: Array.isArray(said.prefixItems) ? said.prefixItems.map(asRaw) : [],
    items: asRaw(said.items),
    constraints: constraintsOf(said, text),
    references: new Set(),
  }
}

function schemasOf(value: unknown): ReadonlyMap<string, Raw> {
  return new Map(
    isObject(value) ? Object.entries(value).map(([name, raw]) => [name, asRaw(raw)]) : [],
  )
}

function asRaw(value: unknown): Raw {
  return isObject(value) || value === false ? value : true
}

export function isOfType(value: unknown, type: TypeName): boolean {
  if (type === 'any') return true
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isObject(value)
  return type === 'integer' ? Number.isInteger(value) : typeof value === type
}

function valuesOf(
  { enum: list, ...schema }: JsonObject,
  type: TypeName,
): ReadonlyMap<string, unknown> | undefined {
  const lists = [
    ...(Array.isArray(list) ? [list] : []),
    ...('const' in schema ? [[schema.const]] : []),
  ]
  const [first, ...others] = lists.map(
    values =>
      new Map(
        (values as unknown[])
          .filter(value => isOfType(value, type))
          .map(value => [canonical(value), value]),
      ),
  )
  return others.reduce<ReadonlyMap<string, unknown> | undefined>(common, first)
}

/** The values that two lists share; an absent list allows everything. */
function common<V>(
  first: ReadonlyMap<string, V> | undefined,
  second: ReadonlyMap<string, V> | undefined,
) {
  if (first === undefined || second === undefined) return first ?? second
  return new Map([...first].filter(([text]) => second.has(text)))
}

function boundsOf(schema: JsonObject, type: TypeName): ReadonlyMap<BoundName, Bound> {
  const found = new Map<BoundName, Bound>()
  const set = (name: BoundName, value: unknown, exclusive = false) => {
    if (typeof value !== 'number') return
    const bound =
      type === 'integer' && (name === 'minimum' || name === 'maximum')
        ? wholeBound(name, value, exclusive)
        : { value, exclusive }
    if (name.startsWith('min') && name !== 'minimum' && value <= 0) return
    found.set(name, tighter(name, found.get(name), bound))
  }
  for (const name of [...LOWER_BOUNDS, ...UPPER_BOUNDS]) {
    const exclusive =
      name === 'minimum'
        ? schema.exclusiveMinimum
        : name === 'maximum'
          ? schema.exclusiveMaximum
          : undefined
    // 3.0 has a flag beside the bound, 3.1 a bound of its own
    set(name, schema[name], exclusive === true)
    set(name, exclusive, true)
  }
  return found
}

function wholeBound(name: 'minimum' | 'maximum', value: number, exclusive: boolean): Bound {
  const [nearest, step] = name === 'minimum' ? [Math.ceil(value), 1] : [Math.floor(value), -1]
  return { value: exclusive && nearest === value ? nearest + step : nearest, exclusive: false }
}

/** Below 0 if the second bound allows more, above 0 if it allows less. */
export function compareBounds(name: BoundName, before: Bound, after: Bound): number {
  const direction = name.startsWith('min') ? 1 : -1
  return (
    (after.value - before.value) * direction || Number(after.exclusive) - Number(before.exclusive)
  )
}

function tighter(name: BoundName, first: Bound | undefined, second: Bound): Bound {
  return first === undefined || compareBounds(name, first, second) > 0 ? second : first
}

/** Whether it allows everything. */
function isBare({
  type,
  values,
  bounds,
  multiples,
  unique,
  patterns,
  formats,
  required,
  constraints,
  ...rest
}: Alternative): boolean {
  const sets = [
    bounds,
    multiples,
    patterns,
    formats,
    required,
    constraints,
    rest.properties,
    rest.patterned,
    rest.references,
  ]
  const isOpen = rest.items === true && rest.additional === true && rest.prefix.length === 0
  return (
    type === 'any' &&
    values === undefined &&
    !unique &&
    isOpen &&
    sets.every(({ size }) => size === 0)
  )
}

/**
 * The values that both allow; undefined if there are none. `conjunction` makes one schema of two.
 */
export function both(
  first: Alternative,
  second: Alternative,
  conjunction: (first: Raw, second: Raw) => Raw,
): Alternative | undefined {
  if (isBare(first)) return second
  if (isBare(second)) return first
  const type = commonType(first.type, second.type)
  const [left, right] = [restricted(first, type ?? 'any'), restricted(second, type ?? 'any')]
  const values = common(left.values, right.values)
  if (type === undefined || values?.size === 0) return undefined
  const bounds = new Map(left.bounds)
  for (const [name, bound] of right.bounds) bounds.set(name, tighter(name, bounds.get(name), bound))
  const names = [...new Set([...left.properties.keys(), ...right.properties.keys()])]
  const property = ({ properties, additional, patterned }: Alternative, name: string) =>
    properties.get(name) ?? (patterned.size > 0 ? true : additional)
  const fitting = ({ additional, patterned }: Alternative, pattern: string) =>
    patterned.get(pattern) ?? additional
  const length = Math.max(left.prefix.length, right.prefix.length)
  const item = ({ prefix, items }: Alternative, index: number) => prefix[index] ?? items
  return {
    type,
    values,
    bounds,
    multiples: union(left.multiples, right.multiples),
    unique: left.unique || right.unique,
    patterns: union(left.patterns, right.patterns),
    formats: union(left.formats, right.formats),
    properties: new Map(
      names.map(name => [name, conjunction(property(left, name), property(right, name))]),
    ),
    patterned: new Map(
      [...new Set([...left.patterned.keys(), ...right.patterned.keys()])].map(pattern => [
        pattern,
        conjunction(fitting(left, pattern), fitting(right, pattern)),
      ]),
    ),
    required: union(left.required, right.required),
    additional: conjunction(left.additional, right.additional),
    prefix: Array.from({ length }, (_, index) =>
      conjunction(item(left, index), item(right, index)),
    ),
    items: conjunction(left.items, right.items),
    constraints: new Map([...left.constraints, ...right.constraints]),
    references: union(left.references, right.references),
  }
}

/** The members of either set. */
export function union<T>(first: ReadonlySet<T>, second: ReadonlySet<T>): ReadonlySet<T> {
  return second.size === 0 ? first : new Set([...first, ...second])
}

function commonType(first: TypeName, second: TypeName): TypeName | undefined {
  if (first === second || second === 'any') return first
  if (first === 'any') return second
  const names = [first, second]
  return names.includes('integer') && names.includes('number') ? 'integer' : undefined
}

/** Restricts an alternative of any type to one type. */
export function restricted(alternative: Alternative, type: TypeName): Alternative {
  if (alternative.type === type) return alternative
  const has = (keyword: string) => concerns(keyword, type)
  const { values, bounds, constraints } = alternative
  return {
    ...alternative,
    type,
    values: values && new Map([...values].filter(([, value]) => isOfType(value, type))),
    bounds: new Map([...bounds].filter(([name]) => has(name))),
    constraints: new Map([...constraints].filter(([, one]) => has(keywordOf(one)))),
    ...(!has('multipleOf') && { multiples: new Set<number>() }),
    ...(!has('pattern') && { patterns: new Set<string>() }),
    ...(!has('format') && { formats: new Set<string>() }),
    ...(!has('items') && { unique: false, prefix: [], items: true }),
    ...(!has('properties') && {
      properties: new Map<string, Raw>(),
      patterned: new Map<string, Raw>(),
      required: new Set<string>(),
      additional: true,
    }),
  }
}
