import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { run } from './run.js'

const APPLICATION = `
const apiOf = title => ({ spec: { toJSON: (version = '3.1.0') => ({ openapi: version, info: { title, version: '2026-11-21' }, paths: {} }) } })
export const api = apiOf('Shop')
export const other = Promise.resolve(apiOf('Other'))
export const nothing = 1
`

let folder: string
const at = (name: string) => join(folder, name)

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'command-line-'))
  writeFileSync(at('app.mjs'), APPLICATION)
  writeFileSync(at('broken.mjs'), 'throw new Error("no database")')
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('koa-smorest openapi', () => {
  it('prints the document, in the version and format that are asked for', async () => {
    const { code, out } = await run('openapi', 'print', at('app.mjs'))
    expect({ code, out: JSON.parse(out) }).toEqual({
      code: 0,
      out: { openapi: '3.1.0', info: { title: 'Shop', version: '2026-11-21' }, paths: {} },
    })
    const yaml = await run(
      'openapi',
      'print',
      at('app.mjs'),
      '--openapi',
      '2.0',
      '--format',
      'yaml',
      '--export',
      'other',
    )
    expect(parse(yaml.out)).toMatchObject({ openapi: '2.0', info: { title: 'Other' } })
  })

  it('writes it, as JSON or YAML by the ending of the file', async () => {
    expect(await run('openapi', 'write', at('app.mjs'), at('openapi.yaml'))).toEqual({
      code: 0,
      out: '',
      error: '',
    })
    const written = readFileSync(at('openapi.yaml'), 'utf8')
    expect(parse(written)).toMatchObject({ openapi: '3.1.0' })
    // to a reader of YAML 1.1 it would be a date without its quotes
    expect(parse(written, { version: '1.1' }).info.version).toBe('2026-11-21')
    await run('openapi', 'write', at('app.mjs'), at('openapi.json'))
    expect(JSON.parse(readFileSync(at('openapi.json'), 'utf8'))).toMatchObject({ openapi: '3.1.0' })
  })

  it('checks a file: 0 if it is right, 1 and the differences if it is not', async () => {
    await run('openapi', 'write', at('app.mjs'), at('checked.yml'))
    expect(await run('openapi', 'check', at('app.mjs'), at('checked.yml'))).toEqual({
      code: 0,
      out: '',
      error: '',
    })
    const { code, error } = await run(
      'openapi',
      'check',
      at('app.mjs'),
      at('checked.yml'),
      '--export',
      'other',
    )
    expect(code).toBe(1)
    expect(error).toContain('/info/title\n  - "Shop"\n  + "Other"')
    expect(error).toContain('1 difference ')
  })

  it('fails for a reference that leads to nothing, and writes no such document', async () => {
    writeFileSync(
      at('dangling.mjs'),
      `export const api = { spec: { toJSON: () => ({ openapi: '3.1.0', paths: { '/': { $ref: '#/components/pathItems/None' } } }) } }`,
    )
    const error =
      'The reference #/components/pathItems/None in /paths/~1 leads to nothing: let an operation use it, or add it with api.spec.components\n'
    const file = at('dangling.json')
    const outcome = { code: 1, out: '', error }
    expect(await run('openapi', 'write', at('dangling.mjs'), file)).toEqual(outcome)
    expect(existsSync(file)).toBe(false)
    expect(await run('openapi', 'check', at('dangling.mjs'), file)).toEqual(outcome)
    expect(await run('openapi', 'print', at('dangling.mjs'))).toMatchObject({ code: 0, error: '' })
  })

  it('shows how it is called', async () => {
    expect((await run('--help')).out).toMatch(/^Usage: /)
    for (const args of [
      [],
      ['openapi'],
      ['openapi', 'print'],
      ['openapi', 'check', 'app.mjs'],
      ['openapi', 'draw', 'app.mjs'],
      ['openapi', 'breaking', 'old.json'],
      ['routes'],
      ['contract', 'app.mjs', 'more'],
      ['routes', 'app.mjs', '--writes'],
      ['constructor', 'app.mjs'],
      ['--unknown'],
    ]) {
      const { code, error } = await run(...args)
      expect({ code, error }).toEqual({ code: 2, error: expect.stringContaining('Usage: ') })
    }
  })

  it.each([
    [
      'a command that there is not',
      () => ['openapi', 'brekaing'],
      'there is no command "openapi brekaing", did you mean "openapi breaking"?',
    ],
    [
      'an operand that is missing',
      () => ['openapi', 'breaking', 'old.json'],
      'openapi breaking takes two operands, not 1',
    ],
  ])('says what is wrong with %s before how it is used', async (_title, args, message) => {
    expect((await run(...args())).error).toMatch(`${message}\n\nUsage: `)
  })

  it.each([
    [
      'an export that is not an Api',
      () => ['print', at('app.mjs'), '--export', 'nothing'],
      'it exports api, nothing, other',
    ],
    ['a module that is not there', () => ['print', at('absent.mjs')], 'there is no such module'],
    ['a module that throws', () => ['print', at('broken.mjs')], 'no database'],
    [
      'a format that it does not know',
      () => ['print', at('app.mjs'), '--format', 'xml'],
      'json or yaml',
    ],
    [
      'a version that is unknown',
      () => ['print', at('app.mjs'), '--openapi', '4.0'],
      '--openapi must be 3.2.0, 3.1.0, 3.0.3 or 2.0, not 4.0',
    ],
    [
      'half a version',
      () => ['print', at('app.mjs'), '--openapi', '3'],
      '--openapi must be 3.2.0, 3.1.0, 3.0.3 or 2.0, not 3',
    ],
    [
      'a file that is not there',
      () => ['check', at('app.mjs'), at('absent.json')],
      'write it first',
    ],
  ])('exits with 2 and says what to do: %s', async (_case, args, text) => {
    const { code, error } = await run('openapi', ...args())
    expect({ code, error }).toEqual({ code: 2, error: expect.stringContaining(text) })
  })
})
