// The operations of one resource with koa-smorest, as its servers serve them and `bench/start.mjs`
// registers them 250 times.
import * as t from 'io-ts'
import { petFields } from './pet-fields.mjs'

/** The package, or another build of it. */
export const library = await import(process.env.KOA_SMOREST ?? '../../dist/index.js')

const { Blueprint, etag, json, MethodView, operation, Page, paginate, query, response } = library

/** Four operations on the pets of a store. */
export function blueprintOf(resource, kinds, store) {
  const fields = petFields(library, kinds)
  const NewPet = t.strict(fields, `New_${resource}`)
  const Pet = t.strict({ id: t.string, ...fields }, `One_of_${resource}`)

  class Pets extends MethodView {
    static shared = operation(etag())

    static get = operation(
      'List the pets',
      query(t.partial({ kind: fields.kind })),
      paginate(Page),
      response(t.array(Pet)),
    )
    get(_ctx, filter) {
      return store.find(filter)
    }

    static post = operation('Add a pet', json(NewPet), response(Pet, { code: 201 }))
    post(_ctx, pet) {
      return store.add(pet)
    }
  }

  class PetById extends MethodView {
    static shared = operation(etag({ load: (_ctx, { petId }) => store.get(petId) }))

    static get = operation('Find a pet', response(Pet))
    get(_ctx, { current }) {
      return current
    }

    static put = operation('Replace a pet', json(NewPet), response(Pet))
    put(_ctx, pet, { petId }) {
      return store.replace(petId, pet)
    }
  }

  return new Blueprint(resource, { urlPrefix: `/${resource}` })
    .route('/', Pets, { endpoint: resource })
    .route('/:petId', PetById, { endpoint: `${resource}ById` })
}
