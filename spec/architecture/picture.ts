// Draws docs/architecture.svg from the imports of src: `npm run architecture` writes it,
// spec/architecture/floors.spec.ts compares it.
import type { Source } from './source.js'

/**
 * The folders of `src`, and the files beside them, with what each imports: a graph without rings,
 * as the floors have none.
 */
type Graph = ReadonlyMap<string, ReadonlySet<string>>

/** The first segment of a path: `http/` of `http/body/body.ts`, `index.ts` of itself. */
function unitOf(path: string): string {
  return path.includes('/') ? `${path.slice(0, path.indexOf('/'))}/` : path
}

/**
 * The folder of a path within its unit: `body/` of `http/body/body.ts`, nothing of `http/query.ts`.
 * A feature is a room of its own.
 */
function roomOf(path: string): string {
  const [unit, first = '', ...rest] = path.split('/')
  if (rest.length > 0) return `${first}/`
  return unit === 'features' ? first.replace(/\.ts$/, '') : ''
}

/** What each unit is for. */
const PURPOSES: { readonly [unit: string]: string } = {
  'index.ts': 'the public names',
  'mount/': 'Api: registers Blueprints, routes requests to operations',
  'declare/': 'what users subclass and call: MethodView, Blueprint, operation()',
  'features/': 'what an operation can do, one file or folder each',
  'respond/': 'runs the steps of an operation, writes responses and errors',
  'feature-api/': 'what a feature is written against: Feature, Part, Route, Exchange',
  'openapi/': 'schemas, fragments, documents in each version, pages',
  'codec/': 'what a codec is, and reading, writing and defining with it',
  'http/': 'protocol knowledge without a framework',
  'settings.ts': 'what an application may set',
  'options.ts': 'checks the options that applications pass',
  'names.ts': 'finds the nearest name to a misspelt one, for messages',
  'peers.ts': 'names the line that installs an optional package',
  'breaking/': 'what breaks clients between two documents',
  'testing/': 'koa-smorest/testing: requests without a port, tests from the document',
  'command/': 'the command koa-smorest',
  'client/': 'koa-smorest/client: middleware and helpers for openapi-fetch',
  'csv.ts': 'koa-smorest/csv: CSV as a representation, over csv-stringify',
  'jwt/': 'koa-smorest/jwt: a scheme over jose',
  'mcp/': 'koa-smorest/mcp: operations as tools for models',
  'standard/': 'koa-smorest/standard: schemas of zod, valibot and arktype as codecs, and back',
  'kysely.ts': 'koa-smorest/kysely: collections made of queries',
  'postgres.ts': 'koa-smorest/postgres: outcomes beside what requests write',
  'redis.ts': 'koa-smorest/redis: outcomes of idempotent requests',
}

function graphOf(sources: readonly Source[], nodeOf: (path: string) => string): Graph {
  const graph = new Map<string, Set<string>>()
  for (const { path, imports } of sources) {
    const targets = imports.flatMap(({ target }) => (target === undefined ? [] : [nodeOf(target)]))
    const known = graph.get(nodeOf(path)) ?? new Set()
    graph.set(nodeOf(path), known)
    for (const target of targets) if (target !== nodeOf(path)) known.add(target)
  }
  return graph
}

/**
 * Bottom up: what imports nothing comes first. The name decides between those that could change
 * places.
 */
function inOrder(graph: Graph): readonly string[] {
  const height = (node: string): number =>
    Math.max(0, ...[...(graph.get(node) ?? [])].map(target => height(target) + 1))
  return [...graph.keys()].sort(
    (left, right) => height(left) - height(right) || (left < right ? -1 : 1),
  )
}

/** Whether an import leads to what another one, in between, leads to as well. */
function isImplied(graph: Graph, from: string, to: string): boolean {
  const reaches = (node: string): boolean =>
    node === to || [...(graph.get(node) ?? [])].some(reaches)
  return [...(graph.get(from) ?? [])].some(between => between !== to && reaches(between))
}

const BAND = { left: 24, width: 620, height: 66, gap: 20 }
const STYLE = `text { font: 13px ui-monospace, Menlo, Consolas, monospace; fill: #24292f }
.unit { font-weight: 600 } .room { font-size: 11px } .purpose { font: 13px system-ui, sans-serif }
.band { fill: #eef3f8; stroke: #8aa4bf } .box { fill: #fff; stroke: #b8c7d6 }
.import { fill: none; stroke: #2f6f9f; stroke-width: 1.6 } .implied { fill: none; stroke: #c3d3e0 } .head { fill: #2f6f9f }
@media (prefers-color-scheme: dark) {
  text { fill: #dfe3e8 } .band { fill: #1f2730; stroke: #4d6277 } .box { fill: #28323c; stroke: #4d6277 }
  .import { stroke: #7cb7e0 } .implied { stroke: #3a4855 } .head { fill: #7cb7e0 }
}`

/** The picture as SVG: one band for each folder, what imports above what is imported. */
export function drawArchitecture(sources: readonly Source[]): string {
  const graph = graphOf(sources, unitOf)
  const units = inOrder(graph).toReversed()
  const top = (unit: string) => 16 + units.indexOf(unit) * (BAND.height + BAND.gap)
  const right = BAND.left + BAND.width
  const bands = units.map(unit => band(unit, top(unit), roomsOf(sources, unit)))
  const arrows = units.flatMap(from =>
    [...(graph.get(from) ?? [])].sort().map(to => {
      const [start, end] = [top(from) + BAND.height * 0.65, top(to) + BAND.height * 0.35]
      const bulge = right + 18 + (units.indexOf(to) - units.indexOf(from)) * 16
      const implied = isImplied(graph, from, to)
      const path = `M ${right} ${start} C ${bulge} ${start} ${bulge} ${end} ${right + 7} ${end}`
      const head = implied ? '' : `<path class="head" d="M ${right} ${end} l 9 -4 v 8 z"/>`
      return `<g><title>${from} imports ${to}</title><path class="${implied ? 'implied' : 'import'}" d="${path}"/>${head}</g>`
    }),
  )
  const height = 16 + units.length * (BAND.height + BAND.gap)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 820 ${height}" width="820" height="${height}" role="img">
<title>The folders of src: each imports only what is below it</title>
<style>${STYLE}</style>
${[...arrows.filter(arrow => arrow.includes('implied')), ...arrows.filter(arrow => !arrow.includes('implied')), ...bands].join('\n')}
</svg>
`
}

/** The folders within a unit, those first that the others import. */
function roomsOf(sources: readonly Source[], unit: string): readonly string[] {
  const within = sources.filter(({ path }) => unitOf(path) === unit)
  const own = within.map(source => ({
    ...source,
    imports: source.imports.filter(({ target }) => target && unitOf(target) === unit),
  }))
  return inOrder(graphOf(own, roomOf)).filter(room => room !== '')
}

function band(unit: string, top: number, rooms: readonly string[]): string {
  let left = BAND.left + 12
  const boxes = rooms.map(room => {
    const width = Math.ceil(room.length * 6.8) + 12
    const box = `<rect class="box" x="${left}" y="${top + 34}" width="${width}" height="22" rx="4"/>
<text class="room" x="${left + 6}" y="${top + 49}">${room}</text>`
    left += width + 6
    return box
  })
  const line = top + (rooms.length > 0 ? 22 : BAND.height / 2 + 5)
  return `<rect class="band" x="${BAND.left}" y="${top}" width="${BAND.width}" height="${BAND.height}" rx="6"/>
<text class="unit" x="${BAND.left + 12}" y="${line}">${unit}</text><text class="purpose" x="${BAND.left + 118}" y="${line}">${PURPOSES[unit] ?? ''}</text>
${boxes.join('')}`
}
