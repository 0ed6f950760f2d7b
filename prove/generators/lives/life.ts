/** What each client is given: where the shop is, what lets it write, and a picture. */
export interface Shop {
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string>>
  readonly picture: Blob
}

/** What happens to a pet, as far as a client can tell. All clients report the same. */
export interface Life {
  added: number
  price: string
  tags: readonly string[]
  listed: boolean
  status: 'available' | 'reserved' | 'sold' | undefined
  /** What the response to a wrong price says, down to the message. */
  wrong: readonly string[]
  changed: string | undefined
  stale: number
  refusal: string | undefined
  pictured: number
  /** The bytes of the picture; undefined where the generator reads everything as text or JSON. */
  bytes: number | undefined
  removed: number
  gone: number
}

/**
 * Messages are a list, or messages by field: generators type that in as many ways as there are
 * generators.
 */
export function messagesOf(messages: unknown): readonly string[] {
  return Array.isArray(messages) ? messages : []
}
