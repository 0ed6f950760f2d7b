import Router from '@koa/router'
import { describe, expect, it } from 'vitest'
import { Matcher } from '../../src/http/routing/matcher.js'
import { parseRule } from '../../src/http/routing/rule.js'
import { cases, seed } from '../properties/seed.js'

const PATHS = cases(10_000)

/** mulberry32: the same sequence for the same seed. */
function randomly(state: number): () => number {
  return () => {
    state = (state + 0x6d2b79f5) | 0
    const first = Math.imul(state ^ (state >>> 15), 1 | state)
    const second = (first + Math.imul(first ^ (first >>> 7), 61 | first)) ^ first
    return ((second ^ (second >>> 14)) >>> 0) / 2 ** 32
  }
}

const random = randomly(seed)
const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make)

const WORDS = ['pets', 'a', 'b', 'a.b', 'x-y', '~', 'A', 'ä', '1']
const METHODS = ['GET', 'POST', 'DELETE']
const ruleText = (): string => {
  const parts = times(Math.floor(random() * 4), () => '').map((_, index) =>
    random() < 0.4 ? `:p${index}` : pick(WORDS),
  )
  const rest = random() < 0.15 ? '/:rest<path>' : ''
  return `/${parts.join('/')}`.replace(/\/$/, '') + rest || '/'
}
/** Parts of paths: what rules are made of, near misses, encoded and odd ones. */
const PARTS = [
  ...WORDS,
  'pet',
  'petss',
  'PETS',
  '%61',
  'a%2Fb',
  '%C3%A4',
  '..',
  ' '.replace(' ', '%20'),
  ':p0',
  '*',
  'a+b',
  '',
]
const pathText = (): string =>
  `/${times(Math.floor(random() * 5), () => pick(PARTS)).join('/')}${random() < 0.1 ? '/' : ''}`

interface Registered {
  readonly matcher: Matcher<string>
  readonly router: Router
  readonly rules: ReadonlySet<string>
}

function register(count: number): Registered {
  const matcher = new Matcher<string>()
  // ours is case-sensitive; the rest is the stock router's default
  const router = new Router({ sensitive: true })
  const rules = new Set<string>()
  for (const text of times(count, ruleText)) {
    const rule = parseRule(text)
    const method = pick(METHODS)
    const shape = `${method} ${rule.routerPath.replace(/:\w+/g, ':').replace(/\*\w+/, '*')}`
    if (rules.has(shape)) continue
    rules.add(shape)
    matcher.add(rule, method, rule.routerPath)
    router.register(rule.routerPath, [method], () => undefined)
  }
  return { matcher, router, rules }
}

/**
 * Paths that the two treat differently on purpose: here empty segments and literals encoded without
 * need match nothing, and raw characters are malformed.
 */
const isDecided = (path: string): boolean => path.includes('//') || /%61|ä/.test(path)

describe(`matching and the stock router (seed ${seed})`, () => {
  it(`agree on ${PATHS} random paths`, { timeout: 120_000 }, () => {
    let compared = 0
    let matched = 0
    while (compared < PATHS) {
      const { matcher, router } = register(40)
      for (const path of times(2000, pathText)) {
        const method = pick([...METHODS, 'HEAD'])
        if (isDecided(path)) continue
        compared++
        const ours = matcher.match(path, method)
        const stock = router.match(path, method)
        const candidates = stock.pathAndMethod.map(layer => layer.path)
        const report = `${method} ${path}: ${JSON.stringify(ours)}, stock ${candidates}`
        if (ours.kind === 'match') {
          matched++
          expect(candidates, report).toContain(ours.value)
        } else {
          expect(ours.kind, report).toBe('miss')
          expect(candidates, report).toEqual([])
          const methods = new Set(stock.path.flatMap(layer => layer.methods))
          expect(new Set(ours.kind === 'miss' ? ours.allowed : []), report).toEqual(methods)
        }
      }
    }
    expect(matched).toBeGreaterThan(PATHS / 20)
  })
})
