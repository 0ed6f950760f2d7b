import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, posix, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'

const root = fileURLToPath(new URL('../..', import.meta.url))
const REPOSITORY = 'https://github.com/koa-smorest/koa-smorest'

/** The pages of the manual in the order of its table of contents, by section. */
function sidebar() {
  const contents = readFileSync(join(root, 'docs/README.md'), 'utf8')
  const sections = contents.split(/^## /m).slice(1)
  return sections.map(section => {
    const [text = ''] = section.split('\n')
    const [lists = ''] = section.split('\n|')
    const links = lists.matchAll(/\[([^\]]+)\]\(([\w-]+)\.md\)/g)
    const items = Array.from(links, ([, title, page = '']) => ({
      text: page.startsWith('from-') ? `From ${title}` : title,
      link: `/docs/${page}`,
    }))
    return { text, collapsed: false, items }
  })
}

/**
 * Where a relative link of a page leads on the site: pages have their addresses here, and what is
 * not a page is shown by the repository. Throws for a file that does not exist.
 */
function target(href: string, page: string): string {
  if (/^(?:[a-z]+:|#|\/)/i.test(href)) return href
  const [path = '', hash] = href.split('#')
  const file = resolve(root, dirname(page), path)
  // the reference is generated after the pages that link to it were written
  if (!existsSync(file)) throw new Error(`${page} links to ${href}, which does not exist`)
  const inside = relative(root, file).split(sep).join('/')
  const anchor = hash === undefined ? '' : `#${hash}`
  const isPage =
    inside.endsWith('.md') && /^(?:README|CHANGELOG|SECURITY|docs\/|examples\/)/.test(inside)
  if (isPage)
    return posix.relative(posix.dirname(page), inside).replace(/README\.md$/, 'index.md') + anchor
  return `${REPOSITORY}/${statSync(file).isDirectory() ? 'tree' : 'blob'}/main/${inside}${anchor}`
}

export default defineConfig({
  title: 'koa-smorest',
  description: 'REST APIs on Koa: one descriptor is checked, enforced, documented and tested',
  srcDir: root,
  srcExclude: [
    '**/node_modules/**',
    'CODE_OF_CONDUCT.md',
    'CONTRIBUTING.md',
    'prove/**',
    'templates/**',
    'spec/**',
    'dist/**',
    'bench/**',
    '.github/**',
  ],
  outDir: 'dist',
  // the pages of a project on github.io are below its name
  base: process.env.SITE_BASE ?? '/',
  cleanUrls: true,
  lastUpdated: false,
  // browsers ask for one, whose 404 is an error in their console
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  rewrites: path => path.replace(/README\.md$/, 'index.md'),
  // servers that the reader starts
  ignoreDeadLinks: 'localhostLinks',
  markdown: {
    // as GitHub makes them, where the pages are read as well
    anchor: {
      slugify: heading =>
        heading
          .trim()
          .toLowerCase()
          .replace(/[^\p{L}\p{N}\s_-]/gu, '')
          .replace(/\s/g, '-'),
    },
    config(markdown) {
      markdown.core.ruler.push('links', ({ tokens, env }) => {
        for (const { children } of tokens) {
          for (const token of children ?? []) {
            const name = token.type === 'link_open' ? 'href' : token.type === 'image' ? 'src' : ''
            const value = name && token.attrGet(name)
            if (name === 'href' && value)
              token.attrSet(
                name,
                target(
                  value,
                  relative(root, env.realPath ?? env.path)
                    .split(sep)
                    .join('/'),
                ),
              )
          }
        }
      })
    },
  },
  themeConfig: {
    nav: [
      { text: 'Manual', link: '/docs/' },
      { text: 'Reference', link: '/docs/reference/' },
      { text: 'Examples', link: '/examples/' },
      { text: 'Changelog', link: '/CHANGELOG' },
    ],
    sidebar: sidebar(),
    outline: [2, 3],
    search: { provider: 'local' },
    socialLinks: [{ icon: 'github', link: REPOSITORY }],
  },
})
