// Responses in several media types, and with several examples.
import * as t from 'io-ts'
import Koa from 'koa'
import {
  Api,
  altResponse,
  Blueprint,
  isoDate,
  isoDateTime,
  json,
  operation,
  optional,
  type Representation,
  response,
  struct,
} from 'koa-smorest'

const Dates = struct({
  'string (format: date)': optional(isoDate),
  'string (format: date-time)': optional(isoDateTime),
  'string (format: string)': optional(t.string),
})
const Animal = t.record(t.string, t.string)
type Animal = t.TypeOf<typeof Animal>

/** Serves this animal as JSON, and `OK` as text. */
export function mediaTypes(animal: Animal) {
  const text: Representation<Animal, 'text/plain'> = { mediaType: 'text/plain', write: () => 'OK' }
  const either = operation(
    json(Dates, { required: false }),
    response(Animal, { also: [text] }),
    altResponse(400, { description: 'Validation failed' }),
  )
  const single = operation(response(Animal), altResponse(400, { description: 'Validation failed' }))
  const show = () => animal
  const types = new Blueprint('types')
    .post('/multiple-types-multiple-examples', either, show)
    .post('/multiple-types-single-example', either, show)
    .get('/single-type-multiple-examples', single, show)
    .get('/single-type-single-example', single, show)
  return new Api(new Koa(), {
    OPENAPI_VERSION: '3.0.3',
    OPENAPI_URL_PREFIX: '/',
  }).registerBlueprint(types)
}
