import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { drawArchitecture } from './picture.js'
import { type Import, parseSource, readSources, root, type Source } from './source.js'

/**
 * Bottom up. A file imports, types included, only from floors below its own and from its own
 * folder.
 */
const FLOORS = [
  // in browsers: it has nothing of the server below it
  'client/',
  'names.ts',
  'options.ts',
  'peers.ts',
  'http/',
  'http/errors/',
  'settings.ts',
  'http/body/',
  'http/routing/',
  'codec/types/',
  'codec/shape/',
  'codec/traits/',
  'codec/runtime/',
  'codec/compile/source/',
  'codec/compile/decode/',
  'codec/compile/encode/',
  'codec/compile/',
  'codec/decode/',
  'codec/encode/',
  'codec/define/scalar/',
  'codec/define/',
  'openapi/schema/',
  'openapi/document/',
  'openapi/downgrade/',
  'openapi/pages/',
  'openapi/',
  'feature-api/',
  'respond/',
  'features/',
  'declare/',
  'csv.ts',
  'kysely.ts',
  'postgres.ts',
  'redis.ts',
  'jwt/',
  'standard/',
  'testing/requests/',
  'testing/send/',
  'testing/judge/',
  'testing/laws/',
  'testing/',
  'mount/',
  'breaking/',
  'command/',
  'index.ts',
  'mcp/',
] as const

const ANYS_PER_THOUSAND_LINES = 5

/**
 * Packages of which only types are used, so that they cost nothing at run time; `Application` is a
 * Koa, and so needs it.
 */
const TYPES_ONLY = ['koa', 'openapi3-ts', '@types/koa']

/**
 * The floor of a path is the longest that holds it: `http/body/query.ts` stands on `http/body/`,
 * not on `http/`.
 */
function floorOf(path: string): number {
  const holdsPath = (floor: string) =>
    floor.endsWith('/') ? path.startsWith(floor) : path === floor
  const holding = FLOORS.filter(holdsPath).sort((left, right) => right.length - left.length)
  return holding[0] === undefined ? -1 : FLOORS.indexOf(holding[0])
}

/** `features/etag.ts` and all of `features/etag/` are the feature `etag`. */
function featureOf(path: string): string | undefined {
  return /^features\/([^/]+?)(?:\.ts|\/)/.exec(path)?.[1]
}

function staysOnItsFloor({ path }: Source, target: string): boolean {
  const [from, to] = [floorOf(path), floorOf(target)]
  if (to === -1 || to > from) return false
  return to < from || featureOf(path) === featureOf(target)
}

function upwardImports(sources: readonly Source[]): string[] {
  return sources.flatMap(source =>
    source.imports.flatMap(({ target }) =>
      target !== undefined && !staysOnItsFloor(source, target)
        ? [`${source.path} imports ${target}`]
        : [],
    ),
  )
}

function rings(sources: readonly Source[]): string[] {
  const byPath = new Map(sources.map(source => [source.path, source]))
  const done = new Set<string>()
  const found: string[] = []
  const walk = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) found.push([...trail.slice(trail.indexOf(path)), path].join(' -> '))
    if (done.has(path) || trail.includes(path)) return
    for (const { target } of byPath.get(path)?.imports ?? [])
      if (target !== undefined) walk(target, [...trail, path])
    done.add(path)
  }
  for (const { path } of sources) walk(path, [])
  return found
}

function packageOf({ specifier }: Import): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}

function importsOf(sources: readonly Source[], wanted: (found: Import) => boolean): string[] {
  return sources.flatMap(source =>
    source.imports
      .filter(wanted)
      .map(found => `${source.path}: ${found.specifier} (${found.manner})`),
  )
}

const sources = readSources()
const read = (path: string) => readFileSync(join(root, path), 'utf8')

describe('the floors of src', () => {
  it('knows every file', () => {
    expect(sources.filter(({ path }) => floorOf(path) === -1).map(({ path }) => path)).toEqual([])
    expect(sources.length).toBeGreaterThan(0)
  })

  it('lets a file import only from below or from its own folder, and a feature never another', () => {
    expect(upwardImports(sources)).toEqual([])
  })

  it('has no import rings', () => {
    expect(rings(sources)).toEqual([])
  })
})

describe('the packages of src', () => {
  it('are declared as dependencies', () => {
    const manifest = JSON.parse(read('package.json'))
    const declared = new Set(
      Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }),
    )
    const foreign = (found: Import) =>
      found.target === undefined &&
      !found.specifier.startsWith('node:') &&
      !declared.has(packageOf(found))
    expect(importsOf(sources, foreign)).toEqual([])
  })

  it('give only their types if that is all that is needed', () => {
    expect(
      importsOf(
        sources.filter(({ path }) => path !== 'respond/application.ts'),
        found => TYPES_ONLY.includes(packageOf(found)) && found.manner !== 'type',
      ),
    ).toEqual([])
  })

  it('never include a barrel of fp-ts at run time, nor its folders, which ESM cannot import', () => {
    const barrel = (found: Import) =>
      packageOf(found) === 'fp-ts' && !/^fp-ts\/lib\/\w+\.js$/.test(found.specifier)
    expect(importsOf(sources, barrel)).toEqual([])
  })

  it('keep koa-body, which is slow to load and declares global types, to one file that loads it lazily', () => {
    const found = sources.filter(({ imports }) =>
      imports.some(found => packageOf(found) === 'koa-body'),
    )
    expect(found.map(({ path }) => path)).toHaveLength(1)
    expect(
      importsOf(found, found => packageOf(found) === 'koa-body' && found.manner === 'static'),
    ).toEqual([])
  })

  it('make and compare entity tags in the feature for them and in downloads only', () => {
    const knows = (found: Import) =>
      packageOf(found) === 'koa-etag' || found.target === 'http/preconditions.ts'
    const others = sources.filter(
      ({ path }) => !path.startsWith('features/etag/') && path !== 'respond/download.ts',
    )
    expect(importsOf(others, knows)).toEqual([])
  })
})

describe('the code of src', () => {
  it('never uses instanceof on io-ts classes: two copies of io-ts may meet', () => {
    expect(
      sources
        .filter(source => source.instanceOfs.some(name => name.startsWith('t.')))
        .map(({ path }) => path),
    ).toEqual([])
  })

  it(`says any at most ${ANYS_PER_THOUSAND_LINES} times in 1,000 lines of code`, () => {
    const total = (measure: (source: Source) => number) =>
      sources.reduce((sum, source) => sum + measure(source), 0)
    expect(
      (1000 * total(source => source.anys)) / total(source => source.linesOfCode),
    ).toBeLessThanOrEqual(ANYS_PER_THOUSAND_LINES)
  })
})

describe('the page on the architecture', () => {
  it('has a picture of the imports as they are; npm run architecture draws it again', () => {
    expect(read('docs/architecture.svg')).toBe(drawArchitecture(sources))
  })

  it('names files and folders that exist', () => {
    const named = read('docs/architecture.md').match(/(?<=`)(?:src|spec)\/[\w./-]+(?=`)/g) ?? []
    expect(named.filter(path => !existsSync(join(root, path)))).toEqual([])
    expect(named.length).toBeGreaterThan(20)
  })
})

describe('the picture', () => {
  it('has what imports above what is imported, and marks the imports that others explain', () => {
    const picture = drawArchitecture([
      parseSource('index.ts', "import './mount/api.js'\nimport './http/query.js'"),
      parseSource('mount/api.ts', "import type { Body } from '../http/body/body.js'"),
      parseSource('http/query.ts', ''),
      parseSource('http/body/body.ts', "import '../query.js'"),
    ])
    expect(picture.match(/(?<=class="unit"[^>]*>)[^<]+/g)).toEqual(['index.ts', 'mount/', 'http/'])
    expect(picture.match(/(?<=class="room"[^>]*>)[^<]+/g)).toEqual(['body/'])
    const arrows = Array.from(
      picture.matchAll(/<title>(\S+ imports \S+)<\/title><path class="(\w+)"/g),
      ([, arrow, kind]) => [arrow, kind],
    )
    expect(Object.fromEntries(arrows)).toEqual({
      'index.ts imports mount/': 'import',
      'index.ts imports http/': 'implied',
      'mount/ imports http/': 'import',
    })
  })
})

describe('this spec', () => {
  it('sees imports of every form, to above and to a neighbouring feature', () => {
    const source = parseSource(
      'features/etag.ts',
      `import { a } from './load.js'
       import type { B } from '../mount/api.js'
       export { c } from '../declare/operation.js'
       export const d = (): Promise<import('../index.js').D> => import('../nowhere.js')`,
    )
    expect(upwardImports([source])).toEqual(
      ['features/load.ts', 'mount/api.ts', 'declare/operation.ts', 'index.ts', 'nowhere.ts'].map(
        target => `features/etag.ts imports ${target}`,
      ),
    )
  })

  it('sees rings of types, any, instanceof, and what is code and what is not', () => {
    const sources = [
      parseSource(
        'http/a.ts',
        "import type { B } from './b.js'\n\n/** any */\nexport type A = B | any // any\n",
      ),
      parseSource(
        'http/b.ts',
        "import type { A } from './a.js'\nexport const isType = (a: A) => a instanceof t.Type\n",
      ),
    ]
    expect(rings(sources)).toEqual(['http/a.ts -> http/b.ts -> http/a.ts'])
    expect(sources.map(({ anys, linesOfCode }) => [anys, linesOfCode])).toEqual([
      [1, 2],
      [0, 2],
    ])
    expect(sources[1]?.instanceOfs).toEqual(['t.Type'])
  })
})
