// Applications that were written without a look at the laws, each with one fault that a law has to
// find; prove/e19-planted-faults.ts plants all of them, and judges all sound ones.
import { contract } from 'koa-smorest/testing'
import { describe, expect, it } from 'vitest'
import { applications } from '../../prove/planted/applications.js'

/** The application, its fault, the check that finds it, and the operations that this takes. */
const CHOSEN: readonly (readonly [string, string, string, RegExp])[] = [
  ['bookings', 'me is kept for all callers', 'law: others', /\/me$/],
  ['bookings', 'Location names another path', 'law: Location', / \/rooms(\/\{roomId\})?$/],
  ['bookings', 'PUT keeps the old note', 'law: PUT replaces', /^(GET|PUT) \/rooms/],
  ['blog', 'posts of others may be deleted', 'lesser credentials', / \/posts(\/\{slug\})?$/],
  ['warehouse', 'PUT of one article writes its neighbour', 'law: neighbours', /^(GET|PUT) \/art/],
  ['subscriptions', 'cancel cancels all of that customer', 'law: neighbours', /^GET|cancel$/],
  ['subscriptions', 'keys are shared by all shops', 'law: others', / \/subscriptions$/],
  ['drive', 'files of others are downloaded', 'law: others', /^GET \/f/],
  ['drive', 'contents end at 1000 bytes', 'law: bytes', / \/f(olders$|.*files|iles)/],
  ['drive', 'contents outlive their file', 'law: what is deleted is gone', / \/f/],
  ['drive', 'empty files crash', 'server error', /^(GET|POST) \/folders/],
]

function judge(application: string, kept: RegExp, fault?: string) {
  const { app, api, options } = (applications[application] as (typeof applications)[string]).create(
    fault,
  )
  const { paths } = api.spec.toJSON() as { paths: Record<string, object> }
  const names = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item)
      .filter(key => key !== 'parameters')
      .map(method => `${method.toUpperCase()} ${path}`),
  )
  return contract(app, api, { ...options, runs: 30, skip: names.filter(name => !kept.test(name)) })
}

describe('the laws, in applications of others', () => {
  it.each(CHOSEN)('find in %s that %s', { timeout: 120_000 }, async (name, fault, check, kept) => {
    const { failures } = await judge(name, kept, fault)
    expect(failures.map(failure => failure.check)).toContain(check)
  })

  it.each(['bookings', 'subscriptions'])(
    'have nothing against %s',
    { timeout: 240_000 },
    async name => {
      const { failures } = await judge(name, /^/)
      expect(failures).toEqual([])
    },
  )
})
