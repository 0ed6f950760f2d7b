// What a client can be told wrong through `PathsOf`: each marked line is an error. What is printed
// of it has the parts behind its mark, and names the path: in a type where openapi-fetch shows one
// of ours, otherwise in the line itself.
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  altResponse,
  Blueprint,
  type ErrorForm,
  etag,
  int,
  json,
  MethodView,
  operation,
  type PathsOf,
  problem,
  query,
  readOnly,
  response,
  struct,
} from 'koa-smorest'
import createClient from 'openapi-fetch'

const Pet = struct(
  { id: readOnly(int), name: t.string, kind: t.keyof({ cat: null, dog: null }) },
  'Pet',
)
const Taken = problem('taken', { status: 409, data: t.strict({ by: t.string }) })
declare const pet: t.TypeOf<typeof Pet>

class PetById extends MethodView {
  static shared = operation(etag({ load: () => pet, tag: () => 1 }))
  static get = operation(response(Pet))
  get() {
    return pet
  }
  static put = operation(json(Pet), response(Pet))
  put() {
    return pet
  }
}

const pets = new Blueprint('pets', { urlPrefix: '/pets' })
  .get(
    '/',
    operation(
      query(t.partial({ kind: t.keyof({ cat: null, dog: null }) })),
      response(t.array(Pet)),
    ),
    () => [pet],
  )
  .post('/', operation(json(Pet), response(Pet, { code: 201 }), altResponse(Taken)), () => pet)
  .route('/:petId<int>', PetById)
const child = new Blueprint('toys', { urlPrefix: '/toys' }).get(
  '/:toy',
  operation(response(t.type({ toy: t.string }))),
  (_, { toy }) => ({
    toy,
  }),
)
const shop = new Blueprint('shop', { urlPrefix: '/shops/:shop<any(a, b)>' }).registerBlueprint(
  child,
)
const unchained = new Blueprint('unchained')
unchained.get('/unchained', operation(response(Pet)), () => pet)

export const api = new Api(new Koa(), { API_ERRORS: 'problem', OPENAPI_VERSION: '3.1.0' })
  .registerBlueprint(pets)
  .registerBlueprint(shop)
  .registerBlueprint(shop, { urlPrefix: '/markets' })
  .registerBlueprint(unchained)

declare const ownForm: ErrorForm<{ errors: { detail: string }[] }>
export const ownErrors = new Api(new Koa(), {
  API_ERRORS: ownForm,
  OPENAPI_VERSION: '3.1.0',
}).registerBlueprint(pets)
interface OwnPaths extends PathsOf<typeof ownErrors> {}

interface Paths extends PathsOf<typeof api> {}
const client = createClient<Paths>({ baseUrl: 'http://shop.example' })
const path = { petId: 1 }
const name: keyof Paths = '/markets/toys/{toy}'

export async function right(): Promise<readonly unknown[]> {
  const list = await client.GET('/pets/', { params: { query: { kind: 'cat' } } })
  const names: readonly string[] | undefined = list.data?.map(each => each.name)
  const added = await client.POST('/pets/', { body: { name: 'Rex', kind: 'dog' } })
  const title: string | undefined = added.error?.title
  const by: string | undefined = added.error && 'by' in added.error ? added.error.by : undefined
  const toy = await client.GET('/shops/{shop}/toys/{toy}', {
    params: { path: { shop: 'a', toy: 'ball' } },
  })
  const replaced = await client.PUT('/pets/{petId}', {
    params: { path, header: { 'If-Match': '"1"' } },
    body: { name: 'Rex', kind: 'dog' },
  })
  const own = await createClient<OwnPaths>().POST('/pets/', { body: { name: 'Rex', kind: 'dog' } })
  const detail: string | undefined = own.error?.errors[0]?.detail
  return [names, title, detail, by, toy.data?.toy, replaced.data?.id, name]
}

type Item = Paths['/pets/{petId}']
export async function wrong(): Promise<void> {
  // @ts-expect-error Type '"/pet"' is not assignable to type 'keyof Paths'
  const unknownPath: keyof Paths = '/pet'
  // @ts-expect-error Type '"/unchained"' is not assignable to type 'keyof Paths'
  const notChained: keyof Paths = '/unchained'
  // @ts-expect-error '"/pets/{petId}"' is not assignable to parameter of type
  await client.POST('/pets/{petId}', { params: { path } })
  // @ts-expect-error Expected 2 arguments && client.GET('/pets/{petId}')
  await client.GET('/pets/{petId}')
  // @ts-expect-error Type 'string' is not assignable to type 'number' && on type 'PathParameters<"/pets/{petId}"
  await client.GET('/pets/{petId}', { params: { path: { petId: 'x' } } })
  // @ts-expect-error Type '"bird"' is not assignable to type '"cat" | "dog" && client.GET('/pets/'
  await client.GET('/pets/', { params: { query: { kind: 'bird' } } })
  // @ts-expect-error Property 'header' is missing && not assignable to type 'Parameters<"/pets/{petId}", "put"
  await client.PUT('/pets/{petId}', { params: { path }, body: { name: 'Rex', kind: 'dog' } })
  // @ts-expect-error Property 'kind' is missing && on type '{ params?: Parameters<"/pets/", "post"
  await client.POST('/pets/', { body: { name: 'Rex' } })
  // @ts-expect-error 'id' does not exist in type && on type '{ params?: Parameters<"/pets/", "post"
  await client.POST('/pets/', { body: { id: 1, name: 'Rex', kind: 'dog' } })
  // @ts-expect-error Property 'kid' does not exist on type && client.GET('/pets/')
  console.log((await client.GET('/pets/')).data?.[0]?.kid)
  // @ts-expect-error Property 'name' does not exist on type && client.GET('/pets/')
  console.log((await client.GET('/pets/')).error?.name)
  // @ts-expect-error Property '201' does not exist on type 'Responses<"/pets/{petId}", "put"
  type OfAnotherStatus = Item['put']['responses'][201]
  console.log(unknownPath, notChained, undefined as unknown as OfAnotherStatus)
}
