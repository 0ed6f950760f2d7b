import { createClient } from '../generated/hey-api/client/index.js'
import {
  petByIdDelete,
  petByIdGet,
  petByIdPatch,
  petListGet,
  petListPost,
  petPictureGet,
  petPicturePut,
} from '../generated/hey-api/index.js'
import type { Life, Shop } from './life.js'

export async function live({ baseUrl, headers, picture }: Shop): Promise<Life> {
  const client = createClient({ baseUrl, headers })
  const added = await petListPost({
    client,
    body: { name: 'Rex', kind: 'dog', birthDate: '2026-08-09', price: '499.95' },
  })
  if (!added.data) throw new Error('not added')
  const { id: petId, price, tags } = added.data
  const path = { petId }

  const list = await petListGet({
    client,
    query: { kind: 'dog', bornAfter: '2026-08-01', sort: '-birthDate' },
  })
  const read = await petByIdGet({ client, path })
  const wrong = await petListPost({
    client,
    body: { name: 'Rex', kind: 'dog', birthDate: '2026-08-09', price: 'much' },
  })
  const messages = wrong.error?.errors?.json

  const change = (tag: string, price: string) =>
    petByIdPatch({ client, path, headers: { 'If-Match': tag }, body: { price } })
  const first = read.response?.headers.get('ETag') ?? ''
  const changed = await change(first, '449.95')
  const stale = await change(first, '399.95')

  const pictured = await petPicturePut({ client, path, body: { picture } })
  const shown = await petPictureGet({ client, path, parseAs: 'blob' })

  const removed = await petByIdDelete({
    client,
    path,
    headers: { 'If-Match': changed.response?.headers.get('ETag') ?? '' },
  })
  const gone = await petByIdGet({ client, path })
  return {
    added: added.response?.status ?? 0,
    price,
    tags,
    listed: list.data?.some(({ id }) => id === petId) ?? false,
    status: read.data?.status,
    wrong:
      Array.isArray(messages) || messages === undefined || !Array.isArray(messages.price)
        ? []
        : messages.price,
    changed: changed.data?.price,
    stale: stale.response?.status ?? 0,
    refusal: stale.error?.status,
    pictured: pictured.response?.status ?? 0,
    bytes: shown.data?.size,
    removed: removed.response?.status ?? 0,
    gone: gone.response?.status ?? 0,
  }
}
