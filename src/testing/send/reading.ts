// Reads a response that may never end: whole if it is finite, and only its beginning if it is a
// stream.

/** How long a contract test waits, in milliseconds. */
export interface Limits {
  /** Until the head of a response, and until the end of one whose length is known. */
  readonly response: number
  /** For a stream; from the fourth long read of an operation on, `laterStream`. */
  readonly stream: number
  readonly laterStream: number
}

export const LIMITS: Limits = { response: 10_000, stream: 2000, laterStream: 50 }

/** How many long reads of an operation get the whole time. */
export const PATIENT = 3

/** How many items of a stream are read, and how many bytes of what has no items. */
const ITEMS = 100
const MOST_BYTES = 4 << 20

/** How the items of a stream end, by media type. */
const ENDS: Readonly<Record<string, RegExp>> = {
  'text/event-stream': /(?:\r\n|\r|\n){2}/g,
  'application/jsonl': /\n/g,
  'application/x-ndjson': /\n/g,
  'application/json-seq': /\n/g,
}

interface Read {
  readonly bytes: Uint8Array
  /** Whether there may be more. */
  readonly isCut: boolean
  /** How many of the long reads of its operation this one counts for. */
  readonly slowness: number
}

/** The promise's value; undefined if it takes longer. */
export async function within<Value>(
  ms: number,
  promise: Promise<Value>,
): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<undefined>(resolve => {
    timer = setTimeout(resolve, ms, undefined)
  })
  // a result that comes too late is ignored
  promise.catch(() => undefined)
  return Promise.race([promise, over]).finally(() => clearTimeout(timer))
}

/** Reads the body; `slow` is how often that has taken long. Rejects if the body breaks off. */
export async function readBody(response: Response, limits: Limits, slow: number): Promise<Read> {
  const { body, headers } = response
  if (!body) return { bytes: new Uint8Array(), isCut: false, slowness: 0 }
  const type = mediaTypeOf(headers)
  const isBounded = headers.has('Content-Length')
  const patience = isBounded ? limits.response : slow < PATIENT ? limits.stream : limits.laterStream
  const began = performance.now()
  const reader = body.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  let items = 0
  let isCut = false
  for (;;) {
    const left = patience - (performance.now() - began)
    const next = left > 0 ? await within(left, reader.read()) : undefined
    if (next?.done) break
    if (next) {
      chunks.push(next.value)
      size += next.value.length
      items +=
        Buffer.from(next.value)
          .toString('latin1')
          .match(ENDS[type] ?? /$^/)?.length ?? 0
    }
    isCut = !next || (!isBounded && (items >= ITEMS || size >= MOST_BYTES))
    if (!isCut) continue
    // a reader that goes away is a client that goes away
    reader.cancel().catch(() => undefined)
    if (isBounded) throw new Error(`its end has not come in ${limits.response / 1000} seconds`)
    break
  }
  const isJson = /[/+]json$/.test(type)
  const isSlow = isCut || (!isJson && performance.now() - began > limits.laterStream)
  // a stream that has shown nothing will hardly do so the next time
  const slowness = isCut && items === 0 ? PATIENT : Number(isSlow)
  return { bytes: Buffer.concat(chunks), isCut, slowness }
}

export function mediaTypeOf(headers: Headers): string {
  return (headers.get('Content-Type') ?? '').toLowerCase().split(';')[0]?.trim() ?? ''
}
