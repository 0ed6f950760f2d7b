import * as t from 'io-ts'
import {
  abort,
  altResponse,
  Blueprint,
  type Context,
  etag,
  files,
  json,
  keyset,
  lines,
  MethodView,
  mergePatch,
  open,
  operation,
  query,
  reply,
  response,
  Upload,
} from 'koa-smorest'
import { csv } from 'koa-smorest/csv'
import type { Access } from './access.js'
import { breaksReference } from './database.js'
import { LOCATION, type NewPet, Pet, PetFilter } from './model.js'
import type { Pets } from './pets.js'
import { mayBeUnavailable, unavailableWithoutDatabase } from './unavailable.js'

const noSuchOwner = altResponse(422, { description: 'No such owner.' })
const isOrdered = altResponse(409, { description: 'The pet was ordered.' })

/** `/pets/…`: the pets of the shop and their pictures. */
export function petBlueprint(pets: Pets, { staff }: Access) {
  const shared = operation(staff, mayBeUnavailable)
  return new Blueprint('pets', { urlPrefix: '/pets', description: 'Everything about pets', shared })
    .use(unavailableWithoutDatabase)
    .route('/', petList(pets))
    .route('/export', petExport(pets))
    .route('/:petId<int>', petById(pets))
    .route('/:petId<int>/picture', petPicture(pets))
}

/** By one field, and downwards with a minus. */
const sorted = keyset({
  unique: 'id',
  sorts: {
    id: ['id'],
    '-id': ['-id'],
    name: ['name'],
    '-name': ['-name'],
    price: ['price'],
    '-price': ['-price'],
    birthDate: ['birthDate'],
    '-birthDate': ['-birthDate'],
  },
})

function petList(pets: Pets) {
  return class PetList extends MethodView {
    static get = operation(
      'Search the pets',
      open(),
      query(PetFilter),
      sorted,
      response(t.array(Pet), { also: [csv()] }),
    )
    get(_: Context, filter: PetFilter) {
      return pets.find(filter)
    }

    static post = operation(
      'Add a pet',
      json(Pet),
      response(Pet, { code: 201, headers: { Location: LOCATION } }),
      noSuchOwner,
    )
    async post(_: Context, pet: NewPet) {
      const added = await pets.add(pet).catch(refuseUnknownOwner)
      return reply(added, 201, { Location: `/pets/${added.id}` })
    }
  }
}

function petExport(pets: Pets) {
  return class PetExport extends MethodView {
    static get = operation('Export all pets', open(), lines(Pet))
    get() {
      return pets.all()
    }
  }
}

type Current = { readonly current: Pet }

function petById(pets: Pets) {
  return class PetById extends MethodView {
    static shared = operation(
      etag({ load: (_, { petId }: { petId: number }) => pets.get(petId), tag: pet => pet.version }),
    )

    static get = operation('Find a pet', open(), response(Pet))
    get(_: Context, { current }: Current) {
      return current
    }

    static put = operation('Replace a pet', json(Pet), response(Pet), noSuchOwner)
    put(_: Context, pet: NewPet, { current }: Current) {
      return this.#replace(current, pet)
    }

    static patch = operation(
      'Change some fields of a pet',
      mergePatch(Pet),
      response(Pet),
      noSuchOwner,
    )
    patch(_: Context, pet: NewPet, { current }: Current) {
      return this.#replace(current, pet)
    }

    static delete = operation(
      'Remove a pet that nobody has ordered',
      response({ code: 204 }),
      isOrdered,
    )
    async delete(_: Context, { current }: Current) {
      if (!(await pets.remove(current.id, current.version).catch(refuseOrdered))) abort(412)
    }

    /**
     * The version in the UPDATE decides: another process may have written since `current` was
     * loaded.
     */
    async #replace({ id, version }: Pet, pet: NewPet) {
      return (await pets.replace(id, pet, version).catch(refuseUnknownOwner)) ?? abort(412)
    }
  }
}

const PictureForm = t.type({ picture: Upload })
type PictureForm = t.TypeOf<typeof PictureForm>

/**
 * What a browser shows without running it. The type that a client declares for a file is a claim,
 * so any other is only handed back.
 */
const SHOWN = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
const UNKNOWN = 'application/octet-stream'

function petPicture(pets: Pets) {
  return class PetPicture extends MethodView {
    static get = operation(
      "Show a pet's picture",
      open(),
      etag(),
      response({ contentType: 'image/*' }),
      altResponse(200, { contentType: UNKNOWN }),
      altResponse(404),
    )
    async get(ctx: Context, { petId }: { petId: number }) {
      const { bytes, mediaType } = (await pets.picture(petId)) ?? abort(404)
      ctx.set({ 'Content-Type': mediaType, 'X-Content-Type-Options': 'nosniff' })
      if (mediaType === UNKNOWN) ctx.set('Content-Disposition', 'attachment')
      return bytes
    }

    static put = operation(
      'Give a pet its picture',
      files(PictureForm),
      response({ code: 204 }),
      altResponse(404),
    )
    async put(_: Context, { picture }: PictureForm, { petId }: { petId: number }) {
      const stored = {
        mediaType: SHOWN.has(picture.mediaType) ? picture.mediaType : UNKNOWN,
        bytes: await picture.bytes(),
      }
      await pets
        .setPicture(petId, stored)
        .catch(error => (breaksReference(error) ? abort(404) : Promise.reject(error)))
    }
  }
}

function refuseUnknownOwner(error: unknown): never {
  if (breaksReference(error))
    abort(422, { errors: { json: { ownerId: ['There is no owner with this number.'] } } })
  throw error
}

function refuseOrdered(error: unknown): never {
  if (breaksReference(error)) abort(409, { message: 'This pet was ordered.' })
  throw error
}
