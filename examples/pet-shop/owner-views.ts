import * as t from 'io-ts'
import { abort, altResponse, Blueprint, type Context, etag, json, MethodView, operation, query, reply, response } from 'koa-smorest'
import { breaksReference, isDuplicate } from './database.js'
import { LOCATION, type NewOwner, Owner, OwnerChanges, OwnerFilter, Pet } from './model.js'
import type { Owners } from './owners.js'
import type { Pets } from './pets.js'
import { pages } from './search.js'
import { mayBeUnavailable, unavailableWithoutDatabase } from './unavailable.js'

const emailIsTaken = altResponse(409, { description: 'The email address is another owner’s.' })
const hasPets = altResponse(409, { description: 'The owner still has pets.' })

/** `/owners/…`: who has reserved or bought pets, and which. */
export function ownerBlueprint(owners: Owners, pets: Pets) {
  return new Blueprint('owners', { urlPrefix: '/owners', description: 'Who has reserved or bought a pet', shared: mayBeUnavailable })
    .use(unavailableWithoutDatabase)
    .route('/', ownerList(owners))
    .route('/:ownerId<int>', ownerById(owners))
    .route('/:ownerId<int>/pets', petsOfOwner(owners, pets))
}

function ownerList(owners: Owners) {
  return class OwnerList extends MethodView {
    static get = operation('Search the owners', query(OwnerFilter), pages, response(t.array(Owner)))
    get(_: Context, filter: OwnerFilter) {
      return owners.find(filter)
    }

    static post = operation('Add an owner', json(Owner), response(Owner, { code: 201, headers: { Location: LOCATION } }), emailIsTaken)
    async post(_: Context, owner: NewOwner) {
      const added = await owners.add(owner).catch(refuseDuplicate)
      return reply(added, 201, { Location: `/owners/${added.id}` })
    }
  }
}

type Current = { readonly current: Owner }

function ownerById(owners: Owners) {
  return class OwnerById extends MethodView {
    static shared = operation(etag({ load: (_, { ownerId }: { ownerId: number }) => owners.get(ownerId), tag: owner => owner.version }))

    static get = operation('Find an owner', response(Owner))
    get(_: Context, { current }: Current) {
      return current
    }

    static put = operation('Replace an owner', json(Owner), response(Owner), emailIsTaken)
    put(_: Context, owner: NewOwner, { current }: Current) {
      return this.#replace(current, owner)
    }

    static patch = operation('Change some fields of an owner', json(OwnerChanges), response(Owner), emailIsTaken)
    patch(_: Context, changes: OwnerChanges, { current }: Current) {
      return this.#replace(current, { ...current, ...changes })
    }

    static delete = operation('Remove an owner who has no pets', response({ code: 204 }), hasPets)
    async delete(_: Context, { current }: Current) {
      if (!(await owners.remove(current.id, current.version).catch(refuseWithPets))) abort(412)
    }

    async #replace({ id, version }: Owner, owner: NewOwner) {
      return (await owners.replace(id, owner, version).catch(refuseDuplicate)) ?? abort(412)
    }
  }
}

function petsOfOwner(owners: Owners, pets: Pets) {
  return class PetsOfOwner extends MethodView {
    static get = operation('List the pets of an owner', pages, response(t.array(Pet)), altResponse(404))
    async get(_: Context, { ownerId }: { ownerId: number }) {
      const owner = (await owners.get(ownerId)) ?? abort(404)
      return pets.find({ owner: owner.id })
    }
  }
}

function refuseDuplicate(error: unknown): never {
  if (isDuplicate(error)) abort(409, { message: 'There is an owner with this email address already.' })
  throw error
}

function refuseWithPets(error: unknown): never {
  if (breaksReference(error)) abort(409, { message: 'This owner still has pets.' })
  throw error
}
