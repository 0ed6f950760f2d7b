import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A fenced block of a Markdown page. */
export interface Block {
  readonly page: string
  readonly language: string
  /** The page's line, counted from 1, on which the block's own text begins. */
  readonly line: number
  readonly text: string
}

/** A Markdown page by its path below the folder it was read from. */
export interface Page {
  readonly path: string
  readonly blocks: readonly Block[]
  /** Links to files, or to headings of pages, that do not exist, as written. */
  readonly deadLinks: readonly string[]
}

/**
 * README.md and the other pages beside it, and every Markdown page below docs/, except for the
 * reference, which is made from the source.
 */
export function readPages(root: string): readonly Page[] {
  const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map(path =>
    join('docs', path),
  )
  const others = [...readdirSync(root), ...docs].filter(path => path !== 'README.md')
  return ['README.md', ...others]
    .filter(path => path.endsWith('.md') && !path.startsWith(join('docs', 'reference')))
    .map(path => {
      const text = readFileSync(join(root, path), 'utf8')
      return { path, blocks: blocksOf(path, text), deadLinks: deadLinksOf(join(root, path), text) }
    })
}

/**
 * The fenced blocks of a page, without the indentation of their fence. A comment that begins `<!--
 * ts` is a block as well: what the code of the page needs and its reader does not.
 */
export function blocksOf(page: string, text: string): readonly Block[] {
  const fences = /^( *)(```|<!-- )(\w+)[^\n]*\n(.*?)^ *(?:```|-->)$/gms
  return Array.from(
    text.matchAll(fences),
    ({ index, 1: indent = '', 3: language = '', 4: body = '' }) => ({
      page,
      language,
      line: text.slice(0, index).split('\n').length + 1,
      text: body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  )
}

function deadLinksOf(file: string, text: string): string[] {
  return linksOf(text).flatMap(({ path, heading }) => {
    const target = path === '' ? file : join(dirname(file), path)
    const exists =
      existsSync(target) &&
      (heading === '' || headingsOf(readFileSync(target, 'utf8')).includes(heading))
    return exists ? [] : [path + heading]
  })
}

/**
 * The links of a page to files beside it, without those to the web; an empty path is the page
 * itself.
 */
export function linksOf(
  text: string,
): readonly { readonly path: string; readonly heading: string }[] {
  const links = proseOf(text).matchAll(/\]\((?![a-z]+:)([^)\s#]*)(#[^)\s]*)?[^)]*\)/g)
  return Array.from(links, ([, path = '', heading = '']) => ({ path, heading }))
}

/** What stands around code. */
function proseOf(text: string): string {
  return text.replaceAll(/^ *```.*?^ *```$/gms, '').replaceAll(/`[^`\n]*`/g, '')
}

/** The fragments by which the headings of a page are linked to. */
function headingsOf(text: string): string[] {
  const headings = text.replaceAll(/^ *```.*?^ *```$/gms, '').matchAll(/^#+ (.+)$/gm)
  return Array.from(
    headings,
    ([, heading = '']) =>
      `#${heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-')}`,
  )
}
