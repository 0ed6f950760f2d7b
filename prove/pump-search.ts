import { randomNumbers } from './random.js'

// A search for the text that costs a parser most: something before, a pump that is repeated until
// there is no more room, something after. Texts are made of what means something to the parser;
// those that cost most are kept and changed further.

/** Where a text goes into a request, and what it may be made of. */
export interface Target {
  readonly name: string
  /**
   * What the texts are made of. A `#` becomes the number of the repetition, so that names differ.
   */
  readonly tokens: readonly string[]
  /** How long the text may be. */
  readonly room: number
  /** What stands between two repetitions. */
  readonly separator?: string
  /** The request with the text in it; each character is a byte. */
  request(text: string): Buffer
}

/** A text, as what it is made of. */
export interface Pump {
  readonly before: readonly string[]
  readonly pump: readonly string[]
  readonly after: readonly string[]
}

/** The costliest text that was found for a target, and what it costs. */
export interface Found {
  readonly target: Target
  readonly pump: Pump
  readonly cost: number
}

const KEPT = 6
const LONGEST = 6

/** Writes a pump as long as there is room. */
export function write({ before, pump, after }: Pump, { room, separator = '' }: Target): string {
  const [start, unit, end] = [before.join(''), pump.join('') + separator, after.join('')]
  const texts: string[] = []
  let left = room - start.length - end.length
  for (let index = 0; unit !== separator && left > 0; index++) {
    const text = unit.replaceAll('#', index.toString(36))
    left -= text.length
    if (left >= 0) texts.push(text)
  }
  const pumped = texts.join('')
  return start + (separator === '' ? pumped : pumped.slice(0, -separator.length)) + end
}

/**
 * Looks for the costliest text for a target, in so many tries. The same seed tries the same texts
 * for as long as costs agree.
 */
export async function search(
  target: Target,
  tries: number,
  seed: number,
  costOf: (request: Buffer) => Promise<number>,
): Promise<Found> {
  const random = randomNumbers(seed)
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item
  const some = (most: number) =>
    Array.from({ length: Math.floor(random() * (most + 1)) }, () => pick(target.tokens))
  const change = (texts: readonly string[]) => {
    const changed = [...texts]
    const [at, removed] = [Math.floor(random() * (changed.length + 1)), Math.floor(random() * 2)]
    changed.splice(at, removed, ...some(2))
    return changed.slice(0, LONGEST)
  }
  let best: Found[] = []
  for (let attempt = 0; attempt < tries; attempt++) {
    const parent = best.length > 0 && random() < 0.6 ? pick(best).pump : undefined
    const pump = parent
      ? {
          before: random() < 0.5 ? change(parent.before) : parent.before,
          pump: random() < 0.7 ? change(parent.pump) : parent.pump,
          after: random() < 0.5 ? change(parent.after) : parent.after,
        }
      : { before: some(2), pump: [...some(3), pick(target.tokens)], after: some(2) }
    const cost = await costOf(target.request(write(pump, target)))
    best = [...best, { target, pump, cost }]
      .sort((left, right) => right.cost - left.cost)
      .slice(0, KEPT)
  }
  return best[0] as Found
}
