// Compares sent and shown values field by field, if the document describes both alike.
import type { ApiDocument, Json } from './document.js'
import type { SchemaJudge } from './schema-judge.js'

/** A value with its documented schema. */
export interface Typed {
  readonly schema: Json
  readonly value: unknown
}

/** A field that is shown with another value than it was given. */
export interface Difference {
  /** The field as `values` and `normalises` name it; empty for the whole. */
  readonly field: string
  readonly given: unknown
  readonly shown: unknown
}

/** How two sides are compared. */
interface How {
  /** Whether a field that was left out is its default. */
  readonly defaults?: boolean
  /** Whether both sides are the application's: then read-only fields count as well. */
  readonly isOurs?: boolean
  /** Whether null was sent to remove a field (RFC 7396): then it is absent, or its default. */
  readonly nullRemoves?: boolean
}

/** How deep fields are compared. */
const DEEPEST = 6

/** Keywords that tell what kind of value a schema is of; the others bound or describe it. */
const KIND = ['type', 'format', 'enum', 'const', 'contentEncoding'] as const

export class Alike {
  constructor(
    readonly document: ApiDocument,
    readonly judge: SchemaJudge,
  ) {}

  /** The fields that both sides have and that differ. */
  differences(given: Typed, shown: Typed, how: How = {}): readonly Difference[] {
    return this.#compare(given, shown, how, '', 0)
  }

  /** The names of the fields that two schemas of objects have in common, of the same kind. */
  commonFields(left: Json, right: Json): readonly string[] {
    const [fields, others] = [this.fieldsOf(left), this.fieldsOf(right)]
    return Object.keys(fields).filter(
      name => name in others && this.isSameKind(fields[name] as Json, others[name] as Json),
    )
  }

  isSameKind(left: Json, right: Json): boolean {
    return this.#kindOf(left, 0) === this.#kindOf(right, 0)
  }

  /** The fields of an object, those of `allOf` and of the branch that fits the value included. */
  fieldsOf(schema: Json, value?: unknown): Readonly<Record<string, Json>> {
    const {
      properties = {},
      allOf = [],
      ...rest
    } = this.document.resolve(schema) as {
      properties?: Record<string, Json>
      allOf?: readonly Json[]
    } & Json
    const branches = (rest.oneOf ?? rest.anyOf ?? []) as readonly Json[]
    const objects = branches.filter(branch => this.document.resolve(branch).type !== 'null')
    const branch =
      objects.length === 1
        ? objects[0]
        : objects.find(one => value !== undefined && this.judge.faultOf(one, value) === undefined)
    return Object.assign(
      {},
      ...allOf.map(part => this.fieldsOf(part, value)),
      branch ? this.fieldsOf(branch, value) : {},
      properties,
    )
  }

  /** The schema of the items of a list, or of the one list in an envelope. */
  itemsOf(schema: Json | undefined): Json | undefined {
    if (!schema) return undefined
    const itemsIn = (one: Json) => this.document.resolve(one).items as Json | undefined
    const fields = Object.values(this.fieldsOf(schema))
    return itemsIn(schema) ?? fields.map(itemsIn).find(one => one !== undefined)
  }

  /** Whether two values mean the same: a moment or a number can be written in several ways. */
  isEqual(schema: Json, left: unknown, right: unknown): boolean {
    if (left === right || (isNothing(left) && isNothing(right))) return true
    const { format, pattern } = this.#plain(schema)
    if (typeof left !== 'string' || typeof right !== 'string')
      return JSON.stringify(sorted(left)) === JSON.stringify(sorted(right))
    if (format === 'date-time') return Date.parse(left) === Date.parse(right)
    if (format === 'uuid') return left.toLowerCase() === right.toLowerCase()
    return typeof pattern === 'string' && pattern.includes('[0-9]') && isDecimal(left, right)
  }

  #compare(
    given: Typed,
    shown: Typed,
    how: How,
    field: string,
    depth: number,
  ): readonly Difference[] {
    const [left, right] = [this.#plain(given.schema), this.#plain(shown.schema)]
    if (depth > DEEPEST) return []
    if (isObject(given.value) && isObject(shown.value)) {
      const fields = this.fieldsOf(given.schema, given.value)
      const others = this.fieldsOf(shown.schema, shown.value)
      const [sent, got] = [given.value, shown.value]
      const [item, shownItem] = [left.additionalProperties, right.additionalProperties]
      // a dictionary: there may be more in it than was sent
      if (Object.keys(fields).length === 0 && isObject(item) && isObject(shownItem))
        return Object.keys(sent).flatMap(name =>
          this.#compare(
            {
              schema: item,
              value: how.nullRemoves && sent[name] === null ? undefined : sent[name],
            },
            { schema: shownItem, value: got[name] },
            how,
            field,
            depth + 1,
          ),
        )
      return Object.keys(fields).flatMap(name => {
        const [schema, other] = [fields[name] as Json, others[name]]
        const isRemoved = how.nullRemoves && sent[name] === null
        const value = isRemoved
          ? this.#default(other ?? {})
          : name in sent || !how.defaults
            ? sent[name]
            : this.#default(schema)
        if (!other || this.document.resolve(schema).writeOnly) return []
        // a null that cannot be shown: the application has put a value in its place
        const isShown = !requiredIn(right).includes(name) || this.#allowsNull(other)
        if (sent[name] === null && isNothing(value) && !isShown) return []
        if (this.#isReadOnly(schema) && !how.isOurs) return []
        if (!(name in sent) && value === undefined) return []
        return this.#compare(
          { schema, value },
          { schema: other, value: got[name] },
          how,
          field === '' ? name : `${field}.${name}`,
          depth + 1,
        )
      })
    }
    const differs = [{ field, given: given.value, shown: shown.value }]
    if (Array.isArray(given.value) && Array.isArray(shown.value)) {
      const [item, other] = [left.items as Json | undefined, right.items as Json | undefined]
      if (!item || !other || !this.#mayCompare(item, other)) return []
      const got = shown.value
      if (given.value.length !== got.length) return differs
      return given.value.flatMap((value, index) =>
        this.#compare(
          { schema: item, value },
          { schema: other, value: got[index] },
          how,
          field,
          depth + 1,
        ),
      )
    }
    return !this.isSameKind(left, right) || this.isEqual(left, given.value, shown.value)
      ? []
      : differs
  }

  #mayCompare(left: Json, right: Json): boolean {
    return (
      this.isSameKind(left, right) ||
      (this.#plain(left).type === 'object' && this.#plain(right).type === 'object')
    )
  }

  #default(schema: Json): unknown {
    return (schema as Json).default ?? this.document.resolve(schema).default
  }

  #allowsNull(schema: Json): boolean {
    return this.judge.faultOf(schema, null) === undefined
  }

  #isReadOnly(schema: Json): boolean {
    return schema.readOnly === true || this.document.resolve(schema).readOnly === true
  }

  /** The schema behind references, and without its null. */
  #plain(schema: Json): Json {
    const resolved = this.document.resolve(schema)
    const { allOf, anyOf, oneOf, type } = resolved as Readonly<Record<string, Json[]>>
    const branches = (anyOf ?? oneOf)?.filter(one => this.document.resolve(one).type !== 'null')
    if (branches?.length === 1) return this.#plain(branches[0] as Json)
    if (allOf) {
      const { allOf: _, ...own } = resolved
      return Object.assign({}, ...allOf.map(part => this.#plain(part)), own)
    }
    if (!Array.isArray(type)) return resolved
    const types = type.filter(one => String(one) !== 'null')
    return types.length === 1 ? { ...resolved, type: types[0] } : resolved
  }

  #kindOf(schema: Json, depth: number): string {
    const plain = this.#plain(schema)
    const kind = Object.fromEntries(
      KIND.filter(key => key in plain).map(key => [key, sorted(plain[key])]),
    )
    if (Array.isArray(kind.enum)) kind.enum = kind.enum.filter(value => value !== null)
    if (depth > 3) return JSON.stringify(kind)
    const items = plain.items ? this.#kindOf(plain.items as Json, depth + 1) : undefined
    const fields = Object.entries(this.fieldsOf(schema))
      .map(([name, field]) => [name, this.#kindOf(field, depth + 1)])
      .sort()
    const branches = ((plain.anyOf ?? plain.oneOf ?? []) as Json[]).map(one =>
      this.#kindOf(one, depth + 1),
    )
    return JSON.stringify([kind, items, fields, branches])
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const isNothing = (value: unknown): boolean => value === null || value === undefined

/** A value whose objects have their fields in one order, and nothing that is null. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const entries = Object.entries(value).filter(([, one]) => !isNothing(one))
  return Object.fromEntries(entries.sort().map(([name, one]) => [name, sorted(one)]))
}

function isDecimal(left: string, right: string): boolean {
  const [one, other] = [left, right].map(text =>
    /^-?\d+(\.\d+)?$/.test(text)
      ? text
          .replace(/(\.\d*?)0+$/, '$1')
          .replace(/\.$/, '')
          .replace(/^-0$/, '0')
      : undefined,
  )
  return one !== undefined && one === other
}

function requiredIn(schema: Json): readonly unknown[] {
  return Array.isArray(schema.required) ? schema.required : []
}
