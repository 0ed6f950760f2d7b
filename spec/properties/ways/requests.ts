// Random requests to a random application: many that it was made for, and many that nobody expects.
import fc from 'fast-check'
import { fittingInputs, inputsOf } from '../../codec/arbitrary.js'
import { type DrawnOperation, operations, type Plan, surroundings } from './application.js'
import type { Shot } from './transports.js'

const BOUNDARY = 'x-x'
const part = (name: string, value: string, file = '') =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file && `; filename="${file}"`}\r\n\r\n${value}\r\n`
const multipart = (...parts: string[]) => `${parts.join('')}--${BOUNDARY}--\r\n`

const JSON_TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'application/vnd.a+json',
  'text/json',
  'application/json; charset=latin1',
]

const texts: fc.Arbitrary<readonly [type: string | undefined, body: string]> = fc.oneof(
  fc.constantFrom<readonly [string | undefined, string]>(
    ['application/json', '{"name":"Rex"}'],
    ['application/json', '{"name":"Rex","name":"Max"}'],
    ['application/json', '{"__proto__":{"a":1}}'],
    ['application/json', '{"a":'],
    ['application/json', '\ufeff{}'],
    ['application/json', ''],
    ['application/json', 'null'],
    ['application/json', '"\\ud800"'],
    ['application/x-www-form-urlencoded', 'a=1&n=2'],
    ['application/x-www-form-urlencoded', 'a=%ff'],
    ['application/x-www-form-urlencoded', '__proto__=1&constructor=2'],
    ['application/x-www-form-urlencoded', ''],
    [`multipart/form-data; boundary=${BOUNDARY}`, multipart(part('a', '1'), part('n', '2'))],
    [
      `multipart/form-data; boundary=${BOUNDARY}`,
      multipart(part('a', '1'), part('f', 'file', 'f.txt')),
    ],
    [
      `multipart/form-data; boundary=${BOUNDARY}`,
      multipart(part('__proto__', '1'), part('f', 'x'.repeat(90_000), 'f.txt')),
    ],
    [
      `multipart/form-data; boundary=${BOUNDARY}`,
      multipart(part('f', 'file', 'f.txt')).slice(0, -9),
    ],
    [`multipart/form-data; boundary=${BOUNDARY}`, 'garbage'],
    ['multipart/form-data', 'x'],
    ['text/plain', 'x'],
    [undefined, 'x'],
    [undefined, ''],
  ),
  fc.tuple(fc.constantFrom(...JSON_TYPES), fc.string({ unit: 'binary', maxLength: 20 })),
)

const fields: fc.Arbitrary<readonly [string, string]> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(['X-Key', 'sesame'] as const) },
  fc.constantFrom<readonly [string, string]>(
    ['X-Key', 'wrong'],
    ['X-N', '7'],
    ['X-N', 'x'],
    ['Cookie', 'sid=abc'],
    ['Cookie', 'sid=toolong; __proto__=1'],
    ['If-Match', '*'],
    ['If-Match', '"O3_bwLI2GVtr9FYRtNPVLb"'],
    ['If-Match', 'W/"O3_bwLI2GVtr9FYRtNPVLb"'],
    ['If-None-Match', '*'],
    ['If-None-Match', '"O3_bwLI2GVtr9FYRtNPVLb"'],
    ['If-None-Match', '"a", W/"own"'],
    ['If-None-Match', 'bare'],
    ['If-Modified-Since', 'Sat, 01 Jan 2050 00:00:00 GMT'],
    ['If-Modified-Since', 'x'],
    ['If-Unmodified-Since', 'Thu, 01 Jan 1970 00:00:00 GMT'],
    ['If-Range', '"a"'],
    ['Range', 'bytes=0-1'],
    ['Accept', 'application/problem+json'],
    ['Accept', 'application/problem+json;q=0.5, application/json;q=0.5'],
    ['Accept', 'text/html;q=2, */*;q=x,,'],
    ['Accept', ''],
    ['Idempotency-Key', 'one'],
    ['Idempotency-Key', '"one"'],
    ['Idempotency-Key', ''],
    ['Content-Encoding', 'gzip'],
    ['Content-Encoding', 'x'],
    ['X-HTTP-Method-Override', 'DELETE'],
    ['X-Forwarded-For', '1.2.3.4'],
  ),
)

const QUERIES = [
  '',
  '',
  '?',
  '?n=7',
  '?n=x',
  '?n=7&n=8',
  '?l=a,b&l=c',
  '?x-w=1',
  '?w=1',
  '?__proto__=1&__proto__[a]=1',
  '?a=%ff',
  '?page=2&page_size=1',
  '?page=0',
  '?n=%00',
  '?é',
]

const targets = (paths: readonly string[]): fc.Arbitrary<string> => {
  const filled = paths.flatMap(path =>
    ['7', '-1', '99999999999999999999', 'a%2Fb', '%ff', '%00', '__proto__', 'é'].map(value =>
      path.replace(/:\w+(<\w+>)?/, encodeURI(value).replaceAll('%25', '%')),
    ),
  )
  return fc
    .tuple(
      fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom(...filled) },
        fc.constantFrom(
          '/',
          '/nowhere',
          '/other/a',
          '/docs/openapi.json',
          '//a',
          '/%61',
          '/a//',
          '/./a',
          '/a;b',
          '/a/../a',
        ),
      ),
      fc.constantFrom(...QUERIES.filter(query => query !== '?é')),
    )
    .map(([path, query]) => path + query)
}

function shotsOf(operations: readonly DrawnOperation[]): fc.Arbitrary<Shot> {
  const methods = [
    ...operations.map(({ method }) => method),
    ...operations.map(({ method }) => method),
  ]
  return fc
    .record({
      method: fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom(...methods) },
        fc.constantFrom('GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE', 'TRACE', 'PURGE'),
      ),
      target: targets(operations.map(({ path }) => path)),
      headers: fc.uniqueArray(fields, { maxLength: 3, selector: ([name]) => name }),
      content: fc.option(
        fc.oneof(
          texts,
          fc
            .oneof(
              ...operations.flatMap(({ codec }) =>
                codec ? [fittingInputs(codec), inputsOf(codec)] : [fc.constant({ name: 'Rex' })],
              ),
            )
            .map(value => ['application/json', JSON.stringify(value)] as const),
        ),
      ),
      framed: fc.boolean(),
    })
    .map(({ method, target, headers, content, framed }) => {
      const [type, text] = content ?? []
      const takesBody = content && method !== 'GET' && method !== 'HEAD' && method !== 'TRACE'
      return {
        method,
        target,
        headers:
          takesBody && type !== undefined ? [...headers, ['Content-Type', type] as const] : headers,
        framed,
        body: takesBody ? Buffer.from(text as string) : undefined,
      }
    })
}

/** A plan that says what it is. */
const shown = (plan: Plan): Plan => ({
  ...plan,
  [fc.toStringMethod]: () =>
    JSON.stringify(
      {
        operations: plan.operations.map(
          ({ method, path, features, behaviour }) =>
            `${method} ${path} [${features.map(([name]) => name)}] ${behaviour.name}`,
        ),
        errors: plan.errors,
        surroundings: plan.surroundings,
        shots: plan.shots.map(({ body, ...shot }) => ({
          ...shot,
          body: body?.toString('latin1').slice(0, 200),
        })),
      },
      null,
      1,
    ),
})

export const plans: fc.Arbitrary<Plan> = fc
  .uniqueArray(operations, {
    minLength: 1,
    maxLength: 4,
    selector: ({ method, path }) => method + path,
  })
  .chain(drawn =>
    fc
      .record({
        operations: fc.constant(drawn),
        errors: fc.constantFrom('plain', 'problem', 'negotiated'),
        surroundings,
        shots: fc.array(shotsOf(drawn), { minLength: 1, maxLength: 12, size: 'max' }),
      })
      .map(shown),
  )
