import { gzipSync } from 'node:zlib'
import { requestBytes } from '../spec/support/wire.js'
import type { Target } from './pump-search.js'

// Every parser that a request to the application of the threats reaches, and what its input may be
// made of.

const KIB = 1024
const MIB = 1024 * KIB
/** Of the head of a request, so that Node takes it. */
const LINE = 15_000

const CLOSE = 'Connection: close'
const PUNCTUATION = [...'-_.,;:=\'"\\/&+*()[]{}<>|~!?@$ ']
const LETTERS = ['a', 'A', 'e', 'x', 'z', '0', '1', '9']
const ESCAPES = ['%41', '%2F', '%C3%BC', '%ff', '%', '%25']
const DATES = [
  '2026-',
  '-01',
  '01-',
  'T00:',
  ':00',
  '00',
  'Z',
  '+01:00',
  '.123',
  'Sun, ',
  '06 Nov 1994',
  ' GMT',
  '1e',
  '1.',
]
const JSON_TOKENS = [
  '1',
  '-0',
  '1e9',
  '0.1',
  '""',
  '"a"',
  '"#"',
  'null',
  'true',
  '[]',
  '{}',
  '[[]]',
  '{"a":1}',
  '{"a":{}}',
  '{"b":1}',
]
const JSON_PIECES = [
  ...'{}[]":, \\',
  '\\"',
  '\\u0041',
  '\\ud800',
  '\\u00',
  '__proto__',
  '"__proto__":',
  '"a":',
  '"#":',
  ...JSON_TOKENS,
]
const PART = 'Content-Disposition: form-data; name="title"\r\n\r\n'
const PART_TOKENS = [
  '\r',
  '\n',
  '\r\n',
  '\r\n\r\n',
  '--',
  '--X',
  '\r\n--X',
  '\r\n--X\r\n',
  '\r\n--X--',
  ': ',
  ':',
  ';',
  '"',
  '\\',
  '\\"',
  '=',
]
const PART_FIELDS = [
  'Content-Disposition: form-data',
  '; name="a"',
  '; name="',
  '; filename="',
  'filename=',
  '; a=b',
  'Content-Type: ',
  'X: y',
  PART,
]

const target = (
  name: string,
  room: number,
  tokens: readonly string[],
  request: Target['request'],
  separator = '',
): Target => ({
  name,
  room,
  tokens,
  request,
  separator,
})
const get = (
  name: string,
  tokens: readonly string[],
  head: (text: string) => readonly [string, ...string[]],
): Target =>
  target(name, LINE, tokens, text => {
    const [path, ...lines] = head(text.replace(/[\0\r\n]/g, ''))
    return requestBytes('GET', path.replaceAll(' ', '+'), [...lines, CLOSE])
  })
const post = (path: string, type: string, body: string | Buffer, ...lines: string[]) =>
  requestBytes(
    'POST',
    path,
    [`Content-Type: ${type}`, CLOSE, ...lines],
    typeof body === 'string' ? Buffer.from(body, 'latin1') : body,
  )
const jsonOf = (
  name: string,
  path: string,
  tokens: readonly string[],
  open: string,
  close: string,
): Target =>
  target(
    name,
    MIB - 2 - open.length - close.length,
    tokens,
    text => post(path, 'application/json', open + text + close),
    ',',
  )
const multipart = (text: string) => post('/upload', 'multipart/form-data; boundary=X', text)

const QUERIES = {
  text: ESCAPES,
  n: DATES,
  flag: ['true', 'false'],
  day: DATES,
  at: DATES,
  id: ['0000-', 'ffff'],
  ids: ['1,', ','],
}

/** All of them. */
export const TARGETS: readonly Target[] = [
  get('a path', [...PUNCTUATION, ...LETTERS, ...ESCAPES], text => [`/${text}`]),
  get('a path parameter', [...PUNCTUATION, ...LETTERS, ...ESCAPES], text => [`/text/${text}`]),
  get('a number in a path', [...LETTERS, '-', '+', ...ESCAPES], text => [`/int/${text}`]),
  get('a uuid in a path', [...LETTERS, '-', '0000-', ...ESCAPES], text => [`/uuid/${text}`]),
  get(
    'a query',
    [...PUNCTUATION, ...LETTERS, ...ESCAPES, 'a=', 'text=', 'ids=', '#=', '&'],
    text => [`/search?${text}`],
  ),
  ...Object.entries(QUERIES).map(([name, tokens]) =>
    get(`${name} in a query`, [...PUNCTUATION, ...LETTERS, ...tokens], text => [
      `/search?${name}=${text.replaceAll('&', '')}`,
    ]),
  ),
  get('cookies', [...PUNCTUATION, ...LETTERS, ...ESCAPES, 'a=', '; ', '#='], text => [
    '/cookies',
    `Cookie: ${text}`,
  ]),
  get('a header field', [...PUNCTUATION, ...LETTERS], text => ['/headers', `X-A: ${text}`]),
  ...[
    'If-None-Match',
    'If-Match',
    'If-Modified-Since',
    'If-Unmodified-Since',
    'Range',
    'Accept',
  ].map(field =>
    get(field, [...PUNCTUATION, ...LETTERS, 'W/', '"a"', '"a",', 'W/"a"', ...DATES], text => [
      '/leak/list',
      `${field}: ${text}`,
    ]),
  ),
  ...['Content-Type', 'Content-Encoding'].map(field =>
    target(
      field,
      LINE,
      [
        ...PUNCTUATION,
        ...LETTERS,
        'application/json',
        '; a=b',
        '; a="',
        '\\"',
        'multipart/form-data',
        '; boundary=',
      ],
      text =>
        requestBytes(
          'POST',
          '/closed',
          ['Content-Type: application/json', `${field}: ${text}`]
            .slice(field === 'Content-Type' ? 1 : 0)
            .concat(CLOSE),
          '{}',
        ),
    ),
  ),
  target('a form', 64 * KIB, [...PUNCTUATION, ...LETTERS, ...ESCAPES, 'a=', '#=', '&'], text =>
    post('/form', 'application/x-www-form-urlencoded', text),
  ),
  target('a JSON text', MIB, JSON_PIECES, text => post('/read/anything', 'application/json', text)),
  target('a compressed JSON text', MIB, JSON_PIECES, text =>
    post(
      '/read/anything',
      'application/json',
      gzipSync(Buffer.from(text, 'latin1')),
      'Content-Encoding: gzip',
    ),
  ),
  target(
    'a JSON string',
    MIB,
    [...PUNCTUATION, ...LETTERS, '\\u0041', '\\ud800', '\\n', '\xc3\xbc', '\xe2\x82\xac'],
    text =>
      post('/closed', 'application/json', `{"name":"${text.replace(/\\(?![nu"\\])|"/g, '')}"}`),
  ),
  jsonOf(
    'members of any object',
    '/read/record',
    JSON_TOKENS.map(token => `"#":${token}`).concat(['"a":1', '"__proto":1']),
    '{',
    '}',
  ),
  jsonOf(
    'members of an object',
    '/read/shapes',
    ['"#":1', '"numbers":[]', '"a":1', '"items":[{}]', '"either":{"kind":"a"}'],
    '{',
    '}',
  ),
  jsonOf('items of a list', '/read/shapes', JSON_TOKENS, '{"items":[', ']}'),
  jsonOf('numbers', '/read/shapes', JSON_TOKENS, '{"numbers":[', ']}'),
  target(
    'header fields of a part',
    8 * KIB,
    [...PUNCTUATION, ...LETTERS, ...PART_TOKENS, ...PART_FIELDS],
    text => multipart(`--X\r\n${text}\r\n\r\na\r\n--X--\r\n`),
  ),
  target(
    'header fields of a part that is too long',
    MIB,
    [...LETTERS, ...PART_TOKENS, ...PART_FIELDS],
    text => multipart(`--X\r\n${text}\r\n\r\na\r\n--X--\r\n`),
  ),
  target('a file', MIB, [...LETTERS, ...PART_TOKENS], text =>
    multipart(
      `--X\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n${text}\r\n--X--\r\n`,
    ),
  ),
  target('a multipart body', MIB, [...LETTERS, ...PART_TOKENS, ...PART_FIELDS], multipart),
]
