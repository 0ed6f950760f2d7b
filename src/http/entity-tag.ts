import { hash } from 'node:crypto'

/** An entity tag (RFC 9110, section 8.8.3). */
export interface EntityTag {
  readonly weak: boolean
  /** The tag without its quotes. */
  readonly opaque: string
}

const ONE = /(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/y

/** Parses one complete entity tag, `"a"` or `W/"a"`; returns `undefined` for anything else. */
export function parseEntityTag(text: string): EntityTag | undefined {
  const tag = tagAt(text, 0)
  return tag && ONE.lastIndex === text.length ? tag : undefined
}

function tagAt(text: string, index: number): EntityTag | undefined {
  ONE.lastIndex = index
  const match = ONE.exec(text)
  return match ? { weak: match[1] !== undefined, opaque: match[2] as string } : undefined
}

/**
 * Reads the value of If-Match or If-None-Match (RFC 9110, section 13.1): `*` alone, or a list of
 * entity tags, in which empty elements do not count (section 5.6.1). A malformed one is
 * `undefined`, all of it. Takes linear time.
 */
export function parseEntityTags(field: string): '*' | readonly EntityTag[] | undefined {
  if (/^[ \t]*\*[ \t]*$/.test(field)) return '*'
  const tags: EntityTag[] = []
  let afterTag = false
  for (let index = 0; index < field.length; ) {
    const character = field[index]
    if (character === ' ' || character === '\t' || character === ',') {
      if (character === ',') afterTag = false
      index++
      continue
    }
    const tag = afterTag ? undefined : tagAt(field, index)
    if (tag === undefined) return undefined
    tags.push(tag)
    afterTag = true
    index = ONE.lastIndex
  }
  return tags
}

/** Strong comparison (RFC 9110, section 8.8.3.2): equal, and both strong. */
export function matchesStrongly(tag: EntityTag, other: EntityTag): boolean {
  return !tag.weak && !other.weak && tag.opaque === other.opaque
}

/** Weak comparison (RFC 9110, section 8.8.3.2): equal, whether weak or strong. */
export function matchesWeakly(tag: EntityTag, other: EntityTag): boolean {
  return tag.opaque === other.opaque
}

/**
 * Returns the strong entity tag of a string: 132 bits of its SHA-256 as 22 base64url characters in
 * quotes. Equal strings have equal tags, in every process.
 */
export function entityTagOf(text: string): string {
  // UTF-8 has no lone surrogates: each would be hashed as U+FFFD
  return entityTagOfBytes(text.isWellFormed() ? text : JSON.stringify(text))
}

/** The entity tag of a string without lone surrogates, from its bytes in UTF-8. */
export function entityTagOfBytes(bytes: Buffer | string): string {
  return `"${hash('sha256', bytes, 'base64url').slice(0, 22)}"`
}

/** Returns the tag of another representation of what is tagged: `"3;csv"` for `"3"` and `csv`. */
export function withSuffix(tag: string, suffix: string): string {
  return `${tag.slice(0, -1)};${suffix}"`
}

/**
 * Drops these suffixes from the tags of an If-Match field: a change is based on what was
 * represented, however that was. A malformed list stays one.
 */
export function withoutSuffixes(field: string, suffixes: readonly string[]): string {
  const tags = parseEntityTags(field)
  if (tags === undefined || tags === '*') return field
  return tags
    .map(({ weak, opaque }) => {
      const suffix = suffixes.find(suffix => opaque.endsWith(`;${suffix}`))
      const bare = suffix === undefined ? opaque : opaque.slice(0, -suffix.length - 1)
      return `${weak ? 'W/' : ''}"${bare}"`
    })
    .join(', ')
}
