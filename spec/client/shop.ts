import * as t from 'io-ts'
import {
  Blueprint,
  type Context,
  etag,
  files,
  form,
  int,
  json,
  keyset,
  list,
  MethodView,
  operation,
  optional,
  Page,
  paginate,
  pick,
  query,
  readOnly,
  response,
  struct,
  Upload,
} from 'koa-smorest'

const Pet = struct({ id: readOnly(int), name: t.string, count: int }, 'Pet')
export type Pet = t.TypeOf<typeof Pet>
const NewPet = pick(Pet, ['name', 'count'], 'NewPet')
const Search = struct({ ids: optional(list(int)), kinds: optional(list(t.string)) })

/** A pet as it is kept; its version is its entity tag. */
interface Kept extends Pet {
  readonly version: number
}

/**
 * A shop of pets in memory: versions as entity tags, lists by page and by keyset, pictures. Lists
 * have both header fields.
 */
export function shop(
  pets: Map<number, Kept>,
  attributes: {
    readonly PAGINATION_LINKS?: boolean
    readonly PAGINATION_HEADER_FIELD_NAME?: string | null
  } = {},
) {
  let version = 0
  const keep = (id: number, pet: t.TypeOf<typeof NewPet>) => {
    const kept = { id, ...pet, version: ++version }
    pets.set(id, kept)
    return kept
  }
  const inOrder = () => [...pets.values()].sort((left, right) => left.id - right.id)
  class ShopBlueprint extends Blueprint {
    static override PAGINATION_LINKS = attributes.PAGINATION_LINKS ?? true
    static override PAGINATION_HEADER_FIELD_NAME =
      attributes.PAGINATION_HEADER_FIELD_NAME === undefined
        ? 'X-Pagination'
        : attributes.PAGINATION_HEADER_FIELD_NAME
  }
  const blueprint = new ShopBlueprint('pets', { urlPrefix: '/pets' })

  class Pets extends MethodView {
    static get = operation('Pets', paginate(Page, { maxPageSize: 50 }), response(t.array(Pet)))
    get() {
      return inOrder()
    }
    static post = operation('Add', json(NewPet), response(Pet, { code: 201 }))
    post(_: Context, pet: t.TypeOf<typeof NewPet>) {
      return keep(Math.max(0, ...pets.keys()) + 1, pet)
    }
  }

  class PetById extends MethodView {
    static shared = operation(
      etag({
        load: (_: Context, { id }: { id: number }) => pets.get(id),
        tag: (pet: Kept) => pet.version,
      }),
    )
    static get = operation('Pet', response(Pet))
    get(_: Context, { current }: { current: Kept }) {
      return current
    }
    static put = operation('Change', json(NewPet), response(Pet))
    put(_: Context, pet: t.TypeOf<typeof NewPet>, { id }: { id: number }) {
      return keep(id, pet)
    }
    static delete = operation('Remove', response({ code: 204 }))
    delete(_: Context, { id }: { id: number }) {
      pets.delete(id)
    }
  }

  class Picture extends MethodView {
    static put = operation(
      'Picture',
      form(struct({ title: t.string, tags: list(t.string), large: t.boolean })),
      files(struct({ pictures: t.array(Upload) })),
      response(t.unknown),
    )
    async put(
      _: Context,
      { tags, ...fields }: { title: string; tags: readonly string[]; large: boolean },
      { pictures }: { pictures: readonly Upload[] },
    ) {
      return {
        ...fields,
        tags,
        pictures: await Promise.all(
          pictures.map(async picture => [picture.filename, await picture.text()]),
        ),
      }
    }
  }

  blueprint.route('/', Pets)
  blueprint.route('/:id<int>', PetById)
  blueprint.route('/:id<int>/picture', Picture)
  blueprint.get(
    '/all',
    operation('All', keyset({ unique: 'id', maxPageSize: 50 }), response(t.array(Pet))),
    () => inOrder(),
  )
  blueprint.get(
    '/search',
    operation('Search', query(Search), response(t.unknown)),
    (_, search) => search,
  )
  return blueprint
}

interface ErrorBody {
  readonly content: { 'application/json': { code: number; status: string } }
}
interface WirePet {
  readonly id: number
  name: string
  count: number
}
interface WireNewPet {
  name: string
  count: number
}
interface None {
  query?: never
  header?: never
  path?: never
  cookie?: never
}
interface One<Header> {
  query?: never
  header: Header
  path: { id: number }
  cookie?: never
}

/** What openapi-typescript writes of the shop's document, in short. */
export interface ShopPaths {
  '/pets/': {
    parameters: None
    get: {
      parameters: {
        query?: { page?: number; page_size?: number }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        200: { headers: { [name: string]: unknown }; content: { 'application/json': WirePet[] } }
        default: ErrorBody
      }
    }
    post: {
      parameters: None
      requestBody: { content: { 'application/json': WireNewPet } }
      responses: { 201: { content: { 'application/json': WirePet } }; default: ErrorBody }
    }
    put?: never
  }
  '/pets/all': {
    parameters: None
    get: {
      parameters: {
        query?: { cursor?: string; page_size?: number }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: { 200: { content: { 'application/json': WirePet[] } }; default: ErrorBody }
    }
  }
  '/pets/search': {
    parameters: None
    get: {
      parameters: {
        query: { ids?: number[]; kinds?: string[] }
        header?: never
        path?: never
        cookie?: never
      }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': { ids?: number[]; kinds?: string[] } } }
        default: ErrorBody
      }
    }
  }
  '/pets/{id}': {
    parameters: None
    get: {
      parameters: {
        query?: never
        header?: { 'If-None-Match'?: string }
        path: { id: number }
        cookie?: never
      }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': WirePet } }
        304: { content?: never }
        default: ErrorBody
      }
    }
    put: {
      parameters: One<{ 'If-Match': string }>
      requestBody: { content: { 'application/json': WireNewPet } }
      responses: {
        200: { content: { 'application/json': WirePet } }
        412: ErrorBody
        default: ErrorBody
      }
    }
    delete: {
      parameters: One<{ 'If-Match': string; 'X-Reason': string }>
      requestBody?: never
      responses: { 204: { content?: never }; default: ErrorBody }
    }
  }
  '/pets/{id}/picture': {
    parameters: None
    get: {
      parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'image/*': string } }; default: ErrorBody }
    }
    put: {
      parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }
      requestBody: {
        content: {
          'multipart/form-data': { title: string; tags: string[]; large: boolean; pictures: Blob[] }
        }
      }
      responses: { 200: { content: { 'application/json': unknown } }; default: ErrorBody }
    }
  }
}
