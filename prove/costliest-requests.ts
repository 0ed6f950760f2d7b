import { gzipSync } from 'node:zlib'
import { requestBytes } from '../spec/support/wire.js'

const MIB = 1024 * 1024
const FILE = 'Content-Disposition: form-data; name="file"; filename="a"'
/** Of a line of a request, so that Node takes it. */
const LINE = 15_000

const long = (text: string, size = LINE) => text.repeat(Math.floor(size / text.length))
const json = (path: string, body: string) =>
  requestBytes('POST', path, ['Content-Type: application/json'], body)
const form = (body: string) =>
  requestBytes('POST', '/form', ['Content-Type: application/x-www-form-urlencoded'], body)
const get = (path: string, ...lines: string[]) => requestBytes('GET', path, lines)
const compressed = (body: string | Buffer) =>
  requestBytes(
    'POST',
    '/read/anything',
    ['Content-Type: application/json', 'Content-Encoding: gzip'],
    gzipSync(body),
  )

/** So many items between commas; as many as 1 MiB has room for where no number is given. */
function items(item: (index: number) => string, count = Number.POSITIVE_INFINITY): string {
  const texts: string[] = []
  for (let [index, size] = [0, 40]; index < count; index++) {
    const text = item(index)
    size += text.length + 1
    if (size > MIB) break
    texts.push(text)
  }
  return texts.join(',')
}

function tree(levels: number): string {
  if (levels === 0) return '{"a":1}'
  const branch = tree(levels - 1)
  return `{"l":${branch},"r":${branch}}`
}

const upload = (...parts: string[]) =>
  requestBytes(
    'POST',
    '/upload',
    ['Content-Type: multipart/form-data; boundary=X'],
    `--X\r\n${parts.join('\r\n--X\r\n')}\r\n--X--\r\n`,
  )

const parts = (fields: number, files: number) => [
  ...Array<string>(fields).fill('Content-Disposition: form-data; name="title"\r\n\r\na'),
  ...Array<string>(files).fill(`${FILE}\r\n\r\n${'a'.repeat(MIB)}`),
]

const FIXED: Readonly<Record<string, Buffer>> = {
  'T16: depth of lists': json('/read/anything', '['.repeat(MIB / 2) + ']'.repeat(MIB / 2)),
  'T16: depth of objects': json(
    '/read/anything',
    `${'{"a":'.repeat(MIB / 6)}1${'}'.repeat(MIB / 6)}`,
  ),
  'T18: a text': json('/closed', `{"name":"${'x'.repeat(MIB - 20)}"}`),
  'T18: white space': json('/closed', ' '.repeat(MIB)),
  'T20: gzip of 64 MiB': compressed(Buffer.alloc(64 * MIB)),
  'T22: 20,000 unknown names': json('/closed', `{${items(index => `"k${index}":1`, 20_000)}}`),
  'T22: bad items': json('/read/shapes', `{"numbers":[${items(() => '"x"')}]}`),
  'T22: bad objects': json('/read/shapes', `{"items":[${items(() => '{"b":1}')}]}`),
  'T23: a text where a number should be': json(
    '/read/shapes',
    `{"number":"${'x'.repeat(MIB - 20)}"}`,
  ),
  'T24: 50,000 names, numeric': json('/read/record', `{${items(index => `"${index}":1`, 50_000)}}`),
  'T24: 20,000 names, short': json(
    '/read/record',
    `{${items(index => `"${index.toString(36)}":1`, 20_000)}}`,
  ),
  'T24: a name again and again': json('/read/record', `{${items(() => '"k":1')}}`),
  'T25: a dangerous pattern': json('/pattern', `{"text":"${'a'.repeat(MIB - 20)}!"}`),
  'T26: a list in a query': get(`/search?ids=${long('1,')}1`),
  'T26: escapes in a query': get(`/search?text=${long('%41')}`),
  'T26: a long media type': requestBytes(
    'POST',
    '/closed',
    [`Content-Type: application/json${long('; a=b')}`],
    '{}',
  ),
  'T26: cookies': get('/cookies', `Cookie: ${long('a=1; ')}`),
  'T30: lone surrogates': json('/closed', `{"name":"${long('\\ud800', MIB - 20)}"}`),
  'T43: a long path': get(`/text/${long('%41')}`),
  'T43: many segments': get(long('/a')),
  'T64: 1,000 fields': upload(...parts(1000, 0)),
  'T64: ten files': upload(...parts(0, 10)),
  'T64: a header that quotes again and again': upload('filename="'.repeat(120_000)),
  'T64: a header of 240,000 lines': upload('a:b\r\n'.repeat(240_000)),
  'T64: a file of CR': upload(`${FILE}\r\n\r\n${'\r'.repeat(5 * MIB)}`),
  'T64: a file of what is nearly the boundary': upload(`${FILE}\r\n\r\n${'\r\n--'.repeat(MIB)}`),
  'T74: entity tags': get('/leak/list', `If-None-Match: ${long('"a",')}`),
  'T74: quotes': get('/leak/list', `If-None-Match: ${long('"')}`),
  'a form of 1,000 fields': form(long('a=%41&', 6000)),
  'a form of 64 kB': form(`a=${long('%41', 65_000)}`),
  'a query of many names': get(
    `/search?${Array.from({ length: 2500 }, (_, index) => `k${index}`).join('&')}`,
  ),
  'a list of objects': json('/read/shapes', `{"items":[${items(() => '{"a":1}')}]}`),
  'a list of numbers': json('/read/shapes', `{"numbers":[${items(() => '1')}]}`),
  'a list whose last object is bad': json(
    '/read/shapes',
    `{"items":[${items(() => '{"a":1}')},{}]}`,
  ),
  'empty objects': json('/read/empty', `[${items(() => '{}')}]`),
  'nested lists': json('/read/lists', `[${items(() => '[[[]]]')}]`),
  'nested lists, the last one bad': json('/read/lists', `[${items(() => '[[[]]]')},1]`),
  'a union of ten': json('/read/union', `[${items(() => '{"f9":1}')}]`),
  'a union of ten, the last item bad': json(
    '/read/union',
    `[${items(() => '{"f9":1}')},{"f9":"1"}]`,
  ),
  'a union around a long list': json('/read/around', `[${items(() => '{"a":1}')}]`),
  'a union around a long list, the last item bad': json(
    '/read/around',
    `[${items(() => '{"a":1}')},{}]`,
  ),
  'a dictionary, the last entry bad': json(
    '/read/dictionary',
    `{${items(index => `"k${index}":1`)},"a":"x"}`,
  ),
  'a tree': json('/read/tree', tree(14)),
  'a text of escapes': json('/closed', `{"name":"${long('\\u0041', MIB - 20)}"}`),
  'gzip of 1 MiB': compressed(`[${items(index => `{"a":${index}}`)}]`),
  'a page of 100': get('/pages/100000?page=1000&page_size=100'),
}

/** JSON of 1 MiB with other names in each round, which V8 has not seen yet. */
const ANEW: Readonly<Record<string, (round: number) => string>> = {
  'nothing but names': round => `{${items(index => `"k${round}x${index}":1`)}}`,
  'objects with a name of their own': round => `[${items(index => `{"k${round}x${index}":1}`)}]`,
  'nothing but lists': () => `[${items(() => '[[[]]]')}]`,
  'nothing but objects': () => `[${items(() => '{}')}]`,
  'a name that is searched for': () => `[${items(() => '{}')},"__proto__"]`,
}

/**
 * By name, the costliest requests that we know of and that the limits and Node let through, to the
 * application of the threats; those of a round.
 */
export const COSTLIEST_REQUESTS: Readonly<Record<string, (round: number) => Buffer>> =
  Object.fromEntries([
    ...Object.entries(FIXED).map(([name, bytes]) => [name, () => bytes] as const),
    ...Object.entries(ANEW).map(
      ([name, textOf]) => [name, (round: number) => json('/read/anything', textOf(round))] as const,
    ),
  ])
