import * as fc from 'fast-check'
import * as t from 'io-ts'
import {
  Blueprint,
  int,
  operation,
  Page,
  type PaginationHeader,
  paginate,
  response,
} from 'koa-smorest'
import { describe, expect, it } from 'vitest'
import { serveBlueprints } from '../support/client.js'
import { cases, PATIENCE, seed } from './seed.js'

const numbers = (total: number) => Array.from({ length: total }, (_, index) => index)
const List = response(t.array(int))
const pages = new Blueprint('pages')
  .get('/pager/:total<int>', operation(List, paginate(Page)), (_, { total }) => numbers(total))
  .get('/lazy/:total<int>', operation(List, paginate(Page)), (_, { total }) => ({
    count: async () => total,
    slice: async (start: number, end: number) => numbers(total).slice(start, end),
  }))
  .get(
    '/view/:total<int>',
    operation(List, paginate()),
    (_, { total, paginationParameters: parameters }) => {
      parameters.itemCount = total
      return numbers(total).slice(parameters.firstItem, parameters.lastItem + 1)
    },
  )
const { request } = await serveBlueprints(pages)

/** What has to stand in the header of a page. */
function expectedHeader(total: number, size: number, page: number): PaginationHeader {
  const total_pages = Math.ceil(total / size)
  if (total_pages === 0) return { total, total_pages }
  const ends = { total, total_pages, first_page: 1, last_page: total_pages }
  if (page > total_pages) return ends
  return {
    ...ends,
    page,
    ...(page > 1 && { previous_page: page - 1 }),
    ...(page < total_pages && { next_page: page + 1 }),
  }
}

async function pageOf(
  kind: string,
  total: number,
  size: number,
  page: number,
): Promise<readonly number[]> {
  const { status, headers, body } = await request(
    'GET',
    `/${kind}/${total}?page=${page}&page_size=${size}`,
  )
  expect(status).toBe(200)
  expect(headers.get('X-Pagination')).toMatch(/^[ -~]+$/)
  expect(JSON.parse(headers.get('X-Pagination') ?? '')).toEqual(expectedHeader(total, size, page))
  return body
}

describe(`P5: the pages of a list (seed ${seed})`, () => {
  it(
    'are all of it, in order, nothing twice, all full but the last, with the same header in every form',
    async () => {
      const sizes = fc.tuple(
        fc.nat(60),
        fc.integer({ min: 1, max: 25 }),
        fc.constantFrom('pager', 'lazy', 'view'),
      )
      const holds = async ([total, size, kind]: [number, number, string]) => {
        const count = Math.ceil(total / size)
        const all = await Promise.all(
          numbers(count).map(index => pageOf(kind, total, size, index + 1)),
        )
        expect(all.flat()).toEqual(numbers(total))
        expect(all.slice(0, -1).every(page => page.length === size)).toBe(true)
        for (const beyond of [count + 1, 10 ** 9])
          expect(await pageOf(kind, total, size, beyond)).toEqual([])
      }
      await fc.assert(fc.asyncProperty(sizes, holds), { seed, numRuns: Math.min(cases(15), 1500) })
    },
    PATIENCE,
  )
})
