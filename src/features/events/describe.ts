import type * as t from 'io-ts'
import type { SchemaObject } from 'openapi3-ts/oas31'
import { isCodec } from '../../codec/shape/require-codec.js'
import type { Route } from '../../feature-api/feature.js'
import type { Fragment } from '../../openapi/document/fragment.js'
import type { Schemas } from '../../openapi/schema/schemas.js'
import type { EventCodecs } from './event-text.js'

/** Describes a stream of events: its fields are strings. */
export function describeEvents(
  { place }: Route,
  schemas: Schemas,
  codecs: t.Mixed | EventCodecs,
  id: t.Mixed | undefined,
): Fragment {
  const schemaOf = (codec: t.Mixed, name?: string): SchemaObject => {
    const where = `${place}, ${name === undefined ? 'event' : `event "${name}"`}`
    const contentSchema = schemas.of(codec, { direction: 'output', where })
    // a keyword of 2020-12 that the types of 3.1 lack
    const data: SchemaObject & { readonly contentSchema: SchemaObject } = {
      type: 'string',
      contentMediaType: 'application/json',
      contentSchema,
    }
    return {
      type: 'object',
      properties: {
        ...(name !== undefined && { event: { type: 'string', const: name } }),
        ...(id && { id: { type: 'string' } }),
        data,
      },
      required: [...(name === undefined ? [] : ['event']), 'data'],
    }
  }
  const itemSchema = isCodec(codecs)
    ? schemaOf(codecs)
    : { oneOf: Object.entries(codecs).map(([name, codec]) => schemaOf(codec, name)) }
  return {
    ...(id && {
      parameters: [
        {
          name: 'Last-Event-ID',
          in: 'header',
          required: false,
          description: 'The id of the last event that was received: the stream goes on after it',
          schema: { type: 'string' },
        },
      ],
    }),
    responses: {
      200: { description: 'Events', content: { 'text/event-stream': { itemSchema } } },
      204: { description: 'There are no events to come' },
      503: schemas.errorResponse(503, {
        headers: { 'Retry-After': { schema: { type: 'integer', minimum: 1 } } },
      }),
    },
  }
}
