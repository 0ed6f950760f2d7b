// Reads objects from a query or a form: `created[gte]=5` is the field `gte` of `created`.
import type * as t from 'io-ts'
import { type ErrorTree, Invalid } from '../../codec/decode/decode.js'
import { isPlainObject } from '../../codec/shape/plain-object.js'
import type { Shape } from '../../codec/shape/shape.js'
import { shapeOf } from '../../codec/shape/shape-of.js'
import { documentedAlternativesOf as alternativesOf, itemOf } from '../../codec/traits/parts.js'

/** How many brackets a name may have: no codec of a person goes deeper. */
const MOST_LEVELS = 100

const NOT_A_LIST = ['Not a list: send name[]=…, or indexes that begin at 0 and have no holes.']

/** The values sent under one name and under the names that continue it. */
interface Node {
  /**
   * A string, or a list if the name was sent several times; undefined if only longer names were
   * sent.
   */
  own: unknown
  readonly children: Map<string, Node>
}

/** Errors of values that their field cannot hold. */
type Faults = { [field: string]: ErrorTree }

/**
 * Returns a decoder of flat names. The codec decides which of them are nested: a name is taken
 * apart only if it begins with the name of a declared object or list. Every other name, and one with
 * `__proto__`, is left alone, and is an unknown field.
 */
export function deepDecoder(
  codec: t.Mixed,
  decode: (value: unknown) => unknown,
): (fields: unknown) => unknown {
  const roots = alternativesOf(shapeOf(codec))
  return fields => {
    if (!isPlainObject(fields)) return decode(fields)
    const faults: Faults = Object.create(null)
    const value = decode(objectOf(treeOf(fields, roots), roots, faults))
    if (Object.keys(faults).length === 0) return value
    return new Invalid(laidOver(value instanceof Invalid ? value.errors : {}, faults))
  }
}

/** The names as a tree, as far as they begin with a field that the codec declares. */
function treeOf(fields: Readonly<Record<string, unknown>>, roots: readonly Shape[]): Node {
  const root = node()
  for (const [name, own] of Object.entries(fields)) {
    const bracket = name.indexOf('[')
    const base = name.slice(0, bracket)
    const inside = bracket > 0 && partsOf(roots, name).length === 0 ? name.slice(bracket) : ''
    const keys = /^(?:\[[^[\]]*\])+$/.test(inside) ? inside.slice(1, -1).split('][') : []
    const isNested =
      keys.length > 0 &&
      keys.length <= MOST_LEVELS &&
      partsOf(roots, base).length > 0 &&
      // `Object.assign` would make it the prototype of a copy
      ![base, ...keys].includes('__proto__')
    let at = childOf(root, isNested ? base : name)
    if (isNested) for (const key of keys) at = childOf(at, key)
    at.own = own
  }
  return root
}

function node(): Node {
  return { own: undefined, children: new Map() }
}

function childOf({ children }: Node, key: string): Node {
  const child = children.get(key) ?? node()
  children.set(key, child)
  return child
}

/** The shapes of the field `name` of an object. */
function partsOf(shapes: readonly Shape[], name: string): readonly Shape[] {
  return shapes.flatMap(shape => {
    if (shape.kind === 'record') return [shape.codomain]
    if (shape.kind !== 'object') return []
    const field = shape.fields.find(candidate => candidate.name === name)
    return field ? [field.shape] : shape.rest ? [shape.rest] : []
  })
}

/** The object that the children of a node are. */
function objectOf({ children }: Node, shapes: readonly Shape[], faults: Faults): object {
  const value = Object.create(null)
  for (const [key, child] of children) {
    const parts = partsOf(shapes, key)
    if (parts.length === 0) {
      value[key] = plainOf(child)
      continue
    }
    const inner = parts.flatMap(shape => alternativesOf(shape))
    const read = nested(child, inner, faults, key)
    if (read === LEFTOVER) for (const [rest, own] of leavesOf(child)) value[key + rest] = own
    else if (read !== undefined) value[key] = read
  }
  return value
}

/** An undeclared field, not decoded. */
function plainOf({ own, children }: Node): unknown {
  if (children.size === 0) return own
  const fields = [...children].map(([key, child]) => [key, plainOf(child)] as const)
  return Object.fromEntries(fields)
}

/** A node with names in brackets, but without declared fields. */
const LEFTOVER = Symbol('left over')

/** Reads one node. */
function nested(child: Node, shapes: readonly Shape[], faults: Faults, key: string): unknown {
  // the decoder refuses a string in place of an object
  if (child.children.size === 0) return child.own
  const isList = shapes.some(({ kind }) => kind === 'array' || kind === 'tuple')
  const isObject = shapes.some(({ kind }) => kind === 'object' || kind === 'record')
  if (!isList && !isObject) return LEFTOVER
  if (isList && !(isObject && itemsOf(child) === undefined))
    return listOf(child, shapes, faults, key)
  if (child.own !== undefined) return child.own
  const inner: Faults = Object.create(null)
  const value = objectOf(child, shapes, inner)
  if (Object.keys(inner).length > 0) faults[key] = inner
  return value
}

function listOf(child: Node, shapes: readonly Shape[], faults: Faults, key: string): unknown {
  const items = itemsOf(child)
  if (!items) {
    faults[key] = NOT_A_LIST
    return undefined
  }
  const inner: Faults = Object.create(null)
  const value = items.map((item, index) => {
    const parts = shapes
      .flatMap(shape => itemOf(shape, index))
      .flatMap(part => alternativesOf(part))
    const read = nested(item, parts, inner, String(index))
    if (read !== LEFTOVER) return read
    inner[index] = ['Not an object here.']
    return undefined
  })
  if (Object.keys(inner).length > 0) faults[key] = inner
  return value
}

/**
 * The items of a list that is sent as `name[]`, or with all indexes from 0; otherwise undefined.
 */
function itemsOf({ own, children }: Node): readonly Node[] | undefined {
  if (own !== undefined) return undefined
  const repeated = children.get('')
  if (repeated) {
    if (children.size > 1 || repeated.children.size > 0) return undefined
    return [repeated.own].flat().map(text => ({ ...node(), own: text }))
  }
  const items = Array.from({ length: children.size }, (_, index) => children.get(String(index)))
  return items.every(item => item !== undefined) ? items : undefined
}

/** The strings below a node, each with the brackets that lead to it. */
function leavesOf({ own, children }: Node): (readonly [brackets: string, own: unknown])[] {
  const inner = [...children].flatMap(([key, child]) =>
    leavesOf(child).map(([rest, text]) => [`[${key}]${rest}`, text] as const),
  )
  return own === undefined ? inner : [['', own], ...inner]
}

/** The errors of the decoder, with these in place of those about the same value. */
function laidOver(errors: ErrorTree, faults: ErrorTree): ErrorTree {
  if (Array.isArray(faults) || Array.isArray(errors)) return faults
  const merged: Faults = Object.assign(Object.create(null), errors)
  for (const [name, fault] of Object.entries(faults))
    merged[name] = laidOver(merged[name] ?? {}, fault)
  return merged
}
