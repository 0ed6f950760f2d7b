import { requestBytes } from '../spec/support/wire.js'
import { STAFF_LINE } from './credentials.js'
import { type Shot, steadyShot } from './load.js'

const REX = { name: 'Rex', kind: 'dog', birthDate: '2026-03-09', price: '499.95' }
const TYPE = 'Content-Type: application/json'
const FORM = 'Content-Type: multipart/form-data; boundary=X'

const json = (method: string, path: string, body: unknown, ...lines: string[]) =>
  requestBytes(
    method,
    path,
    [TYPE, STAFF_LINE, ...lines],
    typeof body === 'string' ? body : JSON.stringify(body),
  )
const get = (path: string, ...lines: string[]) => requestBytes('GET', path, lines)
const picture = (name: string, count = 1) => {
  const part = `--X\r\nContent-Disposition: form-data; name="${name}"; filename="a"\r\nContent-Type: image/png\r\n\r\nabc\r\n`
  return requestBytes(
    'PUT',
    '/pets/2/picture',
    [FORM, STAFF_LINE],
    `${part.repeat(count)}--X--\r\n`,
  )
}

/**
 * Requests that the pet shop answers with success, and which change nothing; the dear ones are
 * rare.
 */
export const READS: readonly Shot[] = mixOf([
  [2, steadyShot('a pet', 200, get('/pets/1'))],
  [2, steadyShot('another pet', 200, get('/pets/7'))],
  [1, steadyShot('the head of a pet', 200, requestBytes('HEAD', '/pets/1'), false)],
  [2, steadyShot('a pet that is known', 304, get('/pets/1', 'If-None-Match: "x", W/"1"'), false)],
  [1, steadyShot('a pet that is known otherwise', 200, get('/pets/1', 'If-None-Match: "x"'))],
  [16, steadyShot('the methods of a pet', 200, requestBytes('OPTIONS', '/pets/1'))],
  [1, steadyShot('pets', 200, get('/pets/?page_size=5'))],
  [1, steadyShot('pets of a kind', 200, get('/pets/?kind=cat&sort=price&page_size=3'))],
  [1, steadyShot('no owners', 200, get('/owners/?page=900&page_size=100'))],
  [2, steadyShot('an owner', 200, get('/owners/1'))],
  [2, steadyShot('an owner with a telephone number', 200, get('/owners/1', STAFF_LINE))],
  [1, steadyShot('owners of a town', 200, get('/owners/?city=Nowhere'))],
  [1, steadyShot('the pets of an owner', 200, get('/owners/2/pets'))],
  [2, steadyShot('the document', 200, get('/docs/openapi.json'))],
  [24, steadyShot('a page of the documentation', 200, get('/docs/'))],
  [0.2, steadyShot('a picture that is stored', 204, picture('picture'))],
])

/** Requests that it refuses. */
export const REFUSALS: readonly Shot[] = mixOf([
  [4, steadyShot('what is not JSON', 400, json('POST', '/pets/', '{"name":'))],
  [4, steadyShot('__proto__', 400, json('POST', '/pets/', '{"__proto__":{"isAdmin":true}}'))],
  [
    4,
    steadyShot(
      'what is nested too deep',
      400,
      json('POST', '/pets/', '['.repeat(70) + ']'.repeat(70)),
    ),
  ],
  [4, steadyShot('a badly encoded path', 400, get('/pets/%ff'))],
  [
    4,
    steadyShot('no credentials', 401, requestBytes('POST', '/pets/', [TYPE], JSON.stringify(REX))),
  ],
  [
    4,
    steadyShot(
      'wrong credentials',
      401,
      requestBytes('POST', '/pets/', [TYPE, 'X-Key: guess'], JSON.stringify(REX)),
    ),
  ],
  [4, steadyShot('a token that is none', 401, get('/owners/1', 'Authorization: Bearer a.b.c'))],
  [4, steadyShot('no operation', 404, get('/nowhere'))],
  [2, steadyShot('no pet', 404, get('/pets/9007199254740991'))],
  [4, steadyShot('no number', 404, get('/pets/abc'))],
  [4, steadyShot('another method', 405, requestBytes('DELETE', '/pets/'))],
  [2, steadyShot('a stale tag', 412, json('PUT', '/pets/1', REX, 'If-Match: "0"'))],
  [0.2, steadyShot('too many files', 413, picture('picture', 11))],
  [
    4,
    steadyShot(
      'another media type',
      415,
      requestBytes('POST', '/pets/', [STAFF_LINE, 'Content-Type: text/plain'], 'x'),
    ),
  ],
  [
    4,
    steadyShot(
      'a body that does not fit',
      422,
      json('POST', '/pets/', { ...REX, kind: 'wolf', age: 3, price: 7 }),
    ),
  ],
  [4, steadyShot('a query that does not fit', 422, get('/pets/?page_size=0&kind=wolf&minPrice=x'))],
  [0.2, steadyShot('an upload that does not fit', 422, picture('another'))],
  [4, steadyShot('no tag', 428, json('PUT', '/pets/1', REX))],
])

/** Each shot as often as its share says; one that is chosen at random comes that often. */
function mixOf(shares: readonly (readonly [share: number, shot: Shot])[]): readonly Shot[] {
  return shares.flatMap(([share, shot]) => Array<Shot>(share * 5).fill(shot))
}
