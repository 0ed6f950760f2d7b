// Two clients that change the same pets: in Node, and bundled for a browser.
import { conditional, idempotency, ifMatch, type Managed, StaleError } from 'koa-smorest/client'
import createClient, { type ClientOptions } from 'openapi-fetch'
import type { ShopPaths } from './shop.js'

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
  { changes, pets, seed }: { changes: number; pets: number; seed: number },
): Promise<Tally> {
  const tally: Tally = { acknowledged: 0, stale: 0, falselyStale: 0, weakTags: 0, fromMemory: 0 }
  const random = randomFrom(seed)
  let left = changes
  const turn = async (name: string) => {
    const { change, changeTwice, changeForm } = person(name, options, tally)
    while (left-- > 0) {
      // some pets are changed more often than others, so that the two meet
      const id = 1 + Math.floor(random() ** 2 * pets)
      const way = random()
      if (way < 0.5) await change(id)
      else if (way < 0.75 && left-- > 0) await changeTwice(id)
      else await changeForm(id)
    }
  }
  await Promise.all([turn('ann'), turn('bob')])
  return tally
}

/** What one of them does: each adds one to the count of a pet that was read, and what is refused is done again with what is there now. */
function person(name: string, options: ClientOptions, tally: Tally) {
  const client = createClient<Managed<ShopPaths>>(options)
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
    return { pet: data, response }
  }
  const write = async (id: number, count: number, headers = {}): Promise<number> => {
    try {
      const { data, response } = await client.PUT('/pets/{id}', { params: { path: { id } }, body: { name, count: count + 1 }, headers })
      if (!data) throw new Error(`PUT is ${response.status}`)
      tally.acknowledged++
      return data.count
    } catch (error) {
      if (!(error instanceof StaleError)) throw error
      tally.stale++
      const { current, currentResponse } = error as { current: { count: number }; currentResponse: Response }
      // each change adds one: a pet of the same count is the same
      if (current.count === count && tally.falselyStale++ > 20) throw error
      return await write(id, current.count, ifMatch(currentResponse))
    }
  }

  return {
    async change(id: number) {
      await write(id, (await read(id)).pet.count)
    },
    /** The second one with the entity tag of the first one's response. */
    async changeTwice(id: number) {
      await write(id, await write(id, (await read(id)).pet.count))
    },
    /** While the form is filled in, the pet is read again behind its back. */
    async changeForm(id: number) {
      const { pet, response } = await read(id)
      await read(id)
      await write(id, pet.count, ifMatch(response))
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
