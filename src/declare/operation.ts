import type { Feature } from '../feature-api/feature.js'
import { docstring } from '../features/doc/doc.js'

/** A list of features: the descriptor beside a method. */
export interface Operation<Features extends readonly Feature[] = readonly Feature[]> {
  readonly features: Features
}

type Described<Items extends readonly (Feature | string)[]> = {
  readonly [Index in keyof Items]: Items[Index] extends Feature
    ? Items[Index]
    : Feature<Record<never, never>>
}

/**
 * Checks an item that may not be a feature, in a program without types or because an import is not
 * ready yet.
 */
function checked(item: Feature | undefined, index: number): Feature {
  if (typeof item?.on === 'function') return item
  const { name } = typeof item === 'function' ? (item as { name: string }) : { name: '' }
  const what = name === '' ? String(item) : `the function ${name}: call it, ${name}(…)`
  throw new TypeError(`operation() takes features and texts; number ${index + 1} is ${what}`)
}

/**
 * Describes a method: `static get = operation('Find a pet', response(Pet))`. Features may have any
 * order, except for arguments: the method gets them in the order of the list. A string is the
 * docstring: its first lines are the summary, the rest after the first empty line is the
 * description (specification, section 4.8).
 */
export function operation<const Items extends readonly (Feature | string)[]>(
  ...items: Items
): Operation<Described<Items>> {
  const features = items.map((item, index) =>
    typeof item === 'string' ? docstring(item) : checked(item, index),
  )
  return { features: features as unknown as Described<Items> }
}
