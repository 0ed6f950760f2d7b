import type { SchemaObject } from 'openapi3-ts/oas31'

/** A value with one change, where the change is, and what it was. */
export interface Mutation {
  readonly value: unknown
  readonly path: readonly string[]
  readonly what: string
}

/** Finds the schema that a reference stands for. */
export type Resolve = (schema: object) => SchemaObject

const WRONG: Readonly<Record<string, readonly unknown[]>> = {
  string: [1, true, null, [], {}],
  integer: ['1', 1.5, true, null, [], {}],
  number: ['1', true, null, [], {}],
  boolean: ['true', 1, null, [], {}],
  array: ['x', 5, {}, null],
  object: ['x', 5, [], null],
}

/** Every single change of a value that its schema forbids. */
export function forbidden(schema: object, value: unknown, resolve: Resolve): Mutation[] {
  return walk(resolve(schema), value, resolve, node => [
    ...wrongTypes(node),
    ...outOfBounds(node),
    ...wrongFields(node, resolve),
  ])
}

/** Changes of a value to where a bound of its schema still allows it. */
export function allowed(schema: object, value: unknown, resolve: Resolve): Mutation[] {
  return walk(resolve(schema), value, resolve, insideOfBounds)
}

interface Node {
  readonly schema: SchemaObject
  readonly value: unknown
}

/** Collects changes at every place of a value, as changes of the whole. */
function walk(
  schema: SchemaObject,
  value: unknown,
  resolve: Resolve,
  changesOf: (node: Node) => Mutation[],
): Mutation[] {
  const inside = (key: string, inner: unknown, innerSchema: object): Mutation[] =>
    walk(resolve(innerSchema), inner, resolve, changesOf).map(({ value: changed, path, what }) => ({
      value: Array.isArray(value)
        ? value.map((item, index) => (String(index) === key ? changed : item))
        : { ...(value as object), [key]: changed },
      path: [key, ...path],
      what,
    }))
  const own = changesOf({ schema, value })
  if (Array.isArray(value))
    return [
      ...own,
      ...value.slice(0, 1).flatMap(item => (schema.items ? inside('0', item, schema.items) : [])),
    ]
  if (typeof value !== 'object' || value === null) return own
  const fields = Object.entries(schema.properties ?? {}).filter(([name]) =>
    Object.hasOwn(value, name),
  )
  return [
    ...own,
    ...fields.flatMap(([name, inner]) =>
      inside(name, (value as Record<string, unknown>)[name], inner),
    ),
  ]
}

const change = (what: string, value: unknown, ...path: string[]): Mutation => ({
  value,
  path,
  what,
})

function wrongTypes({ schema }: Node): Mutation[] {
  const types = [schema.type ?? []].flat()
  const [type = ''] = types.filter(one => one !== 'null')
  const wrong = (WRONG[type] ?? []).filter(value => value !== null || !types.includes('null'))
  return wrong.map(value => change(`${JSON.stringify(value)} for ${type}`, value))
}

function outOfBounds({ schema, value }: Node): Mutation[] {
  const found: Mutation[] = []
  const add = (bound: keyof SchemaObject, make: (limit: never) => unknown) => {
    if (schema[bound] !== undefined)
      found.push(change(`${bound}, and one more`, make(schema[bound] as never)))
  }
  add('minLength', (limit: number) => 'x'.repeat(limit - 1))
  add('maxLength', (limit: number) => 'x'.repeat(limit + 1))
  add('minimum', (limit: number) => limit - 1)
  add('maximum', (limit: number) => limit + 1)
  add('exclusiveMinimum', (limit: number) => limit)
  add('exclusiveMaximum', (limit: number) => limit)
  add('multipleOf', (limit: number) => limit + 1)
  add('minItems', (limit: number) => (value as unknown[]).slice(0, limit - 1))
  add('maxItems', (limit: number) =>
    Array.from({ length: limit + 1 }, (_, index) => `item ${index}`),
  )
  add('uniqueItems', () => [(value as unknown[])[0], (value as unknown[])[0]])
  add('enum', () => 'none of them')
  add('pattern', () => '!')
  add('format', () => 'no such thing')
  return found
}

function insideOfBounds({ schema }: Node): Mutation[] {
  const found: Mutation[] = []
  const add = (bound: keyof SchemaObject, make: (limit: never) => unknown) => {
    if (schema[bound] !== undefined)
      found.push(change(`exactly ${bound}`, make(schema[bound] as never)))
  }
  add('minLength', (limit: number) => 'x'.repeat(limit))
  add('maxLength', (limit: number) => '💩'.repeat(limit))
  // a bound that is not a multiple is the range of the type, which no value reaches
  const isReached = (limit: unknown) =>
    schema.multipleOf === undefined || Number.isInteger(Number(limit) / schema.multipleOf)
  if (isReached(schema.minimum)) add('minimum', (limit: number) => limit)
  if (isReached(schema.maximum)) add('maximum', (limit: number) => limit)
  add('multipleOf', (limit: number) => -limit)
  add('minItems', (limit: number) => Array.from({ length: limit }, (_, index) => `item ${index}`))
  add('maxItems', (limit: number) => Array.from({ length: limit }, (_, index) => `item ${index}`))
  for (const value of schema.enum ?? []) found.push(change('of the enum', value))
  return found
}

function wrongFields({ schema, value }: Node, resolve: Resolve): Mutation[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  const fields = value as Record<string, unknown>
  const without = (schema.required ?? []).map(name => {
    const { [name]: _dropped, ...rest } = fields
    return change('missing', rest, name)
  })
  const readOnly = Object.entries(schema.properties ?? {}).filter(
    ([, inner]) => resolve(inner).readOnly,
  )
  const more = ['more', ...readOnly.map(([name]) => name)].map(name =>
    change('not allowed', { ...fields, [name]: 1 }, name),
  )
  return schema.additionalProperties === false ? [...without, ...more] : without
}
