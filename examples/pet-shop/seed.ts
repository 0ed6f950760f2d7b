import { readFile } from 'node:fs/promises'
import type pg from 'pg'
import { CITIES, FIRST_NAMES, KINDS, LAST_NAMES, PET_NAMES, TAGS } from './seed-data.js'

const OWNERS = 48
const PETS = 360
/** Birth dates are counted back from here: the same shop every time. */
const OPENING_DAY = Date.UTC(2026, 8, 1)
const DAY = 24 * 60 * 60 * 1000

/**
 * Fills the empty tables with 48 owners and 360 pets, the same ones every time, each pet with a
 * picture of its kind.
 */
export async function seed(client: pg.ClientBase): Promise<void> {
  const random = randomNumbers(20260901)
  await client.query(
    `INSERT INTO owners (name, email, phone, city)
     SELECT name, email, phone, city FROM json_populate_recordset(NULL::owners, $1)`,
    [JSON.stringify(Array.from({ length: OWNERS }, (_, index) => ownerAt(index, random)))],
  )
  await client.query(
    `INSERT INTO pets (name, kind, breed, birth_date, price, status, tags, owner_id)
     SELECT name, kind, breed, birth_date, price, status, tags, owner_id FROM json_populate_recordset(NULL::pets, $1)`,
    [JSON.stringify(Array.from({ length: PETS }, () => petFrom(random)))],
  )
  for (const { kind } of KINDS) {
    const picture = await readFile(new URL(`seed-pictures/${kind}.png`, import.meta.url))
    await client.query(
      "INSERT INTO pictures SELECT id, 'image/png', $1 FROM pets WHERE kind = $2",
      [picture, kind],
    )
  }
}

type Random = () => number

function ownerAt(index: number, random: Random): object {
  // 7 has no factor in common with either list's length, so no pair of names comes twice.
  const first = at(FIRST_NAMES, index)
  const last = at(LAST_NAMES, index * 7)
  const city = pick(CITIES, random)
  const phone =
    random() < 0.8 ? `${city.dial} ${Math.floor(2_000_000 + random() * 7_000_000)}` : null
  const mailbox = `${first}.${last}`
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/[^a-z.]/g, '')
  return { name: `${first} ${last}`, email: `${mailbox}@example.com`, phone, city: city.name }
}

function petFrom(random: Random): object {
  const { kind, breeds, price, oldest } = pick(KINDS, random)
  const status = at(
    ['available', 'available', 'available', 'reserved', 'sold', 'sold'],
    Math.floor(random() * 6),
  )
  // Squared: most of the pets in a shop are young.
  const age = Math.floor(oldest * 365 * random() ** 2 + 56)
  return {
    name: pick(PET_NAMES, random),
    kind,
    breed: pick(breeds, random),
    birth_date: new Date(OPENING_DAY - age * DAY).toISOString().slice(0, 10),
    price: `${Math.round((price[0] + (price[1] - price[0]) * random()) / 5) * 5 - 1}.95`,
    status,
    tags: TAGS.filter(() => random() < 0.15),
    owner_id: status === 'available' ? null : 1 + Math.floor(random() * OWNERS),
  }
}

function pick<Item>(items: readonly Item[], random: Random): Item {
  return at(items, Math.floor(random() * items.length))
}

function at<Item>(items: readonly Item[], index: number): Item {
  return items[index % items.length] as Item
}

/** Numbers from 0 to below 1, the same for the same seed (mulberry32). */
function randomNumbers(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
