import { describe, expect, it } from 'vitest'
import { BAD_DATE_TIMES } from '../codec/date-texts.js'
import { requestBytes, sendBytes } from '../support/wire.js'
import { serveThreats } from './served.js'

const { port, post, request } = await serveThreats()

const search = (name: string, value: string) =>
  request('GET', `/search?${name}=${encodeURIComponent(value)}`)
const get = async (path: string) =>
  (await sendBytes(port, requestBytes('GET', path, ['Connection: close'])))[0]

describe('text', () => {
  it.each(['%ff', '%zz', '%', '%2', '%c0%af', '%ed%a0%80', '%u0041', 'a%'])(
    'is a 400 in a path if it is not percent-encoded UTF-8: %s (T28)',
    async text => {
      const answer = await get(`/text/${text}`)
      expect({ status: answer?.status, code: answer?.body.code }).toEqual({
        status: 400,
        code: 400,
      })
    },
  )

  it.each(['%ff', '%zz', '%', '%c0%af', '%ed%a0%80'])(
    'is a 400 in a query if it is not percent-encoded UTF-8: %s (T28)',
    async text => {
      expect((await get(`/search?text=${text}`))?.status).toBe(400)
      expect((await get(`/search?${text}=1`))?.status).toBe(400)
    },
  )

  it('keeps an encoded slash in its segment of the path (T28)', async () => {
    expect((await get('/text/a%2Fb'))?.body).toEqual({ text: 'a/b' })
    expect((await get('/text/..%2f..%2fetc%2fpasswd'))?.body).toEqual({ text: '../../etc/passwd' })
  })

  it('with NUL is ordinary data (T29)', async () => {
    expect((await get('/text/a%00b'))?.body).toEqual({ text: 'a\0b' })
    expect((await get('/search?text=%00'))?.body).toEqual({ text: '\0' })
    expect((await post('/closed', '{"name":"\\u0000"}')).body).toEqual({ name: '\0' })
  })

  it('with a lone surrogate comes back unchanged (T30)', async () => {
    const { status, text } = await post('/closed', '{"name":"\\ud800x\\udfff"}')
    expect({ status, text }).toEqual({ status: 200, text: '{"name":"\\ud800x\\udfff"}' })
  })
})

describe('a whole number in a query', () => {
  it.each([
    '1e3',
    '0x10',
    ' 1',
    '1 ',
    '1.0',
    '+1',
    '',
    '0b1',
    'Infinity',
    'NaN',
    '\u0663',
    '1_0',
    '1,0',
    '01',
    '--1',
    '1n',
    '\u00001',
  ])('is refused as %j (T31)', async text => {
    expect((await search('n', text)).status).toBe(422)
  })

  it('is never -0 (T32)', async () => {
    expect((await search('n', '-0')).status).toBe(422)
    expect((await post('/shapes', '{"whole":-0,"number":-0}')).text).not.toContain('-')
  })

  it.each(['9007199254740993', '-9007199254740993', '1000000000000000000000000000000'])(
    'is refused if a double does not hold it exactly, as %s (T33)',
    async text => {
      expect((await search('n', text)).status).toBe(422)
    },
  )

  it('may be the largest one that a double holds exactly (T33)', async () => {
    expect((await search('n', '-9007199254740991')).body).toEqual({ n: -9007199254740991 })
  })
})

describe('a number in JSON', () => {
  it.each(['1e999', '-1e999'])('is refused if it is not finite, as %s is not (T34)', async text => {
    for (const name of ['number', 'whole'])
      expect((await post('/shapes', `{"${name}":${text}}`)).status).toBe(422)
    expect((await post('/shapes', `{"numbers":[${text}]}`)).status).toBe(422)
  })

  it('is refused if it is whole and a double does not hold it exactly (T35)', async () => {
    expect((await post('/shapes', '{"whole":9007199254740993}')).status).toBe(422)
    expect((await post('/shapes', '{"whole":1.5}')).status).toBe(422)
    expect((await post('/shapes', '{"whole":9007199254740991}')).body).toEqual({
      whole: 9007199254740991,
    })
  })
})

describe('a page', () => {
  it.each([
    'page=0',
    'page=-1',
    'page=1.5',
    'page=1e3',
    'page=',
    'page=1&page=2',
    'page_size=0',
    'page_size=101',
    'page_size=1000000000',
  ])('is a 422 with %s (T36, T37)', async asked => {
    for (const path of ['/pages/3', '/asked'])
      expect((await request('GET', `${path}?${asked}`)).status).toBe(422)
  })

  it.each(['9007199254740993', '99999999999999999999999999'])(
    'of number %s is empty, and its range exact (T36)',
    async page => {
      expect((await request('GET', `/pages/3?page=${page}`)).body).toEqual([])
      const { first, last, size } = (await request('GET', `/asked?page=${page}&page_size=100`)).body
      expect({
        first: Number.isSafeInteger(first),
        last: Number.isSafeInteger(last),
        size: last - first + 1,
      }).toEqual({
        first: true,
        last: true,
        size,
      })
    },
  )

  it('beyond the end is empty, with a header of whole numbers (T38, T39)', async () => {
    const { status, body, headers } = await request('GET', '/pages/3?page=9&page_size=2')
    expect({ status, body }).toEqual({ status: 200, body: [] })
    expect(JSON.parse(headers.get('X-Pagination') ?? '')).toEqual({
      total: 3,
      total_pages: 2,
      first_page: 1,
      last_page: 2,
    })
    expect(
      JSON.parse((await request('GET', '/pages/0')).headers.get('X-Pagination') ?? ''),
    ).toEqual({ total: 0, total_pages: 0 })
  })
})

describe('a query', () => {
  it.each(['TRUE', 'yes', '1', '', 'True', 'null'])('refuses %j for bool (T40)', async text => {
    expect((await search('flag', text)).status).toBe(422)
  })

  it('takes true and false for bool (T40)', async () => {
    expect((await search('flag', 'true')).body).toEqual({ flag: true })
    expect((await search('flag', 'false')).body).toEqual({ flag: false })
  })

  it.each(BAD_DATE_TIMES)('refuses %s for a date and time (T41)', async text => {
    expect((await search('at', text)).status).toBe(422)
  })

  it.each(['2026-02-30', '2026-1-1', '1', '2026', '2026-01-01T00:00:00Z', '2025-02-29'])(
    'refuses %s for a day (T41)',
    async text => {
      expect((await search('day', text)).status).toBe(422)
    },
  )

  it.each([
    ['at', '2026-02-28T23:59:60Z'],
    ['at', '2026-02-28T00:00:00.123456-00:00'],
    ['day', '2024-02-29'],
    ['id', '7C9E6679-7425-40DE-944B-E07FC1F90AE7'],
  ])('takes for %s the text %s (T41, T42)', async (name, text) => {
    expect((await search(name, text)).status).toBe(200)
  })

  it.each([
    '{7c9e6679-7425-40de-944b-e07fc1f90ae7}',
    'urn:uuid:7c9e6679-7425-40de-944b-e07fc1f90ae7',
    '7c9e6679-7425-40de-944b-e07fc1f90ae77',
    '7c9e6679742540de944be07fc1f90ae7',
  ])('refuses %s for a UUID (T42)', async text => {
    expect((await search('id', text)).status).toBe(422)
    expect((await request('GET', `/uuid/${encodeURIComponent(text)}`)).status).toBe(404)
  })
})

describe('a path', () => {
  it('takes a UUID in either case (T42)', async () => {
    expect((await request('GET', '/uuid/7C9E6679-7425-40DE-944B-E07FC1F90AE7')).status).toBe(200)
  })

  it('may be long, up to the limit of Node (T43)', async () => {
    expect((await get(`/text/${'x'.repeat(8000)}`))?.status).toBe(200)
    expect((await get(`/int/${'1'.repeat(8000)}`))?.status).toBe(404)
    expect((await get(`/text/${'x'.repeat(70_000)}`))?.status).toBe(431)
  })

  it.each(['/int/abc', '/int/1.5', '/int/-1', '/int/9007199254740993', '/int/1e3', '/uuid/1'])(
    'that its converter refuses is a 404: %s (T44)',
    async path => {
      expect(await request('GET', path)).toMatchObject({
        status: 404,
        body: { code: 404, status: 'Not Found' },
      })
    },
  )
})
