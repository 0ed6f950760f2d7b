/** A property for types, never for a value. */
declare const item: unique symbol

/** Says which items the string of a stream has in it. */
export interface StreamItem<Item> {
  readonly [item]?: Item
}

/**
 * The content of a stream as a client sees it: a string, of which the client's `events` and `lines`
 * know the items.
 */
export type StreamOf<Item> = string & StreamItem<Item>
