import createClient from 'openapi-fetch'
import type { paths } from '../generated/openapi-typescript/schema.js'
import type { Life, Shop } from './life.js'

export async function live({ baseUrl, headers, picture }: Shop): Promise<Life> {
  const client = createClient<paths>({ baseUrl, headers })
  const added = await client.POST('/pets/', {
    body: { name: 'Rex', kind: 'dog', birthDate: '2026-08-09', price: '499.95' },
  })
  if (!added.data) throw new Error('not added')
  const { id: petId, price, tags } = added.data
  const params = { path: { petId } }

  const list = await client.GET('/pets/', {
    params: { query: { kind: 'dog', bornAfter: '2026-08-01', sort: '-birthDate' } },
  })
  const read = await client.GET('/pets/{petId}', { params })
  const wrong = await client.POST('/pets/', {
    body: { name: 'Rex', kind: 'dog', birthDate: '2026-08-09', price: 'much' },
  })
  // plain errors, since nothing else was asked for
  const messages = wrong.error && 'code' in wrong.error ? wrong.error.errors?.json : undefined

  const change = (tag: string, price: string) =>
    client.PATCH('/pets/{petId}', {
      params: { ...params, header: { 'If-Match': tag } },
      body: { price },
    })
  const first = read.response.headers.get('ETag') ?? ''
  const changed = await change(first, '449.95')
  const stale = await change(first, '399.95')

  const form = new FormData()
  form.set('picture', picture, 'rex.png')
  const pictured = await client.PUT('/pets/{petId}/picture', {
    params,
    body: form as never,
    bodySerializer: body => body as never,
  })
  const shown = await client.GET('/pets/{petId}/picture', { params, parseAs: 'arrayBuffer' })

  const removed = await client.DELETE('/pets/{petId}', {
    params: { ...params, header: { 'If-Match': changed.response.headers.get('ETag') ?? '' } },
  })
  const gone = await client.GET('/pets/{petId}', { params })
  return {
    added: added.response.status,
    price,
    tags,
    // a string would be another representation
    listed: Array.isArray(list.data) && list.data.some(({ id }) => id === petId),
    status: read.data?.status,
    wrong:
      Array.isArray(messages) || messages === undefined || !Array.isArray(messages.price)
        ? []
        : messages.price,
    changed: changed.data?.price,
    stale: stale.response.status,
    refusal: stale.error && 'code' in stale.error ? stale.error.status : undefined,
    pictured: pictured.response.status,
    bytes: shown.data?.byteLength,
    removed: removed.response.status,
    gone: gone.response.status,
  }
}
