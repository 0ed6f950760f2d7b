import type * as t from 'io-ts'
import { annotationsOf, parentOf } from './annotations.js'
import { literalsOf } from './discriminator.js'
import { type Fallback, marksOf, unmarked } from './field-marks.js'
import { isPlainObject } from './plain-object.js'
import type { Field, ObjectShape, OpaqueShape, Shape, StandardShape, UnionShape } from './shape.js'

/** The object shape of named codecs, in their order. `allOptional`: `t.partial`. */
export function objectShape(
  codec: t.Mixed,
  props: t.Props,
  options: { readonly shapeOf: (codec: t.Mixed) => Shape; readonly allOptional?: boolean },
): ObjectShape {
  const { shapeOf, allOptional = false } = options
  const fields = Object.entries(props).map(([key, field]) =>
    fieldOf(key, field, shapeOf, allOptional),
  )
  return { kind: 'object', codec, fields }
}

/** The same shape as the shape of another codec: a copy with other annotations. */
export function withCodec(shape: Shape, codec: t.Mixed): Shape {
  if (shape.kind === 'union') return unionShape(codec, shape.members, shape.message)
  const { schema } = annotationsOf(codec)
  return shape.kind === 'opaque' && schema ? { ...shape, codec, schema } : { ...shape, codec }
}

/** A union, and the key that tells its members apart. Literals alone are one literal. */
export function unionShape(codec: t.Mixed, members: readonly Shape[], message?: string): Shape {
  const [only, ...others] = members
  const own = message !== undefined && { message }
  if (only && others.length === 0) return { ...withCodec(only, codec), ...own }
  const literals = members.filter(member => member.kind === 'literal')
  if (literals.length === members.length) {
    return {
      kind: 'literal',
      codec,
      values: [...new Set(literals.flatMap(({ values }) => values))],
      ...own,
    }
  }
  let discriminator: { readonly key: string | undefined } | undefined
  return {
    kind: 'union',
    codec,
    members: members.map(strict),
    ...own,
    // looked for when it is asked for: a member may be a recursion whose shape is not known yet
    get discriminator() {
      discriminator ??= { key: discriminatorOf(members) }
      return discriminator.key
    },
  } satisfies UnionShape
}

/**
 * The shape with one spelling for each boolean: beside other members `1` or `on` may mean something
 * else.
 */
export function strict(shape: Shape): Shape {
  if (shape.kind === 'scalar' && shape.lenient) return { ...shape, lenient: false }
  if (shape.kind !== 'constrained' && shape.kind !== 'refined') return shape
  const base = strict(shape.base)
  return base === shape.base ? shape : { ...shape, base }
}

/**
 * The first key under which every member requires a literal, no two members the same, by one name
 * on the wire.
 */
function discriminatorOf(members: readonly Shape[]): string | undefined {
  const literals = members.map(literalsOf)
  return [...(literals[0]?.keys() ?? [])].find(key => {
    const found = literals.flatMap(fields => fields.get(key) ?? [])
    const values = found.flatMap(literal => literal.values)
    return (
      found.length === members.length &&
      new Set(values).size === values.length &&
      new Set(found.map(literal => literal.field.name)).size === 1
    )
  })
}

/**
 * Whether a value without the field is sent without it, rather than with its default or not at all.
 */
export function mayBeLeftOut({ optional, fallback, constant }: Field): boolean {
  return optional && (!fallback || (constant !== undefined && constant.value === undefined))
}

function fieldOf(
  key: string,
  codec: t.Mixed,
  shapeOf: (codec: t.Mixed) => Shape,
  allOptional: boolean,
): Field {
  const marks = marksOf(codec)
  const whole = marks ? withCodec(shapeOf(unmarked(codec)), codec) : shapeOf(codec)
  const accepted = acceptsUndefined(whole)
  const fallback = marks && 'fallback' in marks ? marks.fallback : fallbackOf(whole)
  const constant = fallback && (fallback.constant ?? emptyDefault(fallback))
  return {
    key,
    name: marks?.name ?? key,
    shape: accepted ? withoutUndefined(whole) : whole,
    optional: allOptional || accepted || marks?.optional === true,
    ...(fallback && { fallback: fallback.make }),
    ...(constant && { constant }),
    ...(marks?.access && { access: marks.access }),
  }
}

/** Whether an absent field fits, which in JSON is all that `undefined` can be. */
function acceptsUndefined(shape: Shape): boolean {
  switch (shape.kind) {
    case 'undefined':
    case 'unknown':
      return true
    case 'union':
      return shape.members.some(acceptsUndefined)
    case 'intersection':
      return shape.members.every(acceptsUndefined)
    case 'constrained':
      return acceptsUndefined(shape.base) && shape.holds(undefined as never)
    case 'refined':
      return acceptsUndefined(shape.base)
    case 'standard':
    case 'opaque':
      return decodedFromUndefined(shape) !== undefined
    default:
      return false
  }
}

function withoutUndefined(shape: Shape): Shape {
  if (shape.kind !== 'union') return shape
  const members = shape.members.filter(member => member.kind !== 'undefined')
  if (members.length === shape.members.length || members.length === 0) return shape
  const [only] = members
  // the name of `t.union([Pet, t.undefined])` has no meaning, but its `describe` has
  return members.length === 1 && only && !parentOf(shape.codec)
    ? only
    : unionShape(shape.codec, members)
}

/** A foreign codec may have a default of its own: it makes a value of `undefined`. */
function fallbackOf(shape: Shape): Fallback | undefined {
  if (shape.kind !== 'opaque' && shape.kind !== 'standard') return undefined
  if (decodedFromUndefined(shape)?.value === undefined) return undefined
  return { make: () => decodedFromUndefined(shape)?.value }
}

/**
 * A function that returns `[]` or `{}` means a new one each time; any other value may be another
 * one at the next call.
 */
function emptyDefault({ make }: Fallback): { readonly value: unknown } | undefined {
  try {
    const value = make()
    const isEmpty =
      (Array.isArray(value) || isPlainObject(value)) && Object.keys(value).length === 0
    return isEmpty ? { value } : undefined
  } catch {
    // one that works during a request only
    return undefined
  }
}

function decodedFromUndefined({
  codec,
}: OpaqueShape | StandardShape): { readonly value: unknown } | undefined {
  try {
    const decoded = codec.validate(undefined, [{ key: '', type: codec }])
    return decoded._tag === 'Right' ? { value: decoded.right } : undefined
  } catch {
    // a codec that assumes a value, or a schema that is asynchronous
    return undefined
  }
}
