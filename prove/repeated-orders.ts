import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { STAFF } from './credentials.js'
import { randomNumbers } from './random.js'

/** What clients have seen who send each order several times. */
export interface Seen {
  /** The bodies of the responses with 201 to each order, all of them. */
  readonly bodies: ReadonlyMap<number, readonly string[]>
  /** How often each status was the response, and `cut` for none. */
  readonly statuses: Readonly<Record<string, number>>
  /** Responses that were not the first ones to their orders. */
  readonly replayed: number
}

const CLIENTS = 24
const TIMES = 3
/** A client gives up an order after so many attempts; none should. */
const ATTEMPTS = 300

/**
 * Sends each of `count` orders three times, in a random order, each time to any of the servers,
 * until it has a response with 201. Where the connection breaks, the service is unavailable, or the
 * order is still running elsewhere, it is sent again under the same key.
 */
export async function sendRepeatedly(
  urlsOf: () => readonly string[],
  count: number,
  bodyOf: (number: number) => object,
  seed: number,
): Promise<Seen> {
  const random = randomNumbers(seed)
  const keys = Array.from({ length: count }, () => randomUUID())
  const waiting = Array.from({ length: count * TIMES }, (_, index) => ({
    number: index % count,
    at: random(),
  }))
    .sort((left, right) => left.at - right.at)
    .map(({ number }) => number)
  const bodies = new Map<number, string[]>(keys.map((_, number) => [number, []]))
  const statuses: Record<string, number> = {}
  let replayed = 0

  const sendUntilPlaced = async (number: number): Promise<void> => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const urls = urlsOf()
      const url = urls[Math.floor(random() * urls.length)] as string
      const headers = {
        'Content-Type': 'application/json',
        'Idempotency-Key': `"${keys[number]}"`,
        ...STAFF,
      }
      const init = {
        method: 'POST',
        headers,
        body: JSON.stringify(bodyOf(number)),
        signal: AbortSignal.timeout(10_000),
      }
      const response = await fetch(url, init).catch(() => undefined)
      const text = await response?.text().catch(() => undefined)
      const status = response && text !== undefined ? String(response.status) : 'cut'
      statuses[status] = (statuses[status] ?? 0) + 1
      if (response?.headers.get('Idempotency-Replayed') === 'true') replayed++
      if (status === '201') return void bodies.get(number)?.push(text ?? '')
      await sleep(50 + random() * 100)
    }
  }
  const client = async () => {
    for (let number = waiting.pop(); number !== undefined; number = waiting.pop())
      await sendUntilPlaced(number)
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  return { bodies, statuses, replayed }
}

/** Orders whose client did not get the same response each of the three times. */
export function contradicted({ bodies }: Seen): number {
  return [...bodies.values()].filter(all => all.length !== TIMES || new Set(all).size !== 1).length
}
