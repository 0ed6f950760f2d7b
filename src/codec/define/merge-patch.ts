// Merge patches (RFC 7396) of the values of a codec.
import * as t from 'io-ts'
import { defined } from '../../options.js'
import { annotationsOf, componentName, describe } from '../shape/annotations.js'
import { unionShape } from '../shape/object-shape.js'
import { type Dictionary, isPlainObject, readerOf, setOwn } from '../shape/plain-object.js'
import { type Field, type ObjectShape, type Shape, withShape } from '../shape/shape.js'
import { shapeOf } from '../shape/shape-of.js'
import { objectsOf } from '../traits/fields-of.js'
import { isAbsence } from '../traits/parts.js'

/** An object in a patch, with the fields of all objects that the merged value may be. */
interface PatchedObject extends ObjectShape {
  readonly members: readonly Pick<ObjectShape, 'fields'>[]
}

const NULL = shapeOf(t.null)
const patches = new WeakMap<t.Mixed, t.Mixed>()

/**
 * Returns the codec of merge patches of a codec, by wire names: every field is optional at any
 * depth, and null is allowed if a field may be removed or is nullable. Lists and other values are
 * replaced as a whole. Checks of objects are left out, because they concern the whole object.
 */
export function mergePatchOf(codec: t.Mixed): t.Mixed {
  const known = patches.get(codec)
  if (known) return known
  const made = new Map<Shape, Shape>()
  const patch = withShape(renamed(codec), () => patchOf(shapeOf(codec), made))
  patches.set(codec, patch)
  return patch
}

/**
 * Applies a patch that fits `mergePatchOf(codec)` to a JSON value (RFC 7396, section 2), which is
 * not changed. The difference to the RFC: null is the value of a field that is required.
 */
export function applyMergePatch(codec: t.Mixed, target: unknown, patch: unknown): unknown {
  return merge(shapeOf(mergePatchOf(codec)), target, patch)
}

function merge(shape: Shape | undefined, target: unknown, patch: unknown): unknown {
  if (!isPlainObject(patch)) return patch
  const object = shape && patchedIn(shape)
  const result: Dictionary = isPlainObject(target) ? { ...target } : {}
  const entries = Object.entries(patch)
  for (const [name, value] of entries) {
    if (value === null) continue
    const inside = object?.fields.find(field => field.name === name)?.shape ?? object?.rest
    setOwn(result, name, merge(inside, readerOf(name)(result), value))
  }
  // of a union, the members whose literals the merged value has
  const members = object?.members.filter(member => hasLiteralsOf(member, result)) ?? []
  for (const [name, value] of entries) {
    if (value !== null) continue
    const isRequired = members.every(({ fields }) =>
      fields.some(field => field.name === name && !field.optional),
    )
    if (isRequired && members.length > 0) setOwn(result, name, null)
    else delete result[name]
  }
  return result
}

function hasLiteralsOf({ fields }: Pick<ObjectShape, 'fields'>, value: Dictionary): boolean {
  return fields.every(
    ({ name, shape }) =>
      shape.kind !== 'literal' ||
      [undefined, ...shape.values].includes(readerOf(name)(value) as undefined),
  )
}

/** Returns the object that a shape of a patch may be. */
function patchedIn(shape: Shape): Omit<PatchedObject, 'kind' | 'codec'> | undefined {
  switch (shape.kind) {
    case 'object':
      return shape as PatchedObject
    case 'record':
      return { fields: [], rest: shape.codomain, members: [] }
    case 'recursion':
      return patchedIn(shape.target())
    case 'union':
      return shape.members.map(patchedIn).find(object => object !== undefined)
    default:
      return undefined
  }
}

/** `made` has what is done already, so that a recursion ends in itself. */
function patchOf(shape: Shape, made: Map<Shape, Shape>): Shape {
  const known = made.get(shape)
  if (known) return known
  const patch = makePatch(shape, made)
  made.set(shape, patch)
  return patch
}

function makePatch(shape: Shape, made: Map<Shape, Shape>): Shape {
  const inside = (part: Shape) => patchOf(part, made)
  switch (shape.kind) {
    case 'recursion':
      return {
        kind: 'recursion',
        // a recursion is a component even if its name is made up
        codec: renamed(shape.codec, shape.codec.name),
        target: () => inside(shape.target()),
      }
    case 'record':
      return { ...shape, codec: renamed(shape.codec), codomain: removable(inside(shape.codomain)) }
    case 'standard':
      // its own JSON Schema describes more than the base, unless that is an object to be patched
      return mayBeObject(shape.base) ? inside(shape.base) : shape
    case 'opaque':
      // it may be an object, of which a part does not fit
      return SINGLE.has(shape.schema?.type) ? shape : shapeOf(t.unknown)
    case 'union': {
      const present = shape.members.filter(member => !isAbsence(member))
      const isNullable = present.length < shape.members.length
      const objects = present.filter(member => objectsOf(member) !== undefined)
      const others = present.filter(member => !objects.includes(member))
      const codec = renamed(shape.codec)
      const whole = isNullable || others.length > 0 ? anonymous('a patch') : codec
      const fields = objects.flatMap(member => objectsOf(member) ?? [])
      const parts =
        objects.length > 1
          ? [patchObject(whole, fields, inside), ...others.map(inside)]
          : present.map(inside)
      return either([...parts, ...(isNullable ? [NULL] : [])], codec)
    }
    default: {
      const objects = objectsOf(shape)
      return objects ? patchObject(renamed(shape.codec), objects, inside) : shape
    }
  }
}

/** Returns whether a value of the shape may be an object, which a patch changes in part. */
function mayBeObject(shape: Shape): boolean {
  return shape.kind === 'union' ? shape.members.some(mayBeObject) : objectsOf(shape) !== undefined
}

/** The types of the values that a patch replaces as a whole. */
const SINGLE: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'array'])

/** A patch may lead from one member of a union to another, so it may have the fields of all. */
function patchObject(
  codec: t.Mixed,
  members: readonly Pick<ObjectShape, 'fields' | 'rest'>[],
  inside: (shape: Shape) => Shape,
): PatchedObject {
  const named = new Map<string, Field[]>()
  for (const field of members.flatMap(({ fields }) => fields))
    named.set(field.name, [...(named.get(field.name) ?? []), field])
  const fields = [...named].map(([name, all]): Field => {
    const writable = all.filter(({ access }) => access !== 'read')
    const [first] = writable
    if (!first) return all[0] as Field
    const isRequired = all.length >= members.length && all.every(({ optional }) => !optional)
    const shape = either(writable.map(field => inside(field.shape)))
    const { access } = first
    return {
      key: name,
      name,
      shape: isRequired ? shape : removable(shape),
      optional: true,
      ...(access && { access }),
    }
  })
  const rests = members.flatMap(({ rest }) => rest ?? [])
  return {
    kind: 'object',
    codec,
    fields,
    ...(rests.length > 0 && { rest: removable(either(rests.map(inside))) }),
    members,
  }
}

function either(shapes: readonly Shape[], codec = anonymous('a patch')): Shape {
  const [first = shapeOf(t.unknown), ...others] = new Set(shapes)
  return others.length === 0 ? first : unionShape(codec, [first, ...others])
}

/** The shape, or null. */
function removable(shape: Shape): Shape {
  return takesNull(shape) ? shape : unionShape(anonymous('a patch'), [shape, NULL])
}

function takesNull(shape: Shape): boolean {
  if (shape.kind === 'standard') return shape.base.kind === 'union' && takesNull(shape.base)
  if (shape.kind === 'union') return shape.members.some(isAbsence)
  return shape.kind === 'unknown' || isAbsence(shape)
}

/** `PetPatch` for a codec that is the component `Pet`, with its annotations. */
function renamed(codec: t.Mixed, otherwise?: string): t.Mixed {
  const { name: _name, schema: _schema, example, examples, ...annotations } = annotationsOf(codec)
  const name = componentName(codec) ?? otherwise
  const patch = name === undefined ? undefined : `${name}Patch`
  return describe(anonymous(patch ?? codec.name), defined({ ...annotations, name: patch }))
}

/** A codec for a shape, which alone decodes and encodes. */
function anonymous(name: string): t.Mixed {
  return new t.Type<unknown>(name, t.unknown.is, t.unknown.validate, t.identity)
}
