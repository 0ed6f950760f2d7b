import * as t from 'io-ts'
import { flag, requireOptions, string } from '../../options.js'
import { annotationsOf, describe } from '../shape/annotations.js'
import { discriminatorsOf, optional, remark, unmarked } from '../shape/object-shape.js'
import { shapeMakerOf } from '../shape/shape.js'
import { shapeOf } from '../shape/shape-of.js'
import { isAbsence, someInside } from '../traits/parts.js'
import type { DeepPartialFields } from '../types/partial-types.js'
import type { ObjectC, PartialC, PartialFields, StructC } from '../types/types.js'
import { bound } from './bounds.js'
import { list } from './list.js'
import { message } from './refine.js'
import { fieldsOf, propsOf, struct } from './struct.js'

/** How `partial` makes an object partial. */
export interface PartialOptions {
  /** Whether objects inside are partial, too. Default false. */
  readonly deep?: boolean
  /** A name like an identifier makes it a component of the document. Default: none. */
  readonly name?: string
}

/**
 * The same object with every field optional and without defaults, for PATCH. Takes a struct, a
 * `t.type` or a `t.strict`. With `deep` the objects inside become partial too: in lists,
 * dictionaries, intersections and members of unions. The discriminator of a union stays required. A
 * recursion or a refined object inside throws a TypeError, and so does an unknown option.
 */
export function partial<P extends t.Props>(
  codec: ObjectC<P> | PartialC<P>,
  options: PartialOptions & { readonly deep: true },
): StructC<DeepPartialFields<P>>
export function partial<P extends t.Props>(
  codec: ObjectC<P> | PartialC<P>,
  options?: string | (PartialOptions & { readonly deep?: false }),
): StructC<PartialFields<P>>
export function partial(codec: object, given: string | PartialOptions = {}): t.Mixed {
  const options: PartialOptions = typeof given === 'string' ? { name: given } : given
  requireOptions('partial()', options, { deep: flag, name: string })
  const { deep = false, name } = options
  const props = propsOf('partial', codec)
  if (deep) return partialStruct(props, NONE, '', name)
  return struct(
    mapFields(props, field => optional(field)),
    name ?? `Partial<${struct(props).name}>`,
  )
}

const NONE: ReadonlySet<string> = new Set()

function mapFields(props: t.Props, map: (field: t.Mixed, key: string) => t.Mixed): t.Props {
  return Object.fromEntries(Object.entries(props).map(([key, field]) => [key, map(field, key)]))
}

/** `kept` are the fields that stay unchanged; `at` is the place in the whole, for messages. */
function partialStruct(
  props: t.Props,
  kept: ReadonlySet<string>,
  at: string,
  name?: string,
): t.Mixed {
  const inside = (field: t.Mixed, key: string) =>
    kept.has(key) ? field : partialField(field, at === '' ? key : `${at}.${key}`)
  return struct(mapFields(props, inside), name)
}

function partialField(field: t.Mixed, at: string): t.Mixed {
  const value = unmarked(field)
  const changed = partialInside(value, NONE, at)
  if (changed === value) return optional(field)
  return optional(remark(field, withAnnotations(changed, field)))
}

/** The codec with the objects inside made partial; the codec itself if it contains no object. */
function partialInside(codec: t.Mixed, kept: ReadonlySet<string>, at: string): t.Mixed {
  const hasObjects = someInside(
    shapeOf(codec),
    ({ kind }) => kind === 'object' || kind === 'recursion',
  )
  if (!hasObjects) return codec
  const changed = withPartialParts(codec as Tagged, kept, at)
  const { message: text } = shapeOf(codec)
  return withAnnotations(
    text === undefined || (codec as Tagged)._tag === 'RefinementType'
      ? changed
      : message(changed, text),
    codec,
  )
}

/** The codecs of io-ts that can be inspected; any other codec stays unchanged. */
type Tagged =
  | t.RecursiveType<t.Mixed>
  | t.RefinementType<t.Mixed>
  | t.ArrayType<t.Mixed>
  | t.ReadonlyArrayType<t.Mixed>
  | t.DictionaryType<t.Mixed, t.Mixed>
  | t.UnionType<t.Mixed[]>
  | t.IntersectionType<t.Mixed[]>
  | t.ReadonlyType<t.Mixed>
  | (t.Mixed & { readonly _tag?: undefined })

function withPartialParts(codec: Tagged, kept: ReadonlySet<string>, at: string): t.Mixed {
  const inside = (part: t.Mixed) => partialInside(part, kept, at)
  switch (codec._tag) {
    case 'RecursiveType':
      throw new TypeError(
        `partial: ${at} is recursive, and partial() cannot make a recursive codec partial: write the codec of the change by hand`,
      )
    case 'RefinementType':
      return partialRefinement(codec, inside(codec.type), at)
    case 'ArrayType':
    case 'ReadonlyArrayType':
      return partialArray(codec, partialInside(codec.type, NONE, `${at}[]`))
    case 'DictionaryType':
      return partialRecord(codec, partialInside(codec.codomain, NONE, `${at}.*`))
    case 'ReadonlyType':
      return t.readonly(inside(codec.type))
    case 'IntersectionType':
      return t.intersection(codec.types.map(inside) as [t.Mixed, t.Mixed])
    case 'UnionType': {
      const discriminators = keptIn(codec.types)
      const members = codec.types.map(member => partialInside(member, discriminators, at))
      return t.union(members as [t.Mixed, t.Mixed])
    }
    default: {
      const props = fieldsOf(codec)
      return props && shapeOf(codec).kind === 'object' ? partialStruct(props, kept, at) : codec
    }
  }
}

function partialArray(
  codec: t.ArrayType<t.Mixed> | t.ReadonlyArrayType<t.Mixed>,
  item: t.Mixed,
): t.Mixed {
  const shape = shapeOf(codec)
  if (shape.kind === 'array' && shape.isSeparated) return list(item)
  return codec._tag === 'ArrayType' ? t.array(item) : t.readonlyArray(item)
}

/** A dictionary whose keys are all known is an object. */
function partialRecord(codec: t.DictionaryType<t.Mixed, t.Mixed>, codomain: t.Mixed): t.Mixed {
  const shape = shapeOf(codec)
  if (shape.kind === 'object')
    return struct(Object.fromEntries(shape.fields.map(({ key }) => [key, optional(codomain)])))
  return t.record(codec.domain, codomain)
}

/**
 * A bound of a list holds for the list of partial items as well; a predicate of somebody's own was
 * written for whole values.
 */
function partialRefinement(codec: t.RefinementType<t.Mixed>, type: t.Mixed, at: string): t.Mixed {
  const shape = shapeOf(codec)
  if (shape.kind === 'constrained' && shapeMakerOf(codec))
    return bound(type, shape.message, shape.schema ?? {}, shape.holds)
  throw new TypeError(
    `partial: ${at} is refined (${codec.name}), and its check may need the fields that would be missing: refine the partial codec instead`,
  )
}

/** The keys that tell the members of a union apart; `null` is told apart anyway. */
function keptIn(members: readonly t.Mixed[]): ReadonlySet<string> {
  const shapes = members.map(shapeOf).filter(shape => !isAbsence(shape))
  // a recursion is only resolved when it is read, and it is not read here
  const isReadable = shapes.length > 1 && !shapes.some(({ kind }) => kind === 'recursion')
  return isReadable ? new Set(discriminatorsOf(shapes)) : NONE
}

/** Copies the annotations of a codec, except its name and schema: those describe the whole. */
function withAnnotations(codec: t.Mixed, original: t.Mixed): t.Mixed {
  const { name: _name, schema: _schema, ...annotations } = annotationsOf(original)
  return Object.keys(annotations).length > 0 ? describe(codec, annotations) : codec
}
