import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { serveBlueprints } from '../support/client.js'
import { cases, PATIENCE, seed } from './seed.js'
import { type Thing, things } from './things.js'

const kept = new Map<number, Thing>()
const { request } = await serveBlueprints(things(kept), { DEBUG: false, TESTING: false })

const METHODS = ['GET', 'PUT', 'PATCH', 'DELETE'] as const
/**
 * The tags that a client may name: the one that it got last, an old one, the last in another form,
 * any, none.
 */
const TAGS = ['last', 'old', 'weak', 'bare', 'list', 'star', 'other', 'empty'] as const
type Tag = (typeof TAGS)[number]

interface Step {
  readonly method: (typeof METHODS)[number]
  readonly ifMatch: Tag | undefined
  readonly ifNoneMatch: Tag | undefined
  readonly name: string
}

const step: fc.Arbitrary<Step> = fc.record({
  method: fc.constantFrom(...METHODS),
  ifMatch: fc.option(fc.constantFrom(...TAGS), { nil: undefined, freq: 3 }),
  ifNoneMatch: fc.option(fc.constantFrom(...TAGS), { nil: undefined, freq: 1 }),
  name: fc.constantFrom('a', 'b'),
})

/** The model: a thing that may be there, and what RFC 9110, section 13.2.2 says of a request. */
class Model {
  thing: { name: string; version: number } | undefined = { name: 'one', version: 1 }

  expect(
    { method, ifMatch, ifNoneMatch, name }: Step,
    matches: (tag: Tag, strong: boolean) => boolean,
  ): number {
    const writes = method !== 'GET'
    const creates = method === 'PUT'
    if (
      writes &&
      (ifMatch === undefined || ifMatch === 'empty') &&
      !(creates && ifNoneMatch === 'star')
    )
      return 428
    if (!this.thing && !creates) return 404
    if (ifMatch !== undefined && !matches(ifMatch, true)) return 412
    if (
      ifNoneMatch !== undefined &&
      (matches(ifNoneMatch, false) || (writes && ifNoneMatch === 'bare'))
    )
      return writes ? 412 : 304
    if (method === 'DELETE') this.thing = undefined
    else if (method === 'PUT') this.thing = { name, version: (this.thing?.version ?? 0) + 1 }
    else if (method === 'PATCH' && this.thing)
      this.thing = { name, version: this.thing.version + 1 }
    return method === 'DELETE' ? 204 : 200
  }
}

/** What a client knows of tags, by the answers that it got. */
class Memory {
  readonly tags = ['"1"']

  textOf(tag: Tag): string {
    const [last, old] = [this.tags.at(-1) ?? '', this.tags.at(-2) ?? '"0"']
    const texts: Record<Tag, string> = {
      last,
      old,
      weak: `W/${last}`,
      bare: last.slice(1, -1),
      list: `"x", ${last}`,
      star: '*',
      other: '"x"',
      empty: '',
    }
    return texts[tag]
  }

  /** Whether a named tag is that of the thing as it is. */
  matches(tag: Tag, strong: boolean, version: number | undefined): boolean {
    if (version === undefined || tag === 'bare' || tag === 'empty' || tag === 'other') return false
    if (tag === 'star') return true
    const named = tag === 'old' ? this.textOf('old') : this.textOf('last')
    return named === `"${version}"` && !(strong && tag === 'weak')
  }
}

async function play(steps: readonly Step[]): Promise<void> {
  kept.clear()
  kept.set(1, { id: 1, name: 'one', version: 1 })
  const [model, memory] = [new Model(), new Memory()]
  for (const { method, ifMatch, ifNoneMatch, name } of steps) {
    const headers = {
      ...(ifMatch && { 'If-Match': memory.textOf(ifMatch) }),
      ...(ifNoneMatch && { 'If-None-Match': memory.textOf(ifNoneMatch) }),
    }
    const sent = method === 'PUT' || method === 'PATCH' ? { headers, json: { name } } : { headers }
    const version = model.thing?.version
    const expected = model.expect({ method, ifMatch, ifNoneMatch, name }, (tag, strong) =>
      memory.matches(tag, strong, version),
    )
    const answer = await request(method, '/things/1', sent)
    expect([answer.status, kept.get(1)]).toEqual([
      expected,
      model.thing && { id: 1, ...model.thing },
    ])
    const tag = answer.headers.get('ETag')
    if (tag !== null && tag !== memory.tags.at(-1)) memory.tags.push(tag)
  }
}

describe(`P9: a history of conditional requests (seed ${seed})`, () => {
  it(
    'goes as RFC 9110 says, request by request',
    async () => {
      const histories = fc.array(step, { minLength: 5, maxLength: 30 })
      await fc.assert(fc.asyncProperty(histories, play), { seed, numRuns: cases(40) })
    },
    PATIENCE,
  )
})
