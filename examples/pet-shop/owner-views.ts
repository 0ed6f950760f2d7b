import * as t from 'io-ts'
import {
  abort,
  altResponse,
  Blueprint,
  type Context,
  cache,
  deprecated,
  etag,
  json,
  MethodView,
  mergePatch,
  open,
  operation,
  Page,
  paginate,
  query,
  reply,
  response,
} from 'koa-smorest'
import type { Access, Caller } from './access.js'
import { breaksReference, isDuplicate } from './database.js'
import { LOCATION, type NewOwner, Owner, OwnerFilter, Pet } from './model.js'
import type { Owners } from './owners.js'
import type { Pets } from './pets.js'
import { mayBeUnavailable, unavailableWithoutDatabase } from './unavailable.js'

const emailIsTaken = altResponse(409, { description: 'The email address is another owner’s.' })
/**
 * Numbered pages: the database reads all rows before a page to skip them, so nobody may ask for one
 * as far as they like.
 */
const pages = paginate(Page, { maxPage: 10_000 })
/** `GET /pets/?owner=…` says the same, with sorts. */
const useTheSearch = deprecated({
  since: '2026-11-01',
  sunset: '2030-01-01',
  link: '/docs/#/pets/PetList_get',
  after: 'gone',
})
/** What is sent depends on who asks, so that no cache in between may keep it. */
const forThisCaller = cache({ private: true, noCache: true })
const hasPets = altResponse(409, { description: 'The owner still has pets, or orders.' })

/** `/owners/…`: who has reserved or bought pets, and which. */
export function ownerBlueprint(owners: Owners, pets: Pets, access: Access) {
  const shared = operation(access.staff, mayBeUnavailable)
  return new Blueprint('owners', {
    urlPrefix: '/owners',
    description: 'Who has reserved or bought a pet',
    shared,
  })
    .use(unavailableWithoutDatabase)
    .route('/', ownerList(owners, access))
    .route('/:ownerId<int>', ownerById(owners, access))
    .route('/:ownerId<int>/pets', petsOfOwner(owners, pets))
}

/** An owner as this caller is shown them: telephone numbers are for the staff. */
function shownTo(caller: Caller | undefined, owner: Owner): Owner {
  if (caller?.isStaff) return owner
  const { phone: _, ...shown } = owner
  return shown
}

type Asking = { readonly principal: Caller | undefined }

function ownerList(owners: Owners, access: Access) {
  return class OwnerList extends MethodView {
    static get = operation(
      'Search the owners',
      access.everybody,
      query(OwnerFilter),
      pages,
      forThisCaller,
      response(t.array(Owner)),
    )
    get(_: Context, filter: OwnerFilter, { principal }: Asking) {
      return owners.find(filter).map(owner => shownTo(principal, owner))
    }

    static post = operation(
      'Add an owner',
      json(Owner),
      response(Owner, { code: 201, headers: { Location: LOCATION } }),
      emailIsTaken,
    )
    async post(_: Context, owner: NewOwner) {
      const added = await owners.add(owner).catch(refuseDuplicate)
      return reply(added, 201, { Location: `/owners/${added.id}` })
    }
  }
}

type Current = { readonly current: Owner }

function ownerById(owners: Owners, access: Access) {
  return class OwnerById extends MethodView {
    // no version as the tag: it would be the same for those who are shown the telephone number and
    // those who are not
    static shared = operation(
      etag({
        load: (_, { ownerId }: { ownerId: number }) => owners.get(ownerId),
        view: (owner, { principal }: Asking) => shownTo(principal, owner),
      }),
    )

    static get = operation('Find an owner', access.everybody, forThisCaller, response(Owner))
    get(_: Context, { current, principal }: Current & Asking) {
      return shownTo(principal, current)
    }

    static put = operation('Replace an owner', json(Owner), response(Owner), emailIsTaken)
    put(_: Context, owner: NewOwner, { current }: Current) {
      return this.#replace(current, owner)
    }

    static patch = operation(
      'Change some fields of an owner',
      mergePatch(Owner),
      response(Owner),
      emailIsTaken,
    )
    patch(_: Context, owner: NewOwner, { current }: Current) {
      return this.#replace(current, owner)
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
    static get = operation(
      'List the pets of an owner',
      open(),
      useTheSearch,
      pages,
      response(t.array(Pet)),
      altResponse(404),
    )
    async get(_: Context, { ownerId }: { ownerId: number }) {
      const owner = (await owners.get(ownerId)) ?? abort(404)
      return pets.find({ owner: owner.id })
    }
  }
}

function refuseDuplicate(error: unknown): never {
  if (isDuplicate(error))
    abort(409, { message: 'There is an owner with this email address already.' })
  throw error
}

function refuseWithPets(error: unknown): never {
  if (breaksReference(error)) abort(409, { message: 'This owner still has pets, or orders.' })
  throw error
}
