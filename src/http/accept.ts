// Reads the Accept field of a request (RFC 9110, section 12.5.1).
import { essenceOf } from './media-type.js'

/**
 * Returns which of these media types a client prefers: that of the highest quality, of equal ones
 * that of the more specific range, then the first. Parameters other than `q` do not count.
 * Undefined if none is acceptable; the first without the field, or if it is empty.
 */
export function preferred(
  accept: string | undefined,
  mediaTypes: readonly string[],
): string | undefined {
  if (accept === undefined || accept.trim() === '') return mediaTypes[0]
  const qualities = qualitiesOf(accept)
  let best = { mediaType: undefined as string | undefined, quality: 0, rank: 0 }
  for (const mediaType of mediaTypes) {
    const essence = essenceOf(mediaType)
    const ranges = [essence, `${essence.split('/')[0]}/*`, '*/*', '*']
    const rank = ranges.findIndex(range => qualities.has(range))
    if (rank === -1) continue
    const quality = qualities.get(ranges[rank] as string) as number
    if (quality > best.quality || (quality === best.quality && quality > 0 && rank < best.rank))
      best = { mediaType, quality, rank }
  }
  return best.mediaType
}

/**
 * An element of a list. A quote without an end takes the rest, so that no character is looked at
 * again from each quote before it.
 */
const ELEMENT = /(?:[^,"]|"(?:[^"\\]|\\[\s\S])*(?:"|\\?$))+/g

/** The range of an element, and each of its parameters. */
const PART = /(?:[^;"]|"(?:[^"\\]|\\[\s\S])*(?:"|\\?$))+/g

/** The quality of each media range of an Accept field, in lower case and without parameters. */
function qualitiesOf(accept: string): ReadonlyMap<string, number> {
  const qualities = new Map<string, number>()
  for (const element of accept.match(ELEMENT) ?? []) {
    const parts = element.match(PART) ?? []
    const [range = '', ...parameters] = parts.map(part => part.trim().toLowerCase())
    const weight = parameters.find(parameter => /^q\s*=/.test(parameter))?.replace(/^q\s*=\s*/, '')
    const quality =
      weight === undefined
        ? 1
        : /^(?:0?\.\d{1,3}|0\.?|1(?:\.0{0,3})?)$/.test(weight)
          ? Number(weight)
          : 0
    qualities.set(range, Math.max(quality, qualities.get(range) ?? 0))
  }
  return qualities
}
