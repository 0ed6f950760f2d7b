import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { root } from '../architecture/source.js'
import { compilerOptions, faultsOf, messageOf, programMaker } from '../support/compile.js'

const HEAD = `
import { conditional, events, idempotency, ifMatch, lines, multipart, pages, PageError, StaleError, StreamError, type Line, type ReceivedEvent, type Row } from 'koa-smorest/client'
import type { ShopPaths } from './shop.js'
import { client, managed, plain, relaxed, strict } from './typed-clients.js'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const params = { path: { id: 7 } }
const body = { name: 'Rex', count: 1 }
`

/** Programs, and what the compiler says of each; nothing where it compiles. */
const CASES: Readonly<Record<string, readonly [program: string, error: RegExp | undefined]>> = {
  'middleware is middleware': [
    'client.use(conditional(), idempotency()); conditional().clear()',
    undefined,
  ],
  'rows have their types': [
    `for await (const pet of pages(client, '/pets/')) { const same: Same<typeof pet, { readonly id: number; name: string; count: number }> = true }`,
    undefined,
  ],
  'rows have a type of their own': [
    `const name = (pet: Row<ShopPaths, '/pets/all'>): string => pet.name`,
    undefined,
  ],
  'rows have no other fields': [
    `for await (const pet of pages(client, '/pets/all')) pet.age`,
    /'age' does not exist/,
  ],
  'init is that of GET': [
    `pages(client, '/pets/', { params: { query: { page_size: 5 } }, headers: { 'X-A': 'a' }, signal: new AbortController().signal })`,
    undefined,
  ],
  'the query of init is checked': [
    `pages(client, '/pets/', { params: { query: { size: 5 } } })`,
    /'size' does not exist/,
  ],
  'a path that is not a list has no pages': [
    `pages(client, '/pets/{id}', { params })`,
    /"\/pets\/\{id\}".*is not assignable to parameter of type 'PagedPath<ShopPaths>'/,
  ],
  'a picture is not a list': [
    `pages(client, '/pets/{id}/picture', { params })`,
    /not assignable to parameter of type 'PagedPath<ShopPaths>'/,
  ],
  'a path that is not there has no pages': [`pages(client, '/dogs/')`, /not assignable/],
  'If-Match has to be given': [`client.PUT('/pets/{id}', { params, body })`, /header/],
  'If-Match may be a tag that was seen': [
    `client.PUT('/pets/{id}', { params: { ...params, header: ifMatch(new Response()) }, body })`,
    undefined,
  ],
  'If-Match need not be given under Managed': [
    `managed.PUT('/pets/{id}', { params, body })`,
    undefined,
  ],
  'If-Match may be given under Managed': [
    `managed.PUT('/pets/{id}', { params, body, headers: ifMatch(new Response()) })`,
    undefined,
  ],
  'other fields have to be given under Managed': [
    `managed.DELETE('/pets/{id}', { params })`,
    /header/,
  ],
  'and may be': [
    `managed.DELETE('/pets/{id}', { params: { ...params, header: { 'X-Reason': 'sold' } } })`,
    undefined,
  ],
  'bodies and responses are the same under Managed': [
    `const { data, error } = await managed.PUT('/pets/{id}', { params, body }); const name: string | undefined = data?.name; const code: number | undefined = error?.code`,
    undefined,
  ],
  'bodies are checked under Managed': [
    `managed.PUT('/pets/{id}', { params, body: { name: 'Rex' } })`,
    /'count' is missing/,
  ],
  'pages of a managed client': [
    `for await (const { name } of pages(managed, '/pets/')) name.length`,
    undefined,
  ],
  uploads: [
    `client.PUT('/pets/{id}/picture', { params, body: { title: 'a', tags: [], large: true, pictures: [new Blob([])] }, bodySerializer: multipart })`,
    undefined,
  ],
  'rows of PathsOf have their types': [
    `for await (const pet of pages(strict, '/pets/', { params: { query: { page_size: 5 } } })) { const same: Same<typeof pet.name, string> = true; pet.id.toFixed() }`,
    undefined,
  ],
  'rows are those of the path, if others have other rows': [
    `for await (const pet of pages(strict, '/pets/')) { const same: Same<typeof pet.name, string> = true }
     for await (const count of pages(strict, '/counts/', { params: { query: { page: 2 } } })) { const same: Same<typeof count, number> = true }`,
    undefined,
  ],
  'a path of PathsOf that is not a list has no pages': [
    `pages(relaxed, '/pets/{id}', { params })`,
    /not assignable/,
  ],
  'If-Match is required by PathsOf': [
    `strict.PUT('/pets/{id}', { params, body: { name: 'Rex' } })`,
    /header/,
  ],
  'and not under Managed': [
    `relaxed.PUT('/pets/{id}', { params, body: { name: 'Rex' } })`,
    undefined,
  ],
  'Idempotency-Key is required by PathsOf': [
    `strict.POST('/pets/', { body: { name: 'Rex' } })`,
    /params/,
  ],
  'nor is that under Managed': [`relaxed.POST('/pets/', { body: { name: 'Rex' } })`, undefined],
  'bodies are those of PathsOf under Managed': [
    `relaxed.POST('/pets/', { body: { nom: 'Rex' } })`,
    /'nom' does not exist|name/,
  ],
  'uploads of PathsOf': [
    `relaxed.PUT('/pets/{id}/picture', { params, body: { picture: new Blob([]) }, bodySerializer: multipart })`,
    undefined,
  ],
  'events have their types': [
    `for await (const change of events(strict, '/changes', { signal: new AbortController().signal })) {
      const id: string | undefined = change.id
      if (change.event === 'pet') { const same: Same<typeof change.data.name, string> = true }
      else { const same: Same<typeof change.data, number> = true; const name: 'removed' = change.event }
    }`,
    undefined,
  ],
  'events may begin after an id, under Managed too': [
    `events(relaxed, '/changes', { params: { header: { 'Last-Event-ID': '7' } } })`,
    undefined,
  ],
  'lines have their types': [
    `for await (const pet of lines(strict, '/export')) { const same: Same<typeof pet.name, string> = true }`,
    undefined,
  ],
  'streams of plain strings have unknown items': [
    `for await (const item of events(plain, '/changes')) { const same: Same<typeof item, unknown> = true }
     for await (const item of lines(plain, '/export')) { const same: Same<typeof item, unknown> = true }`,
    undefined,
  ],
  'lines are no events': [
    `events(strict, '/export')`,
    /"\/export".*is not assignable to parameter of type 'EventsPath</,
  ],
  'events are no lines': [
    `lines(strict, '/changes')`,
    /"\/changes".*is not assignable to parameter of type 'LinesPath</,
  ],
  'a list is not lines': [
    `lines(strict, '/pets/')`,
    /"\/pets\/".*is not assignable to parameter of type 'LinesPath</,
  ],
  'a failed stream has its response': [
    `try { for await (const pet of lines(strict, '/export')); } catch (error) {
      if (error instanceof StreamError) { const same: Same<typeof error.error, unknown> = true; error.response.status }
    }`,
    undefined,
  ],
  'errors are what they say': [
    `try { await managed.PUT('/pets/{id}', { params, body }) } catch (error) {
      if (error instanceof StaleError) { const same: Same<typeof error.current, unknown> = true; error.currentResponse?.status }
      if (error instanceof PageError) { const same: Same<typeof error.error, unknown> = true; error.response.status }
    }`,
    undefined,
  ],
}

describe('the types of the client', () => {
  let faults: ReadonlyMap<string, readonly string[]>
  beforeAll(() => {
    faults = check(Object.entries(CASES).map(([name, [program]]) => [name, program]))
  }, 240_000)

  it.each(Object.keys(CASES))('%s', name => {
    const [, expected] = CASES[name] as (typeof CASES)[string]
    expect(faults.get(name)).toEqual(expected ? [expect.stringMatching(expected)] : [])
  })
})

/** What the compiler says of each program. */
function check(
  programs: readonly (readonly [name: string, program: string])[],
): ReadonlyMap<string, readonly string[]> {
  const paths = new Map(
    programs.map(([name], index) => [name, join(root, `spec/client/case-${index}.ts`)]),
  )
  const texts = new Map(programs.map(([name, program]) => [paths.get(name) ?? '', HEAD + program]))
  const program = programMaker(compilerOptions())(texts)
  return new Map(
    Array.from(paths, ([name, path]) => [
      name,
      faultsOf(program, path).map(fault => messageOf(fault, ' ')),
    ]),
  )
}
