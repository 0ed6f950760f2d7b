// Values that programs often get wrong, tried before random ones: the ends of every range, absent
// optional fields, and strings with a special meaning somewhere.
import fc from 'fast-check'
import { Alike, isObject } from './alike.js'
import type { Arbitraries } from './arbitrary.js'
import { isCursor } from './cases.js'
import type { DescribedOperation, Json } from './document.js'
import { FilePart, isEmptyList, type RequestCase } from './request-case.js'
import type { SchemaJudge } from './schema-judge.js'

/** The longest string and list that are generated because the document allows them. */
const LONGEST = 10_000
const MOST_ITEMS = 100

const TEXTS: readonly string[] = [
  // much of it at once, for the first requests
  ` '"<&>%E\u0301\u{1f44d} `,
  '',
  ' a ',
  `'"\``,
  '<b>&amp;</b>',
  'e\u0301\u00df',
  '\u{1f44d}\u{1f3fd}',
  '\u05e9\u05dc\u05d5\u05dd\u202e',
  'MiXed Case',
  '%_\\',
  'null',
  '007',
  'a,b;c',
  'a\r\nb',
  'a\u0000b',
]

/** Strings that formats and patterns may allow; each is only sent if the schema does. */
const WRITTEN: readonly string[] = [
  '2024-02-29',
  '1999-12-31',
  '9999-12-31',
  '2024-02-29T23:59:59.999Z',
  '2024-06-30T23:30:00+02:00',
  '1969-12-31T23:59:59Z',
  'Mixed.Case+tag@Example.COM',
  '0',
  '-1.5',
  '0.07',
  '1.50',
  '1234567890123.45',
  'https://example.com/a%20b?c=d&e=%26#f',
  '23:59:59Z',
]

export class OnPurpose {
  readonly #alike: Alike

  constructor(
    readonly arbitraries: Arbitraries,
    readonly judge: SchemaJudge,
  ) {
    this.#alike = new Alike(judge.document, judge)
  }

  /**
   * Requests like a valid one: first with every field at an end of its range at once, then with one
   * at a time. Fields in `kept` stay.
   */
  of(
    operation: DescribedOperation,
    valid: RequestCase,
    kept: (place: string, field: string) => boolean,
  ): readonly RequestCase[] {
    const bodies = this.#bodies(operation, valid, kept)
    const queries = this.#queries(operation, valid, kept)
    return [...bodies, ...queries]
  }

  #bodies(
    { bodies }: DescribedOperation,
    valid: RequestCase,
    kept: (place: string, field: string) => boolean,
  ): readonly RequestCase[] {
    const { body } = valid
    if (!body || !('value' in body)) return []
    const described = bodies.find(one => one.mediaType === body.mediaType)
    if (!described) return []
    const { schema } = described
    const place = body.mediaType.endsWith('json') ? 'json' : 'form'
    // to a schema, a file is a string
    const files = isObject(body.value) ? filesIn(body.value) : {}
    const asText = Object.fromEntries(Object.keys(files).map(name => [name, 'file']))
    const given = isObject(body.value) ? { ...body.value, ...asText } : body.value
    const values = isObject(given)
      ? this.#objects(schema, given, field => kept(place, field) || this.#isFile(schema, field))
      : this.#valuesOf(schema, given, 0)
    const isWritable = (value: unknown) =>
      place === 'json' ||
      !Object.values(value as object).some(
        one => isEmptyList(one) || [one].flat(2).some(isUnwritable),
      )
    const fitting = values.filter(
      value => this.judge.faultOf(schema, value) === undefined && isWritable(value),
    )
    const empty = Object.entries(files).flatMap(([name, file]) =>
      kept(place, name) ? [] : [{ [name]: new FilePart('', file.type) }],
    )
    return [
      ...empty.map(file => ({ ...Object(body.value), ...file })),
      ...fitting.map(value => (isObject(value) ? { ...value, ...files } : value)),
    ].map(value => ({ ...valid, body: { mediaType: body.mediaType, value } }))
  }

  /** Whether a field of a form holds a file, or several. */
  #isFile(schema: Json, field: string): boolean {
    const property = this.judge.document.resolve(this.#alike.fieldsOf(schema)[field] ?? {})
    return [property, this.judge.document.resolve((property.items ?? {}) as Json)].some(
      one => one.format === 'binary' || 'contentMediaType' in one,
    )
  }

  #queries(
    { parameters }: DescribedOperation,
    valid: RequestCase,
    kept: (place: string, field: string) => boolean,
  ): readonly RequestCase[] {
    const inQuery = parameters.filter(one => one.in === 'query' && !isCursor(one))
    const usable = inQuery.filter(one => !kept(one.in, one.name))
    const needed = Object.fromEntries(
      inQuery.flatMap(({ name, required }) =>
        required && name in valid.query ? [[name, valid.query[name]]] : [],
      ),
    )
    const single = usable.flatMap(({ name, schema, required, joined }) => [
      ...(required ? [] : [without(valid.query, name)]),
      ...this.#valuesOf(schema, valid.query[name], 0)
        .filter(value => value !== null && !Array.isArray(value) && !isObject(value))
        .filter(value => !joined || !String(value).includes(','))
        .filter(value => this.judge.faultOf(schema, value) === undefined)
        .slice(0, 12)
        .map(value => ({ ...needed, [name]: value })),
    ])
    return single.map(query => ({ ...valid, query }))
  }

  /** Objects like a valid one. */
  #objects(
    schema: Json,
    valid: Readonly<Record<string, unknown>>,
    kept: (field: string) => boolean,
    depth = 0,
  ): readonly unknown[] {
    const shown = Object.entries(this.#alike.fieldsOf(schema, valid)).filter(
      ([, field]) => this.judge.document.resolve(field).readOnly !== true,
    )
    const free = shown.filter(([name]) => !kept(name))
    const values = free.map(
      ([name, field]) =>
        [name, this.#valuesOf(field, valid[name] ?? this.#any(field), depth)] as const,
    )
    const whole = { ...valid, ...this.#complete(free, valid) }
    const isValid = (name: string, value: unknown) =>
      this.judge.faultOf(schema, { ...whole, [name]: value }) === undefined
    const fitting = values.map(
      ([name, all]) => [name, all.filter(value => isValid(name, value))] as const,
    )
    const rounds = Math.max(0, ...fitting.map(([, all]) => all.length))
    const inRound = (round: number) =>
      Object.fromEntries(
        fitting.flatMap(([name, all]) => (all.length > 0 ? [[name, all[round % all.length]]] : [])),
      )
    const together = Array.from({ length: rounds }, (_, round) => ({ ...whole, ...inRound(round) }))
    const bare = free.reduce<object>((rest, [name]) => {
      const less = without(rest, name)
      return this.judge.faultOf(schema, less) === undefined ? less : rest
    }, whole)
    // an optional field may name what does not exist, and keep all the others from being stored
    const small = together.map(all =>
      Object.fromEntries(Object.entries(all).filter(([name]) => name in bare)),
    )
    const lacking = free.map(([name]) => without(whole, name))
    const single = fitting.flatMap(([name, all]) => all.map(value => ({ ...whole, [name]: value })))
    return [
      ...together.slice(0, 3),
      ...(Object.keys(bare).length > 0 ? small.slice(0, 3) : []),
      ...[whole, bare, ...lacking],
      ...together.slice(3),
      ...single,
    ]
  }

  /** A value of each field that a valid object lacks. */
  #complete(
    fields: readonly (readonly [string, Json])[],
    valid: Readonly<Record<string, unknown>>,
  ): object {
    return Object.fromEntries(
      fields.flatMap(([name, field]) => (name in valid ? [] : [[name, this.#any(field)]])),
    )
  }

  #any(schema: Json): unknown {
    const values = fc.sample(this.arbitraries.of(schema), { seed: 1, numRuns: 5 })
    return values.find(value => value !== null && this.judge.faultOf(schema, value) === undefined)
  }

  /** Values of one field; those that its schema does not allow are left out later. */
  #valuesOf(given: Json, valid: unknown, depth: number): readonly unknown[] {
    const schema = this.judge.document.resolve(given)
    const { enum: values, anyOf, oneOf, allOf, type } = schema as Readonly<Record<string, unknown>>
    if (Array.isArray(values)) return values.slice(0, 12)
    if ('const' in schema) return [schema.const]
    const branches = (anyOf ?? oneOf ?? allOf) as readonly Json[] | undefined
    if (depth > 3) return []
    if (branches) return branches.flatMap(branch => this.#valuesOf(branch, valid, depth + 1))
    return [type].flat().flatMap(one => {
      if (one === 'null') return [null]
      if (one === 'boolean') return [true, false]
      if (one === 'integer' || one === 'number') return numbers(schema, one)
      if (one === 'string') return texts(schema)
      if (one === 'array') return this.#lists(schema, valid, depth)
      const { additionalProperties: inner } = schema as { additionalProperties?: Json }
      if (
        one === 'object' &&
        isObject(inner) &&
        Object.keys(this.#alike.fieldsOf(schema)).length === 0
      )
        return [{}, ...NAMES.map(name => ({ [name]: this.#any(inner) }))]
      if (one === 'object' && isObject(valid) && depth < 2)
        return this.#objects(schema, valid, () => false, depth + 1).slice(0, 25)
      return []
    })
  }

  #lists(schema: Json, valid: unknown, depth: number): readonly unknown[] {
    const { items, minItems = 0, maxItems } = schema as Readonly<Record<string, unknown>>
    const item = (Array.isArray(valid) && valid[0]) ?? this.#any((items ?? {}) as Json)
    if (item === undefined || depth > 1) return [[]]
    const few = fc.sample(this.arbitraries.of((items ?? {}) as Json), { seed: 2, numRuns: 3 })
    const most = Math.min(Number(maxItems ?? 3), MOST_ITEMS)
    const many = [
      ...fc.sample(this.arbitraries.of((items ?? {}) as Json), { seed: 3, numRuns: most }),
    ]
    const inner = this.#valuesOf((items ?? {}) as Json, item, depth + 1)
    return [
      [],
      Array.from({ length: Number(minItems) }, () => item),
      [item, item],
      [...few].reverse(),
      many,
      ...inner.slice(0, 15).map(value => [value]),
    ]
  }
}

function numbers(schema: Json, type: string): readonly number[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema as Readonly<
    Record<string, number | undefined>
  >
  const step = multipleOf ?? (type === 'integer' ? 1 : 0.01)
  const ends = [
    minimum,
    maximum,
    exclusiveMinimum === undefined ? undefined : exclusiveMinimum + step,
    exclusiveMaximum === undefined ? undefined : exclusiveMaximum - step,
  ]
  const usual = type === 'integer' ? [0, 1, -1, 1000, 2 ** 31] : [0, 0.07, -1.5, 1234567.891, 1]
  return [...ends.filter(end => end !== undefined), ...usual]
}

function texts(schema: Json): readonly string[] {
  const {
    minLength = 0,
    maxLength = LONGEST,
    pattern,
    format,
  } = schema as Readonly<Record<string, unknown>>
  const [least, most] = [Number(minLength), Math.min(Number(maxLength), LONGEST)]
  const ends = ['a'.repeat(least), 'x'.repeat(Math.min(most, Math.max(least, 300)))]
  // `most` for those who count UTF-16 units, as zod, valibot and arktype do
  if (maxLength !== LONGEST) ends.push('x'.repeat(most), '\u{1f44d}'.repeat(most / 2))
  const odd = TEXTS.map(text => text.padEnd(least, text || ' ')).filter(text => text.length <= most)
  return pattern === undefined && format === undefined
    ? [...new Set([...odd.slice(0, 1), ...ends, ...odd])]
    : [...new Set([...WRITTEN, ...ends])]
}

/** The single files of a form. */
function filesIn(value: object): Readonly<Record<string, FilePart>> {
  const files = Object.entries(value).filter(([, one]) => one instanceof FilePart)
  return Object.fromEntries(files)
}

/** Names in a dictionary. */
const NAMES = ['Mixed Case', 'é👍', 'a.b-c_d']

/** Whether a form has no way to write a value. */
const isUnwritable = (value: unknown): boolean => value === null || isObject(value)

function without(value: object, name: string): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name))
}
