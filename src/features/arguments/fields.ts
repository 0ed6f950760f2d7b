// The fields of an argument as its location sees them: which ones are read, and which can never be
// sent.
import type * as t from 'io-ts'
import type { Field, Shape } from '../../codec/shape/shape.js'
import { shapeOf } from '../../codec/shape/shape-of.js'
import { fieldsOf } from '../../codec/traits/fields-of.js'
import { isAbsence, someInside } from '../../codec/traits/parts.js'

/** Returns the fields that a request may have, of every member of a codec. */
export function inputFieldsOf(codec: t.Mixed): readonly Field[] {
  return (fieldsOf(shapeOf(codec)) ?? []).flat().filter(({ access }) => access !== 'read')
}

/** The names of the fields on the wire. */
export function namesOf(codec: t.Mixed): readonly string[] {
  return [...new Set(inputFieldsOf(codec).map(({ name }) => name))]
}

/** The names of the fields in the program. */
export function keysOf(codec: t.Mixed): readonly string[] {
  return [...new Set(inputFieldsOf(codec).map(({ key }) => key))]
}

/** Returns the names of the fields that every request needs. */
export function requiredNamesOf(codec: t.Mixed): readonly string[] {
  const [only, ...others] = fieldsOf(shapeOf(codec)) ?? []
  return others.length > 0
    ? []
    : (only ?? [])
        .filter(({ access, optional }) => access !== 'read' && !optional)
        .map(({ name }) => name)
}

/**
 * Returns the names of the fields that are lists, or absent or null; with `list(…)`, which its
 * decoder splits, only if `all`.
 */
export function listNamesOf(codec: t.Mixed, all: boolean): readonly string[] {
  return inputFieldsOf(codec)
    .filter(({ shape }) => isList(shape, all))
    .map(({ name }) => name)
}

function isList(shape: Shape, all: boolean): boolean {
  switch (shape.kind) {
    case 'array':
      return all || !shape.isSeparated
    case 'tuple':
      return true
    case 'constrained':
    case 'refined':
    case 'standard':
      return isList(shape.base, all)
    case 'union': {
      const members = shape.members.filter(member => !isAbsence(member))
      return members.length > 0 && members.every(member => isList(member, all))
    }
    default:
      return false
  }
}

/** Returns whether all values of a codec are objects. */
export function isObjectCodec(codec: t.Mixed): boolean {
  return fieldsOf(shapeOf(codec)) !== undefined
}

/** Returns whether a codec is a schema of another library, which reads the whole value. */
export function isStandardCodec(codec: t.Mixed): boolean {
  return shapeOf(codec).kind === 'standard'
}

/** Returns whether a codec accepts fields whose names it does not declare. */
export function hasUnnamedFields(codec: t.Mixed): boolean {
  const isOpen = (shape: Shape) =>
    shape.kind === 'record' || (shape.kind === 'object' && shape.rest !== undefined)
  return someInside(shapeOf(codec), isOpen)
}

/**
 * Returns the fields that a text wire cannot carry: files, and objects unless they are written as
 * strings.
 */
export function unsendableAsText(codec: t.Mixed, withObjects: boolean): readonly Field[] {
  return inputFieldsOf(codec).filter(({ shape }) =>
    withObjects
      ? someInside(shape, ({ kind }) => kind === 'file')
      : !fits(shape, ({ kind }) => kind !== 'object' && kind !== 'record' && kind !== 'file'),
  )
}

/** Returns the names of the fields that can be objects, or lists of objects. */
export function objectNamesOf(codec: t.Mixed): readonly string[] {
  return inputFieldsOf(codec)
    .filter(({ shape }) => fits(shape, ({ kind }) => kind === 'object' || kind === 'record'))
    .map(({ name }) => name)
}

/** Returns the fields that cannot be sent as a file. */
export function unsendableAsFile(codec: t.Mixed): readonly Field[] {
  return inputFieldsOf(codec).filter(
    ({ shape }) =>
      !fits(shape, ({ kind }) => kind === 'file' || kind === 'unknown' || kind === 'opaque'),
  )
}

/**
 * Returns whether a value of the shape, or each item of it, can be sent in a location. A recursion
 * adds no value to those of its other members.
 */
function fits(
  shape: Shape,
  canBe: (shape: Shape) => boolean,
  seen: ReadonlySet<Shape> = new Set(),
): boolean {
  if (seen.has(shape)) return false
  const inside = (part: Shape) => fits(part, canBe, new Set([...seen, shape]))
  switch (shape.kind) {
    case 'array':
      return inside(shape.item)
    case 'tuple':
      return shape.items.every(inside)
    case 'union':
      return shape.members.some(inside)
    case 'intersection':
      return shape.members.every(inside)
    case 'constrained':
    case 'refined':
    case 'standard':
      return inside(shape.base)
    case 'recursion':
      return inside(shape.target())
    default:
      return canBe(shape)
  }
}

/** Returns whether a field is a file, or a list of files. */
export function isFile({ shape }: Field): boolean {
  return fits(shape, ({ kind }) => kind === 'file')
}
