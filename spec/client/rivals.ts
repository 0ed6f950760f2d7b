// Two clients that change the same pets: in Node, and bundled for a browser.
import { conditional, idempotency, ifMatch, type Managed, StaleError } from 'koa-smorest/client'
import createClient, { type ClientOptions } from 'openapi-fetch'
import type { AnyPaths } from './scripted.js'

/**
 * What they change: the shop of these specs, whose pets are counted, or the pet shop, whose pets
 * get dearer.
 */
const WAYS = {
  shop: {
    method: 'put',
    countOf: ({ count }: { count: number }) => count,
    body: (name: string, count: number) => ({ name, count }),
  },
  petShop: {
    method: 'patch',
    countOf: ({ price }: { price: string }) => Math.floor(Number(price)),
    body: (name: string, count: number) => ({ name, price: String(count) }),
  },
} as const

/** How many changes of how many pets. */
export interface Task {
  readonly way: keyof typeof WAYS
  readonly changes: number
  readonly pets: number
  readonly seed: number
}

/** What became of it. */
export interface Tally {
  /** Changes that the server has confirmed; each has added one to the count of a pet. */
  acknowledged: number
  /** Changes that were refused with a 412. */
  stale: number
  /** Those of them whose pet nobody had changed since it was read. */
  falselyStale: number
  /** Weak entity tags that were received. */
  weakTags: number
  /** Reads that were answered from memory. */
  fromMemory: number
}

/** Has two clients change pets, until there were so many changes. */
export async function rivals(
  options: ClientOptions,
  { way, changes, pets, seed }: Task,
): Promise<Tally> {
  const tally: Tally = { acknowledged: 0, stale: 0, falselyStale: 0, weakTags: 0, fromMemory: 0 }
  const random = randomFrom(seed)
  let left = changes
  const turn = async (name: string) => {
    const { change, changeTwice, changeForm } = person(name, options, WAYS[way], tally)
    while (left-- > 0) {
      // some pets are changed more often than others, so that the two meet
      const id = 1 + Math.floor(random() ** 2 * pets)
      const kind = random()
      if (kind < 0.5) await change(id)
      else if (kind < 0.75 && left-- > 0) await changeTwice(id)
      else await changeForm(id)
    }
  }
  await Promise.all([turn('ann'), turn('bob')])
  return tally
}

/**
 * What one of them does: each adds one to the count of a pet that was read, and what is refused is
 * done again with what is there now.
 */
function person(
  name: string,
  options: ClientOptions,
  { method, countOf, body }: (typeof WAYS)[keyof typeof WAYS],
  tally: Tally,
) {
  const client = createClient<Managed<AnyPaths>>(options)
  client.use(
    {
      onResponse({ response }) {
        if (response.headers.get('ETag')?.startsWith('W/')) tally.weakTags++
      },
    },
    conditional(),
    {
      onResponse({ response }) {
        if (response.status === 304) tally.fromMemory++
      },
    },
    idempotency(),
  )

  const read = async (id: number) => {
    const { data, response } = await client.GET('/pets/{id}', { params: { path: { id } } })
    if (!data) throw new Error(`GET is ${response.status}`)
    return { count: countOf(data as never), response }
  }
  const write = async (id: number, count: number, headers = {}): Promise<number> => {
    try {
      const init = { params: { path: { id } }, body: body(name, count + 1), headers }
      const { data, response } = await client.request(method, '/pets/{id}', init)
      if (!data) throw new Error(`${method} is ${response.status}`)
      tally.acknowledged++
      return countOf(data as never)
    } catch (error) {
      if (!(error instanceof StaleError)) throw error
      tally.stale++
      const current = countOf(error.current as never)
      // each change adds one: a pet of the same count is the same
      if (current === count && tally.falselyStale++ > 20) throw error
      return await write(id, current, ifMatch(error.currentResponse as Response))
    }
  }

  return {
    async change(id: number) {
      await write(id, (await read(id)).count)
    },
    /** The second one with the entity tag of the first one's response. */
    async changeTwice(id: number) {
      await write(id, await write(id, (await read(id)).count))
    },
    /** While the form is filled in, the pet is read again behind its back. */
    async changeForm(id: number) {
      const { count, response } = await read(id)
      await read(id)
      await write(id, count, ifMatch(response))
    },
  }
}

function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}
