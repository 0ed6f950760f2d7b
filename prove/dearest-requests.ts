import { gzipSync } from 'node:zlib'
import { requestBytes } from './connection.js'

const MIB = 1024 * 1024
/** Of a line of a request, so that Node takes it. */
const LINE = 15_000

const json = (path: string, body: string) => requestBytes('POST', path, ['Content-Type: application/json'], body)
const compressed = (body: string) =>
  requestBytes('POST', '/read/anything', ['Content-Type: application/json', 'Content-Encoding: gzip'], gzipSync(body))

/** A JSON list, or an object of one, of 1 MiB. */
function filled(item: (index: number) => string, before = '[', after = ']'): string {
  const items: string[] = []
  let size = before.length + after.length
  for (let index = 0; ; index++) {
    const text = item(index)
    size += text.length + 1
    if (size > MIB) return before + items.join(',') + after
    items.push(text)
  }
}

const long = (text: string, size = LINE) => text.repeat(Math.floor(size / text.length))

function multipart(fields: number, files: number): Buffer {
  const field = '--X\r\nContent-Disposition: form-data; name="title"\r\n\r\na\r\n'
  const file = `--X\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n${'a'.repeat(MIB)}\r\n`
  return requestBytes(
    'POST',
    '/upload',
    ['Content-Type: multipart/form-data; boundary=X'],
    `${field.repeat(fields)}${file.repeat(files)}--X--\r\n`,
  )
}

/** By name, the dearest requests that the limits and Node let through, to the application of the threats. */
export const DEAREST_REQUESTS: Readonly<Record<string, Buffer>> = {
  'depth: arrays': json('/read/anything', '['.repeat(MIB / 2) + ']'.repeat(MIB / 2)),
  'depth: objects': json('/read/anything', `${'{"a":'.repeat(MIB / 6)}1${'}'.repeat(MIB / 6)}`),
  'names: 1 MiB of them, unknown': json(
    '/closed',
    filled(index => `"k${index}":1`, '{', '}'),
  ),
  'names: 1 MiB of them': json(
    '/open',
    filled(index => `"k${index}":1`, '{', '}'),
  ),
  'names: numbers': json(
    '/open',
    filled(index => `"${index}":1`, '{', '}'),
  ),
  'names: the same again': json(
    '/open',
    filled(() => '"k":1', '{', '}'),
  ),
  'a list of numbers': json(
    '/shapes',
    filled(() => '1', '{"numbers":[', ']}'),
  ),
  'a list of what is no number': json(
    '/shapes',
    filled(() => '"x"', '{"numbers":[', ']}'),
  ),
  'a list of objects': json(
    '/shapes',
    filled(() => '{"a":1}', '{"items":[', ']}'),
  ),
  'a list of objects, each wrong': json(
    '/shapes',
    filled(() => '{"b":1}', '{"items":[', ']}'),
  ),
  'a list of lists': json(
    '/anything',
    filled(() => '[[[]]]'),
  ),
  'a list of empty objects': json(
    '/anything',
    filled(() => '{}'),
  ),
  '__proto__ at the end of a list': json(
    '/anything',
    filled(() => '{}', '[', ',{"__proto__":1}]'),
  ),
  'a text of 1 MiB': json('/closed', `{"name":"${'x'.repeat(MIB - 20)}"}`),
  'a text of escapes': json('/closed', `{"name":"${long('\\u0041', MIB - 20)}"}`),
  'a text of lone surrogates': json('/closed', `{"name":"${long('\\ud800', MIB - 20)}"}`),
  'a text where a number should be': json('/read/shapes', `{"number":"${'x'.repeat(MIB - 20)}"}`),
  'a text for a dangerous pattern': json('/pattern', `{"text":"${'a'.repeat(MIB - 20)}!"}`),
  'white space': json('/closed', ' '.repeat(MIB)),
  'gzip of 1 MiB': compressed(filled(index => `{"a":${index}}`)),
  'gzip of 64 MiB': requestBytes(
    'POST',
    '/closed',
    ['Content-Type: application/json', 'Content-Encoding: gzip'],
    gzipSync(Buffer.alloc(64 * MIB)),
  ),
  'a form of 1,000 fields': requestBytes('POST', '/form', ['Content-Type: application/x-www-form-urlencoded'], long('a=%41&', 6000)),
  'a form of 64 kB': requestBytes('POST', '/form', ['Content-Type: application/x-www-form-urlencoded'], `a=${long('%41', 65_000)}`),
  'a multipart body of 1,000 fields': multipart(1000, 0),
  'ten files of 1 MiB': multipart(0, 10),
  'a query of one name': requestBytes('GET', `/search?${long('ids=1&')}`),
  'a query of a list': requestBytes('GET', `/search?ids=${long('1,')}1`),
  'a query of many names': requestBytes('GET', `/search?${Array.from({ length: 2500 }, (_, index) => `k${index}`).join('&')}`),
  'a query of escapes': requestBytes('GET', `/search?text=${long('%41')}`),
  'a long path': requestBytes('GET', `/text/${long('%41')}`),
  'a path of many segments': requestBytes('GET', long('/a')),
  'many entity tags': requestBytes('GET', '/leak/list', [`If-None-Match: ${long('"a",')}`]),
  'a long entity tag that never ends': requestBytes('GET', '/leak/list', [`If-None-Match: ${long('"')}`]),
  'many cookies': requestBytes('GET', '/cookies', [`Cookie: ${long('a=1; ')}`]),
  'a long media type': requestBytes('POST', '/closed', [`Content-Type: application/json${long('; a=b')}`], '{}'),
  'a large answer': requestBytes('GET', '/pages/100000?page=1000&page_size=100'),
}
