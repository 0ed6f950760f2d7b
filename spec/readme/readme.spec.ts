import { readdirSync, readFileSync } from 'node:fs'
import { STATUS_CODES } from 'node:http'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { options } from '../../scripts/bundle.js'
import { root } from '../architecture/source.js'
import { type ExampleProcess, examplesOf, startExamples } from './example.js'
import { blocksOf, linksOf, readPages } from './page.js'
import { typeFaults } from './type-check.js'

const PAGE = `
# A page

\`\`\`ts
import { createServer } from 'node:http'

const greeting = { text: 'hello' }
createServer((_, response) => {
  response.setHeader('X-Made-By', 'hand').end(JSON.stringify(greeting))
}).listen(3000)
\`\`\`

\`\`\`console
$ curl -i localhost:3000/greeting
HTTP/1.1 200 OK
x-made-by: …

{ "text": "hello" }
$ curl localhost:3000/greeting
{ "text": "good bye" }
\`\`\`

1. A list:

   \`\`\`ts
   const text: string = greeting.text
   const wrong: number = greeting.text
   \`\`\`
`

const pages = readPages(root)
const programs = pages.flatMap(examplesOf)
const sample = { path: 'PAGE.md', blocks: blocksOf('PAGE.md', PAGE), deadLinks: [] }
let faults: readonly string[]
let examples: ExampleProcess

beforeAll(async () => {
  // programs import the package as its users do
  await build(options)
  faults = await typeFaults(root, [...pages, sample])
  examples = startExamples(root)
}, 240_000)
afterAll(() => examples.end())

describe('the pages', () => {
  it('link to files that exist', () => {
    expect(
      pages.flatMap(({ path, deadLinks }) => deadLinks.map(link => `${path}: ${link}`)),
    ).toEqual([])
  })

  it('are all listed in the table of contents', () => {
    const contents = linksOf(readFileSync(join(root, 'docs', 'README.md'), 'utf8')).map(
      ({ path }) => path,
    )
    const manual = readdirSync(join(root, 'docs')).filter(
      name => name.endsWith('.md') && name !== 'README.md',
    )
    expect(manual.filter(name => !contents.includes(name))).toEqual([])
  })

  it('hold TypeScript that type-checks', () => {
    expect(faults.filter(fault => !fault.startsWith(sample.path))).toEqual([])
  })

  it('begin with a program in the README', () => {
    expect(programs[0]?.code.page).toBe('README.md')
  })

  it('give the figures in the README as the page on speed has them', () => {
    const [readme = [], speed = []] = ['README.md', 'docs/speed.md'].map(path =>
      readFileSync(join(root, path), 'utf8').split('\n'),
    )
    const rows = readme.filter(line => /\| \d+\.\d+ \|$/.test(line))
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.filter(row => !speed.includes(row))).toEqual([])
  })

  it('explain messages that the library has', () => {
    const table =
      readFileSync(join(root, 'docs/errors.md'), 'utf8').split('## What a message means')[1] ?? ''
    const messages = Array.from(table.matchAll(/^\| `([^`]+)` \|/gm), ([, message = '']) => message)
    const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter(
      path => path.endsWith('.ts'),
    )
    const text = [
      ...sources.map(path => readFileSync(join(root, 'src', path), 'utf8')),
      ...Object.values(STATUS_CODES),
    ].join('\n')
    expect(messages.length).toBeGreaterThan(5)
    expect(messages.filter(message => !text.includes(message))).toEqual([])
  })

  it.each(programs)(
    'hold a program that runs and responds as shown: $code.page, line $code.line',
    { timeout: 60_000 },
    async program => {
      expect(await examples.faultsOf(program)).toEqual([])
    },
  )
})

describe('these checks', () => {
  it('find what does not type-check, on the line where it stands', () => {
    expect(faults.filter(fault => fault.startsWith(sample.path))).toEqual([
      "PAGE.md:27 Type 'string' is not assignable to type 'number'.",
    ])
  })

  it('find a response that is not the one shown', async () => {
    const [example] = examplesOf(sample)
    expect(example && (await examples.faultsOf(example))).toEqual([
      expect.stringMatching(/^PAGE\.md:19 curl localhost.*good bye.*but gives .*hello/s),
    ])
  })
})
