import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Matcher } from '../../src/http/routing/matcher.js'
import { parseRule, type Rule } from '../../src/http/routing/rule.js'
import { cpuTime } from '../support/cpu-time.js'

function matcherOf(...rules: string[]): (path: string, method?: string) => unknown {
  const matcher = new Matcher<string>()
  for (const entry of rules) {
    const [method, rule] = entry.includes(' ')
      ? (entry.split(' ') as [string, string])
      : ['GET', entry]
    matcher.add(parseRule(rule), method, entry)
  }
  return (path, method = 'GET') => {
    const found = matcher.match(path, method)
    if (found.kind === 'match') return [found.value, found.parameters]
    return found.kind === 'miss' ? found.allowed : found.kind
  }
}

describe('matching', () => {
  it('takes one slash at the end as none, both ways', () => {
    const match = matcherOf('/', '/pets', '/owners/', '/toys/:id/')
    for (const path of ['/pets', '/pets/']) expect(match(path)).toEqual(['/pets', {}])
    for (const path of ['/owners', '/owners/']) expect(match(path)).toEqual(['/owners/', {}])
    for (const path of ['/toys/1', '/toys/1/'])
      expect(match(path)).toEqual(['/toys/:id/', { id: '1' }])
    expect(match('/')).toEqual(['/', {}])
    expect(match('/pets//')).toEqual([])
  })

  it('counts case, and never takes an empty segment', () => {
    const match = matcherOf('/pets/:id/x', '/files/:rest<path>')
    for (const path of [
      '/Pets/1/x',
      '/pets//x',
      '//',
      '/files//a',
      '/files/a//b',
      '/files/a//',
      '/files/',
      '/files',
      '*',
      'pets/1/x',
    ]) {
      expect(match(path), path).toEqual([])
    }
    expect(match('/files/a/b/')).toEqual(['/files/:rest<path>', { rest: 'a/b/' }])
  })

  it('prefers a literal, then converters in their order, then string, then path, whatever the order of registration', () => {
    const match = matcherOf('/:rest<path>', '/:text', '/:even<any(2,4)>', '/:id<int>', '/me')
    expect(match('/me')).toEqual(['/me', {}])
    expect(match('/2')).toEqual(['/:even<any(2,4)>', { even: '2' }])
    expect(match('/3')).toEqual(['/:id<int>', { id: 3 }])
    expect(match('/x')).toEqual(['/:text', { text: 'x' }])
    expect(match('/x/y')).toEqual(['/:rest<path>', { rest: 'x/y' }])
  })

  it('tries the next candidate if one fails further down', () => {
    const match = matcherOf('/a/:x<int>/c', '/:y/b/:z')
    expect(match('/a/b/d')).toEqual(['/:y/b/:z', { y: 'a', z: 'd' }])
    expect(match('/a/1/d')).toEqual([])
  })

  it('decodes each segment for itself', () => {
    const match = matcherOf('/pets/:name', '/café')
    expect(match('/pets/a%2Fb%20%E2%98%83')).toEqual(['/pets/:name', { name: 'a/b ☃' }])
    expect(match('/caf%C3%A9')).toEqual(['/café', {}])
    expect(match('/pets/%2e%2e')).toEqual(['/pets/:name', { name: '..' }])
  })

  it('finds nothing for a literal that is encoded without need, neither a parameter nor a method for Allow', () => {
    const match = matcherOf(
      '/pets/secret',
      '/pets/:name',
      '/:a/:b',
      '/:all<path>',
      'PUT /:kind<any(pets)>/secret',
      '/café/:name',
      '/a@b',
    )
    for (const path of [
      '/pets/%73ecret',
      '/%70ets/secret',
      '/pets/secre%74/',
      '/%70ets/x',
      '/%63af%C3%A9/x',
      '/a%40b',
      '/%61@b',
    ]) {
      for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])
        expect(match(path, method), `${method} ${path}`).toEqual([])
    }
    expect(match('/pets/secret')).toEqual(['/pets/secret', {}])
    expect(match('/pets/%73ecrets')).toEqual(['/pets/:name', { name: 'secrets' }])
    for (const path of ['/caf%C3%A9/x', '/caf%c3%a9/x', '/caf%C3%a9/x'])
      expect(match(path), path).toEqual(['/café/:name', { name: 'x' }])
  })

  it.each([
    '/%',
    '/%zz',
    '/pets/%ff',
    '/pets/%c0%af',
    '/pets/%ed%a0%80',
    '/pets/\u00e9',
    '/nowhere/%',
    '/pets/%C3/%A9',
  ])('T28: %s is malformed', path => {
    expect(matcherOf('/pets/:name')(path)).toBe('malformed')
  })

  it('gives the texts beside the converted values', () => {
    const matcher = new Matcher<number>()
    matcher.add(parseRule('/:id<int>/:name'), 'GET', 1)
    expect(matcher.match('/007/a%20b', 'GET')).toMatchObject({
      parameters: { id: 7, name: 'a b' },
      texts: { id: '007', name: 'a b' },
    })
  })
})

describe('methods', () => {
  const match = matcherOf(
    '/pets',
    'POST /pets',
    '/pets/me',
    'PUT /pets/:id',
    'DELETE /pets/:petId',
    'HEAD /own',
    '/own',
  )

  it('are looked for in every rule that matches the path', () => {
    expect(match('/pets/me')).toEqual(['/pets/me', {}])
    expect(match('/pets/me', 'PUT')).toEqual(['PUT /pets/:id', { id: 'me' }])
    expect(match('/pets/1', 'DELETE')).toEqual(['DELETE /pets/:petId', { petId: '1' }])
  })

  it('that no rule has give the ones that are allowed', () => {
    expect(match('/pets/me', 'POST')).toEqual(['GET', 'HEAD', 'PUT', 'DELETE'])
    expect(match('/pets', 'PROPFIND')).toEqual(['GET', 'HEAD', 'POST'])
    expect(match('/nowhere', 'POST')).toEqual([])
  })

  it('HEAD follows GET, unless it has a rule of its own', () => {
    expect(match('/pets', 'HEAD')).toEqual(['/pets', {}])
    expect(match('/own', 'HEAD')).toEqual(['HEAD /own', {}])
    expect(match('/pets/1', 'HEAD')).toEqual(['PUT', 'DELETE'])
  })
})

describe('a segment of text and parameters', () => {
  it('is cut before it is decoded, each text at its first occurrence', () => {
    const match = matcherOf('/:sid<string>.json', '/compare/:base<string>...:head<string>')
    expect(match('/a.json')).toEqual(['/:sid<string>.json', { sid: 'a' }])
    expect(match('/a.json.json')).toEqual(['/:sid<string>.json', { sid: 'a.json' }])
    expect(match('/a%2Fb%C3%A9.json/')).toEqual(['/:sid<string>.json', { sid: 'a/bé' }])
    const compare = '/compare/:base<string>...:head<string>'
    expect(match('/compare/a...b...c')).toEqual([compare, { base: 'a', head: 'b...c' }])
    expect(match('/compare/....')).toEqual([])
    expect(match('/compare/.....')).toEqual([compare, { base: '.', head: '.' }])
  })

  it('of a mixed segment needs the literals at both ends', () => {
    const match = matcherOf('/v:version<int>.json')
    expect(match('/v12.json')).toEqual(['/v:version<int>.json', { version: 12 }])
    for (const path of ['/x12.json', '/v12.yaml', '/v12345']) expect(match(path)).toEqual([])
  })

  it('has no empty parameter', () => {
    const match = matcherOf('/:sid<string>.json', '/:a<string>-:b<string>-x')
    for (const path of ['/.json', '/-b-x', '/a--x', '/-x', '/a-x', '/--x'])
      expect(match(path)).toEqual([])
  })

  it('is cut from the right if a converter refuses', () => {
    const match = matcherOf('/:name<string>-:id<int>', '/x/:a<int>.:b<int>.:c<string>')
    expect(match('/a-b-5')).toEqual(['/:name<string>-:id<int>', { name: 'a-b', id: 5 }])
    expect(match('/a-b')).toEqual([])
    expect(match('/x/1.2.a.b')).toEqual(['/x/:a<int>.:b<int>.:c<string>', { a: 1, b: 2, c: 'a.b' }])
    expect(match('/a-%35')).toEqual(['/:name<string>-:id<int>', { name: 'a', id: 5 }])
  })

  it('may have a colon of its own', () => {
    const match = matcherOf('/jobs:search', '/files/:name<string>:archive', '/jobs:id<int>')
    expect(match('/jobs:search')).toEqual(['/jobs:search', {}])
    expect(match('/files/a:archive')).toEqual(['/files/:name<string>:archive', { name: 'a' }])
    expect(match('/jobs5')).toEqual(['/jobs:id<int>', { id: 5 }])
  })

  it('comes after literals and before parameters, the one with more text first', () => {
    const rules = ['/:any', '/:sid<string>.json', '/:sid<string>.min.json', '/a.json']
    for (const match of [matcherOf(...rules), matcherOf(...rules.toReversed())]) {
      expect(match('/a.json')).toEqual(['/a.json', {}])
      expect(match('/b.min.json')).toEqual(['/:sid<string>.min.json', { sid: 'b' }])
      expect(match('/b.json')).toEqual(['/:sid<string>.json', { sid: 'b' }])
      expect(match('/b.xml')).toEqual(['/:any', { any: 'b.xml' }])
    }
  })

  it('leaves the path to the next rule without the method, and what follows too', () => {
    const match = matcherOf(
      'POST /:sid<string>.json',
      'GET /:any',
      'GET /:sid<string>.json/a',
      'GET /:any/b',
    )
    expect(match('/a.json')).toEqual(['GET /:any', { any: 'a.json' }])
    expect(match('/a.json', 'PUT')).toEqual(['POST', 'GET', 'HEAD'])
    expect(match('/a.json/b')).toEqual(['GET /:any/b', { any: 'a.json' }])
  })

  it('is found under no other spelling of its text, by no rule', () => {
    const match = matcherOf('/:sid<string>.json', '/:any', '/é:id<int>')
    for (const path of ['/x%2Ejson', '/x.%6Ason', '/x%2ejson']) expect(match(path)).toEqual([])
    for (const path of ['/%C3%A95', '/%c3%a95'])
      expect(match(path)).toEqual(['/é:id<int>', { id: 5 }])
    expect(match('/x%2Exml')).toEqual(['/:any', { any: 'x.xml' }])
  })

  it('is not cut inside an encoded character', () => {
    const match = matcherOf('/:a<string>2F:b<string>', '/x/:a<string>E', '/y/:a<string>2Fx')
    expect(match('/a%2Fb')).toEqual([])
    expect(match('/a%2F2Fb')).toEqual(['/:a<string>2F:b<string>', { a: 'a/', b: 'b' }])
    expect(match('/x/a%2E')).toEqual([])
    expect(match('/y/a%2Fx')).toEqual([])
  })

  it('is matched in a time that grows with the length of the path alone', () => {
    const texts = fc.constantFrom('a', 'b', 'ab', 'aa', '.', '...')
    const rule = fc
      .array(texts, { minLength: 1, maxLength: 5 })
      .map(separators => `/${separators.map((text, index) => `:p${index}<int>${text}`).join('')}`)
    const path = fc
      .tuple(
        fc.array(fc.constantFrom('a', 'b', 'aa', '.', '1', '%61'), { maxLength: 8 }),
        fc.nat(40),
      )
      .map(([parts, times]) => parts.join('').repeat(times))
    const { indexOf, lastIndexOf } = String.prototype
    let scanned = 0
    fc.assert(
      fc.property(rule, path, (one, text) => {
        const match = matcherOf(one)
        scanned = 0
        String.prototype.indexOf = function (this: string, search: string, from = 0) {
          const found = indexOf.call(this, search, from)
          scanned += (found === -1 ? this.length : found + search.length) - from
          return found
        }
        String.prototype.lastIndexOf = function (this: string, search: string, from = this.length) {
          const found = lastIndexOf.call(this, search, from)
          scanned += from - Math.max(found, 0) + search.length
          return found
        }
        try {
          match(`/${text}`)
        } finally {
          Object.assign(String.prototype, { indexOf, lastIndexOf })
        }
        // twice as sent and twice decoded, and once for the slashes, never more for more texts
        expect(scanned).toBeLessThanOrEqual(6 * (text.length + 1) + 100)
      }),
    )
  })
})

describe('the index', () => {
  const literal = fc.constantFrom('a', 'b', '1', 'é')
  const parameter = fc.constantFrom('<int>', '', '<any(a,1)>', '<string(length=1)>')
  const rule = fc.array(fc.oneof(literal, parameter), { minLength: 1, maxLength: 4 })
  const segment = fc.constantFrom('a', 'b', '1', '22', '%61', '%31', '%C3%A9', '%78', 'x')

  const key = (one: Rule['segments'][number] | undefined) =>
    typeof one === 'object' && 'type' in one ? `<${one.type}>` : one

  // Every rule by itself; of those that match, the best at the first segment in which they differ.
  function slowly(rules: readonly Rule[], path: string): Rule | undefined {
    const segments = path.slice(1).split('/').map(decodeURIComponent)
    const matches = (one: Rule['segments'][number], index: number) =>
      typeof one === 'string'
        ? one === segments[index]
        : 'type' in one && one.converter.parse(segments[index] as string) !== undefined
    const matching = rules.filter(
      ({ segments: own }) => own.length === segments.length && own.every(matches),
    )
    return matching.sort((left, right) => {
      const at = left.segments.findIndex((one, index) => key(one) !== key(right.segments[index]))
      const beginsLike = (other: Rule) =>
        left.segments.slice(0, at).every((one, index) => key(one) === key(other.segments[index]))
      const rank = ({ segments: own }: Rule) => {
        if (typeof own[at] === 'string') return -1
        if (key(own[at]) === '<string>') return rules.length
        return rules.findIndex(
          other => beginsLike(other) && key(other.segments[at]) === key(own[at]),
        )
      }
      return rank(left) - rank(right)
    })[0]
  }

  /**
   * Whether a segment of the path is a literal of one of the rules at the same place, but not as
   * `encodeURI` writes it.
   */
  function isRespelt(rules: readonly Rule[], path: string): boolean {
    const segments = path.slice(1).split('/')
    return segments.some((segment, index) =>
      rules.some(
        ({ segments: own }) =>
          own[index] === decodeURIComponent(segment) && encodeURI(own[index] as string) !== segment,
      ),
    )
  }

  it('finds what looking at every rule finds, and nothing for a literal that is spelt otherwise', () => {
    const seed = Date.now() % 1e9
    console.info(`seed ${seed}`)
    fc.assert(
      fc.property(
        fc.array(rule, { minLength: 1, maxLength: 12 }),
        fc.array(fc.array(segment, { minLength: 1, maxLength: 4 })),
        (all, paths) => {
          const matcher = new Matcher<Rule>()
          const rules: Rule[] = []
          for (const parts of all) {
            const text = parts
              .map((part, index) =>
                part === '' || part.startsWith('<') ? `/:p${index}${part}` : `/${part}`,
              )
              .join('')
            if (rules.some(known => known.text === text)) continue
            rules.push(parseRule(text))
            matcher.add(rules.at(-1) as Rule, 'GET', rules.at(-1) as Rule)
          }
          for (const path of paths.map(parts => `/${parts.join('/')}`)) {
            const found = matcher.match(path, 'GET')
            const text = found.kind === 'match' ? found.value.text : undefined
            const expected = slowly(rules, path)
            const where = `${path} in ${rules.map(({ text }) => text)}`
            if (text !== undefined || !isRespelt(rules, path))
              expect(text, where).toBe(expected?.text)
            if (expected && isRespelt([expected], path))
              expect(found, where).toEqual({ kind: 'miss', allowed: [] })
          }
        },
      ),
      { seed, numRuns: 500 },
    )
  })

  it('T26: a path of 64 kB takes no time', () => {
    const match = matcherOf('/:a/:b/:c', '/:rest<path>')
    const start = cpuTime()
    match(`/${'a/'.repeat(32_000)}`)
    match(`/${'%61'.repeat(20_000)}/x`)
    expect(cpuTime() - start).toBeLessThan(100)
  })
})
