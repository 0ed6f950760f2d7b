import * as t from 'io-ts'
import type { MediaTypeObject, ReferenceObject, ResponseObject } from 'openapi3-ts/oas32'
import type { Route } from '../../feature-api/feature.js'
import type { Location } from '../../feature-api/request-reader.js'
import type { Fragment } from '../../openapi/document/fragment.js'
import type { Schemas } from '../../openapi/schema/schemas.js'
import {
  contentTypeOf,
  type Declared,
  errorStatusOf,
  type LocatedOptions,
  unknownOf,
} from './declaration.js'

const PARAMETERS: Partial<Record<Location, 'query' | 'path' | 'header' | 'cookie'>> = {
  query: 'query',
  querystring: 'query',
  path: 'path',
  headers: 'header',
  cookies: 'cookie',
}

/**
 * Describes an argument in the document; the first argument that reads the body describes it for
 * all of them.
 */
export function describeArgument(
  route: Route,
  schemas: Schemas,
  declared: Declared,
  bodies: readonly Declared[],
): Fragment {
  const { codec, location, options } = declared
  const where = `${route.place}, ${location}`
  const parameterLocation = PARAMETERS[location]
  const status = errorStatusOf(declared)
  if (parameterLocation) {
    const statuses = parameterLocation === 'query' ? [400, status] : [status]
    return {
      parameters: schemas.parameters(codec, parameterLocation, where, options.style),
      responses: refusals(schemas, statuses),
    }
  }
  const responses = refusals(schemas, [400, 413, 415, status])
  return bodies.length === 0
    ? { responses }
    : { requestBody: describeBody(route, schemas, bodies, where), responses }
}

/** Describes a body that one or two arguments read. */
export function describeBody(
  route: Route,
  schemas: Schemas,
  declared: readonly Declared[],
  where: string,
): NonNullable<Fragment['requestBody']> {
  const main = declared.find(({ location }) => location === 'files') ?? (declared[0] as Declared)
  const codecs = declared.map(({ codec }) => codec)
  const codec = codecs.length === 2 ? t.intersection(codecs as [t.Mixed, t.Mixed]) : main.codec
  // of a form and files, the form decides: an undeclared file may be ignored even if undeclared
  // fields are refused
  const unknown = unknownOf(route, declared.find(({ location }) => location !== 'files') ?? main)
  const { description, example, examples, style } = Object.assign(
    {},
    ...declared.map(({ options }) => options),
  ) as LocatedOptions
  const encoding = main.location === 'json' ? undefined : schemas.encoding(codec, style)
  const media: MediaTypeObject = {
    schema: schemas.of(codec, { direction: 'input', unknown, where }),
    ...(encoding && { encoding }),
    ...(example !== undefined && { example }),
    ...(examples && { examples }),
  }
  return {
    required: declared.some(({ options }) => options.required ?? true),
    ...(description !== undefined && { description }),
    content: { [contentTypeOf(route, main)]: media },
  }
}

/** The documented responses to requests that are refused. */
export function refusals(
  schemas: Schemas,
  statuses: readonly number[],
): Record<string, ResponseObject | ReferenceObject> {
  return Object.fromEntries(statuses.map(status => [status, schemas.errorResponse(status)]))
}
