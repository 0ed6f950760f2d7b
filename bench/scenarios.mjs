import { requestBytes } from './client.mjs'

/**
 * How servers are set up: one resource (two paths, four operations); the same again, for the item
 * alone; 500 resources (1,000 paths); three middlewares; 250 resources (1,000 operations). A
 * process that is asked less often has colder caches, so an item is compared with an item among
 * 1,000 routes in processes that are equally busy.
 */
export const SETUPS = {
  plain: {},
  single: {},
  routes: { OTHER_RESOURCES: '499' },
  upstream: { UPSTREAM: '1' },
  operations: { OTHER_RESOURCES: '249' },
}

const PETS = Array.from(
  { length: 64 },
  (_, index) => `/pets/00000000-0000-4000-8000-${(index * 150).toString(16).padStart(12, '0')}`,
)
const NEW_PET = {
  name: 'Rex',
  kind: 'dog',
  age: 3,
  weight: 12.5,
  vaccinated: true,
  born: '2023-05-17',
  tags: ['friendly', 'house-trained'],
  owner: { name: 'Kim', phone: '+49 30 1234567' },
}

/** A valid body of a new pet, and one with three faults. */
export const BODIES = { valid: NEW_PET, faulty: { ...NEW_PET, name: '', kind: 'wolf', age: -1 } }

const lists = size => async () =>
  PETS.map((_, page) =>
    requestBytes(
      'GET',
      `/pets?kind=${['cat', 'dog', 'bird', 'rabbit'][page % 4]}&page=${(page % 20) + 1}&page_size=${size}`,
    ),
  )
const items = headers => async () => PETS.map(path => requestBytes('GET', path, headers))

const current = (port, path) => fetch(`http://127.0.0.1:${port}${path}`)

/**
 * What is asked, 64 requests in turn, and the status of every answer. Unsafe requests leave the
 * data as it is.
 */
export const SCENARIOS = [
  { name: 'list10', title: 'list of 10', setup: 'plain', status: 200, requests: lists(10) },
  { name: 'list100', title: 'list of 100', setup: 'plain', status: 200, requests: lists(100) },
  { name: 'item', title: 'item', setup: 'single', status: 200, requests: items() },
  { name: '304', title: '304', setup: 'plain', status: 304, requests: notModified },
  {
    name: 'post',
    title: 'POST',
    setup: 'plain',
    status: 201,
    requests: async () => [requestBytes('POST', '/pets', {}, BODIES.valid)],
  },
  {
    name: 'refused',
    title: 'POST refused',
    setup: 'plain',
    status: 422,
    requests: async () => [requestBytes('POST', '/pets', {}, BODIES.faulty)],
  },
  { name: 'put', title: 'PUT If-Match', setup: 'plain', status: 200, requests: replacements },
  { name: 'routes', title: 'item, 1,000 routes', setup: 'routes', status: 200, requests: items() },
  {
    name: 'upstream',
    title: 'item, 3 middlewares',
    setup: 'upstream',
    status: 200,
    requests: items({ Origin: 'http://localhost' }),
  },
]

async function notModified(port) {
  return Promise.all(
    PETS.map(async path => {
      const answer = await current(port, path)
      await answer.text()
      return requestBytes('GET', path, { 'If-None-Match': answer.headers.get('etag') })
    }),
  )
}

async function replacements(port) {
  return Promise.all(
    PETS.map(async path => {
      const answer = await current(port, path)
      const { id, ...values } = await answer.json()
      return requestBytes('PUT', path, { 'If-Match': answer.headers.get('etag') }, values)
    }),
  )
}
