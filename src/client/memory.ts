/** A bounded map. */
export interface Memory<Value> {
  get(key: string): Value | undefined
  /** `bytes` is the size of the value. Default: 0. */
  set(key: string, value: Value, bytes?: number): void
  delete(key: string): void
}

/** Creates a map bounded in entries and bytes; the least recently used entry is dropped first. */
export function memory<Value>(maxEntries: number, maxBytes = 0): Memory<Value> {
  // a Map keeps the order of insertion: what is used is inserted again
  const entries = new Map<string, readonly [value: Value, bytes: number]>()
  let total = 0
  const remove = (key: string) => {
    total -= entries.get(key)?.[1] ?? 0
    entries.delete(key)
  }
  const memory: Memory<Value> = {
    get(key) {
      const entry = entries.get(key)
      if (entry) memory.set(key, ...entry)
      return entry?.[0]
    },
    set(key, value, bytes = 0) {
      remove(key)
      entries.set(key, [value, bytes])
      total += bytes
      for (const oldest of entries.keys())
        if (!(entries.size <= maxEntries && total <= maxBytes)) remove(oldest)
    },
    delete: remove,
  }
  return memory
}
