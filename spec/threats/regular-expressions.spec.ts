import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const src = fileURLToPath(new URL('../../src/', import.meta.url))
/** The folders whose code runs while a request is served, but for the parser of rules. */
const FOLDERS = /^(?!http\/routing\/rule\.ts)(?:http|feature-api|features|respond|codec)\//

/** The regular expressions in the source, each with its file. */
function expressionsIn(path: string): readonly (readonly [place: string, expression: RegExp])[] {
  const found: (readonly [string, RegExp])[] = []
  const file = ts.createSourceFile(path, readFileSync(src + path, 'utf8'), ts.ScriptTarget.Latest)
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/')
      const flags = node.text.slice(end + 1)
      found.push([`${path} ${node.text}`, new RegExp(node.text.slice(1, end), flags)])
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

const expressions = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter(path => FOLDERS.test(path) && path.endsWith('.ts'))
  .sort()
  .flatMap(expressionsIn)

const PIECES =
  'a|0|-|"|,| |;|\\|\\"|%|%41|=|a=|; a=b|x@|1.|/|:|\t|\r\n|a,|"a",|W/"|__|[a]|2026-'.split('|')

/** CPU in milliseconds for all matches in a text. */
function cost(expression: RegExp, text: string): number {
  const before = process.cpuUsage()
  if (expression.global) text.match(expression)
  else text.search(new RegExp(expression.source, expression.flags.replace('y', '')))
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

describe('a regular expression that a request can reach', () => {
  it('takes linear time (T26)', { timeout: 30_000 }, () => {
    const slow = expressions.flatMap(([place, expression]) =>
      PIECES.filter(piece =>
        ['', '"', 'a'].some(start => {
          const text = (size: number) => `${start}${piece.repeat(size / piece.length)}\u00ff`
          // 8 times the text takes 64 times as long in quadratic time
          const once = () => cost(expression, text(32_000))
          const isSlow = once() > 25 && once() > 25
          return isSlow && once() > 20 * cost(expression, text(4000))
        }),
      ).map(piece => `${place} with ${JSON.stringify(piece)}`),
    )
    expect(expressions.length).toBeGreaterThan(50)
    expect(slow).toEqual([])
  })
})
