import type { Converter } from './converter.js'

/**
 * One parameter of a rule; `type` is its converter as written, without blanks: `int(min=5)`, or
 * `string`.
 */
export interface RuleParameter {
  readonly name: string
  readonly type: string
  readonly converter: Converter
}

/**
 * A segment of literals and parameters: `:sid<string>.json`. A literal separates two parameters.
 */
export interface MixedSegment {
  readonly parts: readonly (string | RuleParameter)[]
  /** The same for segments that differ only in the names of their parameters. */
  readonly shape: string
  /** The length of its literals: the segment with longer ones is tried first. */
  readonly textLength: number
}

export function mixedSegment(parts: MixedSegment['parts']): MixedSegment {
  const texts = parts.filter(part => typeof part === 'string')
  return {
    parts,
    shape: JSON.stringify(parts.map(part => (typeof part === 'string' ? part : [part.type]))),
    textLength: texts.join('').length,
  }
}

/** The strings that the parameters of a mixed segment match, and the converted values. */
interface Taken {
  readonly texts: readonly string[]
  readonly values: readonly unknown[]
}

/**
 * Cuts a percent-encoded segment, before it is decoded (RFC 3986, section 2.4). Each literal is
 * found at its first occurrence, one at the end of the segment at its end; if a converter refuses,
 * each literal is found at its last occurrence. No parameter is empty.
 */
export function takeMixed(raw: string, { parts }: MixedSegment): Taken | undefined {
  const spelled = raw.includes('%') ? raw.replace(/%../g, digits => digits.toUpperCase()) : raw
  const texts = parts.map(part => (typeof part === 'string' ? encodeURI(part) : undefined))
  return (
    converted(cutFromLeft(spelled, texts), parts) ?? converted(cutFromRight(spelled, texts), parts)
  )
}

function converted(
  raws: readonly string[] | undefined,
  parts: MixedSegment['parts'],
): Taken | undefined {
  if (!raws) return undefined
  const texts = raws.map(raw => (raw.includes('%') ? decodeURIComponent(raw) : raw))
  const parameters = parts.filter(part => typeof part !== 'string')
  const values: unknown[] = []
  for (const [index, { converter }] of parameters.entries()) {
    const value = converter.parse(texts[index] ?? '')
    if (value === undefined) return undefined
    values.push(value)
  }
  return { texts, values }
}

type Texts = readonly (string | undefined)[]

function cutFromLeft(raw: string, texts: Texts): readonly string[] | undefined {
  const bounds = boundsOf(raw, texts)
  if (!bounds) return undefined
  let [start, end] = bounds
  const found: string[] = []
  for (const text of separatorsOf(texts)) {
    let at = raw.indexOf(text, start + 1)
    while (isInsideEscape(raw, at)) at = raw.indexOf(text, at + 1)
    if (at === -1 || at + text.length >= end) return undefined
    found.push(raw.slice(start, at))
    start = at + text.length
  }
  return start < end ? [...found, raw.slice(start, end)] : undefined
}

function cutFromRight(raw: string, texts: Texts): readonly string[] | undefined {
  const bounds = boundsOf(raw, texts)
  if (!bounds) return undefined
  let [start, end] = bounds
  const found: string[] = []
  for (const text of separatorsOf(texts).reverse()) {
    const last = end - text.length - 1
    let at = last < 0 ? -1 : raw.lastIndexOf(text, last)
    while (isInsideEscape(raw, at)) at = raw.lastIndexOf(text, at - 1)
    if (at <= start) return undefined
    found.unshift(raw.slice(at + text.length, end))
    end = at
  }
  return [raw.slice(start, end), ...found]
}

/** The start and end of the parameters, if the segment has the literals around them. */
function boundsOf(raw: string, texts: Texts): [start: number, end: number] | undefined {
  const [first = '', last = ''] = [texts[0], texts.at(-1)]
  const [start, end] = [first.length, raw.length - last.length]
  const isAround = raw.startsWith(first) && raw.endsWith(last) && !isInsideEscape(raw, end)
  return isAround && start < end ? [start, end] : undefined
}

function separatorsOf(texts: Texts): string[] {
  return texts.slice(1, -1).filter(text => text !== undefined)
}

/** Whether a place is behind the percent sign of an encoded character. */
function isInsideEscape(raw: string, at: number): boolean {
  return at > 0 && (raw[at - 1] === '%' || (at > 1 && raw[at - 2] === '%'))
}
