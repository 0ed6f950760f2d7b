import {
  Api,
  type Error as ErrorBody,
  type HttpResponse,
  Kind,
} from '../generated/swagger-typescript-api/client.js'
import type { Life, Shop } from './life.js'

export async function live({ baseUrl, headers, picture }: Shop): Promise<Life> {
  const { pets } = new Api({ baseUrl, baseApiParams: { headers: { ...headers } } })
  // it throws whatever is no success
  const refused = async (sent: Promise<unknown>): Promise<HttpResponse<unknown, ErrorBody>> => {
    try {
      await sent
    } catch (response) {
      return response as HttpResponse<unknown, ErrorBody>
    }
    throw new Error('not refused')
  }
  const added = await pets.petListPost({
    name: 'Rex',
    kind: Kind.Dog,
    birthDate: '2026-08-09',
    price: '499.95',
  })
  const { id: petId, price, tags } = added.data

  const list = await pets.petListGet({
    kind: Kind.Dog,
    bornAfter: '2026-08-01',
    sort: '-birthDate',
  })
  const read = await pets.petByIdGet(petId)
  const wrong = await refused(
    pets.petListPost({ name: 'Rex', kind: Kind.Dog, birthDate: '2026-08-09', price: 'much' }),
  )
  const messages = wrong.error.errors?.json

  const first = read.headers.get('ETag') ?? ''
  const change = (tag: string, price: string) =>
    pets.petByIdPatch(petId, { price }, { headers: { 'If-Match': tag } })
  const changed = await change(first, '449.95')
  const stale = await refused(change(first, '399.95'))

  const pictured = await pets.petPicturePut(petId, {
    picture: new File([picture], 'rex.png', { type: picture.type }),
  })
  const shown = await pets.petPictureGet(petId)
  const removed = await pets.petByIdDelete(petId, {
    headers: { 'If-Match': changed.headers.get('ETag') ?? '' },
  })
  const gone = await refused(pets.petByIdGet(petId))
  return {
    added: added.status,
    price,
    tags,
    listed: list.data.some(({ id }) => id === petId),
    status: read.data.status,
    wrong:
      Array.isArray(messages) || messages === undefined || !Array.isArray(messages.price)
        ? []
        : messages.price,
    changed: changed.data.price,
    stale: stale.status,
    refusal: stale.error.status,
    pictured: pictured.status,
    bytes: shown.data.size,
    removed: removed.status,
    gone: gone.status,
  }
}
