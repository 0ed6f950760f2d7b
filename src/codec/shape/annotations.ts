import type * as t from 'io-ts'
import type { ExternalDocumentationObject, SchemaObject } from 'openapi3-ts/oas31'
import { unknownOptions } from '../../names.js'
import { requireCodec } from './require-codec.js'
import { isBound } from './stock-codec.js'

/** What a document says of a codec beside its schema. */
export interface Annotations {
  /** The name under which it is a component of the document, instead of the codec's own. */
  readonly name?: string
  readonly title?: string
  readonly description?: string
  readonly deprecated?: boolean
  readonly format?: string
  readonly example?: unknown
  readonly examples?: readonly unknown[]
  readonly externalDocs?: ExternalDocumentationObject
  /** Documents a codec whose shape is not visible. Replaces any other schema. */
  readonly schema?: SchemaObject
}

const ANNOTATIONS = [
  'name',
  'title',
  'description',
  'deprecated',
  'format',
  'example',
  'examples',
  'externalDocs',
  'schema',
] as const satisfies readonly (keyof Annotations)[]

/** A copy of a codec -> the codec that it was made from. */
const parents = new WeakMap<t.Mixed, t.Mixed>()
const annotations = new WeakMap<t.Mixed, Annotations>()
const NONE: Annotations = {}

/**
 * A copy of the codec that decodes and encodes as the codec does and is documented with these annotations. It remembers its
 * origin, whose other annotations it keeps; the codec itself is not changed. Throws a TypeError for an unknown annotation.
 */
export function describe<C extends t.Mixed>(codec: C, given: Annotations): C {
  requireCodec('describe() takes', codec)
  if (given === undefined)
    throw new TypeError(
      `describe(${codec.name}) takes what the document says, { description: '…' }`,
    )
  const unknown = unknownOptions(given, ANNOTATIONS)
  if (unknown.length > 0) throw new TypeError(`describe(${codec.name}): ${unknown.join('; ')}`)
  const copy = copyOf(codec)
  annotations.set(copy, given)
  return copy
}

/** Another codec that does the same, and remembers what it is a copy of. */
export function copyOf<C extends t.Mixed>(codec: C): C {
  const copy: C = Object.create(
    Object.getPrototypeOf(codec),
    Object.getOwnPropertyDescriptors(codec),
  )
  // the constructor of io-ts binds `decode` to its codec; a `decode` of somebody's own stays
  if (isBound(codec.decode)) copy.decode = Object.getPrototypeOf(copy).decode.bind(copy)
  return derivedFrom(codec, copy)
}

/** Notes that `codec` stands for `parent` in another form: the same values, other annotations or marks. */
export function derivedFrom<C extends t.Mixed>(parent: t.Mixed, codec: C): C {
  parents.set(codec, parent)
  return codec
}

/** The codec that this one was derived from; undefined for a plain codec. */
export function parentOf(codec: t.Mixed): t.Mixed | undefined {
  return parents.get(codec)
}

/** The plain codec at the root of all copies; of a plain codec, itself. */
export function originOf(codec: t.Mixed): t.Mixed {
  const parent = parents.get(codec)
  return parent ? originOf(parent) : codec
}

/** What the document says of the codec: its own annotations over those of its origin. */
export function annotationsOf(codec: t.Mixed): Annotations {
  const parent = parents.get(codec)
  const own = annotations.get(codec) ?? NONE
  return parent ? { ...annotationsOf(parent), ...own } : own
}

/**
 * The name under which a codec is a component of the document: a name like an identifier that the user gave to an object, a union,
 * an enum or a recursion, or by `describe`; undefined for the names that io-ts makes up.
 */
export function componentName(codec: t.Mixed): string | undefined {
  return annotationsOf(codec).name ?? givenName(originOf(codec))
}

type Named = { readonly _tag?: string; readonly type?: t.Mixed }

/** The tags of the codecs that can be components of their own. */
const COMPONENTS: ReadonlySet<string | undefined> = new Set([
  'InterfaceType',
  'PartialType',
  'StrictType',
  'UnionType',
  'IntersectionType',
  'DictionaryType',
  'KeyofType',
  'RecursiveType',
])

function givenName(codec: t.Mixed): string | undefined {
  const { _tag, type } = codec as Named
  if (COMPONENTS.has(_tag)) return identifier(codec.name)
  // io-ts makes up a name for these even where the codec inside has one: `t.exact(t.type({ … }, 'Pet'))`
  const wrapper = _tag === 'ExactType' || _tag === 'ReadonlyType'
  if (type && wrapper) return identifier(codec.name) ?? componentName(type)
  return type && _tag === 'RefinementType' && isComponent(type) ? identifier(codec.name) : undefined
}

function isComponent(codec: t.Mixed): boolean {
  const { _tag, type } = originOf(codec) as Named
  if (COMPONENTS.has(_tag) || _tag === 'ExactType') return true
  return (
    type !== undefined &&
    (_tag === 'ReadonlyType' || _tag === 'RefinementType') &&
    isComponent(type)
  )
}

function identifier(name: string): string | undefined {
  return /^[A-Za-z_][\w.-]*$/.test(name) ? name : undefined
}
