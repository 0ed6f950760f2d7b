// Generates the requests of an operation: valid ones, and ones in which a single thing is wrong.
import fc from 'fast-check'
import type { Arbitraries } from './arbitrary.js'
import type { ApiDocument, Body, DescribedOperation, Json, Parameter } from './document.js'
import { fitting } from './fitting.js'
import { EMPTY_CASE, FilePart, isEmptyList, type RequestCase, textOf } from './request-case.js'
import type { SchemaJudge } from './schema-judge.js'

/** Values that are drawn instead of generated, by `ownerId` or `POST /pets/ json.ownerId`. */
export type Drawn = Readonly<Record<string, readonly unknown[]>>

/** The values of a name, which may be one that every object inherits: `constructor`. */
export function drawnFor(drawn: Drawn, name: string): readonly unknown[] | undefined {
  return Object.hasOwn(drawn, name) ? drawn[name] : undefined
}

/**
 * Header fields and parameters that belong to a feature: the tests set them on purpose, not at
 * random.
 */
const SET_APART = new Set([
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-unmodified-since',
  'idempotency-key',
  'authorization',
])

/** Whether a parameter is left to the tests of the feature that it belongs to. */
function isSetApart(parameter: Parameter): boolean {
  const { in: place, name } = parameter
  return (place === 'header' && SET_APART.has(name.toLowerCase())) || isCursor(parameter)
}

/** Whether a parameter is the position in a list, whatever its name: no other one is so long. */
export function isCursor({ in: place, name, schema }: Parameter): boolean {
  return place === 'query' && (name === 'cursor' || schema.maxLength === 2048)
}

/** A request with one thing wrong. */
interface Broken {
  readonly what: string
  readonly sent: RequestCase
  /** It is the only one of its kind, and is sent even if there are too many to send them all. */
  readonly isAlwaysSent?: boolean
}

export class Cases {
  constructor(
    readonly document: ApiDocument,
    readonly arbitraries: Arbitraries,
    readonly judge: SchemaJudge,
  ) {}

  /**
   * Valid requests; their path parameters are those of `known` things, if there are any. Parameters
   * that these lack are generated.
   */
  valid(
    operation: DescribedOperation,
    known: readonly RequestCase['path'][],
    drawn: Drawn,
  ): fc.Arbitrary<RequestCase> {
    const usable = operation.parameters.filter(parameter => !isSetApart(parameter))
    const at = (place: Parameter['in']) =>
      this.#parameters(
        operation,
        usable.filter(parameter => parameter.in === place),
        drawn,
      )
    const found = known.length > 0 ? known : [{}]
    const others = usable.filter(one => one.in === 'path' && !(one.name in (found[0] ?? {})))
    const path = fc
      .tuple(fc.constantFrom(...found), this.#parameters(operation, others, drawn))
      .map(([given, generated]) => ({ ...generated, ...given }))
    const textsOf = (values: Readonly<Record<string, unknown>>) =>
      Object.fromEntries(Object.entries(values).map(([name, value]) => [name, textOf(value)]))
    return fc
      .tuple(path, at('query'), at('header'), at('cookie'), this.#body(operation, drawn))
      .map(([path, query, headers, cookies, body]) => ({
        path,
        query,
        headers: textsOf(headers),
        cookies: textsOf(cookies),
        body,
      }))
  }

  #parameters(
    operation: DescribedOperation,
    parameters: readonly Parameter[],
    drawn: Drawn,
  ): fc.Arbitrary<Record<string, unknown>> {
    const fields = parameters.map(
      parameter => [parameter.name, this.#value(operation, parameter, drawn)] as const,
    )
    return fc.record(Object.fromEntries(fields), {
      requiredKeys: parameters.filter(({ required }) => required).map(({ name }) => name),
    })
  }

  pathValue(operation: DescribedOperation, name: string): fc.Arbitrary<unknown> {
    const parameter = operation.parameters.find(one => one.in === 'path' && one.name === name)
    return parameter ? this.#value(operation, parameter, {}) : fc.stringMatching(/^[a-z]{1,10}$/)
  }

  /** A value of a path parameter that nothing is likely to be at. */
  freshPath(operation: DescribedOperation, name: string, seed: number): unknown {
    const { schema = {} } =
      operation.parameters.find(one => one.in === 'path' && one.name === name) ?? {}
    const usual = [
      'No-such-thing',
      'no-such-thing',
      2_000_000_011,
      '00000000-0000-4000-8000-00000000dead',
    ]
    const generated = fc.sample(this.pathValue(operation, name), { seed: seed + 7, numRuns: 5 })
    return [...usual, ...generated].find(value => this.judge.faultOf(schema, value) === undefined)
  }

  #value(operation: DescribedOperation, parameter: Parameter, drawn: Drawn): fc.Arbitrary<unknown> {
    const { name, in: place, schema } = parameter
    const key = `${operation.name} ${place}.${name}`
    const values = drawnFor(drawn, key) ?? drawnFor(drawn, name)
    if (values && values.length > 0) return fc.constantFrom(...values)
    const isPathNumber = place === 'path' && this.document.resolve(schema).type === 'number'
    return fitting(
      isPathNumber ? fc.oneof(this.arbitraries.of(schema), DECIMALS) : this.arbitraries.of(schema),
      key,
      value =>
        (!isPathNumber || /^-?\d+\.\d+$/.test(textOf(value))) &&
        this.judge.faultOf(schema, value) === undefined &&
        isWritable(parameter, value),
    )
  }

  #body(
    { bodies, ...operation }: DescribedOperation,
    drawn: Drawn,
  ): fc.Arbitrary<RequestCase['body']> {
    if (bodies.length === 0) return fc.constant(undefined)
    const key = `${operation.name} body`
    const usable = bodies.filter(
      ({ mediaType, schema }) => isStructured(mediaType) || this.#isText(schema) || key in drawn,
    )
    const known = usable.map(body =>
      isStructured(body.mediaType)
        ? this.#content({ bodies, ...operation }, body, drawn)
        : this.#text(body, drawn[key] ?? []),
    )
    if (known.length === 0) return fitting(fc.constant(undefined), key, () => false)
    const sent = fc.oneof(...known)
    return bodies.some(({ required }) => required)
      ? sent
      : fc.option(sent, { nil: undefined, freq: 5 })
  }

  /** Whether a schema describes a text or bytes, not a value in some other notation, as YAML. */
  #isText(schema: Json): boolean {
    return (this.document.resolve(schema).type ?? 'string') === 'string'
  }

  /** A body that is a single string, or any bytes. */
  #text({ mediaType, schema }: Body, given: readonly unknown[]): fc.Arbitrary<RequestCase['body']> {
    // a range has no value of its own
    const type = mediaType.replace(/^\*/, 'text').replace('*', 'plain')
    if (given.length > 0)
      return fc.constantFrom(...given).map(one => ({
        mediaType: (one instanceof FilePart && one.type) || type,
        text: one instanceof FilePart ? one.content : textOf(one),
      }))
    return this.arbitraries
      .of({ type: 'string', minLength: 1, ...schema })
      .map(value => ({ mediaType: type, text: textOf(value) }))
  }

  #content(
    operation: DescribedOperation,
    { mediaType, schema, files, deep }: Body,
    drawn: Drawn,
  ): fc.Arbitrary<RequestCase['body']> {
    const location = mediaType.endsWith('json')
      ? 'json'
      : mediaType.startsWith('multipart')
        ? 'files'
        : 'form'
    // a form may have files or not: either name will do
    const places = location === 'json' ? ['json'] : ['form', 'files']
    const overridden = (field: string) =>
      places
        .map(place => drawnFor(drawn, `${operation.name} ${place}.${field}`))
        .find(values => values !== undefined) ??
      drawnFor(drawn, field.replace(/^.*\./, '')) ??
      []
    const fields = this.document.fieldsOf(schema).filter(field => overridden(field).length > 0)
    const isFiles = (field: string) => overridden(field).some(one => one instanceof FilePart)
    const drawnFrom = (some: readonly string[]) =>
      fc.record(
        Object.fromEntries(some.map(field => [field, fc.constantFrom(...overridden(field))])),
      )
    const givenFiles = drawnFrom(fields.filter(isFiles))
    const values = fc
      .tuple(this.arbitraries.of(schema), drawnFrom(fields.filter(field => !isFiles(field))))
      .map(([value, change]) => withChanges(value, change))
    const isWritable = (value: unknown) =>
      location === 'json' ||
      Object.entries(value as object).every(([name, one]) =>
        deep.includes(name) ? isDeepWritable(one) : !hasNull(one) && !isEmptyList(one),
      )
    const fit = fitting(
      values,
      `${operation.name} ${location}`,
      value => this.judge.faultOf(schema, value) === undefined && isWritable(value),
    )
    return fc.tuple(fit, givenFiles).map(([value, given]) => ({
      mediaType,
      value:
        location === 'files' ? this.#withFiles(schema, files, withChanges(value, given)) : value,
    }))
  }

  #properties(schema: Json): Readonly<Record<string, Json>> {
    const { properties = {}, allOf = [] } = this.document.resolve(schema) as {
      properties?: Record<string, Json>
      allOf?: readonly Json[]
    }
    return Object.assign({}, ...allOf.map(part => this.#properties(part)), properties)
  }

  #withFiles(schema: Json, types: Body['files'], value: unknown): unknown {
    const properties = this.#properties(schema)
    const isFile = (name: string): boolean => {
      const property = this.document.resolve(properties[name] ?? {})
      return [property, this.document.resolve(property.items ?? {})].some(
        one => one.format === 'binary' || 'contentMediaType' in one,
      )
    }
    const fileOf = (name: string, one: unknown) => {
      const type = types[name]?.split(',')[0]?.replace('*', 'plain') || 'text/plain'
      return one instanceof FilePart
        ? new FilePart(one.content, one.type || type)
        : new FilePart(textOf(one), type)
    }
    const entries = Object.entries(value as Record<string, unknown>)
    return Object.fromEntries(
      entries.map(([name, one]) => [
        name,
        isFile(name)
          ? Array.isArray(one)
            ? one.map(text => fileOf(name, text))
            : fileOf(name, one)
          : one,
      ]),
    )
  }

  /**
   * Requests in which one parameter or one field of the body is not what its schema allows, each
   * with what is wrong.
   */
  broken(operation: DescribedOperation, valid: RequestCase): readonly Broken[] {
    const usable = operation.parameters.filter(parameter => !isSetApart(parameter))
    const parameters = usable.flatMap(({ name, in: place, schema, required }) => {
      const key = PLACES[place]
      const without = Object.fromEntries(
        Object.entries(valid[key]).filter(([other]) => other !== name),
      )
      const wrong = (place === 'query' ? TEXTS : PRINTABLE).filter(
        text => !this.#fitsAsText(schema, text),
      )
      return [
        ...(required && place !== 'path'
          ? [{ what: `without ${place}.${name}`, sent: { ...valid, [key]: without } }]
          : []),
        ...wrong.map(text => ({
          what: `${place}.${name} = ${shown(text)}`,
          sent: { ...valid, [key]: { ...valid[key], [name]: text } },
        })),
      ]
    })
    return [...parameters, ...this.#brokenBodies(operation, valid)]
  }

  #brokenBodies(operation: DescribedOperation, valid: RequestCase): readonly Broken[] {
    const { body } = valid
    const isJson = body?.mediaType.endsWith('json')
    if (!body || !('value' in body || isJson)) return []
    // `prepare` may have written the text
    const given = 'value' in body ? body.value : jsonIn(body.text)
    const schema =
      operation.bodies.find(({ mediaType }) => mediaType === body.mediaType)?.schema ?? {}
    if (isJson) {
      const changed = changesOf(given).filter(
        ({ value }) => this.judge.faultOf(schema, value) !== undefined,
      )
      return changed.map(({ what, value, isAlwaysSent = false }) => ({
        what: `body: ${what}`,
        sent: { ...valid, body: { mediaType: body.mediaType, value } },
        isAlwaysSent,
      }))
    }
    const fields = given as Readonly<Record<string, unknown>>
    const { required = [] } = this.document.resolve(schema) as { required?: readonly string[] }
    return required.map(name => ({
      what: `form without ${name}`,
      sent: {
        ...valid,
        body: {
          ...body,
          value: Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name)),
        },
      },
    }))
  }

  /** Whether a schema may allow a string, as a client would write it. */
  #fitsAsText(schema: Json, text: string): boolean {
    const { items } = this.document.resolve(schema)
    const readings: unknown[] = [
      text,
      ...(text.trim() !== '' && Number.isFinite(Number(text)) ? [Number(text)] : []),
      ...(/^(true|false)$/.test(text) ? [text === 'true'] : []),
    ]
    const lists =
      items === undefined
        ? []
        : [[], [text], text.split(',')].filter(list => list.length > 0 || text === '')
    return [...readings, ...lists, ...readings.map(one => [one])].some(
      value => this.judge.faultOf(schema, value) === undefined,
    )
  }
}

/** Numbers as the converter `float` reads them: with a point, and without an exponent. */
const DECIMALS = fc.integer({ min: -1000, max: 1_000_000 }).map(whole => whole + 0.5)

/** Strings that no number, date or enumeration accepts, and a long one. */
const TEXTS = ['', 'a b', '-1e400', '0x10', '1_0', '+1', '\u0000', 'x'.repeat(2000)]

/** The same, as far as a header field, a cookie or a segment of a path can hold it. */
const PRINTABLE = TEXTS.filter(text => /^[\x21-\x7e]+$/.test(text))

/** Whether a text wire can express a value. */
function isWritable({ in: place, required, joined, deep }: Parameter, value: unknown): boolean {
  if (deep) return isDeepWritable(value)
  const text = textOf(value)
  const items = Array.isArray(value) ? value.map(textOf) : []
  if (hasNull(value)) return false
  // a comma ends an item; without items a repeated name is not there at all
  if (joined && items.some(item => item.includes(',') || item !== item.trim())) return false
  if (!joined && required && Array.isArray(value) && items.length === 0) return false
  if (place === 'query') return true
  // an empty segment is another path, and the ends of a header field's value are trimmed
  return place === 'path'
    ? !['', '.', '..'].includes(text)
    : /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text)
}

/**
 * Whether names in brackets can express a value: they have no form for null or for an empty list or
 * object.
 */
function isDeepWritable(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value !== null
  const entries = Object.entries(value)
  return (
    entries.length > 0 &&
    entries.every(([key, inner]) => /^[^[\]]+$/.test(key) && isDeepWritable(inner))
  )
}

/**
 * Whether a value is null, or a list with null in it: a text wire cannot express null, which counts
 * as absent (RFC 6570, section 2.3).
 */
function hasNull(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.includes(null))
}

const PLACES = { path: 'path', query: 'query', header: 'headers', cookie: 'cookies' } as const

/** Whether the library reads bodies of this type into fields. */
export function isStructured(mediaType: string): boolean {
  return (
    mediaType.endsWith('json') ||
    mediaType === 'application/x-www-form-urlencoded' ||
    mediaType === 'multipart/form-data'
  )
}

/** The value with other fields, which are named by their paths. */
function withChanges(
  value: unknown,
  changes: Readonly<Record<string, unknown>>,
  path = '',
): unknown {
  if (Array.isArray(value)) return value.map(item => withChanges(item, changes, path))
  if (typeof value !== 'object' || value === null) return value
  // only present fields: an optional one is absent as often as before
  const fields = Object.entries(value).map(([name, one]) => {
    const field = `${path}${name}`
    return [
      name,
      Object.hasOwn(changes, field) ? changes[field] : withChanges(one, changes, `${field}.`),
    ]
  })
  return Object.fromEntries(fields)
}

const WRONG: readonly unknown[] = [
  null,
  '',
  'x'.repeat(5000),
  -1,
  1.5,
  1e300,
  true,
  [],
  {},
  [null],
  { x: 1 },
]

interface Change {
  readonly what: string
  readonly value: unknown
  readonly isAlwaysSent?: boolean
}

/**
 * The value with one thing changed: a field replaced, left out or added, or the whole of it
 * replaced.
 */
function changesOf(value: unknown): readonly Change[] {
  const whole = WRONG.map(wrong => ({ what: `${shown(wrong)} instead of the whole`, value: wrong }))
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return whole
  const fields = Object.entries(value).flatMap(([name]) => [
    {
      what: `without ${name}`,
      value: Object.fromEntries(Object.entries(value).filter(([key]) => key !== name)),
    },
    ...WRONG.map(wrong => ({
      what: `${name} = ${shown(wrong)}`,
      value: { ...value, [name]: wrong },
    })),
  ])
  const undeclared = { ...value, 'no-such-field': 'value-of-no-such-field' }
  return [
    ...whole,
    ...fields,
    { what: 'a field that is not declared', value: undeclared, isAlwaysSent: true },
  ]
}

/** The value of a JSON text; undefined if it is none. */
function jsonIn(text: string | Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(text as string).toString())
  } catch {
    return undefined
  }
}

function shown(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > 30 ? `${text.slice(0, 30)}…` : text
}

export { EMPTY_CASE }
