import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { run } from './run.js'

const text = { type: 'string' }
const documentOf = (kinds: readonly string[], paths = {}) => ({
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  paths: {
    '/pets/': {
      get: {
        parameters: [{ name: 'kind', in: 'query', schema: { ...text, enum: kinds } }],
        responses: { 204: { description: 'None' } },
      },
    },
    ...paths,
  },
})
const gone = {
  '/old': {
    get: {
      deprecated: true,
      'x-sunset': '2027-05-01',
      responses: { 204: { description: 'None' } },
    },
  },
}

let folder: string
const at = (name: string) => join(folder, name)
const compare = (old: string, now: string, ...options: string[]) =>
  run('openapi', 'breaking', old, now, ...options)

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'breaking-'))
  const [old, now] = [documentOf(['cat', 'dog']), documentOf(['cat'])]
  writeFileSync(at('old.json'), JSON.stringify(old))
  writeFileSync(at('old.yaml'), stringify(old))
  writeFileSync(at('new.json'), JSON.stringify(now))
  writeFileSync(at('deprecated.json'), JSON.stringify(documentOf(['cat'], gone)))
  writeFileSync(
    at('new.mjs'),
    `export const api = { spec: { toJSON: version => ({ ...${JSON.stringify(now)}, openapi: version }) } }`,
  )
  writeFileSync(at('swagger.json'), '{ "swagger": "2.0" }')
  writeFileSync(at('broken.json'), '{ "openapi": ')
  writeFileSync(at('broken.yaml'), 'a: [')
  const git = (...args: string[]) =>
    execFileSync(
      'git',
      ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args],
      { stdio: 'pipe' },
    )
  git('init', '--quiet', '--initial-branch=main')
  git('add', 'old.json', 'old.yaml')
  git('commit', '--quiet', '--message=first')
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('koa-smorest openapi breaking', () => {
  it('exits with 1 and says which operation breaks, where, why, and by which rule', async () => {
    expect(await compare(at('old.json'), at('new.json'))).toEqual({
      code: 1,
      out: 'ERR  GET /pets/, query parameter "kind"\n     "dog" is no longer a value  [enum-value-removed]\n1 error, no warnings\n',
      error: '',
    })
  })

  it('exits with 0 if nothing breaks', async () => {
    expect(await compare(at('new.json'), at('old.json'))).toEqual({
      code: 0,
      out: 'no errors, no warnings\n',
      error: '',
    })
  })

  it('reads JSON, YAML, modules and documents of commits', async () => {
    expect((await compare(at('old.json'), at('old.yaml'))).out).toBe('no errors, no warnings\n')
    expect((await compare(at('old.yaml'), at('new.mjs'))).code).toBe(1)
    const before = process.cwd()
    process.chdir(folder)
    try {
      expect((await compare('git:main:old.yaml', 'new.json')).code).toBe(1)
      expect((await compare('git:HEAD:./old.json', 'git:main:old.yaml')).code).toBe(0)
      const absent = await compare('git:main:absent.yaml', 'new.json')
      expect({ code: absent.code, error: absent.error }).toEqual({
        code: 2,
        error: expect.stringContaining('git:main:absent.yaml cannot be read'),
      })
    } finally {
      process.chdir(before)
    }
  })

  it('lets an operation go when its sunset has passed', async () => {
    expect(
      (await compare(at('deprecated.json'), at('new.json'), '--today', '2027-04-30')).code,
    ).toBe(1)
    expect(
      (await compare(at('deprecated.json'), at('new.json'), '--today', '2027-05-01')).code,
    ).toBe(0)
  })

  it('writes JSON for programs', async () => {
    const { code, out } = await compare(at('old.json'), at('new.json'), '--format', 'json')
    expect({ code, out: JSON.parse(out) }).toEqual({
      code: 1,
      out: {
        errors: 1,
        warnings: 0,
        allowed: 0,
        findings: [
          {
            rule: 'enum-value-removed',
            level: 'ERR',
            operation: 'GET /pets/',
            where: 'query parameter "kind"',
            at: '',
            text: '"dog" is no longer a value',
            allowed: null,
          },
        ],
      },
    })
  })

  it('writes annotations for GitHub', async () => {
    const { out } = await compare(at('old.json'), at('new.json'), '--format', 'github')
    const file = at('new.json')
    expect(out).toContain(
      `::error file=${file},title=enum-value-removed::GET /pets/, query parameter "kind": "dog" is no longer a value\n`,
    )
  })

  it('says once what breaks several operations in the same way', async () => {
    const withPet = (name: unknown, operations: number) => ({
      ...documentOf([]),
      paths: Object.fromEntries(
        Array.from({ length: operations }, (_, index) => [
          `/pets/${index}`,
          {
            get: {
              responses: {
                200: {
                  description: 'A pet',
                  content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } },
                },
              },
            },
          },
        ]),
      ),
      components: {
        schemas: { Pet: { type: 'object', properties: { name }, required: ['name'] } },
      },
    })
    writeFileSync(at('text.json'), JSON.stringify(withPet(text, 5)))
    writeFileSync(at('number.json'), JSON.stringify(withPet({ type: 'number' }, 5)))
    expect((await compare(at('text.json'), at('number.json'))).out).toBe(
      [
        'ERR  GET /pets/0, response 200 application/json',
        '     GET /pets/1, response 200 application/json',
        '     GET /pets/2, response 200 application/json',
        '     and 2 more',
        '     Pet.name the type was string and is number  [type-changed]',
        '1 error, no warnings\n',
      ]
        .join('\n')
        .replace('1 error', '5 errors'),
    )
  })
})

describe('changes that were decided on', () => {
  const entry = {
    rule: 'enum-value-removed',
    operation: 'GET /pets/',
    reason: 'Nobody has dogs.',
    date: '2026-11-22',
  }
  const allowing = (entries: unknown, ...options: string[]) => {
    writeFileSync(at('allow.yaml'), typeof entries === 'string' ? entries : stringify(entries))
    return compare(at('old.json'), at('new.json'), '--allow', at('allow.yaml'), ...options)
  }

  it('are allowed, with a reason and a date', async () => {
    expect(await allowing([entry])).toEqual({
      code: 0,
      out: 'no errors, no warnings, 1 allowed\n',
      error: '',
    })
    const { out } = await allowing([entry], '--format', 'json')
    expect(JSON.parse(out).findings[0].allowed).toEqual({
      reason: 'Nobody has dogs.',
      date: '2026-11-22',
    })
  })

  it.each([
    ['everywhere', { ...entry, operation: undefined }, 0],
    [
      'in one of several operations',
      {
        ...entry,
        operation: ['POST /pets/', 'GET /pets/'],
        rule: ['enum-value-removed', 'type-changed'],
      },
      0,
    ],
    ['in one place', { ...entry, where: 'query parameter "kind"', at: '' }, 0],
    ['in another operation', { ...entry, operation: 'GET /owners/' }, 1],
    ['in another place', { ...entry, where: 'request body' }, 1],
    ['by another rule', { ...entry, rule: 'type-changed' }, 1],
  ])('are allowed if the entry says so: %s', async (_case, given, code) => {
    expect((await allowing([JSON.parse(JSON.stringify(given))])).code).toBe(code)
  })

  it('are named when they are not there any more', async () => {
    const { code, error } = await allowing([entry, { ...entry, rule: 'type-changed' }])
    expect({ code, error }).toEqual({
      code: 0,
      error: expect.stringContaining(
        'allows type-changed of GET /pets/, which is not found: remove the entry',
      ),
    })
  })

  it.each([
    ['no list', { rules: [] }, 'is not a list of'],
    ['no entry', ['enum-value-removed'], 'an entry is'],
    ['no rule', [{ ...entry, rule: [] }], '"rule" is missing'],
    [
      'a rule that there is not',
      [{ ...entry, rule: 'enum-removd' }],
      'there is no rule "enum-removd"',
    ],
    ['no reason', [{ ...entry, reason: ' ' }], '"reason" is missing'],
    ['no date', [{ ...entry, date: 'soon' }], '"date" is missing'],
    ['a key that there is not', [{ ...entry, path: '/pets/' }], 'there is no "path"'],
    ['no YAML', 'a: [', 'is not YAML'],
  ])('have to be written as they should: %s', async (_case, entries, message) => {
    const { code, error } = await allowing(entries)
    expect({ code, error }).toEqual({ code: 2, error: expect.stringContaining(message) })
  })
})

describe('what cannot be compared', () => {
  it.each([
    [
      'a file that is not there',
      () => [at('absent.json'), at('new.json')],
      'absent.json cannot be read',
    ],
    [
      'a text that is not JSON',
      () => [at('broken.json'), at('new.json')],
      'broken.json is not JSON',
    ],
    [
      'a text that is not YAML',
      () => [at('old.json'), at('broken.yaml')],
      'broken.yaml is not YAML',
    ],
    ['OpenAPI 2.0', () => [at('old.json'), at('swagger.json')], 'swagger.json: is of OpenAPI 2.0'],
    [
      'a module that is not there',
      () => [at('old.json'), at('absent.mjs')],
      'there is no such module',
    ],
    ['no reference', () => ['git:old.json', at('new.json')], 'write git:REF:PATH'],
    [
      'an option as a reference',
      () => ['git:--help:old.json', at('new.json')],
      'write git:REF:PATH',
    ],
    ['a module of a commit', () => ['git:main:app.mjs', at('new.json')], 'not a module'],
    ['no day', () => [at('old.json'), at('new.json'), '--today', 'tomorrow'], 'write a day'],
    [
      'a format that there is not',
      () => [at('old.json'), at('new.json'), '--format', 'xml'],
      'text or json or github',
    ],
    [
      'an allow-list that is not there',
      () => [at('old.json'), at('new.json'), '--allow', at('absent.yaml')],
      'absent.yaml cannot be read',
    ],
  ])('exits with 2 and says what to do: %s', async (_case, args, message) => {
    const { code, error } = await run('openapi', 'breaking', ...args())
    expect({ code, error }).toEqual({ code: 2, error: expect.stringContaining(message) })
  })
})
