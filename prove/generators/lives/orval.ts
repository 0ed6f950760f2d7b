import {
  petByIdDelete,
  petByIdGet,
  petByIdPatch,
  petListGet,
  petListPost,
  petPicturePut,
} from '../generated/orval/client.js'
import type { Life, Shop } from './life.js'

export async function live({ baseUrl, headers, picture }: Shop): Promise<Life> {
  // its functions know no base URL: an application gives it a `mutator`, or a `fetch` of its own
  const own = globalThis.fetch
  globalThis.fetch = (url, init) =>
    own(new URL(String(url), baseUrl), {
      ...init,
      headers: { ...headers, ...(init?.headers as Record<string, string>) },
    })
  try {
    const added = await petListPost({
      name: 'Rex',
      kind: 'dog',
      birthDate: '2026-08-09',
      price: '499.95',
    })
    if (added.status !== 201) throw new Error('not added')
    const { id: petId, price, tags } = added.data

    const list = await petListGet({ kind: 'dog', bornAfter: '2026-08-01', sort: '-birthDate' })
    const read = await petByIdGet(petId)
    const wrong = await petListPost({
      name: 'Rex',
      kind: 'dog',
      birthDate: '2026-08-09',
      price: 'much',
    })
    // plain errors, since nothing else was asked for
    const messages =
      wrong.status === 422 && 'code' in wrong.data ? wrong.data.errors?.json : undefined

    const change = (tag: string, price: string) =>
      petByIdPatch(petId, { price }, { headers: { 'If-Match': tag } })
    const first = read.headers.get('ETag') ?? ''
    const changed = await change(first, '449.95')
    const stale = await change(first, '399.95')

    const pictured = await petPicturePut(petId, { picture })

    const removed = await petByIdDelete(petId, {
      headers: { 'If-Match': changed.headers.get('ETag') ?? '' },
    })
    const gone = await petByIdGet(petId)
    return {
      added: added.status,
      price,
      tags,
      // a string would be another representation
      listed:
        list.status === 200 && Array.isArray(list.data) && list.data.some(({ id }) => id === petId),
      status: read.status === 200 ? read.data.status : undefined,
      wrong:
        Array.isArray(messages) || messages === undefined || !Array.isArray(messages.price)
          ? []
          : messages.price,
      changed: changed.status === 200 ? changed.data.price : undefined,
      stale: stale.status,
      refusal: stale.status === 412 && 'code' in stale.data ? stale.data.status : undefined,
      pictured: pictured.status,
      // it parses every body as JSON, pictures too
      bytes: undefined,
      removed: removed.status,
      gone: gone.status,
    }
  } finally {
    globalThis.fetch = own
  }
}
