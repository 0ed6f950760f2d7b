import * as t from 'io-ts'

/**
 * Returns whether a codec behaves as its `_tag` implies. A copy with another `validate` keeps the
 * tag (`withFallback` of io-ts-types makes such copies), so this compares the method itself:
 * whether io-ts bound it, and whether its source is that of io-ts's own combinator.
 */
export function isGenuine(codec: Tagged): boolean {
  if (!isBound(codec.decode)) return false
  if (codec._tag === 'ReadonlyType')
    return codec.validate === (codec as unknown as t.ReadonlyC<t.Mixed>).type.validate
  const samples = SAMPLES.get(codec._tag) ?? []
  // another copy of io-ts may have other source code, so nothing is known of its methods
  const ours = samples.some(({ prototype }) =>
    Object.prototype.isPrototypeOf.call(prototype, codec),
  )
  return !ours || samples.some(({ text }) => text === String(codec.validate))
}

/** Whether a method is bound to an object, as the constructor of io-ts does with `decode`. */
export function isBound(method: { readonly name: string }): boolean {
  return method.name.startsWith('bound ')
}

type Tagged = t.Any & { readonly _tag: string }

const EXAMPLES: readonly Tagged[] = [
  t.null,
  t.undefined,
  t.void,
  t.unknown,
  t.any,
  t.string,
  t.number,
  t.boolean,
  t.UnknownArray,
  t.UnknownRecord,
  t.literal(''),
  t.keyof({ a: null }),
  t.array(t.string),
  t.readonlyArray(t.string),
  t.tuple([t.string]),
  t.type({}),
  t.partial({}),
  t.exact(t.type({})),
  t.record(t.string, t.string),
  // a record whose keys are known is made in another way, and so is a union with a tag
  t.record(t.literal('a'), t.string),
  t.union([t.string, t.number]),
  t.union([t.type({ a: t.literal(1) }), t.type({ a: t.literal(2) })]),
  t.intersection([t.string, t.string]),
  t.brand(t.string, (text): text is t.Branded<string, never> => text !== '', 'sample' as never),
  t.recursion('sample', () => t.string),
]

/** The class of each example, and the source of its method. */
const SAMPLES = byTag(EXAMPLES)

function byTag(
  codecs: readonly Tagged[],
): ReadonlyMap<string, readonly { readonly prototype: object; readonly text: string }[]> {
  const all = codecs.map(codec => ({
    tag: codec._tag,
    prototype: Object.getPrototypeOf(codec) as object,
    text: String(codec.validate),
  }))
  return new Map(all.map(({ tag }) => [tag, all.filter(sample => sample.tag === tag)]))
}
