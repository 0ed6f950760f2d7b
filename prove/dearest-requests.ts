import { gzipSync } from 'node:zlib'
import { requestBytes } from '../spec/support/wire.js'

const MIB = 1024 * 1024
/** Of a line of a request, so that Node takes it. */
const LINE = 15_000

const long = (text: string, size = LINE) => text.repeat(Math.floor(size / text.length))
const json = (path: string, body: string) => requestBytes('POST', path, ['Content-Type: application/json'], body)
const form = (body: string) => requestBytes('POST', '/form', ['Content-Type: application/x-www-form-urlencoded'], body)
const get = (path: string, ...lines: string[]) => requestBytes('GET', path, lines)
const compressed = (body: string | Buffer) =>
  requestBytes('POST', '/read/anything', ['Content-Type: application/json', 'Content-Encoding: gzip'], gzipSync(body))

/** So many items between commas; as many as fit into 1 MiB where it is not said. */
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

function multipart(fields: number, files: number): Buffer {
  const field = '--X\r\nContent-Disposition: form-data; name="title"\r\n\r\na\r\n'
  const file = `--X\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n${'a'.repeat(MIB)}\r\n`
  const body = `${field.repeat(fields)}${file.repeat(files)}--X--\r\n`
  return requestBytes('POST', '/upload', ['Content-Type: multipart/form-data; boundary=X'], body)
}

/** By name, the dearest requests that the limits and Node let through, to the application of the threats. */
export const DEAREST_REQUESTS: Readonly<Record<string, Buffer>> = {
  'T16: depth of lists': json('/read/anything', '['.repeat(MIB / 2) + ']'.repeat(MIB / 2)),
  'T16: depth of objects': json('/read/anything', `${'{"a":'.repeat(MIB / 6)}1${'}'.repeat(MIB / 6)}`),
  'T18: a text': json('/closed', `{"name":"${'x'.repeat(MIB - 20)}"}`),
  'T18: white space': json('/closed', ' '.repeat(MIB)),
  'T20: gzip of 64 MiB': compressed(Buffer.alloc(64 * MIB)),
  'T22: 20,000 unknown names': json('/closed', `{${items(index => `"k${index}":1`, 20_000)}}`),
  'T22: bad items': json('/read/shapes', `{"numbers":[${items(() => '"x"')}]}`),
  'T22: bad objects': json('/read/shapes', `{"items":[${items(() => '{"b":1}')}]}`),
  'T23: a text where a number should be': json('/read/shapes', `{"number":"${'x'.repeat(MIB - 20)}"}`),
  'T24: 50,000 names, numeric': json('/read/record', `{${items(index => `"${index}":1`, 50_000)}}`),
  'T24: 20,000 names, short': json('/read/record', `{${items(index => `"${index.toString(36)}":1`, 20_000)}}`),
  'T24: a name again and again': json('/read/record', `{${items(() => '"k":1')}}`),
  'T25: a dangerous pattern': json('/pattern', `{"text":"${'a'.repeat(MIB - 20)}!"}`),
  'T26: a list in a query': get(`/search?ids=${long('1,')}1`),
  'T26: escapes in a query': get(`/search?text=${long('%41')}`),
  'T26: a long media type': requestBytes('POST', '/closed', [`Content-Type: application/json${long('; a=b')}`], '{}'),
  'T26: cookies': get('/cookies', `Cookie: ${long('a=1; ')}`),
  'T30: lone surrogates': json('/closed', `{"name":"${long('\\ud800', MIB - 20)}"}`),
  'T43: a long path': get(`/text/${long('%41')}`),
  'T43: many segments': get(long('/a')),
  'T64: 1,000 fields': multipart(1000, 0),
  'T64: ten files': multipart(0, 10),
  'T74: entity tags': get('/leak/list', `If-None-Match: ${long('"a",')}`),
  'T74: quotes': get('/leak/list', `If-None-Match: ${long('"')}`),
  'a form of 1,000 fields': form(long('a=%41&', 6000)),
  'a form of 64 kB': form(`a=${long('%41', 65_000)}`),
  'a query of many names': get(`/search?${Array.from({ length: 2500 }, (_, index) => `k${index}`).join('&')}`),
  'a list of objects': json('/read/shapes', `{"items":[${items(() => '{"a":1}')}]}`),
  'a list of numbers': json('/read/shapes', `{"numbers":[${items(() => '1')}]}`),
  'a text of escapes': json('/closed', `{"name":"${long('\\u0041', MIB - 20)}"}`),
  'gzip of 1 MiB': compressed(`[${items(index => `{"a":${index}}`)}]`),
  'a page of 100': get('/pages/100000?page=1000&page_size=100'),
}

/** JSON of 1 MiB for which V8's own parser needs long; with other names in each round, which it has not seen yet. */
export const DEAREST_TEXTS: Readonly<Record<string, (round: number) => string>> = {
  'nothing but names': round => `{${items(index => `"k${round}x${index}":1`)}}`,
  'nothing but lists': () => `[${items(() => '[[[]]]')}]`,
  'nothing but objects': () => `[${items(() => '{}')}]`,
  'a name that is searched for': () => `[${items(() => '{}')},"__proto__"]`,
}
