import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { root } from '../architecture/source.js'
import { run } from './run.js'

// inside of the repository, so that the project finds the packages that it imports
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(root, 'templates/made-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const COMMON = [
  ...['.dockerignore', '.github/workflows/ci.yml', '.gitignore', 'Dockerfile', 'README.md'],
  ...['openapi.yaml', 'package.json', 'src/app.spec.ts', 'src/app.ts', 'src/main.ts'],
  ...['src/store.ts', 'src/tasks.ts', 'tsconfig.json'],
]
const filesIn = (path: string) =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(path.length + 1))
    .sort()
const manifestOf = (path: string) => JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))

describe('koa-smorest new', () => {
  it('makes a project in a folder that does not exist, named like it', async () => {
    const { code, out } = await run('new', join(folder, 'my-tasks'))
    expect({ code, files: filesIn(join(folder, 'my-tasks')) }).toEqual({
      code: 0,
      files: COMMON,
    })
    expect(out).toContain(`cd templates/${basename(folder)}/my-tasks\n  npm install\n  npm start\n`)
    const { name, dependencies } = manifestOf(join(folder, 'my-tasks'))
    const { version } = manifestOf(root)
    expect([name, dependencies['koa-smorest']]).toEqual(['my-tasks', `^${version}`])
  })

  it('makes it in an empty folder, in which a repository may have been initialized', async () => {
    mkdirSync(join(folder, 'shop/.git'), { recursive: true })
    const { code } = await run('new', join(folder, 'shop'), '--database', 'postgres')
    expect([code, manifestOf(join(folder, 'shop')).dependencies.pg]).toEqual([
      0,
      expect.stringMatching(/^\^8\./),
    ])
  })

  it.each(['Shop', '.shop', '_shop', 'a b', 'http', 'node_modules', 'x'.repeat(215)])(
    'refuses a name that npm refuses: %s',
    async name => {
      const { code, error } = await run('new', join(folder, name))
      expect([code, filesIn(folder)]).toEqual([2, []])
      expect(error).toMatch(/^npm refuses "/)
    },
  )

  it('refuses a folder that is not empty, and a file, and writes nothing', async () => {
    mkdirSync(join(folder, 'shop'))
    writeFileSync(join(folder, 'shop/notes.txt'), '')
    const taken = [join(folder, 'shop'), join(folder, 'shop/notes.txt')]
    const found = await Promise.all(taken.map(path => run('new', path)))
    expect(found).toEqual([
      { code: 2, out: '', error: `${taken[0]} must be empty, and has notes.txt\n` },
      { code: 2, out: '', error: `${taken[1]} must be a folder, or must not exist yet\n` },
    ])
    expect(filesIn(folder)).toEqual(['shop/notes.txt'])
  })

  it('refuses another database', async () => {
    expect(await run('new', join(folder, 'shop'), '--database', 'mysql')).toEqual({
      code: 2,
      out: '',
      error: '--database mysql: the database can be none or postgres\n',
    })
    expect(filesIn(folder)).toEqual([])
  })

  it.each(['none', 'postgres'])('writes the document of the project: %s', async database => {
    // a name that YAML would take for a number
    const project = join(folder, '1e5')
    await run('new', project, '--database', database)
    const files = [join(project, 'src/app.ts'), join(project, 'openapi.yaml')]
    expect(await run('openapi', 'check', ...files)).toMatchObject({ code: 0, error: '' })
  })
})
