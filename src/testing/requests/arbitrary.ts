// Values that a schema allows, as fast-check's arbitraries: built once for a schema, since a
// pattern is expensive to prepare.
import fc from 'fast-check'
import type { ApiDocument, Json } from './document.js'
import { lenient } from './fitting.js'

/** How far a recursive schema is followed. */
const DEPTH = 3

export class Arbitraries {
  readonly #known = new WeakMap<object, Map<number, fc.Arbitrary<unknown>>>()
  readonly #heights = new WeakMap<object, number>()

  constructor(readonly document: ApiDocument) {}

  /** Values that fit the schema, except for some keywords (`not`, `contains`): check them. */
  of(schema: Json, depth = DEPTH): fc.Arbitrary<unknown> {
    // `true` allows everything
    if (typeof schema !== 'object') return this.of({}, depth)
    const known = this.#known.get(schema) ?? new Map<number, fc.Arbitrary<unknown>>()
    this.#known.set(schema, known)
    const made = known.get(depth) ?? this.#make(this.#merged(schema), depth)
    known.set(depth, made)
    return made
  }

  /** A schema without `$ref` and `allOf`: their keywords are its own. */
  #merged(given: Json): Json {
    const { $ref, allOf, ...own } = given as { $ref?: string; allOf?: readonly Json[] } & Record<
      string,
      unknown
    >
    const parts = [
      ...($ref === undefined ? [] : [this.#merged(this.document.resolve({ $ref }))]),
      ...(allOf ?? []).map(part => this.#merged(part)),
      own,
    ]
    return parts.reduce<Json>((whole, part) => mergeTwo(whole, part), {})
  }

  #make(schema: Json, depth: number): fc.Arbitrary<unknown> {
    if ('const' in schema) return fc.constant(schema.const)
    if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum)
    const branches = (schema.anyOf ?? schema.oneOf) as readonly Json[] | undefined
    if (branches) return this.#oneOf(schema, branches, depth)
    const types = [schema.type ?? typeOf(schema)].flat() as unknown as readonly string[]
    const made = types.map(type => this.#ofType(type, schema, depth))
    return made.length === 1 ? (made[0] as fc.Arbitrary<unknown>) : fc.oneof(...made)
  }

  #oneOf(
    { anyOf: _, oneOf: __, ...common }: Json,
    branches: readonly Json[],
    depth: number,
  ): fc.Arbitrary<unknown> {
    // at the end of a recursion only what needs the fewest levels more, or it would never end
    const heights = branches.map(branch => this.#height(branch))
    const usable =
      depth <= 0 ? branches.filter((_, index) => heights[index] === Math.min(...heights)) : branches
    return fc.oneof(
      ...usable.map(branch =>
        this.of(
          Object.keys(common).length === 0 ? branch : mergeTwo(common, this.#merged(branch)),
          depth,
        ),
      ),
    )
  }

  /**
   * How many levels of objects and lists the smallest value of a schema has; infinite for what is
   * open still, further up.
   */
  #height(given: Json, open: ReadonlySet<object> = new Set()): number {
    const known = this.#heights.get(given)
    if (known !== undefined) return known
    const target = this.document.resolve(given)
    if (open.has(target)) return Number.POSITIVE_INFINITY
    const {
      enum: values,
      anyOf,
      oneOf,
      prefixItems,
      items,
      minItems = 0,
      properties = {},
      required = [],
      type,
      ...rest
    } = this.#merged(given)
    const inner = new Set([...open, target])
    const most = (parts: readonly unknown[]) =>
      Math.max(0, ...parts.map(part => this.#height(part as Json, inner)))
    const branches = (anyOf ?? oneOf) as readonly Json[] | undefined
    let height = 0
    if (values || 'const' in rest) height = 0
    else if (branches) height = Math.min(...branches.map(branch => this.#height(branch, inner)))
    else if (prefixItems) height = 1 + most(prefixItems as readonly Json[])
    else if (type === 'array') height = 1 + ((minItems as number) > 0 ? most([items ?? {}]) : 0)
    else if (type === 'object') {
      const needed = Object.entries(properties as Json).filter(([name]) =>
        (required as readonly string[]).includes(name),
      )
      height = 1 + most(needed.map(([, property]) => property))
    }
    // infinite inside a cycle, so it is not final
    if (Number.isFinite(height)) this.#heights.set(given, height)
    return height
  }

  #ofType(type: string, schema: Json, depth: number): fc.Arbitrary<unknown> {
    switch (type) {
      case 'null':
        return fc.constant(null)
      case 'boolean':
        return fc.boolean()
      case 'integer':
        return integers(schema)
      case 'number':
        return numbers(schema)
      case 'string':
        return strings(schema)
      case 'array':
        return this.#arrays(schema, depth)
      case 'object':
        return this.#objects(schema, depth)
      default:
        return fc.oneof(fc.boolean(), fc.integer(), fc.string({ maxLength: 10 }), fc.constant(null))
    }
  }

  #arrays(schema: Json, depth: number): fc.Arbitrary<unknown> {
    const {
      items,
      prefixItems,
      minItems = 0,
      maxItems,
      uniqueItems,
    } = schema as {
      items?: Json | false
      prefixItems?: readonly Json[]
      minItems?: number
      maxItems?: number
      uniqueItems?: boolean
    }
    if (prefixItems) return fc.tuple(...prefixItems.map(item => this.of(item, depth - 1)))
    const most = Math.max(minItems, Math.min(maxItems ?? 4, depth <= 0 ? minItems : 4))
    // the items of an empty list may be what would never end
    if (most === 0) return fc.constant([])
    const length = { minLength: minItems, maxLength: most }
    const item = this.of(items || {}, depth - 1)
    return uniqueItems
      ? fc.uniqueArray(item, { ...length, selector: value => JSON.stringify(value) })
      : fc.array(item, length)
  }

  #objects(schema: Json, depth: number): fc.Arbitrary<unknown> {
    const {
      properties = {},
      required = [],
      additionalProperties,
    } = schema as {
      properties?: Record<string, Json>
      required?: readonly string[]
      additionalProperties?: Json | boolean
    }
    // read-only fields are the server's to write
    const shown = Object.entries(properties).filter(
      ([, property]) => this.document.resolve(property).readOnly !== true,
    )
    // a name may be required without a schema of its own
    for (const name of required)
      if (!(name in properties))
        shown.push([name, typeof additionalProperties === 'object' ? additionalProperties : {}])
    const wanted = depth <= 0 ? shown.filter(([name]) => required.includes(name)) : shown
    const fields = fc.record(
      Object.fromEntries(wanted.map(([name, property]) => [name, this.of(property, depth - 1)])),
      {
        requiredKeys: wanted.map(([name]) => name).filter(name => required.includes(name)),
      },
    )
    if (typeof additionalProperties !== 'object' || depth <= 0) return fields
    const others = fc.dictionary(
      fc.stringMatching(/^[a-z]{1,8}$/),
      this.of(additionalProperties, depth - 1),
      { maxKeys: 3 },
    )
    return fc
      .tuple(others, fields)
      .map(([more, declared]) => ({ ...more, ...(declared as object) }))
  }
}

function typeOf({
  properties,
  items,
  prefixItems,
  pattern,
  minLength,
  maxLength,
  format,
  minimum,
  maximum,
}: Json): string {
  if (properties !== undefined) return 'object'
  if (items !== undefined || prefixItems !== undefined) return 'array'
  if ([pattern, minLength, maxLength, format].some(keyword => keyword !== undefined))
    return 'string'
  return minimum !== undefined || maximum !== undefined ? 'number' : 'any'
}

function mergeTwo(first: Json, second: Json): Json {
  const merged: Record<string, unknown> = { ...first, ...second }
  if (first.properties && second.properties)
    merged.properties = { ...(first.properties as Json), ...(second.properties as Json) }
  if (first.required && second.required)
    merged.required = [...(first.required as string[]), ...(second.required as string[])]
  for (const keyword of ['minimum', 'minLength', 'minItems'] as const)
    if (keyword in first && keyword in second)
      merged[keyword] = Math.max(first[keyword] as number, second[keyword] as number)
  for (const keyword of ['maximum', 'maxLength', 'maxItems'] as const)
    if (keyword in first && keyword in second)
      merged[keyword] = Math.min(first[keyword] as number, second[keyword] as number)
  // two patterns: the narrower one is generated, the other one is checked
  if (
    first.pattern !== undefined &&
    second.pattern !== undefined &&
    first.pattern !== second.pattern
  )
    merged.pattern = [first.pattern, second.pattern].sort(
      (left, right) => String(right).length - String(left).length,
    )[0]
  return merged
}

function integers(schema: Json): fc.Arbitrary<unknown> {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema as Record<
    string,
    number | undefined
  >
  const step = multipleOf ?? 1
  const least = Math.max(
    minimum ?? Number.MIN_SAFE_INTEGER,
    exclusiveMinimum === undefined ? Number.MIN_SAFE_INTEGER : exclusiveMinimum + 1,
  )
  const most = Math.min(
    maximum ?? Number.MAX_SAFE_INTEGER,
    exclusiveMaximum === undefined ? Number.MAX_SAFE_INTEGER : exclusiveMaximum - 1,
  )
  const [from, to] = [Math.ceil(least / step), Math.floor(most / step)]
  const within = (value: number) => Math.min(Math.max(value, from), to)
  const near = fc.integer({ min: within(-50), max: within(50) })
  const all = fc.integer({ min: from, max: to })
  const whole =
    from >= -0x7fffffff && to <= 0x7fffffff
      ? all
      : fc.oneof({ weight: 4, arbitrary: near }, { weight: 1, arbitrary: all })
  return whole.map(value => value * step)
}

function numbers(schema: Json): fc.Arbitrary<unknown> {
  const {
    minimum = -1e6,
    maximum = 1e6,
    exclusiveMinimum,
    exclusiveMaximum,
    multipleOf,
  } = schema as Record<string, number | undefined>
  if (multipleOf !== undefined)
    return integers({ ...schema, multipleOf: 1 }).map(value => (value as number) * multipleOf)
  return fc.double({
    min: exclusiveMinimum ?? minimum,
    max: exclusiveMaximum ?? maximum,
    minExcluded: exclusiveMinimum !== undefined,
    maxExcluded: exclusiveMaximum !== undefined,
    noNaN: true,
    noDefaultInfinity: true,
  })
}

const twoDigits = (least: number, most: number) =>
  fc.integer({ min: least, max: most }).map(value => String(value).padStart(2, '0'))
const day = fc
  .tuple(fc.integer({ min: 1900, max: 2099 }), twoDigits(1, 12), twoDigits(1, 28))
  .map(parts => parts.join('-'))
const time = fc
  .tuple(twoDigits(0, 23), twoDigits(0, 59), twoDigits(0, 59))
  .map(parts => parts.join(':'))
const FORMATS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  date: day,
  time: time.map(text => `${text}Z`),
  'date-time': fc
    .tuple(day, time, fc.constantFrom('Z', '+02:00', '.5Z'))
    .map(([date, clock, zone]) => `${date}T${clock}${zone}`),
  uuid: fc.uuid(),
  email: fc.stringMatching(/^[a-z]{1,8}@[a-z]{1,8}\.example$/),
  // fc.webUrl() takes a second to be made
  uri: fc.stringMatching(
    /^https?:\/\/[a-z]{1,8}\.example(\/[\w.~!$&'()*+,;=:@-]{0,8}){1,3}(\?[a-z]{1,4}=[a-z0-9]{0,4})?$/,
  ),
  ipv4: fc.ipV4(),
  ipv6: fc.ipV6(),
  binary: fc.string({ minLength: 1, maxLength: 20 }),
  byte: fc.base64String({ maxLength: 40 }),
}

/** Strings that a program may mistake for something else: spaces, quotes, wildcards, numbers. */
const SURPRISING = [
  ' ',
  "'",
  '"',
  '%',
  '_%',
  '\\',
  '<b>',
  '&',
  '0',
  '-1',
  'null',
  '/',
  ',',
  '{}',
  '\t',
]

function strings(schema: Json): fc.Arbitrary<unknown> {
  const {
    minLength = 0,
    maxLength,
    pattern,
    format,
  } = schema as { minLength?: number; maxLength?: number; pattern?: string; format?: string }
  // JSON Schema counts characters; zod, valibot and arktype count UTF-16 units, which are more
  const fits = (text: string) =>
    [...text].length >= minLength && text.length <= (maxLength ?? Number.POSITIVE_INFINITY)
  const formatted = format === undefined ? undefined : FORMATS[format]
  if (formatted && pattern === undefined) return lenient(formatted, fits)
  if (pattern !== undefined) {
    const expression = new RegExp(pattern, 'u')
    // a format may ask for more than its pattern does
    const candidates = formatted ?? matching(pattern, minLength, maxLength)
    return lenient(candidates, text => fits(text) && expression.test(text))
  }
  // a long string is made of a short one and its repetition
  const [core, most] = [Math.min(minLength, 20), Math.max(20, Math.min(minLength, 20))]
  const bounds = { minLength: core, maxLength: Math.min(maxLength ?? most, most) }
  const long = (text: string) => text + 'abcdefgh'.repeat(minLength / 8).slice(0, minLength - core)
  const letters = fc.string({ unit: LETTER, ...bounds }).map(long)
  const any = fc.string({ unit: 'grapheme', ...bounds }).map(long)
  const surprising = fc
    .tuple(fc.boolean(), fc.constantFrom(...SURPRISING), fc.string({ unit: LETTER, ...bounds }))
    .map(([isFirst, text, word]) => long(isFirst ? text + word : word + text))
  return fc.oneof(
    { weight: 6, arbitrary: letters },
    { weight: 2, arbitrary: lenient(any, fits) },
    { weight: 2, arbitrary: lenient(surprising, fits) },
  )
}

const LETTER = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz')

/**
 * fast-check knows neither lookaheads nor references to groups: without them it makes more than
 * matches, which the caller filters.
 */
function matching(
  pattern: string,
  minLength: number,
  maxLength = Math.max(40, minLength),
): fc.Arbitrary<string> {
  const longest = Math.min(maxLength, Math.max(40, minLength))
  // repetitions are short by default
  const repeated = pattern.replace(/(?<!\\)[+*](?!\?)/, `{${minLength},${longest}}`)
  const sources = minLength > 5 && repeated !== pattern ? [repeated, pattern] : [pattern]
  return fc.oneof(...sources.map(source => matchesOf(source, longest)))
}

function matchesOf(pattern: string, maxLength: number): fc.Arbitrary<string> {
  try {
    return fc.stringMatching(new RegExp(pattern, 'u'), { maxLength })
  } catch {
    const plain = pattern.replaceAll(/\(\?<?[=!](?:[^()]|\([^()]*\))*\)|\\(?:[1-9]\d*|k<\w+>)/g, '')
    return fc.stringMatching(new RegExp(plain, 'u'), { maxLength })
  }
}
