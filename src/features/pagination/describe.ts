import type { HeaderObject, ParameterObject } from 'openapi3-ts/oas32'
import type { Route } from '../../contract/feature.js'
import type { Fragment } from '../../openapi/document/fragment.js'
import type { Schemas } from '../../openapi/schema/schemas.js'
import type { Limits } from './page-parameters.js'

/** The two parameters, the header and the links. */
export function describePages(route: Route, { page, pageSize, maxPageSize, maxPage }: Limits, schemas: Schemas): Fragment {
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
    success: { headers: { ...(name !== null && { [name]: PAGINATION_HEADER }), ...(route.attributes.PAGINATION_LINKS && { Link: LINK }) } },
  }
}

const maximum = (limit: number) => (limit === Number.POSITIVE_INFINITY ? {} : { maximum: limit })

const LINK: HeaderObject = {
  description: 'The pages around this one, as relative references: `first`, `prev`, `next` and `last` (RFC 8288)',
  schema: { type: 'string' },
}

const PAGINATION_HEADER: HeaderObject = {
  description: 'Pagination metadata, as JSON',
  content: {
    'application/json': {
      schema: {
        type: 'object',
        properties: Object.fromEntries(
          ['total', 'total_pages', 'first_page', 'last_page', 'page', 'previous_page', 'next_page'].map(field => [
            field,
            { type: 'integer' },
          ]),
        ),
        required: ['total', 'total_pages'],
      },
    },
  },
}
