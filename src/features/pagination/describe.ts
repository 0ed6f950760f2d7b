import type { HeaderObject, ParameterObject } from 'openapi3-ts/oas32'
import type { Route } from '../../contract/feature.js'
import type { Fragment } from '../../openapi/document/fragment.js'
import type { Schemas } from '../../openapi/schema/schemas.js'
import type { Limits } from './page-parameters.js'

/** Describes the two parameters, the header and the links. */
export function describePages(
  route: Route,
  { page, pageSize, maxPageSize, maxPage }: Limits,
  schemas: Schemas,
): Fragment {
  const name = route.attributes.PAGINATION_HEADER_FIELD_NAME
  const parameters: ParameterObject[] = [
    {
      name: 'page',
      in: 'query',
      required: false,
      schema: { type: 'integer', default: page, minimum: 1, ...maximum(maxPage) },
    },
    {
      name: 'page_size',
      in: 'query',
      required: false,
      schema: { type: 'integer', default: pageSize, minimum: 1, ...maximum(maxPageSize) },
    },
  ]
  return {
    parameters,
    responses: { 422: schemas.errorResponse(422) },
    success: {
      headers: {
        ...(name !== null && { [name]: PAGINATION_HEADER }),
        ...(route.attributes.PAGINATION_LINKS && { Link: LINK }),
      },
    },
  }
}

const maximum = (limit: number) => (limit === Number.POSITIVE_INFINITY ? {} : { maximum: limit })

const LINK: HeaderObject = {
  description:
    'The pages around this one, as relative references: `first`, `prev`, `next` and `last` (RFC 8288)',
  schema: { type: 'string' },
}

const PAGINATION_HEADER: HeaderObject = {
  description: 'Pagination metadata, as JSON',
  content: {
    'application/json': {
      schema: {
        type: 'object',
        properties: {
          total: { type: 'integer', description: 'How many items there are' },
          total_pages: { type: 'integer', description: 'How many pages they make' },
          first_page: {
            type: 'integer',
            description: 'The first page; absent where there are no items, as all below',
          },
          last_page: { type: 'integer', description: 'The last page' },
          page: { type: 'integer', description: 'This page; absent beyond the last' },
          previous_page: {
            type: 'integer',
            description: 'The page before this one, where there is one',
          },
          next_page: {
            type: 'integer',
            description: 'The page after this one, where there is one',
          },
        },
        required: ['total', 'total_pages'],
      },
    },
  },
}
