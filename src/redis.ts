// koa-smorest/redis: outcomes of idempotent requests in Redis.

import { randomUUID } from 'node:crypto'
import type { Outcome, Run, Store } from './features/idempotent/store.js'
import { shown } from './names.js'
import { milliseconds, PERIOD, type Period, requireOptions, string } from './options.js'

/** The part of a `Redis` or `Cluster` of `ioredis` that the store uses. */
export interface RedisClient {
  eval(script: string, numberOfKeys: number, ...args: (string | number)[]): Promise<unknown>
}

/** Options of `redisStore`. */
export interface RedisStoreOptions {
  /** The prefix of all keys in Redis. Default `idempotent:`. */
  readonly prefix?: string
  /**
   * How long a key stays taken after the process that holds it has died; it is renewed while the
   * method runs. Default 30 seconds, at least one.
   */
  readonly lease?: Period
}

/**
 * A store of `idempotent` in Redis, for any number of processes. A request holds its key by a
 * lease, which is renewed while the method runs. If its process dies, the lease runs out, and the
 * next request with the key runs: what the first has written elsewhere until then stays, since
 * Redis has no part in it. If that must not happen, use a store with transactions,
 * `koa-smorest/postgres`. A request that has lost its lease keeps no outcome, and is a 409.
 *
 * Each call of Redis has two seconds; without an answer the request is a 503. Set
 * `maxmemory-policy noeviction`: a key that Redis evicts is forgotten. Throws a TypeError for a
 * lease of less than a second.
 *
 * `idempotent({ store: redisStore(new Redis(url)) })`
 */
export function redisStore(client: RedisClient, options: RedisStoreOptions = {}): Store {
  if (Object(client) !== client)
    throw new TypeError(
      `redisStore(): its first argument must be a client of ioredis, not ${shown(client)}`,
    )
  requireOptions('redisStore()', options, {
    prefix: string,
    lease: {
      text: `${PERIOD.text}, of at least a second`,
      fits: lease => PERIOD.fits(lease) && (milliseconds(lease as Period) ?? 0) >= 1000,
    },
  })
  const { prefix = 'idempotent:', lease = '30s' } = options
  return new OutcomesInRedis(client, prefix, milliseconds(lease) as number)
}

/** How long Redis has to answer a call, in milliseconds. */
const PATIENCE = 2_000

// The value of a key is `running TOKEN`, or the outcome as JSON. Each script compares and writes at
// once, so a request that has lost its lease changes nothing.

/** Takes the key if it is free; otherwise returns its value. */
const BEGIN = `
local value = redis.call('GET', KEYS[1])
if value then return value end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return false`
const ifOurs = (command: string) => `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
${command}
return 1`
const RENEW = ifOurs("redis.call('PEXPIRE', KEYS[1], ARGV[2])")
const FINISH = ifOurs("redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])")
const RELEASE = ifOurs("redis.call('DEL', KEYS[1])")

/** A run whose lease is renewed. */
interface LeasedRun extends Run<undefined> {
  readonly fingerprint: string
  readonly keepMs: number
  readonly renewal: NodeJS.Timeout
}

/** A finished request as Redis keeps it. */
interface Kept extends Omit<Outcome, 'body'> {
  readonly fingerprint: string
  readonly text?: string
  readonly base64?: string
}

class OutcomesInRedis implements Store {
  constructor(
    readonly client: RedisClient,
    readonly prefix: string,
    readonly leaseMs: number,
  ) {}

  async begin(key: string, fingerprint: string, keepMs: number): ReturnType<Store['begin']> {
    const token = `running ${randomUUID()}`
    const found = await this.#call(BEGIN, key, token, this.leaseMs).catch((error: Error) => {
      // the key may be taken later, with nobody to release it: clients keep the order of commands
      this.#call(RELEASE, key, token).catch(() => undefined)
      throw error
    })
    if (typeof found === 'string') {
      // most runs end long before their lease
      if (found.startsWith('running ')) return { state: 'running', retryAfter: 1 }
      const kept = JSON.parse(found) as Kept
      return { state: 'done', fingerprint: kept.fingerprint, outcome: outcomeOf(kept) }
    }
    // a renewal that fails is tried again; if none succeeds, finish() finds the key lost
    const renew = () => void this.#call(RENEW, key, token, this.leaseMs).catch(() => undefined)
    const renewal = setInterval(renew, this.leaseMs / 3).unref()
    const run: LeasedRun = { key, token, transaction: undefined, fingerprint, keepMs, renewal }
    return { state: 'fresh', run }
  }

  async finish(run: Run<undefined>, outcome: Outcome): Promise<boolean> {
    const { key, token, fingerprint, keepMs, renewal } = run as LeasedRun
    clearInterval(renewal)
    const kept = JSON.stringify(keptOf(fingerprint, outcome))
    return (await this.#call(FINISH, key, token, kept, Math.ceil(keepMs))) === 1
  }

  async release(run: Run<undefined>): Promise<void> {
    const { key, token, renewal } = run as LeasedRun
    clearInterval(renewal)
    await this.#call(RELEASE, key, token)
  }

  /** A client without a connection queues commands, and may do so for ever. */
  #call(script: string, key: string, ...args: (string | number)[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const late = () => reject(new Error(`Redis has not answered within ${PATIENCE} ms`))
      const timer = setTimeout(late, PATIENCE)
      this.client
        .eval(script, 1, this.prefix + key, ...args)
        .then(resolve, reject)
        .finally(() => clearTimeout(timer))
    })
  }
}

function keptOf(fingerprint: string, { body, ...outcome }: Outcome): Kept {
  if (body === null) return { fingerprint, ...outcome }
  return typeof body === 'string'
    ? { fingerprint, ...outcome, text: body }
    : { fingerprint, ...outcome, base64: Buffer.from(body).toString('base64') }
}

function outcomeOf({ fingerprint: _, text, base64, ...outcome }: Kept): Outcome {
  const bytes = base64 === undefined ? null : Buffer.from(base64, 'base64')
  return { ...outcome, body: text ?? bytes }
}
