// Applications that were written without a look at the laws, each with one fault that a law has to
// find; prove/e19-planted-faults.ts plants all of them.
import { contract } from 'koa-smorest/testing'
import { describe, expect, it } from 'vitest'
import { applications } from '../../prove/planted/applications.js'

/** The application, its fault, the check that finds it, and the operations that this takes. */
const CHOSEN: readonly (readonly [string, string, string, RegExp])[] = [
  ['bookings', 'everybody lists all bookings', 'law: listed', /^GET \/bookings/],
  ['bookings', 'me is kept for all callers', 'law: others', /\/me$/],
  ['bookings', 'Location names another path', 'law: Location', / \/rooms(\/\{roomId\})?$/],
  ['bookings', 'until filter is ignored', 'law: filter', /^GET \/rooms/],
  ['bookings', 'PUT keeps the old note', 'law: PUT replaces', /^(GET|PUT) \/rooms/],
  ['blog', 'tag filter reads the first tag only', 'law: filter', /^GET \/posts$/],
  ['blog', 'deleted posts are still listed', 'law: list', /^(GET|POST|DELETE) \/posts/],
  ['blog', 'Location of the list', 'law: Location', /^(GET|POST) \/posts(\/\{slug\})?$/],
  ['blog', 'posts of others may be deleted', 'lesser credentials', / \/posts(\/\{slug\})?$/],
  ['warehouse', 'PUT of one article writes its neighbour', 'law: neighbours', /^(GET|PUT) \/art/],
  ['subscriptions', 'cancel cancels all of that customer', 'law: neighbours', /^GET|cancel$/],
  ['subscriptions', 'keys are shared by all shops', 'law: others', / \/subscriptions$/],
  ['subscriptions', 'names of metadata in lower case', 'law: echo', / \/subscriptions/],
  ['drive', 'files of others are downloaded', 'law: others', /^GET \/f/],
  ['drive', 'contents end at 1000 bytes', 'law: bytes', / \/f(olders$|.*files|iles)/],
  ['drive', 'contents outlive their file', 'law: what is deleted is gone', / \/f/],
  ['drive', 'renaming forgets the note', 'law: patch', /^(GET|PATCH) \/f/],
  ['drive', 'empty files crash', 'server error', /^(GET|POST) \/folders/],
  ['drive', 'notes keep their first line only', 'law: echo', /^(GET|POST) \/folders/],
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

  it.each(Object.keys(applications))(
    'have nothing against %s',
    { timeout: 240_000 },
    async name => {
      const { failures } = await judge(name, /^/)
      expect(failures).toEqual([])
    },
  )
})
