import type * as t from 'io-ts'
import type { ExternalDocumentationObject, SchemaObject, XmlObject } from 'openapi3-ts/oas31'
import { optionsIn, shown } from '../../names.js'
import { anything, flag, list, object, type Rules, requireOptions, string } from '../../options.js'

/** The documentation of a codec beside its schema. */
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
  /** How the value is written as XML: only what generators make of the document is changed. */
  readonly xml?: XmlObject
  /** Extensions of the specification: `'x-order': 3`. */
  readonly [extension: `x-${string}`]: unknown
  /** Documents a codec whose shape is not visible. Replaces any other schema. */
  readonly schema?: SchemaObject
}

const RULES: Rules<Omit<Annotations, `x-${string}`>> = {
  name: string,
  title: string,
  description: string,
  deprecated: flag,
  format: string,
  example: anything,
  examples: list,
  externalDocs: object,
  xml: object,
  schema: object,
}

/** A copy of a codec -> the codec that it was made from. */
const parents = new WeakMap<t.Mixed, t.Mixed>()
const annotations = new WeakMap<t.Mixed, Annotations>()
const NONE: Annotations = {}

/**
 * A copy of the codec that decodes and encodes as the codec does and is documented with these
 * annotations. It remembers its origin, whose other annotations it keeps; the codec itself is not
 * changed. Throws a TypeError for an unknown annotation.
 */
export function describe<C extends t.Mixed>(codec: C, given: Annotations): C {
  requireCodec('describe() takes', codec)
  if (given === undefined)
    throw new TypeError(
      `describe(${codec.name}) takes keywords of the document, { description: '…' }`,
    )
  requireOptions(`describe(${codec.name})`, withoutExtensions(given), RULES)
  const copy = copyOf(codec)
  annotations.set(copy, given)
  return copy
}

/** The extensions among the annotations. */
export function extensionsOf(given: Annotations): Readonly<Record<`x-${string}`, unknown>> {
  return Object.fromEntries(Object.entries(given).filter(([name]) => name.startsWith('x-')))
}

function withoutExtensions(given: Annotations): Annotations {
  // anything but an object is refused with its own message
  if (optionsIn(given) !== given) return given
  return Object.fromEntries(Object.entries(given).filter(([name]) => !name.startsWith('x-')))
}

/** Another codec that does the same, and remembers what it is a copy of. */
export function copyOf<C extends t.Mixed>(codec: C): C {
  const copy: C = Object.create(
    Object.getPrototypeOf(codec),
    Object.getOwnPropertyDescriptors(codec),
  )
  // the constructor of io-ts binds `decode` to its codec; a `decode` of somebody's own stays
  if (isGenuine(codec)) copy.decode = Object.getPrototypeOf(copy).decode.bind(copy)
  return derivedFrom(codec, copy)
}

/** Notes that `codec` is another form of `parent`: the same values, other annotations or marks. */
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

/** The documented annotations of a codec: its own over those of its origin. */
export function annotationsOf(codec: t.Mixed): Annotations {
  const parent = parents.get(codec)
  const own = annotations.get(codec) ?? NONE
  return parent ? { ...annotationsOf(parent), ...own } : own
}

/**
 * The name under which a codec is a component of the document: a name like an identifier that the
 * user gave to an object, a union, an enum or a recursion, or by `describe`; undefined for the
 * names that io-ts makes up.
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
  // io-ts makes up a name for these even if the codec inside has one:
  // `t.exact(t.type({ … }, 'Pet'))`
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

// Checks for codecs: an untyped program, or a module that is imported before it is evaluated, may
// pass something else.

/** Returns whether a value is a codec, of this copy of io-ts or another. */
export function isCodec(value: unknown): value is t.Mixed {
  const { validate, encode } = Object(value) as Partial<t.Mixed>
  // schemas of zod have both methods too
  return typeof validate === 'function' && typeof encode === 'function' && !isBareSchema(value)
}

/** Throws a TypeError if a value is not a codec; `place` names what needs one: `list() takes`. */
export function requireCodec(
  place: string,
  given: unknown,
  example = 't.string',
): asserts given is t.Mixed {
  if (isCodec(given)) return
  const hint =
    given === undefined
      ? '. Do two modules import each other? t.recursion refers to what comes later'
      : ''
  throw new TypeError(
    `${place} a codec, such as ${example}, not ${shown(given)}${hint}${wrapHint(given)}`,
  )
}

/** Returns whether a value is a schema of another library, which is not a codec. */
export function isBareSchema(value: unknown): boolean {
  const standard: unknown = Object(value)['~standard']
  return typeof standard === 'object' && standard !== null
}

/** Returns what to do with a schema of another library, for the end of a message. */
export function wrapHint(given: unknown): string {
  return isBareSchema(given) ? '. Wrap it: std(schema), from koa-smorest/standard' : ''
}

/**
 * Returns whether a codec behaves as its `_tag` implies. A copy with another `validate` keeps the
 * tag; the helpers that make such copies (`withFallback` of io-ts-types) replace `decode` too,
 * which the constructor of io-ts has bound.
 */
export function isGenuine({ decode }: t.Mixed): boolean {
  return decode.name.startsWith('bound ')
}
