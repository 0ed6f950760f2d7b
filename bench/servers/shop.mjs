// What every server shares: the pets, the resources it serves, and what is asked of its middleware.
// None of it is a framework's work.
import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import pino from 'pino'

/**
 * Resources of four operations each. Requests go to `pets`, which is registered last, behind
 * `OTHER_RESOURCES` others.
 */
export const resources = [
  ...Array.from(
    { length: Number(process.env.OTHER_RESOURCES ?? 0) },
    (_, index) => `resource${index}`,
  ),
  'pets',
]

/** Whether three middlewares stand before the operations: CORS, request id, logger. */
export const hasUpstream = process.env.UPSTREAM === '1'
/** Writes a line of JSON to standard output for each answer. */
export const logger = pino()
export const port = Number(process.env.PORT ?? 3000)

export const KINDS = ['cat', 'dog', 'bird', 'rabbit']
const NAMES = [
  'Ada',
  'Balou',
  'Cleo',
  'Dexter',
  'Elli',
  'Findus',
  'Gizmo',
  'Hexe',
  'Ivo',
  'Juno',
  'Kira',
  'Luna',
  'Momo',
]

const pets = Array.from({ length: 10_000 }, (_, index) => ({
  id: `00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`,
  name: `${NAMES[index % NAMES.length]} ${index}`,
  kind: KINDS[index % KINDS.length],
  age: index % 17,
  weight: 1.5 + (index % 40) / 4,
  vaccinated: index % 3 > 0,
  born: `20${10 + (index % 15)}-0${1 + (index % 9)}-1${index % 10}`,
  tags: ['friendly', 'house-trained', `litter-${index % 50}`].slice(index % 3),
  owner: { name: `Owner ${index % 900}`, phone: `+49 30 ${100_000 + index}` },
}))
const byId = new Map(pets.map(pet => [pet.id, pet]))
const byKind = new Map(KINDS.map(kind => [kind, pets.filter(pet => pet.kind === kind)]))
const added = []

/**
 * 10,000 pets. What is added is kept apart, the last 1,000, so that the lists stay what they are.
 */
export const store = {
  find: ({ kind }) => (kind ? byKind.get(kind) : pets),
  get: id => byId.get(id),
  add(values) {
    const pet = { id: randomUUID(), ...values }
    if (added.push(pet) > 1000) added.length = 0
    return pet
  },
  replace: (id, values) => Object.assign(byId.get(id), values),
}

/** The content of X-Pagination, for the servers that make it by hand. */
export function pageHeader(total, page, size) {
  const pages = Math.ceil(total / size)
  if (pages === 0) return JSON.stringify({ total, total_pages: 0 })
  const whole = { total, total_pages: pages, first_page: 1, last_page: pages }
  if (page > pages) return JSON.stringify(whole)
  return JSON.stringify({
    ...whole,
    page,
    ...(page > 1 && { previous_page: page - 1 }),
    ...(page < pages && { next_page: page + 1 }),
  })
}

/** The body of an error, for the servers that make it by hand. */
export const problem = (code, errors) => ({
  code,
  status: STATUS_CODES[code],
  ...(errors && { errors }),
})
