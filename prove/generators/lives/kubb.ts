import client, { type Client } from '@kubb/plugin-client/clients/fetch'
import {
  petByIdDelete,
  petByIdGet,
  petByIdPatch,
  petListGet,
  petListPost,
  petPicturePut,
} from '../generated/kubb/index.js'
import type { Life, Shop } from './life.js'

export async function live({ baseUrl, headers, picture }: Shop): Promise<Life> {
  // its functions return the data alone; statuses and header fields are what its client has seen
  // last
  let last: { status: number; headers: Headers } = { status: 0, headers: new Headers() }
  const given = new Headers(headers)
  const shop = (async config => {
    // it sends JSON as text/plain unless told otherwise
    const isJson = config.data !== undefined && !(config.data instanceof FormData)
    const type = isJson ? [['Content-Type', 'application/json'] as [string, string]] : []
    const own =
      config.headers === undefined
        ? []
        : Array.isArray(config.headers)
          ? config.headers
          : Object.entries(config.headers)
    const response = await client({
      ...config,
      baseURL: baseUrl,
      headers: [...given, ...type, ...own] as [string, string][],
    })
    last = response
    return response
  }) as Client
  const options = { client: shop }

  const {
    id: petId,
    price,
    tags,
  } = await petListPost(
    { name: 'Rex', kind: 'dog', birthDate: '2026-08-09', price: '499.95' },
    options,
  )
  const added = last.status
  const list = await petListGet(
    { kind: 'dog', bornAfter: '2026-08-01', sort: '-birthDate' },
    options,
  )
  const read = await petByIdGet(petId, {}, options)
  const first = last.headers.get('ETag') ?? ''
  // it gives an error's body for data
  const wrong: unknown = await petListPost(
    { name: 'Rex', kind: 'dog', birthDate: '2026-08-09', price: 'much' },
    options,
  )
  const messages =
    (wrong as { errors?: { json?: { price?: readonly string[] } } }).errors?.json?.price ?? []

  const changed = await petByIdPatch(petId, { price: '449.95' }, { 'If-Match': first }, options)
  const tag = last.headers.get('ETag') ?? ''
  const refused: unknown = await petByIdPatch(
    petId,
    { price: '399.95' },
    { 'If-Match': first },
    options,
  )
  const stale = last.status

  await petPicturePut(petId, { picture }, options)
  const pictured = last.status
  await petByIdDelete(petId, { 'If-Match': tag }, options)
  const removed = last.status
  await petByIdGet(petId, {}, options)
  return {
    added,
    price,
    tags,
    listed: list.some(({ id }) => id === petId),
    status: read.status,
    wrong: messages,
    changed: changed.price,
    stale,
    refusal: (refused as { status?: string }).status,
    pictured,
    // its client parses every body as JSON, pictures too
    bytes: undefined,
    removed,
    gone: last.status,
  }
}
