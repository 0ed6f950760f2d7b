import { execFile } from 'node:child_process'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { root } from '../architecture/source.js'
import { readPages } from './page.js'

it('the tests of the page on testing pass, and fail with their cause if the application does', {
  timeout: 60_000,
}, async () => {
  const blocks =
    readPages(root).find(({ path }) => path === join('docs', 'testing.md'))?.blocks ?? []
  const [first = '', second = ''] = blocks
    .map(({ text }) => text)
    .filter(text => text.includes("from 'node:test'"))
  expect(await run(first)).toMatch(/pass 3\n(?:.*\n)?.*fail 0\n/)
  expect(await run(second)).toMatch(/pass 1\n(?:.*\n)?.*fail 0\n/)
  const broken = first.replace(
    "abort(409, { message: 'The name is taken.' })",
    "({ nom: 'Rex' } as never)",
  )
  expect(await run(broken)).toMatch(/POST \/names is 500[\s\S]*EncodeError/)
})

it('the test in the README passes, and fails if the application breaks its document', {
  timeout: 120_000,
}, async () => {
  const readme = readPages(root).find(({ path }) => path === 'README.md')?.blocks ?? []
  const [application = '', , , test = ''] = readme
    .filter(({ language }) => /^(?:ts|console)$/.test(language))
    .map(({ text }) => text)
  const program = [
    ...test
      .replace('reset:', 'runs: 5, reset:')
      .split('\n')
      .filter(line => !line.includes('./api.js')),
    'console.log(failures.length)',
  ].join('\n')
  const joined = `${application.replace('app.listen(3000)', '')}\n${program}`
  expect(await run(joined)).toBe('0\n')
  const broken = joined.replace(
    'save({ ...current, ...pet, version: current.version + 1 })',
    'save({ ...current, ...pet })',
  )
  expect(await run(broken)).toMatch(/the representation changed, and its tag did not/)
})

/** Runs a program of node:test; returns its report. */
function run(program: string): Promise<string> {
  const target = {
    module: ts.ModuleKind.ESNext,
    target: ts.ScriptTarget.ES2022,
    verbatimModuleSyntax: true,
  }
  const args = [
    '--import',
    'tsx',
    '--test-reporter=spec',
    '--input-type=module',
    '--eval',
    ts.transpile(program, target),
  ]
  // a failed test ends it with 1
  return new Promise(resolve =>
    execFile(process.execPath, args, { cwd: root }, (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    ),
  )
}
