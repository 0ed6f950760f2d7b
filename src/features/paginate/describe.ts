import type { HeaderObject, ParameterObject, SchemaObject } from 'openapi3-ts/oas32'
import type { Route } from '../../feature-api/feature.js'
import type { Fragment } from '../../openapi/document/fragment.js'
import type { Schemas } from '../../openapi/schema/schemas.js'
import type { Limits } from './page-parameters.js'

/** Describes the two parameters, the header and the links. */
export function describePages(
  route: Route,
  { position, names, first, most, pageSize, maxPageSize }: Limits,
  hasLinks: boolean,
  schemas: Schemas,
): Fragment {
  const name = route.attributes.PAGINATION_HEADER_FIELD_NAME
  const parameters: ParameterObject[] = [
    {
      name: names.position,
      in: 'query',
      required: false,
      schema: {
        type: 'integer',
        default: first,
        minimum: position === 'page' ? 1 : 0,
        ...maximum(most),
      },
    },
    {
      name: names.pageSize,
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
        ...(name !== null && { [name]: position === 'page' ? PAGINATION_HEADER : TOTAL_HEADER }),
        ...(hasLinks && { Link: LINK }),
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

const TOTAL: SchemaObject = { type: 'integer', description: 'How many items there are' }

const TOTAL_HEADER: HeaderObject = {
  description: 'Pagination metadata, as JSON',
  content: {
    'application/json': {
      schema: { type: 'object', properties: { total: TOTAL }, required: ['total'] },
    },
  },
}

const PAGINATION_HEADER: HeaderObject = {
  description: 'Pagination metadata, as JSON',
  content: {
    'application/json': {
      schema: {
        type: 'object',
        properties: {
          total: TOTAL,
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
