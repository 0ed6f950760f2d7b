import * as t from 'io-ts'
import {
  abort,
  Blueprint,
  type Context,
  checkEtag,
  etag,
  json,
  MethodView,
  operation,
  Page,
  paginate,
  query,
  response,
} from 'koa-smorest'
import { type NewPet, Pet, PetQuery } from './codecs.js'
import { pets, type Stored } from './state.js'

class PetList extends MethodView {
  static post = operation(
    `Add a pet

    The name has to be unique.
    The identifier is chosen by the server.
    ---
    Internal comment, never documented.`,
    json(Pet),
    response(Pet, { code: 201, description: 'The new pet' }),
  )
  post(_: Context, data: NewPet) {
    refuseTakenName(data)
    return pets.add(data)
  }

  static get = operation('List pets', query(PetQuery), response(t.array(Pet)), paginate(Page))
  get(_: Context, filter: PetQuery) {
    return pets
      .all()
      .filter(pet => isWanted(pet, filter))
      .sort(ORDERS[filter.sort])
  }
}

class PetById extends MethodView {
  static delete = operation('Delete a pet', response({ code: 204 }))
  delete(ctx: Context, { pet_id }: { pet_id: number }) {
    checkEtag(ctx, find(pet_id), Pet)
    pets.remove(pet_id)
  }

  static put = operation('Replace a pet', json(Pet), response(Pet))
  put(ctx: Context, data: NewPet, { pet_id }: { pet_id: number }) {
    const pet = find(pet_id)
    checkEtag(ctx, pet, Pet)
    refuseTakenName(data, pet)
    return pets.replace(pet, data)
  }

  static get = operation('Get a pet', response(Pet))
  get(_: Context, { pet_id }: { pet_id: number }) {
    return find(pet_id)
  }
}

type StoredPet = Stored<NewPet>

function find(id: number): StoredPet {
  return pets.get(id) ?? abort(404, { message: 'Pet not found.' })
}

function refuseTakenName({ name }: NewPet, self?: StoredPet): void {
  const isTaken = pets.all().some(other => other.name === name && other.id !== self?.id)
  if (isTaken) abort(409, { message: 'Name already used.', errors: { name: ['duplicate'] } })
}

function isWanted(pet: StoredPet, { name, kind, min_age }: PetQuery): boolean {
  return (
    (name ?? pet.name) === pet.name &&
    (kind ?? pet.kind) === pet.kind &&
    (pet.age ?? 0) >= (min_age ?? 0)
  )
}

const byName = (left: StoredPet, right: StoredPet) => (left.name < right.name ? -1 : 1)
const ORDERS = {
  id: (left: StoredPet, right: StoredPet) => left.id - right.id,
  name: byName,
  '-name': (left: StoredPet, right: StoredPet) => byName(right, left),
}

export const petsBlueprint = new Blueprint('pets', {
  urlPrefix: '/pets',
  description: 'Everything about pets',
  shared: operation(etag()),
})
  .route('/', PetList)
  .route('/:pet_id<int>', PetById, {
    parameters: [{ name: 'pet_id', in: 'path', description: 'Pet identifier' }],
  })
