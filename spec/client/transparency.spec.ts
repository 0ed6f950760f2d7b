import * as fc from 'fast-check'
import { conditional, ifMatch, StaleError } from 'koa-smorest/client'
import type { Middleware } from 'openapi-fetch'
import { expect, it } from 'vitest'
import { cases, PATIENCE, seed } from '../properties/seed.js'
import { jsonResponse, notModified, type Script, scripted } from './scripted.js'

/** What is done, by whom; `behind` is a change that the client does not see. */
interface Step {
  readonly method: 'get' | 'put' | 'patch' | 'delete' | 'behind'
  readonly id: number
  readonly user: string
  readonly parseAs: 'json' | 'text' | 'stream'
}

const step: fc.Arbitrary<Step> = fc.record({
  method: fc.constantFrom('get', 'get', 'get', 'put', 'patch', 'delete', 'behind'),
  id: fc.integer({ min: 1, max: 2 }),
  user: fc.constantFrom('ann', 'bob'),
  parseAs: fc.constantFrom('json', 'json', 'text', 'stream'),
})

/** How a server is, and what stands before it. */
interface Server {
  readonly weakens: boolean
  readonly isTagged: boolean
  /** Whether the tag says for whom a representation is. */
  readonly isPersonalTag: boolean
  readonly cacheControl: string
  readonly vary: string
  readonly size: number
}

const server: fc.Arbitrary<Server> = fc.record({
  weakens: fc.boolean(),
  isTagged: fc.constantFrom(true, true, true, false),
  isPersonalTag: fc.boolean(),
  cacheControl: fc.constantFrom('no-cache', 'private', 'no-store'),
  vary: fc.constantFrom('Authorization', '*', ''),
  size: fc.integer({ min: 0, max: 200 }),
})

/**
 * Versions of two things; writes are as unconditional as they are sent (RFC 9110, section 13.2.2).
 */
function serve(options: Server): { script: Script; behind: (id: number) => void } {
  const versions = new Map([
    [1, 1],
    [2, 2],
  ])
  let last = 2
  const script: Script = request => {
    const id = Number(request.url.split('/').at(-1))
    const user = request.headers.get('Authorization')
    const fields = () => {
      const tag = `"${versions.get(id)}${options.isPersonalTag ? user : ''}"`
      return {
        ...(options.isTagged && { ETag: options.weakens ? `W/${tag}` : tag, 'X-Version': tag }),
      }
    }
    const headers = () => ({
      ...fields(),
      'Cache-Control': options.cacheControl,
      ...(options.vary && { Vary: options.vary }),
    })
    const body = () => ({ id, user, version: versions.get(id), text: 'x'.repeat(options.size) })
    if (!versions.has(id) && request.method !== 'PUT') return jsonResponse({ code: 404 }, {}, 404)
    const condition = request.headers.get('If-Match')
    if (condition !== null && (!versions.has(id) || condition !== fields()['X-Version']))
      return jsonResponse({ code: 412 }, {}, 412)
    if (request.method === 'GET') {
      const isKnown =
        options.isTagged &&
        request.headers.get('If-None-Match')?.replace('W/', '') === fields()['X-Version']
      return isKnown ? notModified(headers()) : jsonResponse(body(), headers())
    }
    if (request.method === 'DELETE') versions.delete(id)
    else versions.set(id, ++last)
    return request.method === 'DELETE'
      ? new Response(null, { status: 204 })
      : jsonResponse(body(), headers())
  }
  const behind = (id: number) => void versions.set(id, ++last)
  return { script, behind }
}

/**
 * By hand what the middleware does about If-Match: the tag that was last seen for a URL and
 * credentials.
 */
class ByHand {
  readonly #tags = new Map<string, Response>()

  headersFor(method: Step['method'], key: string): Record<string, string> {
    const seen = this.#tags.get(key)
    return seen && method !== 'get' ? ifMatch(seen) : {}
  }

  learn(response: Response, key: string): void {
    if (response.ok && response.headers.has('ETag')) this.#tags.set(key, response)
    else if (response.ok || response.status === 404) this.#tags.delete(key)
  }
}

/** Statuses and bodies of a life, with the middleware or by hand. */
async function live(
  options: Server,
  steps: readonly Step[],
  isAuthAfter: boolean,
  middleware: Middleware | undefined,
): Promise<unknown[]> {
  const { script, behind } = serve(options)
  const session = { user: '' }
  const auth: Middleware = {
    onRequest: ({ request }) => request.headers.set('Authorization', session.user),
  }
  const { client } = scripted(
    script,
    ...(middleware && isAuthAfter ? [middleware] : []),
    auth,
    ...(middleware && !isAuthAfter ? [middleware] : []),
  )
  const byHand = new ByHand()
  const life: unknown[] = []
  for (const { method, id, user, parseAs } of steps) {
    if (method === 'behind') {
      behind(id)
      continue
    }
    session.user = user
    // what is added after the middleware, it does not know when it looks for a tag
    const key = `${id} ${isAuthAfter ? '' : user}`
    const headers = middleware ? {} : byHand.headersFor(method, key)
    const init = {
      params: { path: { id } },
      headers,
      parseAs,
      ...(method !== 'get' && { body: {} }),
    }
    try {
      const { data, error, response } = await client.request(method, '/pets/{id}', init)
      byHand.learn(response, key)
      const body =
        data instanceof ReadableStream
          ? await new Response(data).text()
          : typeof data === 'object'
            ? JSON.stringify(data)
            : data
      life.push([
        response.status,
        response.status === 412 ? undefined : body,
        response.status === 412 ? undefined : error,
      ])
    } catch (error) {
      if (!(error instanceof StaleError)) throw error
      life.push([412, undefined, undefined])
    }
  }
  return life
}

it(`a life with the middleware has the statuses and bodies of one without it (PROPERTY_SEED=${seed})`, {
  timeout: PATIENCE,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      server,
      fc.array(step, { minLength: 2, maxLength: 25 }),
      fc.boolean(),
      fc.constantFrom(0, 300, 3000, 100_000),
      async (options, steps, isAuthAfter, maxBytes) => {
        // four tags are all there are: what is forgotten for want of room is sent without a
        // condition
        const middleware = conditional({ maxEntries: 4, maxBytes })
        expect(await live(options, steps, isAuthAfter, middleware)).toEqual(
          await live(options, steps, isAuthAfter, undefined),
        )
      },
    ),
    { seed, numRuns: cases(300) },
  )
})
