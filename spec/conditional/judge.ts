import type { TestCase } from './case.js'
import type { RawAnswer } from './raw-request.js'

/**
 * What is wrong with an answer, after which `writes` writes had happened; nothing where it is
 * right.
 */
export function faultsOf(
  { expected, current_etag, method }: TestCase,
  { status, headers, body }: RawAnswer,
  writes: number,
): string[] {
  const { also_ok = [], keep_headers = [], drop_headers = [] } = expected
  const wrote = writes > 0
  if (status !== expected.status) {
    if (!also_ok.includes(status)) return [`status ${status}, not ${expected.status}`]
    return wrote && !expected.side_effect ? ['a write that should not be'] : []
  }
  const etag = headers.get('etag')?.[0]
  return [
    ...(wrote !== expected.side_effect
      ? [wrote ? 'the write happened' : 'the write did not happen']
      : []),
    ...(expected.etag === 'current' && etag !== current_etag
      ? [`ETag ${etag}, not ${current_etag}`]
      : []),
    ...(expected.etag === 'absent' && etag !== undefined ? [`ETag ${etag} on a ${status}`] : []),
    ...(expected.body === 'none' && body !== '' ? ['a body where none belongs'] : []),
    ...(expected.body === 'json_error' && codeIn(body) !== status
      ? ['no error body with its code']
      : []),
    ...(expected.body === 'representation' &&
    method !== 'HEAD' &&
    status === 200 &&
    body !== '{"ok":true}'
      ? ['not the representation']
      : []),
    ...keep_headers
      .filter(name => !headers.has(name.toLowerCase()))
      .map(name => `${name} is missing`),
    ...drop_headers.filter(name => headers.has(name.toLowerCase())).map(name => `${name} is there`),
  ]
}

function codeIn(body: string): unknown {
  try {
    return JSON.parse(body).code
  } catch {
    return undefined
  }
}
