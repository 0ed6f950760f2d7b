import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  breaksReference,
  type Database,
  isDatabaseAway,
  isDuplicate,
  openDatabase,
  prepareDatabase,
} from '../../examples/pet-shop/database.js'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../examples/pet-shop/embedded-postgres.js'
import type { NewPet } from '../../examples/pet-shop/model.js'
import { Owners } from '../../examples/pet-shop/owners.js'
import { Pets } from '../../examples/pet-shop/pets.js'
import { queriesOver } from '../../examples/pet-shop/tables.js'

const rex: NewPet = {
  name: 'Rex',
  kind: 'dog',
  breed: null,
  birthDate: '2026-03-09',
  price: '499.95',
  status: 'available',
  tags: ['playful'],
  ownerId: null,
}

let folder: string
let server: EmbeddedPostgres
let database: Database
let pets: Pets
let owners: Owners

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pet-shop-spec-'))
  server = await startEmbeddedPostgres(folder)
  database = openDatabase(server.url)
  pets = new Pets(queriesOver(database))
  owners = new Owners(queriesOver(database))
  // Two at once: the processes of one shop all prepare the database when they start.
  await Promise.all([
    prepareDatabase(database, () => undefined),
    prepareDatabase(database, () => undefined),
  ])
})

afterAll(async () => {
  await database?.end()
  await server?.stop()
  await rm(folder, { recursive: true, force: true })
})

describe('the shop as it opens', () => {
  it('has some hundred pets and some dozen owners, seeded once', async () => {
    expect([await pets.find({}).count(), await owners.find({}).count()]).toEqual([360, 48])
  })

  it('has pets whose values look as the API shows them', async () => {
    const [pet] = await pets.find({}).slice(0, 1)
    expect(pet).toMatchObject({
      id: 1,
      version: 1,
      birthDate: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      price: expect.stringMatching(/\.95$/),
    })
  })

  it('has a picture of each of them', async () => {
    const { rows } = await database.query(
      "SELECT count(*) FROM pets JOIN pictures ON pet_id = id WHERE media_type = 'image/png'",
    )
    expect(rows).toEqual([{ count: 360 }])
  })
})

describe('a search', () => {
  it('reads the part that is asked for, the end excluded', async () => {
    const all = await pets.find({ kind: 'cat' }).slice(0, 1000)
    expect(await pets.find({ kind: 'cat' }).slice(10, 15)).toEqual(all.slice(10, 15))
    expect(await pets.find({ kind: 'cat' }).count()).toBe(all.length)
    expect(
      await pets.find({ kind: 'cat' }).slice(Number.MAX_SAFE_INTEGER - 10, Number.MAX_SAFE_INTEGER),
    ).toEqual([])
  })

  it('narrows with every field', async () => {
    const filter = {
      status: 'sold',
      minPrice: '100',
      maxPrice: '900',
      bornAfter: '2022-01-01',
      tag: 'playful',
    } as const
    const found = await pets.find(filter).slice(0, 1000)
    const all = await pets.find({}).slice(0, 1000)
    const wanted = all.filter(
      pet =>
        pet.status === 'sold' &&
        Number(pet.price) >= 100 &&
        Number(pet.price) <= 900 &&
        pet.birthDate > '2022-01-01' &&
        pet.tags.includes('playful'),
    )
    expect(found).toEqual(wanted)
    expect(found.length).toBeGreaterThan(0)
    const owner = found[0]?.ownerId ?? 0
    expect((await pets.find({ owner }).slice(0, 1000)).every(pet => pet.ownerId === owner)).toBe(
      true,
    )
  })

  it('takes the beginning of a name in any case, and signs in it as they are', async () => {
    const found = await pets.find({ name: 'lU' }).slice(0, 1000)
    expect(new Set(found.map(pet => pet.name))).toEqual(new Set(['Luna']))
    expect(await pets.find({ name: '%' }).count()).toBe(0)
    expect(await owners.find({ city: 'KRAKÓW' }).count()).toBeGreaterThan(0)
  })
})

describe('a write', () => {
  it('gives back what was stored', async () => {
    const pet = await pets.add(rex)
    expect(pet).toEqual({ ...rex, id: expect.any(Number), version: 1 })
    expect(await pets.get(pet.id)).toEqual(pet)
  })

  it('of one version is won by one of many writers', async () => {
    const { id } = await pets.add(rex)
    const names = Array.from({ length: 8 }, (_, index) => `Rex ${index}`)
    const results = await Promise.all(names.map(name => pets.replace(id, { ...rex, name }, 1)))
    const [winner, ...others] = results.filter(pet => pet !== undefined)
    expect(others).toEqual([])
    expect(await pets.get(id)).toEqual({ ...rex, id, name: winner?.name, version: 2 })
  })

  it('removes only the version that is named', async () => {
    const { id } = await pets.add(rex)
    expect(await pets.remove(id, 2)).toBe(false)
    expect(await pets.remove(id, 1)).toBe(true)
    expect(await pets.get(id)).toBeUndefined()
  })

  it('takes the picture with the pet', async () => {
    const { id } = await pets.add(rex)
    await pets.setPicture(id, { mediaType: 'image/gif', bytes: Buffer.from('GIF87a') })
    await pets.setPicture(id, { mediaType: 'image/png', bytes: Buffer.from([0x89, 0, 0xff]) })
    expect(await pets.picture(id)).toEqual({
      mediaType: 'image/png',
      bytes: Buffer.from([0x89, 0, 0xff]),
    })
    await pets.remove(id, 1)
    expect(await pets.picture(id)).toBeUndefined()
  })

  it('that the tables do not allow is told apart', async () => {
    const owner = await owners.add({
      name: 'Ada',
      email: 'ada@example.com',
      phone: null,
      city: 'Cork',
    })
    await pets.add({ ...rex, ownerId: owner.id })
    expect(
      isDuplicate(
        await failure(
          owners.add({ name: 'Ada', email: 'ADA@example.com', phone: null, city: 'Porto' }),
        ),
      ),
    ).toBe(true)
    expect(breaksReference(await failure(owners.remove(owner.id, 1)))).toBe(true)
    expect(
      breaksReference(await failure(pets.add({ ...rex, ownerId: Number.MAX_SAFE_INTEGER }))),
    ).toBe(true)
  })
})

describe('a database that goes away', () => {
  it('is recognised when it breaks a query', async () => {
    const broken = failure(database.query('SELECT pg_sleep(4)'))
    const terminate =
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(4)'"
    await expect.poll(async () => (await database.query(terminate)).rowCount).toBe(1)
    expect(isDatabaseAway(await broken)).toBe(true)
  })

  it('is recognised when it refuses, and used again when it is back, with all it had', async () => {
    const before = await pets.find({}).count()
    await server.stop()
    expect(isDatabaseAway(await failure(pets.get(1)))).toBe(true)
    server = await startEmbeddedPostgres(folder)
    expect(await pets.find({}).count()).toBe(before)
  })

  it('is started again when it was killed', async () => {
    const { rows } = await database.query("SELECT pg_read_file('postmaster.pid') AS file")
    process.kill(Number.parseInt(rows[0].file, 10), 'SIGKILL')
    await expect.poll(() => failure(pets.get(1)), { timeout: 10_000 }).toBeDefined()
    await expect.poll(() => failure(pets.get(1)), { timeout: 10_000 }).toBeUndefined()
  })

  it('is not what a wrong query says', async () => {
    expect(isDatabaseAway(await failure(database.query('SELECT nothing')))).toBe(false)
    expect(isDatabaseAway('ECONNREFUSED')).toBe(false)
  })
})

function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    error => error,
  )
}
