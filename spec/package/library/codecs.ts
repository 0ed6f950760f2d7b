// Codecs and descriptors of an application that exports all of them.
import * as t from 'io-ts'
import {
  cookies,
  files,
  form,
  headers,
  int,
  isoDate,
  isoDateTime,
  json,
  list,
  maxLength,
  maxSize,
  mediaTypes,
  nullable,
  operation,
  optional,
  partial,
  query,
  readOnly,
  response,
  struct,
  Upload,
  wireName,
  withDefault,
  writeOnly,
} from 'koa-smorest'

export const Kind = t.keyof({ cat: null, dog: null }, 'Kind')
export const Pet = struct(
  {
    id: readOnly(int),
    name: maxLength(t.string, 30),
    kind: withDefault(Kind, 'cat'),
    born: optional(isoDate.asDate),
    seen: wireName('last_seen', nullable(isoDateTime)),
    secret: optional(writeOnly(t.string)),
  },
  'Pet',
)
export const PetChanges = partial(Pet, 'PetChanges')
export const Herd = t.type({
  pets: t.array(Pet),
  sizes: list(int),
  names: t.record(t.string, t.union([Pet, t.null])),
})
export const PictureForm = t.type({ picture: Upload })
export const GalleryForm = struct({
  cover: maxSize(mediaTypes(Upload, ['image/png']), 1000),
  more: optional(Upload),
  title: t.string,
})

export const picture = files(GalleryForm)
export const setPicture = operation(
  'Give a pet its picture',
  files(PictureForm),
  form(t.type({ title: t.string })),
  response({ code: 204 }),
)
export const addPet = operation(
  json(Pet),
  response(Pet, { code: 201, headers: { Location: { schema: { type: 'string' } } } }),
)
export const search = operation(
  query(PetChanges),
  headers(t.type({ 'X-Shop': t.string })),
  cookies(t.partial({ theme: Kind })),
  response(Herd),
)
